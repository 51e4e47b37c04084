/** Computes the logits of the second distribution, which `guidance_scale` and `contrastive_beta` read. */
import { LogitscopeError, mustBe } from './errors.js';
import { readsSecond } from './presets.js';

/** @import { Timeline } from './generate.js' */

/**
 * Returns a function that computes the logits of the second distribution before each draw.
 * @param {number[]} negative ids of the negative prompt
 * @param {any} options
 * @param {number} length number of ids of the prompt
 * @returns {(timeline: Timeline, ids: number[], cache: boolean) => Promise<Float32Array>}
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

/**
 * Returns the logits after the negative prompt, for `session.second`; null if no setting reads them.
 * @param {any} engine a Logitscope or a RemoteLogitscope, with a model
 * @param {import('./types.js').Settings} settings
 * @param {ArrayLike<number>} prompt ids; the last id replaces a missing negative prompt
 * @returns {Promise<Float32Array | null>}
 */
export async function readSecond(engine, settings, prompt) {
  if (!readsSecond(settings)) return null;
  const { negative_prompt: text } = settings;
  const given = typeof text === 'string' ? await engine.encode(text) : (text ?? []);
  const session = await engine.session();
  try {
    await session.feed(given.length > 0 ? given : Array.from(prompt).slice(-1));
    return await session.logits();
  } finally {
    await session.close();
  }
}
