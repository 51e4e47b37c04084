/** Each warper alone, doing something, and the draw: one line a warper. */
import { Engine } from './engine.js';
import { modelFile } from './models.js';
import { VARIANTS, enterOurs } from './parts.js';
import { race } from './race.js';
import { samplerShape } from './shapes.js';

/**
 * A text that repeats itself, so that penalties and DRY have something to find; its last 16 tokens do
 * not, as SynthID marks nothing after what has stood before.
 */
export const FED = Array.from({ length: 64 }, (_, i) => (i === 49 ? 1 : (i % 24) * 7));
/** The vocabularies of GPT-2 and of Llama 3. */
export const WARPER_SIZES = [50257, 128256];

/** @type {Record<string, import('../../web/engine/types.js').Settings>} */
export const ALONE = {
  guidance_scale: { guidance_scale: 1.5 },
  contrastive_beta: { contrastive_beta: 0.5 },
  logit_bias: { logit_bias: { 5: 1, 9: -2, 40: false } },
  repetition_penalty: { repetition_penalty: 1.1 },
  frequency_penalty: { frequency_penalty: 0.5 },
  presence_penalty: { presence_penalty: 0.5 },
  no_repeat_ngram_size: { no_repeat_ngram_size: 3 },
  dry_multiplier: { dry_multiplier: 0.8 },
  temperature: { temperature: 0.8 },
  top_k: { top_k: 40 },
  top_p: { top_p: 0.95 },
  min_p: { min_p: 0.05 },
  typical_p: { typical_p: 0.9 },
  epsilon_cutoff: { epsilon_cutoff: 0.0003 },
  eta_cutoff: { eta_cutoff: 0.0003 },
  top_n_sigma: { top_n_sigma: 1 },
  top_a: { top_a: 0.2 },
  p_less: { p_less: 1 },
  top_h: { top_h: 0.5 },
  dynatemp_range: { dynatemp_range: 0.5 },
  smoothing_factor: { smoothing_factor: 0.3, smoothing_curve: 2 },
  min_new_tokens: { min_new_tokens: 4 },
  exponential_decay_length_penalty: { exponential_decay_length_penalty: 1.05 },
  tfs_z: { tfs_z: 0.95 },
  xtc_probability: { xtc_probability: 1, xtc_threshold: 0.05 },
  mirostat: { mirostat: 2 },
  adaptive_target: { adaptive_target: 0.3 },
  green_bias: { green_bias: 2 },
  synthid_depth: { synthid_depth: 30, synthid_context: 16 },
  encoder_repetition_penalty: { encoder_repetition_penalty: 1.2 },
  renormalize_logits: { renormalize_logits: 1 },
};

/**
 * @param {any} host
 * @param {number} size of the vocabulary
 * @param {import('./parts.js').Plan} plan
 * @returns {Promise<import('./race.js').Race[]>}
 */
export async function runWarpers(host, size, plan) {
  const model = modelFile(samplerShape(size), 'f32');
  const engine = await Engine.open({ model, variant: 'simd' });
  const { warpers } = engine;
  engine.close();
  const page = await host.openPage();
  const races = [];
  try {
    const runners = await enterOurs(page, { model, feed: FED }, VARIANTS.slice(0, 2));
    for (const name of warpers) {
      const entries = await race(
        runners,
        { what: 'draw', settings: ALONE[name] },
        plan,
        (ms) => ms,
      );
      const subject = `V=${size} ${name}`;
      races.push({ part: 'warpers', host: host.name, subject, unit: 'ms', rate: false, entries });
    }
    for (const { contender } of runners) await contender?.close();
  } finally {
    await page.close();
  }
  return races;
}
