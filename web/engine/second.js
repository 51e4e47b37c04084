/** What guidance_scale and contrastive_beta read beside a timeline: what follows a second text. */
import { readsSecond } from './presets.js';

/**
 * The logits after the second text, for `session.second`; null where the settings read none.
 * @param {any} engine a Logitscope or a RemoteLogitscope, with a model
 * @param {import('./types.js').Settings} settings
 * @param {ArrayLike<number>} prompt whose last token is the second text where the settings name none
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
