/**
 * Computes the engine's answer and compares it with the learner's. A token within 2^-20 of a boundary may be kept or
 * removed: the engine runs with settings on both sides of the boundary to find such tokens.
 */
import { reason } from './reasons.js';

/** @import { Case } from './inputs.js' */

/**
 * The engine, in this thread or in a worker.
 * @typedef {object} Engine
 * @property {import('../engine/types.js').TableRow[]} table
 * @property {(logits: Float32Array, settings: any, options: { history: number[], second?: number[], step?: number })
 * =>
 *   import('../engine/types.js').WarpTrace | Promise<import('../engine/types.js').WarpTrace>} warp
 */

/**
 * @typedef {object} Expected
 * @property {Float32Array} logits
 * @property {(id: number) => boolean} stays
 * @property {(id: number) => boolean} free returns true if the token may stay or be removed
 */

/**
 * A wrong answer. `expected` is the correct one, or null if the answers cannot be compared number by number.
 * @typedef {object} Failure
 * @property {ArrayLike<number> | null} expected
 * @property {ArrayLike<number> | null} got
 * @property {string} [message]
 * @property {string} [code] of `message`, for translation
 * @property {Record<string, string | number>} [params] values in the message
 */

export const NEAR = 2 ** -20;

/**
 * @param {Engine} engine
 * @param {Case} input
 * @param {object} [other] settings that replace the input's
 */
export async function warped(engine, { logits, settings, history, second, step }, other = {}) {
  const trace = await engine.warp(
    Float32Array.from(logits),
    { ...settings, ...other, top: 0 },
    { history, second, step },
  );
  return trace.logits;
}

/**
 * @param {Engine} engine
 * @param {Case} input
 * @param {(settings: any) => object[]} [nudge] settings on both sides of the boundary
 * @returns {Promise<Expected>}
 */
export async function expect(engine, input, nudge) {
  const logits = await warped(engine, input);
  /** @type {Float32Array[]} */
  const sides = [];
  for (const other of nudge?.(input.settings) ?? []) sides.push(await warped(engine, input, other));
  const stays = (/** @type {Float32Array} */ list, /** @type {number} */ id) =>
    list[id] !== -Infinity;
  return {
    logits,
    stays: (id) => stays(logits, id),
    free: (id) => sides.some((side) => stays(side, id) !== stays(logits, id)),
  };
}

/**
 * Returns true if two numbers are equal except for rounding.
 * @param {number} a
 * @param {number} b
 */
export const close = (a, b) => a === b || Math.abs(a - b) <= NEAR * Math.max(1, Math.abs(b));

/**
 * @param {Expected} expected
 * @param {ArrayLike<number>} got
 * @param {boolean} [exactly] true to compare the logits, false to compare only which tokens stay
 * @returns {Failure | null}
 */
export function disagreement({ logits, stays, free }, got, exactly = true) {
  for (let id = 0; id < logits.length; id++) {
    const stayed = got[id] !== -Infinity;
    if (stayed !== stays(id) && free(id)) continue;
    if (stayed === stays(id) && (!stayed || !exactly || close(got[id], logits[id]))) continue;
    const wrong = stayed ? 'should_go' : 'should_stay';
    const code = stayed === stays(id) ? 'another_logit' : wrong;
    return { expected: logits, got, ...reason(code, { id }) };
  }
  return null;
}
