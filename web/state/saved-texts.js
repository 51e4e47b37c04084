/** Turns drawn texts into data that can be stored, and back. */

/** @import { Step } from '../plots/trace.js' */
/** @import { Piece } from '../engine/types.js' */
/** @import { TextTree } from './tree.js' */

/**
 * Each item of `tokens` has the index of the token's parent, the token's FIGURES, and 1 if the user
 * chose the token, else 0.
 * @typedef {{ key: string, prompt_ids: number[], stopAtEnd: boolean, tip: number,
 *   tokens: (number | null)[][] }} Saved
 */

/** The numbers that are stored for a token. Its text is not stored, because the model has it. */
const FIGURES = /** @type {const} */ (['id', 'u', 'mu', 'p', 'p_raw', 'rank', 'logprob']);

/** @param {TextTree} texts @param {number[]} prompt_ids @returns {Saved} */
export function saveTexts({ key, stopAtEnd, tip, all }, prompt_ids) {
  const tokens = all.map(([parent, step]) => [
    parent,
    ...FIGURES.map((name) => step[name] ?? null),
    Number(step.forced ?? false),
  ]);
  return { key, prompt_ids, stopAtEnd, tip, tokens };
}

/**
 * Replaces all texts of a tree by stored ones.
 * @param {TextTree} texts
 * @param {Saved} saved
 * @param {Piece[]} pieces of the saved tokens
 */
export function openTexts(texts, { key, prompt_ids, stopAtEnd, tip, tokens }, pieces) {
  /** @type {number[]} */
  const depths = [];
  const all = tokens.map(([parent, ...values], i) => {
    const depth = parent ? depths[parent - 1] + 1 : 0;
    depths.push(depth);
    const figures = Object.fromEntries(FIGURES.map((name, at) => [name, values[at]]));
    const forced = values.at(-1) ? { forced: true } : {};
    const position = prompt_ids.length + depth;
    const step = { ...pieces[i], ...figures, ...forced, position };
    return /** @type {[number, Step]} */ ([parent, /** @type {any} */ (step)]);
  });
  texts.stopAtEnd = stopAtEnd;
  texts.take(all, tip, key);
}
