/**
 * Marks of a graded function: 0 for one that does nothing and 100 for one that is right. What doing
 * nothing holds as well earns nothing; it takes marks off where it fails.
 */

/** @typedef {import('./grade.js').Verdict} Verdict */

/** A function that does nothing, as the grader calls it: logits as they are, no token. */
export const IDLE = {
  hangs: 0,
  /** @param {any} message @returns {Promise<import('./tested-function.js').Answer>} */
  async call({ call, logits }) {
    if (call === 'warp') return { result: Float64Array.from(logits), changed: false };
    const log = { windows: [], early: 0, seeds: [] };
    return { result: new Float64Array(0), length: 0, log };
  },
};

/** What a property counts. @param {Verdict} verdict @param {Record<string, number>} weights by name */
const weightOf = ({ name, weight = 1 }, weights) => weights[name] ?? weight;

/**
 * @param {Verdict[]} verdicts of one function
 * @param {Record<string, number>} [weights] of properties, by name, over their own
 * @returns {number} a whole number from 0 to 100, which is for one that holds everything
 */
export function scoreOf(verdicts, weights = {}) {
  const sum = (/** @type {Verdict[]} */ list) =>
    list.reduce((total, verdict) => total + weightOf(verdict, weights), 0);
  if (verdicts.every(({ holds }) => holds)) return verdicts.length ? 100 : 0;
  const earning = verdicts.filter(({ idle }) => !idle);
  const lost = sum(verdicts.filter(({ holds, idle }) => idle && !holds));
  const share = (sum(earning.filter(({ holds }) => holds)) - lost) / sum(earning);
  return share > 0 ? Math.min(99, Math.floor(100 * share)) : 0;
}

/**
 * Of several functions.
 * @param {{ score: number, weight: number }[]} parts
 */
export function total(parts) {
  const all = parts.reduce((sum, { weight }) => sum + weight, 0);
  const earned = parts.reduce((sum, { score, weight }) => sum + score * weight, 0);
  return all > 0 ? Math.floor(earned / all + 1e-9) : 0;
}
