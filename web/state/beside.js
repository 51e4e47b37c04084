/** Chooses the tokens that show how two results differ. */

/** @import { Piece } from '../engine/types.js' */

/**
 * A row has a token and its probability in each result; `p` is null if the result removes the token.
 * @typedef {{ kept: number[], difference: import('./order.js').Difference,
 *   rows: { token: Piece, p: (number | null)[], differs: boolean }[] }} Beside
 */

/** For each result: how many of its most probable tokens, and how many tokens that only this result keeps. */
const LIKELIEST = 5;
const DIFFERING = 3;

/**
 * @param {import('../engine/types.js').WarpTrace[]} results
 * @param {import('./order.js').Comparison} comparison
 */
export function chooseRows(results, { only, lost }) {
  const apart = [...only.ids.slice(0, DIFFERING), ...lost.ids.slice(0, DIFFERING)];
  const likeliest = results.flatMap(({ tokens }) => tokens.slice(0, LIKELIEST));
  const ids = [...new Set([...likeliest.map(({ id }) => id), ...apart])];
  const most = (/** @type {number} */ id) => Math.max(...results.map(({ p }) => p[id]));
  ids.sort((a, b) => most(b) - most(a) || a - b);
  const rows = (/** @type {Piece[]} */ pieces) =>
    pieces.map((token) => {
      const { id } = token;
      const p = results.map(({ p, logits }) => (logits[id] === -Infinity ? null : p[id]));
      return { token, p, differs: (p[0] === null) !== (p[1] === null) };
    });
  return { ids, rows };
}
