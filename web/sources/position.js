/**
 * A position of a text with a partly known distribution: each listed token has an interval of logits, the others are
 * a tail (tail.js). Ties are broken in the order of the list, listed tokens first.
 */
import { exp, expFloat, log } from '../engine/elementary.js';
import { capOf, outward, surpriseOf, weightOf } from './tail.js';

/**
 * @typedef {import('./tail.js').Interval} Interval
 * @typedef {import('./tail.js').Tail} Tail
 *
 * @typedef {object} Partial
 * @property {ArrayLike<number>} logprobs (n,) natural logarithms, largest first
 * @property {number | null} vocab_size null if unknown
 * @property {number} [half_unit] the most by which rounding moved a logarithm
 * @property {number} [cap] logarithm of the largest probability that a hidden token can have; by default the last
 *   listed token's
 * @property {number | null} [offset] logits are logarithms plus this number; null or left out if unknown
 */

/** States of a listed token: removed, perhaps removed, kept. */
export const [GONE, MAYBE, KEPT] = [0, 1, 2];
/** The mass of all tokens may differ from 1 by this: logits are float32. */
const MASS_ERROR = 2 ** -20;
/** Relative error of a weight whose logit is not known to the bit. */
const WEIGHT_ERROR = 2 ** -20;
export const FLOAT_MAX = 3.4028234663852886e38;

/** To float32, as the engine rounds and clamps. @param {number} x */
export const toFloat = (x) =>
  x === -Infinity ? x : Math.fround(Math.max(-FLOAT_MAX, Math.min(FLOAT_MAX, x)));

/**
 * @typedef {object} Position
 * @property {number} n number of listed tokens
 * @property {Float64Array} lo (n,) logits; equal to `hi` if known to the bit
 * @property {Float64Array} hi (n,)
 * @property {Uint8Array} state (n,) GONE, MAYBE or KEPT
 * @property {(null | string | { maybe: string })[]} by (n,) the stage that removed the token, or may have
 * @property {Uint8Array} outranks (n,) 1 for a token that comes before all hidden ones
 * @property {boolean} sorted true if the list's order is the order of the logits
 * @property {Tail | null} tail null if no hidden token is left
 * @property {boolean} absolute true if logits are the engine's, not shifted by an unknown number
 * @property {number | null} vocab_size
 */

/** @param {Partial} partial @returns {Position} */
export function positionOf(partial) {
  const { logprobs, vocab_size, half_unit: half = 0, offset = null } = partial;
  const n = logprobs.length;
  const shift = offset ?? 0;
  const at = (/** @type {number} */ i) => Number(logprobs[i]);
  const lo = Float64Array.from({ length: n }, (_, i) => at(i) + shift - half);
  const hi = Float64Array.from({ length: n }, (_, i) => at(i) + shift + half);
  if (half === 0) for (let i = 0; i < n; i++) lo[i] = hi[i] = toFloat(at(i) + shift);
  const cap = partial.cap ?? at(n - 1);
  return {
    n,
    lo,
    hi,
    state: new Uint8Array(n).fill(KEPT),
    by: Array(n).fill(null),
    outranks: Uint8Array.from({ length: n }, (_, i) => Number(at(i) >= cap)),
    sorted: hi.every((x, i) => i === 0 || hi[i - 1] >= x),
    tail: tailOf(partial, cap),
    absolute: offset !== null,
    vocab_size,
  };
}

/** @param {Partial} partial @param {number} cap @returns {Tail | null} */
function tailOf({ logprobs, vocab_size, half_unit: half = 0, offset }, cap) {
  const n = logprobs.length;
  const count = vocab_size === null ? Infinity : vocab_size - n;
  if (count <= 0) return null;
  let listed = 0;
  for (let i = n - 1; i >= 0; i--) listed += exp(Number(logprobs[i]));
  const error = MASS_ERROR + n * 2 ** -50;
  const most = Math.max(1 - listed * exp(-half) * (1 - error), 0) + error;
  const least = Math.max(1 - listed * exp(half) * (1 + error) - error, 0);
  // No hidden token has more than all hidden mass.
  const top = Math.min(toFloat(cap + half + 2 ** -22 * Math.abs(cap + half)), log(most));
  const units = /** @type {Interval} */ ([least * exp(-top), Math.min(count, most * exp(-top))]);
  const slop = 2 ** -21 + 2 ** -24 * Math.abs(offset ?? 0);
  return {
    top: top + (offset ?? 0),
    floor: -Infinity,
    units: [Math.min(units[0], units[1]), units[1]],
    count: [vocab_size === null ? 0 : count, count],
    a: [1, 1],
    slop,
  };
}

/** True if the remaining chain can run on the listed tokens alone, to the bit. @param {Position} position */
export function isWhole({ n, lo, hi, state, tail }) {
  if (tail) return false;
  for (let i = 0; i < n; i++) if (state[i] === MAYBE || (state[i] && lo[i] !== hi[i])) return false;
  return true;
}

/**
 * Weights of all tokens relative to e^ref, the largest logit that any token may have. `best` is that of the best token
 * if it is known to the bit.
 * @typedef {object} Weights
 * @property {number} ref
 * @property {number | null} best
 * @property {Float64Array} lo (n,) 0 for a token that may be removed
 * @property {Float64Array} hi (n,)
 * @property {Interval} hidden
 * @property {Interval} listed sum over the list
 * @property {Interval} total
 */

/** The logit of the best token, if one listed token is the best and its logit is known. @param {Position} position */
function bestOf({ n, lo, hi, state, outranks, tail }) {
  let best = -1;
  let others = -Infinity;
  for (let i = 0; i < n; i++) {
    if (!state[i]) continue;
    if (best < 0 || hi[i] > hi[best]) {
      if (best >= 0) others = Math.max(others, hi[best]);
      best = i;
    } else others = Math.max(others, hi[i]);
  }
  if (best < 0 || state[best] !== KEPT || lo[best] !== hi[best] || others > lo[best]) return null;
  return !tail || outranks[best] || capOf(tail)[1] <= lo[best] ? lo[best] : null;
}

/** @param {Position} position @returns {Weights} */
export function weigh(position) {
  const { n, lo, hi, state, tail } = position;
  const best = bestOf(position);
  let ref = best ?? (tail ? capOf(tail)[1] : -Infinity);
  if (best === null) for (let i = 0; i < n; i++) if (state[i]) ref = Math.max(ref, hi[i]);
  const low = new Float64Array(n);
  const high = new Float64Array(n);
  const listed = /** @type {Interval} */ ([0, 0]);
  for (let i = 0; i < n; i++) {
    if (!state[i]) continue;
    if (best !== null && lo[i] === hi[i]) {
      high[i] = Math.floor(expFloat(Math.fround(hi[i] - best)) * 2 ** 44) / 2 ** 44;
      low[i] = state[i] === KEPT ? high[i] : 0;
    } else {
      const slop = WEIGHT_ERROR * (1 + (ref - hi[i]) / 8);
      high[i] = exp(hi[i] - ref) * (1 + slop);
      low[i] = state[i] === KEPT ? Math.max(0, exp(lo[i] - ref) * (1 - slop) - 2 ** -44) : 0;
    }
    listed[0] += low[i];
    listed[1] += high[i];
  }
  const hidden = tail ? weightOf(tail, ref) : /** @type {Interval} */ ([0, 0]);
  const sum = outward(listed);
  return {
    ref,
    best,
    lo: low,
    hi: high,
    hidden,
    listed: sum,
    total: outward([sum[0] + hidden[0], sum[1] + hidden[1]]),
  };
}

/** x / (x + y), with 0 / 0 as `none`. @param {number} x @param {number} y @param {number} none */
export const shareOf = (x, y, none = 0) => (y === Infinity ? 0 : x + y > 0 ? x / (x + y) : none);

/** Bounds of p of each listed token, and of all hidden tokens. @param {Position} position @param {Weights} weights */
export function sharesOf({ n, state, tail }, { lo, hi, listed, hidden }) {
  const p = Array.from({ length: n }, (_, i) => {
    if (!state[i]) return /** @type {Interval} */ ([0, 0]);
    const most = Math.max(0, listed[1] - hi[i]) + hidden[1];
    const least = Math.max(0, listed[0] - lo[i]) * (1 - 2 ** -40) + hidden[0];
    const [low, high] = outward([shareOf(lo[i], most), shareOf(hi[i], least, 1)]);
    return /** @type {Interval} */ ([low, Math.min(1, high)]);
  });
  const [low, high] = tail
    ? outward([
        shareOf(hidden[0], listed[1]),
        hidden[1] === Infinity ? 1 : shareOf(hidden[1], listed[0], 1),
      ])
    : [0, 0];
  return { p, rest: /** @type {Interval} */ ([low, Math.min(1, high)]) };
}

/**
 * Bounds of the entropy in nats. With S the hidden weight and Z the sum of all, H = ln Z + (U + S d + T) / Z, which
 * first falls and then rises in S and in the listed weight.
 * @param {Position} position
 * @param {Weights} weights
 * @returns {Interval}
 */
export function entropyOf({ n, state, tail }, weights) {
  const { ref, listed, hidden } = weights;
  const depth = /** @type {Interval} */ ([0, 0]);
  for (let i = 0; i < n; i++) {
    if (!state[i]) continue;
    const ends = [
      weights.lo[i],
      weights.hi[i],
      Math.min(weights.hi[i], Math.max(weights.lo[i], exp(-1))),
    ];
    const terms = ends.map((w) => (w > 0 ? -w * log(w) : 0));
    depth[0] += state[i] === MAYBE ? 0 : Math.min(...terms.slice(0, 2));
    depth[1] += Math.max(...terms);
  }
  const cap = tail ? capOf(tail) : [ref, ref];
  const inner = tail ? surpriseOf(tail) : [0, 0];
  // No distribution of so many tokens has more.
  const most = log(state.reduce((sum, it) => sum + Number(it !== GONE), tail ? tail.count[1] : 0));
  const scale = [exp(cap[0] - ref), exp(cap[1] - ref)];
  const value = (/** @type {number} */ z, /** @type {number} */ s, /** @type {0 | 1} */ end) => {
    const moment = depth[end] + s * (ref - cap[1 - end]) + inner[end] * scale[end];
    if (z + s > 0) return log(z + s) + moment / (z + s);
    return end === 0 || moment === 0 ? 0 : Infinity;
  };
  const low = lowestEntropy(
    listed,
    hidden,
    (z, s) => value(z, s, 0),
    depth[0] + inner[0] * scale[0],
    ref - cap[1],
  );
  const open = hidden[1] === Infinity || inner[1] === Infinity;
  const high = open
    ? Infinity
    : Math.max(...listed.flatMap((z) => hidden.map((s) => value(z, s, 1))));
  const slop = 2 ** -18;
  return [Math.max(0, low - slop), Math.max(0, Math.min(high, most) + slop)];
}

/**
 * The least value over a box, at its corners or where a derivative is 0.
 * @param {Interval} listed
 * @param {Interval} hidden
 * @param {(z: number, s: number) => number} value
 * @param {number} moment
 * @param {number} d
 */
function lowestEntropy(listed, hidden, value, moment, d) {
  const clip = (/** @type {number} */ x, /** @type {Interval} */ [a, b]) =>
    Math.min(b, Math.max(a, x));
  let least = Infinity;
  const ends = hidden.filter(Number.isFinite);
  for (const z of listed)
    for (const s of [...ends, clip(moment - z * (1 + d), hidden)])
      least = Math.min(least, value(z, s));
  for (const s of ends) least = Math.min(least, value(clip(moment + s * d - s, listed), s));
  return least;
}

/**
 * Of the tokens before each listed one in the order of the logits: least and most number, the same of those that are
 * strictly likelier (`over`, `overMost`), and least and most share of the mass.
 * @typedef {{ least: Float64Array, most: Float64Array, over: Float64Array, overMost: Float64Array,
 *   share: Interval[] }} Places
 */

/** Sums over the prefix of a list of tokens. @param {number[]} ids @param {Position} position @param {Weights} weights */
function prefixes(ids, { state }, weights) {
  const kept = new Float64Array(ids.length + 1);
  const any = new Float64Array(ids.length + 1);
  const low = new Float64Array(ids.length + 1);
  const high = new Float64Array(ids.length + 1);
  ids.forEach((id, i) => {
    kept[i + 1] = kept[i] + Number(state[id] === KEPT);
    any[i + 1] = any[i] + Number(state[id] > GONE);
    low[i + 1] = low[i] + weights.lo[id];
    high[i + 1] = high[i] + weights.hi[id];
  });
  return { kept, any, low, high };
}

/** Number of elements before the first that fails. @param {number[]} ids @param {(id: number) => boolean} passes */
function lengthOf(ids, passes) {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(ids[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {Position} position @param {Weights} weights @returns {Places} */
export function placesOf(position, weights) {
  const { n, lo, hi, state, outranks, tail, sorted } = position;
  const alive = Array.from({ length: n }, (_, i) => i).filter((i) => state[i]);
  const byLow = sorted ? alive : [...alive].sort((a, b) => lo[b] - lo[a] || a - b);
  const byHigh = sorted ? alive : [...alive].sort((a, b) => hi[b] - hi[a] || a - b);
  const sure = prefixes(byLow, position, weights);
  const any = prefixes(byHigh, position, weights);
  const least = new Float64Array(n);
  const most = new Float64Array(n);
  const over = new Float64Array(n);
  const overMost = new Float64Array(n);
  const share = Array.from({ length: n }, () => /** @type {Interval} */ ([0, 1]));
  const { listed, hidden } = weights;
  alive.forEach((id, at) => {
    const before = sorted
      ? at
      : lengthOf(byLow, (other) => lo[other] > hi[id] || (lo[other] === hi[id] && other < id));
    const end = sorted ? at : lengthOf(byHigh, (other) => hi[other] >= lo[id]);
    const self = Number(!sorted && hi[id] >= lo[id]);
    const own = self
      ? { n: 1, low: weights.lo[id], high: weights.hi[id] }
      : { n: 0, low: 0, high: 0 };
    const joins = tail && !outranks[id];
    least[id] = sure.kept[before];
    over[id] = sure.kept[lengthOf(byLow, (other) => lo[other] > hi[id])];
    const likelier = lengthOf(byHigh, (other) => hi[other] > lo[id]);
    overMost[id] =
      any.any[sorted ? Math.min(at, likelier) : likelier] -
      Number(!sorted && hi[id] > lo[id]) +
      (joins ? tail.count[1] : 0);
    most[id] = any.any[end] - own.n + (joins ? tail.count[1] : 0);
    const sureLow = sure.low[before] * (1 - 2 ** -45);
    const restHigh = Math.max(0, listed[1] - sure.high[before] * (1 - 2 ** -45)) + hidden[1];
    const mostHigh = (any.high[end] - own.high + (joins ? hidden[1] : 0)) * (1 + 2 ** -45);
    const restLow =
      Math.max(0, listed[0] - (any.low[end] - own.low) * (1 + 2 ** -45)) + (joins ? 0 : hidden[0]);
    share[id] = [
      shareOf(sureLow, restHigh),
      mostHigh === Infinity ? 1 : shareOf(mostHigh, restLow, 1),
    ];
  });
  return { least, most, over, overMost, share };
}
