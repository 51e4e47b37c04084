/** Measures each sampler alone at its usual value, with the draw. */
import { Engine } from './engine.js';
import { modelFile } from './models.js';
import { VARIANTS, enterOurs } from './parts.js';
import { race } from './race.js';
import { samplerShape } from './shapes.js';

/**
 * Ids with repeats, so that penalties and DRY act. The last 16 ids do not repeat earlier ones, since SynthID marks no
 * token after a repeated context.
 */
export const FED = Array.from({ length: 64 }, (_, i) => (i === 49 ? 1 : (i % 24) * 7));
/** Vocabulary sizes of GPT-2 and of Llama 3. */
export const SAMPLER_SIZES = [50257, 128256];

/** Additional settings for some samplers, so that each does all of its work. */
const BESIDE = /** @type {Record<string, import('../../web/engine/types.js').Settings>} */ ({
  logit_bias: { logit_bias: { 5: 1, 9: -2, 40: false } },
  smoothing_factor: { smoothing_curve: 2 },
  xtc_probability: { xtc_probability: 1, xtc_threshold: 0.05 },
  synthid_depth: { synthid_context: 16 },
});

/** Returns the settings of one sampler alone. @param {{ name: string, usual: number }} row */
export const aloneAt = ({ name, usual }) => ({ [name]: usual, ...BESIDE[name] });

/**
 * @param {any} host
 * @param {number} size of the vocabulary
 * @param {import('./parts.js').Plan} plan
 * @returns {Promise<import('./race.js').Race[]>}
 */
export async function runEachSampler(host, size, plan) {
  const model = modelFile(samplerShape(size), 'f32');
  const engine = await Engine.open({ model, variant: 'simd' });
  const { samplers } = engine;
  engine.close();
  const page = await host.openPage();
  const races = [];
  try {
    const runners = await enterOurs(page, { model, feed: FED }, VARIANTS.slice(0, 2));
    for (const row of samplers) {
      const work = { what: 'draw', settings: aloneAt(row) };
      const entries = await race(runners, work, plan, (ms) => ms);
      const subject = `V=${size} ${row.name}`;
      races.push({ part: 'alone', host: host.name, subject, unit: 'ms', rate: false, entries });
    }
    for (const { contender } of runners) await contender?.close();
  } finally {
    await page.close();
  }
  return races;
}
