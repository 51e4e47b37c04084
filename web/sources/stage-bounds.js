/** The table of stages with bounds. Each changes a position (position.js) so that it holds for every hidden tail. */
import * as cut from './cut-bounds.js';
import { weigh } from './position.js';
import * as shape from './shape-bounds.js';

/**
 * @import { Position } from './position.js'
 * @import { Run } from './verdicts.js'
 *
 * A stage returns false, or a promise of it, if it has no bounds here after all.
 * @typedef {(value: number, position: Position, run: Run) => unknown} Stage
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
const heavy = (name) => (value, position, run) => {
  if (name === 'mirostat' && value === 1) return cut.zipf(position, run);
  const weights = weigh(position);
  const exactly = name === 'min_p' ? cut.minPExactly(position, weights, value) : undefined;
  const limit = cut.LIMITS[name](value, position, weights, run);
  return cut.keepHeavy(position, run, name, weights, limit, exactly);
};

/** @param {string} name @returns {Stage} */
const pointwise = (name) => (_, position, run) => shape.pointwise(position, run, name);

/** @type {Record<string, Stage>} */
export const STAGES = {
  ...Object.fromEntries(POINTWISE.map((name) => [name, pointwise(name)])),
  ...Object.fromEntries(Object.keys(cut.LIMITS).map((name) => [name, heavy(name)])),
  temperature: (t, position) => shape.divide(position, 'temperature', [t, t]),
  dynatemp_range: (range, position, run) => shape.dynamic(position, run, range),
  smoothing_factor: (factor, position, run) => shape.smooth(position, run, factor),
  renormalize_logits: (_, position) => shape.renormalise(position),
  adaptive_target: (target, position, run) => shape.adaptive(position, run, target),
  top_k: (k, position, run) => cut.topK(position, run, k, run.values.convention === 'llama.cpp'),
  top_p: (p, position, run) => cut.topP(position, run, p),
  typical_p: (p, position, run) => cut.typical(position, run, p),
  top_n_sigma: (n, position, run) => cut.topNSigma(position, run, n),
  tfs_z: (z, position, run) => cut.tailFree(position, run, z),
  top_h: (_, position, run) => cut.topH(position, run),
  xtc_probability: (_, position, run) => cut.xtc(position, run),
};
