/** The second distribution of a generation, for `guidance_scale` and `contrastive_beta`. */
import { LogitscopeError, mustBe } from './errors.js';
import { idsOf } from './generate.js';

/** @import { Core } from './core.js' */
/** @import { Timeline } from './generate.js' */
/** @import { Resolved } from './settings.js' */

/**
 * A function that gives the logits of the second distribution before each draw.
 * @param {Core} core
 * @param {Resolved} resolved
 * @param {any} options
 * @param {ArrayLike<number>} prompt
 * @returns {(timeline: Timeline, ids: number[], cache: boolean) =>
 *   Float32Array | Promise<Float32Array>}
 */
export function resolveSecond(core, { negative_prompt }, { amateur }, prompt) {
  const { length } = prompt;
  const given = negative_prompt ?? [prompt[prompt.length - 1]];
  const negative = Array.from(idsOf(core, 'negative_prompt', given));
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
