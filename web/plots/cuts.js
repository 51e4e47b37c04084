/** Finds the lines of top-k and top-p over the ranks, and turns a rank into a value of the setting. */

/** @import { Trace } from './trace.js' */

/**
 * @typedef {{ name: string, value: number, kept: number, before: number, cuts: boolean,
 *   active: boolean, limit: import('./trace.js').Stage | null }} Handle
 *   kept, before: the number of tokens after and before the stage; cuts: true if the stage removes
 *   tokens; limit: the last earlier stage that removes tokens, null if none
 */

/** The stages with lines that can be dragged. */
export const DRAGGED = ['top_k', 'top_p'];

/** Tolerance of top-p's comparison, the same as in the engine. */
const HAIR = 2 ** -20;

/**
 * Returns the lines that can be dragged, in the order of the chain.
 * @param {Trace} trace
 * @returns {Handle[]}
 */
export function findHandles(trace) {
  return trace.stages
    .filter(({ name }) => DRAGGED.includes(name))
    .map(({ name, value, kept, removed, active }) => ({
      limit:
        trace.stages
          .slice(
            0,
            trace.stages.findIndex((stage) => stage.name === name),
          )
          .filter((stage) => stage.removed > 0)
          .at(-1) ?? null,
      name,
      value,
      kept,
      before: kept + removed,
      cuts: removed > 0,
      active,
    }));
}

/**
 * Returns the probabilities of the listed tokens before a stage, in descending order.
 * @param {Trace} trace
 * @param {string} name
 */
export function enteringShares(trace, name) {
  const index = trace.stages.findIndex((stage) => stage.name === name);
  return trace.tokens
    .map((token) => (index > 0 ? token.stage_p[index - 1] : token.p_raw))
    .filter((p) => p > 0)
    .sort((a, b) => b - a);
}

/**
 * Returns the value of top-p with the fewest digits that keeps exactly the first n tokens; 1 (off) if n is all
 * tokens.
 * @param {ArrayLike<number>} shares in descending order, at least n
 * @param {number} n at least 1
 * @param {number} count the number of all tokens
 */
export function topPFor(shares, n, count) {
  if (n >= count || n > shares.length) return 1;
  let low = 0;
  for (let i = 0; i < n - 1; i++) low += shares[i];
  const high = low + shares[n - 1];
  for (let digits = 1; digits <= 15; digits++) {
    const scale = 10 ** digits;
    const value = Math.floor(high * scale) / scale;
    if (value > low + HAIR || (n === 1 && value > 0)) return Math.min(1, value);
  }
  return Math.min(1, high);
}

/**
 * Returns the value of the setting that keeps n tokens.
 * @param {Handle} handle
 * @param {number} n
 * @param {ArrayLike<number>} shares at the input of the stage, in descending order
 */
export function valueFor({ name, before }, n, shares) {
  const wanted = Math.max(1, Math.min(before, n));
  if (name === 'top_k') return wanted >= before ? 0 : wanted;
  return topPFor(shares, wanted, before);
}
