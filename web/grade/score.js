/**
 * The score of a function: 0 if it does nothing, 100 if it is correct. A property that holds for a function that does
 * nothing brings no points, but costs points if it fails.
 */

/** @import { Verdict } from './grade.js' */

/** A function that does nothing: it returns the logits unchanged, and no ids. */
export const IDLE = {
  hangs: 0,
  /** @param {any} message @returns {Promise<import('./tested-function.js').Answer>} */
  async call({ call, logits }) {
    if (call === 'warp') return { result: Float64Array.from(logits), changed: false };
    const log = { windows: [], early: 0, seeds: [] };
    return { result: new Float64Array(0), length: 0, log };
  },
};

/** @param {Verdict} verdict @param {Record<string, number>} weights by name */
const weightOf = ({ name, weight = 1 }, weights) => weights[name] ?? weight;

/**
 * @param {Verdict[]} verdicts of one function
 * @param {Record<string, number>} [weights] by property name; they replace the properties' own weights
 * @returns {number} a whole number from 0 to 100; 100 only if every property holds
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
 * Returns the weighted mean of several scores.
 * @param {{ score: number, weight: number }[]} parts
 */
export function total(parts) {
  const all = parts.reduce((sum, { weight }) => sum + weight, 0);
  const earned = parts.reduce((sum, { score, weight }) => sum + score * weight, 0);
  return all > 0 ? Math.floor(earned / all + 1e-9) : 0;
}
