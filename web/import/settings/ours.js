/** Facts about the settings of Logitscope that the tables of other programs need. A test compares them with the engine's table. */

/**
 * One of our settings: its neutral value, the lowest and the highest value, and the settings: at least one of them
 * must act before it has an effect. Real numbers are the default; lists and maps have no bounds. A gate stands in no
 * order.
 * @typedef {{ neutral: any, low?: number, high?: number, whole?: true, of?: string[], gate?: true }} Ours
 */

const PENALTIES = ['repetition_penalty', 'frequency_penalty', 'presence_penalty'];
const DRY = ['dry_multiplier'];

/** @type {Record<string, Ours>} */
export const ours = {
  guidance_scale: { neutral: 1, low: 0, high: 1e6 },
  contrastive_beta: { neutral: 0, low: 0, high: 1e6 },
  logit_bias: { neutral: {} },
  encoder_repetition_penalty: { neutral: 1, low: Number.MIN_VALUE },
  repetition_penalty: { neutral: 1, low: Number.MIN_VALUE },
  frequency_penalty: { neutral: 0 },
  presence_penalty: { neutral: 0 },
  no_repeat_ngram_size: { neutral: 0, low: 0, whole: true },
  dry_multiplier: { neutral: 0, low: 0 },
  min_new_tokens: { neutral: 0, low: 0, whole: true },
  exponential_decay_length_penalty: { neutral: 1, low: Number.MIN_VALUE },
  temperature: { neutral: 1, low: 0 },
  dynatemp_range: { neutral: 0, low: 0 },
  smoothing_factor: { neutral: 0, low: 0, high: 1e6 },
  top_h: { neutral: 0, low: 0, high: 1 },
  top_k: { neutral: 0, low: 0, whole: true },
  top_p: { neutral: 1, low: 0, high: 1 },
  min_p: { neutral: 0, low: 0 },
  typical_p: { neutral: 1, low: Number.MIN_VALUE, high: 1 },
  epsilon_cutoff: { neutral: 0, low: 0, high: 1 - Number.EPSILON / 2 },
  eta_cutoff: { neutral: 0, low: 0, high: 1 - Number.EPSILON / 2 },
  top_n_sigma: { neutral: 0, low: 0 },
  tfs_z: { neutral: 1, low: 0, high: 1 },
  top_a: { neutral: 0, low: 0 },
  p_less: { neutral: 0, low: 0, high: 2, whole: true },
  xtc_probability: { neutral: 0, low: 0, high: 1 },
  mirostat: { neutral: 0, low: 0, high: 2, whole: true },
  adaptive_target: { neutral: 0, low: 0, high: 1 },
  green_bias: { neutral: 0, low: 0, high: 100 },
  synthid_depth: { neutral: 0, low: 0, high: 30, whole: true },
  renormalize_logits: { neutral: 0, low: 0, high: 1, whole: true },
  repetition_window: {
    neutral: 0,
    low: 0,
    whole: true,
    of: [...PENALTIES, 'no_repeat_ngram_size'],
  },
  dry_base: { neutral: 1.75, low: 0, of: DRY },
  dry_allowed_length: { neutral: 2, low: 0, whole: true, of: DRY },
  dry_penalty_last_n: { neutral: 64, low: 0, whole: true, of: DRY },
  dry_sequence_breakers: { neutral: [], of: DRY },
  xtc_threshold: { neutral: 0.1, low: 0, high: 1, of: ['xtc_probability'] },
  mirostat_tau: { neutral: 5, low: 0, of: ['mirostat'] },
  mirostat_eta: { neutral: 0.1, low: 0, of: ['mirostat'] },
  adaptive_decay: { neutral: 0.9, low: 0, high: 0.99, of: ['adaptive_target'] },
  dynatemp_exponent: { neutral: 1, low: 0, of: ['dynatemp_range'] },
  smoothing_curve: { neutral: 1, low: 1, high: 1e6, of: ['smoothing_factor'] },
  penalty_decay: { neutral: 1, low: 0, high: 1, of: ['frequency_penalty'] },
  penalty_generated_only: {
    neutral: 0,
    low: 0,
    high: 1,
    whole: true,
    of: ['frequency_penalty', 'presence_penalty'],
  },
  rep_pen_slope: { neutral: 1, low: 0, high: 1, of: ['repetition_penalty'] },
  exponential_decay_start: {
    neutral: 0,
    low: 0,
    whole: true,
    of: ['exponential_decay_length_penalty'],
  },
  contrastive_alpha: { neutral: 0.1, low: 0, high: 1, of: ['contrastive_beta'] },
  mirostat_mu: { neutral: 0, of: ['mirostat'] },
  adaptive_mean: { neutral: 0, low: 0, high: 1, of: ['adaptive_target'] },
  prompt_ignore_length: { neutral: 0, low: 0, whole: true, of: ['repetition_penalty'] },
  green_fraction: {
    neutral: 0.25,
    low: Number.MIN_VALUE,
    high: 1 - Number.EPSILON / 2,
    of: ['green_bias'],
  },
  green_context: { neutral: 1, low: 0, high: 16, whole: true, of: ['green_bias'] },
  green_self: { neutral: 0, low: 0, high: 1, whole: true, of: ['green_bias'] },
  synthid_context: { neutral: 4, low: 1, high: 16, whole: true, of: ['synthid_depth'] },
  watermark_key: { neutral: 15485863, low: 0, whole: true, of: ['green_bias', 'synthid_depth'] },
  min_tokens_to_keep: { neutral: 1, low: 1, whole: true, gate: true },
  banned_words: { neutral: [], gate: true },
};

/** True if two values of a setting are the same; objects and lists are compared by their content. @param {unknown} a @param {unknown} b */
export const same = (a, b) => Object.is(a, b) || JSON.stringify(a) === JSON.stringify(b);

/** The samplers that are not neutral, in the order of `ours`. @param {Record<string, any>} settings */
export const active = (settings) =>
  Object.keys(ours).filter((name) => !ours[name].of && !ours[name].gate && acts(settings, name));

/** @param {Record<string, any>} settings @param {string} name */
const acts = (settings, name) =>
  settings[name] !== undefined && !same(settings[name], ours[name].neutral);

/** Leaves out neutral values. Unknown keys stay. @param {Record<string, any>} settings @returns {Record<string, any>} */
export const withoutNeutral = (settings) =>
  Object.fromEntries(
    Object.entries(settings).filter(([name]) => !Object.hasOwn(ours, name) || acts(settings, name)),
  );

/** True if a setting is none that only has an effect beside others, or one of these acts. @param {Record<string, any>} settings @param {string} name */
export const matters = (settings, name) =>
  ours[name]?.of?.some((parent) => acts(settings, parent)) ?? true;

/** Leaves out neutral values, and values that have no effect because their sampler does not act. @param {Record<string, any>} settings */
export const withoutIdle = (settings) =>
  Object.fromEntries(
    Object.entries(withoutNeutral(settings)).filter(([name]) => matters(settings, name)),
  );
