/** The table of stages with bounds. Each changes a law (law.js) so that it holds for every hidden tail. */
import * as cut from './cut-bounds.js';
import { weigh } from './law.js';
import * as shape from './shape-bounds.js';

/**
 * @import { Law } from './law.js'
 * @import { Run } from './verdicts.js'
 *
 * A stage returns false, or a promise of it, if it has no bounds here after all.
 * @typedef {(value: number, law: Law, run: Run) => unknown} Stage
 */

/** Stages that change single tokens. */
const POINTWISE = [
  'logit_bias',
  'repetition_penalty',
  'encoder_repetition_penalty',
  'frequency_penalty',
  'presence_penalty',
  'no_repeat_ngram_size',
  'dry_multiplier',
];

/** A stage that keeps tokens of a weight. @param {string} name @returns {Stage} */
const heavy = (name) => (value, law, run) => {
  if (name === 'mirostat' && value === 1) return cut.zipf(law, run);
  const weights = weigh(law);
  const exactly = name === 'min_p' ? cut.minPExactly(law, weights, value) : undefined;
  const limit = cut.LIMITS[name](value, law, weights, run);
  return cut.keepHeavy(law, run, name, weights, limit, exactly);
};

/** @param {string} name @returns {Stage} */
const pointwise = (name) => (_, law, run) => shape.pointwise(law, run, name);

/** @type {Record<string, Stage>} */
export const STAGES = {
  ...Object.fromEntries(POINTWISE.map((name) => [name, pointwise(name)])),
  ...Object.fromEntries(Object.keys(cut.LIMITS).map((name) => [name, heavy(name)])),
  temperature: (t, law) => shape.divide(law, 'temperature', [t, t]),
  dynatemp_range: (range, law, run) => shape.dynamic(law, run, range),
  smoothing_factor: (factor, law, run) => shape.smooth(law, run, factor),
  renormalize_logits: (_, law) => shape.renormalise(law),
  adaptive_target: (target, law, run) => shape.adaptive(law, run, target),
  top_k: (k, law, run) => cut.topK(law, run, k, run.values.convention === 'llama.cpp'),
  top_p: (p, law, run) => cut.topP(law, run, p),
  typical_p: (p, law, run) => cut.typical(law, run, p),
  top_n_sigma: (n, law, run) => cut.topNSigma(law, run, n),
  tfs_z: (z, law, run) => cut.tailFree(law, run, z),
  top_h: (_, law, run) => cut.topH(law, run),
  xtc_probability: (_, law, run) => cut.xtc(law, run),
};
