/** The second distribution of a generation, for `guidance_scale` and `contrastive_beta`. */
import { LogitscopeError, mustBe } from './errors.js';

/** @import { Timeline } from './generate.js' */

/**
 * A function that gives the logits of the second distribution before each draw.
 * @param {number[]} negative the negative prompt
 * @param {any} options
 * @param {number} length of the prompt
 * @returns {(timeline: Timeline, ids: number[], cache: boolean) =>
 *   Float32Array | Promise<Float32Array>}
 */
export function resolveSecond(negative, { amateur }, length) {
  if (!negative.length) throw new LogitscopeError('empty', 'no_negative_prompt');
  if (amateur === undefined)
    return (timeline, ids, cache) =>
      timeline.logitsAfter([...negative, ...ids.slice(length)], cache);
  if (typeof amateur?.feed !== 'function' || typeof amateur.logits !== 'function') {
    throw mustBe('amateur', 'a_scope', amateur);
  }
  return async (_, ids) => {
    await amateur.feed(ids);
    return amateur.logits();
  };
}
