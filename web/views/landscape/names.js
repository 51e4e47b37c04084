/** The names of the visible tokens. The engine is asked only once for each name. */
import { isolated, unturned, visible } from '../../base/visible.js';

/**
 * @typedef {import('../../state/sources.js').Source} Source
 * @typedef {import('../../engine/types.js').Piece} Piece
 */

/** The longest name, in characters. */
const LONGEST = 12;

export class Names {
  /** @type {Map<number, Piece>} */
  #pieces = new Map();
  /** @type {Source | null} */
  #source = null;

  /**
   * Forgets all names; from now on asks another source.
   * @param {Source | null} source
   * @param {Piece[]} [known] names that need no request
   */
  begin(source, known = []) {
    this.#source = source;
    this.#pieces = new Map(known.map((piece) => [piece.id, piece]));
  }

  /** @param {Iterable<number>} ids */
  async fetch(ids) {
    const source = this.#source;
    const missing = [...new Set(ids)].filter((id) => !this.#pieces.has(id));
    if (!source || missing.length === 0) return;
    const found = await Promise.all(missing.map((id) => source.piece(id)));
    if (source !== this.#source) return;
    for (const piece of found) this.#pieces.set(piece.id, piece);
  }

  /** @param {number} id */
  textOf(id) {
    return this.#pieces.get(id)?.text ?? '';
  }

  /**
   * Returns the texts of tokens that follow each other. They are decoded together, because one character can need
   * several tokens.
   * @param {number[]} ids
   */
  wordsOf(ids) {
    const decoder = new TextDecoder();
    return ids.map((id) => {
      const { bytes, special } = this.#pieces.get(id) ?? {};
      return { id, text: bytes && !special ? decoder.decode(bytes, { stream: true }) : '' };
    });
  }

  /** @param {number} id @param {boolean} [marked] true to make spaces visible */
  of = (id, marked = false) => {
    const piece = this.#pieces.get(id);
    if (!piece) return '';
    return (!marked && isolated(unturned(piece.text.trim()))) || visible(piece, LONGEST);
  };
}
