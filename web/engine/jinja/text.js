/**
 * A string of a template: its characters, and a letter for the origin of each character. So a control
 * token written by the template differs from equal characters in a message.
 */
import { refuse } from './fault.js';

/** Letters for origins: the template itself, a message, the role of a message. */
const TEMPLATE = ' ';
export const MESSAGE = 'm';
export const ROLE = 'r';

/** Python's white space, which differs from JavaScript's. */
export const SPACE =
  '\t-\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
/** Longest string, in UTF-16 units, since a template may build a longer string than it returns. */
const LENGTH_MAX = 1 << 24;
const SURROGATE = /[\ud800-\udfff]/;

/** @param {number} length */
function checkLength(length) {
  if (length > LENGTH_MAX) refuse(`a text has more than ${LENGTH_MAX} characters`);
}

export class Str {
  /** Index of the first UTF-16 unit of each character; null if each character has one unit; undefined if not yet computed. @type {Uint32Array | null | undefined} */
  #starts;

  /**
   * @param {string} text
   * @param {string | null} [origin] a letter for each unit; null if the template wrote the whole text
   */
  constructor(text, origin = null) {
    checkLength(text.length);
    this.text = text;
    this.origin = origin;
  }

  get starts() {
    if (this.#starts === undefined) {
      this.#starts = null;
      if (SURROGATE.test(this.text)) {
        const starts = [0];
        for (const each of this.text) starts.push(starts[starts.length - 1] + each.length);
        this.#starts = Uint32Array.from(starts);
      }
    }
    return this.#starts;
  }

  /** The number of code points. */
  get length() {
    return this.starts ? this.starts.length - 1 : this.text.length;
  }

  /** The index of the unit at which code point n begins. @param {number} n */
  unit(n) {
    return this.starts ? this.starts[n] : n;
  }

  /** The index of the code point that begins at a unit. @param {number} unit */
  point(unit) {
    if (unit < 0 || !this.starts) return unit;
    return new Str(this.text.slice(0, unit)).length;
  }

  /** Slices by indices of units. @param {number} from @param {number} [to] */
  slice(from, to) {
    return new Str(this.text.slice(from, to), this.origin && this.origin.slice(from, to));
  }

  /** The character with this index, by code points. @param {number} n */
  at(n) {
    return this.slice(this.unit(n), this.unit(n + 1));
  }

  /** @param {number} times 0 or more */
  repeat(times) {
    checkLength(this.text.length * times);
    return new Str(this.text.repeat(times), this.origin && this.origin.repeat(times));
  }

  /** @param {Str} other */
  plus(other) {
    return concat([this, other]);
  }

  /**
   * Replaces the matches of a global expression without groups. A replacement has the origin of its match.
   * @param {RegExp} pattern
   * @param {(found: string) => string} write
   */
  rewrite(pattern, write) {
    if (!this.origin) return new Str(this.text.replace(pattern, write));
    let origin = '';
    let from = 0;
    const text = this.text.replace(pattern, (found, /** @type {number} */ at) => {
      const written = write(found);
      const here = this.origin?.slice(at, at + found.length) ?? '';
      origin += this.origin?.slice(from, at) + leastTrusted(here).repeat(written.length);
      from = at + found.length;
      return written;
    });
    return new Str(text, origin + this.origin.slice(from));
  }

  /** Changes the case of the letters. @param {(text: string) => string} change */
  recase(change) {
    const text = change(this.text);
    if (!this.origin) return new Str(text);
    let from = 0;
    let joined = '';
    for (const [run] of this.origin.matchAll(/(.)\1*/g)) {
      const changed = change(this.text.slice(from, from + run.length));
      if (changed.length !== run.length) break;
      joined += changed;
      from += run.length;
    }
    return joined === text ? new Str(text, this.origin) : this.remade(text);
  }

  /** Makes a string from a text derived from this one; every character gets the least trusted origin. @param {string} text */
  remade(text) {
    return new Str(text, this.origin && leastTrusted(this.origin).repeat(text.length));
  }
}

/** The result of `safe` and `escape`. Python escapes a string that is added to it; here, adding is an error. */
export class Markup extends Str {}

/** @param {string} origin the origins of several characters @returns {string} the least trusted of them */
function leastTrusted(origin) {
  if (origin.includes(MESSAGE)) return MESSAGE;
  return origin.includes(ROLE) ? ROLE : TEMPLATE;
}

/** @param {Str[]} parts */
export function concat(parts) {
  checkLength(parts.reduce((length, part) => length + part.text.length, 0));
  const text = parts.map((part) => part.text).join('');
  if (parts.every((part) => part.origin === null)) return new Str(text);
  return new Str(
    text,
    parts.map((part) => part.origin ?? TEMPLATE.repeat(part.text.length)).join(''),
  );
}

/** @param {string} text */
export const str = (text) => new Str(text);

/** A number by which UTF-16 units sort in the order of code points. @param {number} unit */
function sortKey(unit) {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Compares by code points; negative if a precedes b. @param {string} a @param {string} b */
export function compareTexts(a, b) {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return sortKey(x) - sortKey(y);
  }
  return a.length - b.length;
}
