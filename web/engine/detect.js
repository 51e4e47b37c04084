/**
 * Detects watermarks: computes the evidence of each watermark in a text, and the probability of at
 * least this evidence in a text written without the key. C computes the hashes; this file counts.
 *
 * Without a watermark, a count is binomially distributed over random keys. A repeat adds no
 * evidence. So a context and its next token are counted once (with green_self: the deciding token
 * and the next token); for SynthID, each context is counted once.
 */
import { checkEngine, checkInteger, checkOptions } from './checks.js';
import { LogitscopeError } from './errors.js';

/** @import { Settings, Detection } from './types.js' */

/** The value of a token without a full context. */
const NONE = 2 ** 32 - 1;

/**
 * The probability of `least` or more successes in n trials with success probability q. Each term is
 * the previous term times a quotient, beginning with the largest term, so that all hosts agree on
 * every bit.
 * @param {number} n
 * @param {number} least
 * @param {number} q
 */
export function upperTail(n, least, q) {
  const odds = q / (1 - q);
  const mode = Math.min(n, Math.floor((n + 1) * q));
  let below = 0;
  let above = 0;
  const add = (/** @type {number} */ i, /** @type {number} */ term) => {
    if (i >= least) above += term;
    else below += term;
  };
  for (let i = mode, term = 1; i <= n && term > 0; i++) {
    add(i, term);
    term *= ((n - i) / (i + 1)) * odds;
  }
  for (let i = mode - 1, term = 1; i >= 0 && term > 0; i--) {
    term *= (i + 1) / (n - i) / odds;
    add(i, term);
  }
  return above / (above + below);
}

/** e^-x for x >= 0, by basic operations only, so that all hosts agree. @param {number} x */
export function expOfMinus(x) {
  if (x > 745) return 0;
  let halvings = 0;
  for (; x > 1 / 16; halvings++) x /= 2;
  let value = 1;
  for (let i = 12; i > 0; i--) value = 1 - (x / i) * value;
  for (; halvings > 0; halvings--) value *= value;
  return value;
}

/** √(2π) */
const ROOT_TAU = 2.5066282746310002;

/**
 * The probability that a standard normal number is z or more: by a series for z near 0, by a
 * continued fraction for larger z (Abramowitz and Stegun 1964, 26.2.11 and 26.2.14).
 * @param {number} z
 * @returns {number}
 */
export function normalTail(z) {
  if (z < 0) return 1 - normalTail(-z);
  const density = expOfMinus((z * z) / 2) / ROOT_TAU;
  if (z > 3) {
    let rest = z;
    for (let k = 60; k > 0; k--) rest = z + k / rest;
    return density / rest;
  }
  let sum = 0;
  for (let term = z, k = 1; k < 80; k++) {
    sum += term;
    term *= (z * z) / (2 * k + 1);
  }
  return 1 / 2 - density * sum;
}

/**
 * The weight of each layer in SynthID's weighted mean. Weights fall in equal steps from 10 (first
 * layer) to 1 (last layer); all are multiplied by (layers - 1) to make them integers.
 * @param {number} depth
 */
function layerWeights(depth) {
  return Array.from({ length: depth }, (_, i) => (depth > 1 ? 10 * (depth - 1) - 9 * i : 1));
}

/**
 * The evidence by SynthID's weighted mean.
 * @param {number[]} scored the g bits of each scored token
 * @param {number} depth
 * @returns {NonNullable<Detection['weighted']>}
 */
function weightedEvidence(scored, depth) {
  const weights = layerWeights(depth);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const squares = weights.reduce((sum, weight) => sum + weight * weight, 0);
  let won = 0;
  const curve = scored.map((g, i) => {
    for (const [layer, weight] of weights.entries()) won += (g >>> layer) & 1 ? weight : 0;
    return (won - ((i + 1) * whole) / 2) / Math.sqrt(((i + 1) * squares) / 4);
  });
  const z = curve.at(-1) ?? 0;
  const share = scored.length ? won / (scored.length * whole) : 0;
  return { share, z, p: scored.length ? normalTail(z) : 1, curve };
}

/** @param {number} bits */
function countOnes(bits) {
  let countEvidence = 0;
  for (let left = bits; left; left &= left - 1) countEvidence++;
  return countEvidence;
}

/** The green bit of a value, without the distance to the deciding token. @param {number} mark */
const isGreen = (mark) => (mark === NONE ? NONE : mark & 1);

/**
 * Counts the evidence of one watermark.
 * @param {Uint32Array} marks watermark value of each token, computed by C
 * @param {string[]} names a key for each token; tokens with equal keys are counted once
 * @param {number} from index of the first token that is counted
 * @param {Pick<Detection, 'name'> & { depth: number, chance: number }} kind depth: trials per token;
 *   chance: probability of success of a trial without the watermark
 * @returns {Detection}
 */
function count(marks, names, from, { name, depth, chance }) {
  // SynthID does not watermark a token if its context already occurred in the prompt.
  const seen = new Set(name === 'synthid_depth' ? names.slice(0, from) : []);
  const shares = Array.from(marks, (mark) => (mark === NONE ? null : countOnes(mark) / depth));
  const scored = [];
  const curve = [];
  let ones = 0;
  for (let i = from; i < marks.length; i++) {
    if (marks[i] === NONE || seen.has(names[i])) continue;
    seen.add(names[i]);
    scored.push(i);
    ones += countOnes(marks[i]);
    const trials = scored.length * depth;
    curve.push((ones - trials * chance) / Math.sqrt(trials * chance * (1 - chance)));
  }
  const n = scored.length;
  return {
    name,
    n,
    count: ones,
    share: n ? ones / (n * depth) : 0,
    expected: chance,
    z: curve.at(-1) ?? 0,
    p: upperTail(n * depth, ones, chance),
    shares,
    scored,
    curve,
    ...(name === 'synthid_depth' && {
      weighted: weightedEvidence(
        scored.map((i) => marks[i]),
        depth,
      ),
    }),
  };
}

/**
 * Computes the evidence of each watermark that the settings turn on.
 * @param {import('./search.js').Scope} scope an engine, in this thread or in a worker
 * @param {ArrayLike<number>} ids
 * @param {Settings} settings key, fraction and contexts as in the text's generation; green_bias may
 *   have any value but its neutral one
 * @param {{ from?: number }} [options] from: index of the first token that is counted; the tokens
 *   before it, the prompt, only give context
 * @returns {Promise<Detection[]>}
 */
export async function detect(scope, ids, settings, options) {
  checkEngine(scope, 'marks');
  checkOptions('options of detect', options, ['from']);
  const { from = 0 } = options ?? {};
  checkInteger('from', from, 0, 2 ** 32 - 1);
  const { green, synthid, values } = await scope.marks(ids, settings);
  const list = Array.from(ids);
  const grams = (/** @type {number} */ width, /** @type {number} */ end) =>
    list.map((_, i) => list.slice(Math.max(0, i - width), i + end).join());
  const found = [];
  if (green) {
    const deciding = Array.from(green, (mark, i) => `${list[i - (mark >>> 1)]},${list[i]}`);
    const names = values.green_self ? deciding : grams(values.green_context, 1);
    found.push(
      count(green.map(isGreen), names, from, {
        name: 'green_bias',
        depth: 1,
        chance: values.green_fraction,
      }),
    );
  }
  if (synthid) {
    found.push(
      count(synthid, grams(values.synthid_context, 0), from, {
        name: 'synthid_depth',
        depth: values.synthid_depth,
        chance: 1 / 2,
      }),
    );
  }
  if (!found.length) throw new LogitscopeError('invalid_argument', 'no_watermark');
  return found;
}
