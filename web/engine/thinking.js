/**
 * The thinking part of a text. It begins with the token after the one that completes the begin delimiter, and ends
 * with the token that completes the end delimiter. So the next token's part is known before its draw.
 */

/** @import { Delimiter } from './types.js' */

/** The delimiters of most models that think. */
export const BEGIN = '<think>';
export const END = '</think>';

/** @param {string} text */
const toBytes = (text) => new TextEncoder().encode(text);

/** The bytes of a text; the ids of other delimiters. @param {Delimiter} delimiter */
function numbersOf(delimiter) {
  if (typeof delimiter === 'string') return toBytes(delimiter);
  return typeof delimiter === 'number' ? [delimiter] : delimiter;
}

/** Finds a sequence of numbers in a stream. */
class Finder {
  #sought;
  /** The last numbers of the stream, at most as many as are sought. @type {number[]} */
  #last = [];

  /** @param {ArrayLike<number>} sought */
  constructor(sought) {
    this.#sought = Array.from(sought);
  }

  /** Returns true if the sequence ends with this number. @param {number} next */
  takes(next) {
    const { length } = this.#sought;
    this.#last = [...this.#last, next].slice(-length);
    return this.#last.length === length && this.#last.every((each, i) => each === this.#sought[i]);
  }
}

/** Follows a text token by token. */
export class Thinking {
  /** True if the next token belongs to the thinking. */
  on = false;
  /** `on` is the value of `on` after the delimiter. @type {{ finder: Finder, on: boolean, isText: boolean }[]} */
  #delimiters;

  /** @param {Delimiter} [begin] @param {Delimiter} [end] */
  constructor(begin = BEGIN, end = END) {
    this.#delimiters = [begin, end].map((delimiter, i) => ({
      finder: new Finder(numbersOf(delimiter)),
      on: i === 0,
      isText: typeof delimiter === 'string',
    }));
  }

  /**
   * Adds a token. Returns true if it completes a delimiter.
   * @param {number} id
   * @param {{ text: string, bytes?: Uint8Array }} piece
   */
  push(id, { text, bytes = toBytes(text) }) {
    let found = false;
    const take = (/** @type {number} */ next, /** @type {boolean} */ inText) => {
      for (const { finder, on, isText } of this.#delimiters) {
        if (isText !== inText || !finder.takes(next)) continue;
        this.on = on;
        found = true;
      }
    };
    for (const byte of bytes) take(byte, true);
    take(id, false);
    return found;
  }

  /**
   * Adds the tokens of a prompt. In a prompt, a control token that completes no delimiter ends the thinking, because
   * a new turn begins there.
   * @param {{ id: number, text: string, bytes?: Uint8Array, special: boolean }[]} pieces
   */
  pushPrompt(pieces) {
    for (const piece of pieces) if (!this.push(piece.id, piece) && piece.special) this.on = false;
  }
}
