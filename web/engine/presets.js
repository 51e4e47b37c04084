/** Named settings: the defaults of other systems, and the nine strategies of the lessons. */

/** @import { Settings } from './types.js' */

/**
 * The nine strategies: greedy, three temperatures, top-k, top-p, and top-p with a repetition penalty.
 * @type {ReadonlyArray<{ name: string, settings: Settings }>}
 */
export const strategies = Object.freeze([
  { name: 'greedy', settings: { temperature: 0 } },
  { name: 'temperature 0.5', settings: { temperature: 0.5 } },
  { name: 'temperature 1', settings: { temperature: 1 } },
  { name: 'temperature 1.5', settings: { temperature: 1.5 } },
  { name: 'top-k 10', settings: { top_k: 10 } },
  { name: 'top-k 50', settings: { top_k: 50 } },
  { name: 'top-p 0.9', settings: { top_p: 0.9 } },
  { name: 'top-p 0.95', settings: { top_p: 0.95 } },
  { name: 'top-p 0.9, penalty 1.2', settings: { top_p: 0.9, repetition_penalty: 1.2 } },
]);

/**
 * The name of the setting that passes a draw's state to the next draw; null if there is none.
 * @param {Record<string, any>} settings
 */
export function carried({ mirostat, adaptive_target }) {
  if (mirostat) return 'mirostat_mu';
  return adaptive_target ? 'adaptive_mean' : null;
}

/**
 * True if the settings need a second distribution.
 * @param {Record<string, any>} settings
 */
export const readsSecond = ({ guidance_scale = 1, contrastive_beta = 0 }) =>
  guidance_scale !== 1 || contrastive_beta !== 0;

/** The settings that can pass a draw's state to the next draw. @type {string[]} */
export const CARRIED = ['mirostat_mu', 'adaptive_mean'];

/** llama.cpp's samplers in its order. Each sampler that it lacks is next to a similar sampler. */
const LLAMA_CPP = [
  'guidance_scale',
  'contrastive_beta',
  'logit_bias',
  'encoder_repetition_penalty',
  'repetition_penalty',
  'frequency_penalty',
  'presence_penalty',
  'no_repeat_ngram_size',
  'dry_multiplier',
  'min_new_tokens',
  'exponential_decay_length_penalty',
  'top_n_sigma',
  'top_h',
  'top_k',
  'tfs_z',
  'typical_p',
  'top_p',
  'min_p',
  'epsilon_cutoff',
  'eta_cutoff',
  'top_a',
  'p_less',
  'xtc_probability',
  'temperature',
  'dynatemp_range',
  'smoothing_factor',
  'mirostat',
  'adaptive_target',
  'green_bias',
  'synthid_depth',
  'renormalize_logits',
];

/**
 * The rules of a system except its default values: order, ties, boundaries, windows. Without `order`
 * the canonical order applies.
 * @type {Readonly<Record<string, Settings>>}
 */
export const conventions = Object.freeze({
  transformers: { convention: 'transformers', repetition_window: 0 },
  'llama.cpp': {
    convention: 'llama.cpp',
    order: LLAMA_CPP,
    repetition_window: 64,
    dry_penalty_last_n: 64,
    dry_sequence_breakers: ['\n', ':', '"', '*'],
  },
  'llama2.c': { convention: 'llama2.c', repetition_window: 0 },
});

/** @type {Readonly<Record<string, Settings>>} */
export const presets = Object.freeze({
  transformers: {},
  'llama.cpp': {
    ...conventions['llama.cpp'],
    temperature: 0.8,
    top_k: 40,
    top_p: 0.95,
    min_p: 0.05,
  },
  'llama2.c': { convention: 'llama2.c', temperature: 1, top_p: 0.9 },
  balanced: { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 },
  ...Object.fromEntries(strategies.map(({ name, settings }) => [name, settings])),
});
