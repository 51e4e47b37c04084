/** Parts of all stages: the input of a stage, and the removal of tokens from a position (position.js). */
import { FLOAT_MAX, GONE, KEPT, MAYBE } from './position.js';
import { capOf, rebased } from './tail.js';

/**
 * @import { Interval } from './tail.js'
 * @import { Position } from './position.js'
 *
 * An engine in this thread or in a worker.
 * @typedef {{ table: import('../engine/types.js').TableRow[], warp: Function }} Engine
 *
 * @typedef {object} Run
 * @property {Engine} engine
 * @property {Record<string, any>} values of all settings
 * @property {number[]} history indices of the list; hidden tokens have indices after its end
 * @property {number} step
 * @property {boolean} coin true if XTC acts at this step
 * @property {(names: string[]) => Record<string, any>} only the settings with these stages alone
 */

/** The tolerance of the engine's cut by mass. */
export const TOLERANCE = 2 ** -20;
/** Weights and thresholds closer than this may compare either way in the engine. */
export const NEAR = 2 ** -21;

/** Bounds of the number of tokens; at least one is left. @param {Position} position @returns {Interval} */
export function countOf({ state, tail }) {
  let [low, high] = tail ? tail.count : [0, 0];
  for (const one of state) {
    low += Number(one === KEPT);
    high += Number(one !== GONE);
  }
  return [Math.max(1, low), high];
}

/** A token that alone may be left is left. @param {Position} position */
export function keepLast(position) {
  if (position.tail || countOf(position)[1] !== 1) return;
  const last = position.state.findIndex((one) => one !== GONE);
  position.state[last] = KEPT;
  position.by[last] = null;
}

/** Least number of listed tokens that come before all hidden ones. @param {Position} position @param {boolean} [strictly] */
export function aheadOf({ n, state, lo, outranks, tail }, strictly = false) {
  // Rounding may make a tie of a hidden token with a likelier one.
  const cap = tail ? above(Math.max(-FLOAT_MAX, capOf(tail)[1])) : -Infinity;
  let count = 0;
  for (let i = 0; i < n; i++)
    count += Number(state[i] === KEPT && (strictly ? lo[i] > cap : outranks[i] === 1));
  return count;
}

/**
 * Records a stage's verdict on each listed token.
 * @param {Position} position
 * @param {string} name
 * @param {(i: number) => boolean | null} stays null if it depends on the tail
 */
export function judge(position, name, stays) {
  for (let i = 0; i < position.n; i++) {
    if (position.state[i] === GONE) continue;
    const verdict = stays(i);
    if (verdict) continue;
    if (position.state[i] === KEPT) position.by[i] = verdict === null ? { maybe: name } : name;
    position.state[i] = verdict === null ? MAYBE : GONE;
  }
}

/** Removes the hidden tokens, of which at most n stay if listed tokens are too few. @param {Position} position @param {number} n */
export function limitTail(position, n) {
  const { tail } = position;
  if (!tail || n <= 0) position.tail = null;
  else {
    const most = Math.min(n, tail.count[1]);
    const base = rebased(tail);
    position.tail = {
      ...base,
      floor: -Infinity,
      count: [0, most],
      units: [0, Math.min(base.units[1], most)],
    };
  }
}

/** The smallest float32 number. */
const SMALLEST = 2 ** -149;

/** Lower end of a logit that the engine rounds to float32. @param {number} x */
export const below = (x) =>
  x === -Infinity ? x : Math.max(-FLOAT_MAX, x - Math.abs(x) * 2 ** -23 - SMALLEST);
/** Its upper end. @param {number} x */
export const above = (x) =>
  x === -Infinity ? x : Math.max(-FLOAT_MAX, x + Math.abs(x) * 2 ** -23 + SMALLEST);
