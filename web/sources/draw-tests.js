/**
 * Tests of one question: are recorded tokens draws from given laws? The laws are those of the claimed settings, one a
 * position; a law lists its tokens in an order that is fixed before the draw. All sums use basic operations only, so
 * that each host finds the same numbers.
 *
 * `placeOf` is the probability integral transform with a random share of the drawn token's own probability. If the
 * claim is true, the places are independent and uniform on 0..1, although each law depends on the tokens before it.
 */
import { expOfMinus, normalTail } from '../engine/detect.js';

/**
 * The law of one position. `weights` (n,) are relative to each other. A token is `open` if its removal depends on
 * the hidden tail. `rest` is the probability of all hidden tokens; if it is null, only the shares among the listed tokens are
 * known, and a draw of a hidden token is left out of the tests.
 * @typedef {object} Law
 * @property {Float64Array} weights (n,) 0 for a removed token
 * @property {boolean[] | null} open null if no token is open
 * @property {Interval | null} rest
 * @property {number} blur largest relative error of a quotient of two weights, from rounded numbers
 * @property {Float64Array} logs (n,) the logarithms before the chain, by the temperature: a change of the temperature
 *   multiplies them
 * @property {Float64Array} raw (n,) shares among the listed tokens before the chain
 *
 * @typedef {[low: number, high: number]} Interval
 * @typedef {Interval} Place
 * @typedef {{ name: string, value: number }} Cut
 */

/** The level of false alarms for the power, and the number of tests that share it. */
export const LEVEL = 0.01;
export const N_TESTS = 3;

/**
 * The sums of the weights before each token, of the tokens that are certain and of the open ones.
 * @typedef {{ sure: Float64Array, open: Float64Array | null }} Sums (n + 1,)
 * @param {Law} law
 * @returns {Sums}
 */
export function sumsOf({ weights, open }) {
  const sumUp = (/** @type {(i: number) => boolean} */ counts) => {
    const sums = new Float64Array(weights.length + 1);
    for (let i = 0; i < weights.length; i++) sums[i + 1] = sums[i] + (counts(i) ? weights[i] : 0);
    return sums;
  };
  return { sure: sumUp((i) => !open?.[i]), open: open && sumUp((i) => open[i]) };
}

/**
 * Returns the place of the drawn token, as an interval if the law has open tokens or rounded weights. Returns null if the
 * law gives a hidden token no place.
 * @param {Law} law
 * @param {Sums} sums of the law
 * @param {number} drawn index of the drawn token, which has a weight; n for a hidden one
 * @param {number} share 0..1
 * @returns {Place | null}
 */
export function placeOf({ weights, rest, blur }, { sure, open }, drawn, share) {
  const n = weights.length;
  if (drawn === n) {
    if (rest === null) return null;
    return [1 - rest[1] * (1 - share), 1 - rest[0] * (1 - share)];
  }
  const below = sure[drawn] + share * weights[drawn];
  const above = sure[n] - sure[drawn + 1] + (1 - share) * weights[drawn];
  const openBelow = open ? open[drawn] : 0;
  const openAbove = open ? open[n] - open[drawn + 1] : 0;
  const [hiddenLow, hiddenHigh] = rest ?? [0, 0];
  const least = below * (1 - blur);
  const most = above * (1 - blur);
  return [
    least === 0 ? 0 : ((1 - hiddenHigh) * least) / (least + above + openAbove),
    (1 - hiddenLow) * (most === 0 ? 1 : (below + openBelow) / (below + openBelow + most)),
  ];
}

/**
 * Kolmogorov and Smirnov's test, two-sided. With intervals the distance is the smallest that any numbers in them have,
 * so the p-value is never too small.
 * @param {readonly Place[]} places
 * @returns {{ n: number, ks: number, p_value: number }}
 */
export function testUniform(places) {
  const n = places.length;
  const lows = Float64Array.from(places, ([low]) => low).sort();
  const highs = Float64Array.from(places, ([, high]) => high).sort();
  let ks = 0;
  for (let i = 0; i < n; i++) ks = Math.max(ks, (i + 1) / n - highs[i], lows[i] - i / n);
  return { n, ks, p_value: n > 0 ? kolmogorovTail(n, ks) : 1 };
}

/**
 * The probability of a distance of at least `ks` (Stephens 1970: the asymptotic law at a corrected distance).
 * @param {number} n
 * @param {number} ks
 */
function kolmogorovTail(n, ks) {
  const root = Math.sqrt(n);
  const x = (root + 0.12 + 0.11 / root) * ks;
  if (x < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= 40; k++) sum += (k % 2 ? 2 : -2) * expOfMinus(2 * k * k * x * x);
  return Math.min(1, Math.max(0, sum));
}

/**
 * The expected shift of a place if all ln weights were multiplied by 1 + d, divided by d: the covariance of ln weight and
 * place. It is negative: a sharper law has lower places.
 * @param {Law} law without open tokens
 */
export function slopeOf({ weights, logs, rest }) {
  const n = weights.length;
  let total = 0;
  let mean = 0;
  for (let i = 0; i < n; i++) {
    if (weights[i] === 0) continue;
    total += weights[i];
    mean += weights[i] * logs[i];
  }
  const hidden = rest && rest[1] < 1 ? (total * rest[1]) / (1 - rest[1]) : 0;
  const last = logs[n - 1] ?? 0; // a hidden token is at most as probable as the last listed one
  if (hidden > 0) mean += hidden * last;
  total += hidden;
  mean /= total;
  let before = 0;
  let slope = 0;
  for (let i = 0; i < n; i++) {
    if (weights[i] === 0) continue;
    const share = weights[i] / total;
    slope += share * (logs[i] - mean) * (before + share / 2);
    before += share;
  }
  return hidden > 0
    ? slope + (hidden / total) * (last - mean) * (before + hidden / total / 2)
    : slope;
}

/**
 * Tests for another temperature: the sum of the places' distances from 1/2, each weighted by its slope. Such a sum of
 * uniform numbers is close to normal from a few tokens on. `error` is the standard error of a relative change of all ln
 * weights that this sum measures.
 * @param {readonly Place[]} places
 * @param {readonly number[]} slopes
 */
export function testSharpness(places, slopes) {
  let least = 0;
  let most = 0;
  let squares = 0;
  for (const [i, [low, high]] of places.entries()) {
    least += slopes[i] * (high - 0.5);
    most += slopes[i] * (low - 0.5);
    squares += slopes[i] * slopes[i];
  }
  if (squares === 0) return { z: 0, p_value: 1, error: Infinity };
  const deviation = Math.sqrt(squares / 12);
  const z = least > 0 ? least / deviation : most < 0 ? most / deviation : 0;
  return { z, p_value: Math.min(1, 2 * normalTail(Math.abs(z))), error: deviation / squares };
}

/**
 * The factor of all ln weights that fits the draws of listed tokens: with it, the weighted sum of the places equals its
 * expectation. Null beyond FACTORS.
 * @param {readonly { law: Law, sums: Sums, slope: number, drawn: number }[]} draws
 */
export function fitSharpness(draws) {
  const listed = draws.filter(({ law: { weights }, drawn }) => drawn < weights.length);
  const tables = listed.map(({ law: { weights, logs }, sums: { sure }, slope, drawn }) => {
    const kept = Array.from(weights.keys()).filter((i) => weights[i] > 0);
    const heavy = kept.sort((a, b) => logs[b] - logs[a]).slice(0, HEAVY);
    const depths = Float64Array.from(heavy, (i) => logs[heavy[0]] - logs[i]);
    const middles = Float64Array.from(
      heavy,
      (i) => (sure[i] + sure[i + 1]) / 2 / sure[weights.length],
    );
    const bases = depths.map((depth, i) => weights[heavy[i]] / Math.max(expOfMinus(depth), LEAST));
    return { depths, bases, middles, slope, at: heavy.indexOf(drawn) };
  });
  const gap = (/** @type {number} */ factor) =>
    tables.reduce((sum, { depths, bases, middles, slope, at }) => {
      if (at < 0) return sum;
      let total = 0;
      let mean = 0;
      for (const [i, depth] of depths.entries()) {
        const weight = bases[i] * expOfMinus(factor * depth);
        total += weight;
        mean += weight * middles[i];
      }
      return sum + slope * (middles[at] - mean / total);
    }, 0);
  let [low, high] = FACTORS;
  if (gap(low) < 0 || gap(high) > 0) return null;
  for (let i = 0; i < 20; i++) {
    const middle = Math.sqrt(low * high);
    if (gap(middle) > 0) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}

/** The z that a normal number exceeds with the probability, by bisection. @param {number} probability below 1/2 */
export function normalQuantile(probability) {
  let low = 0;
  let high = 40;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normalTail(middle) > probability) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Probability that `testSharpness` finds a change, at LEVEL shared by all tests.
 * @param {number} change
 * @param {number} error
 */
export function powerOf(change, error) {
  const shift = Math.abs(change) / error;
  const least = normalQuantile(LEVEL / N_TESTS / 2);
  return normalTail(least - shift) + normalTail(least + shift);
}

/** The factors in which a fit is sought, and the number of tokens of a law that it reads. */
const FACTORS = [1 / 5, 5];
const HEAVY = 500;
/** Least divisor. */
const LEAST = 1e-300;

/** Evidence is counted up to here, so that a product stays finite. */
const MOST = 1e290;

/** Tighter cuts that are tried: by rank, by the mass before a token, by the share of the largest probability. */
export const CUTS = [
  ...[1, 2, 3, 5, 8, 10, 15, 20, 30, 40, 50, 64, 100].map((value) => ({ name: 'top_k', value })),
  ...[0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99, 0.995].map((value) => ({
    name: 'top_p',
    value,
  })),
  ...[0.5, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005].map((value) => ({
    name: 'min_p',
    value,
  })),
];

/**
 * The tokens of a law that each of CUTS keeps. Each cut is judged by the weights and by the shares before the chain, since temperature
 * may come before or after a truncation.
 * @typedef {object} LawCuts
 * @property {{ mass: number, count: number }[]} cuts (2 CUTS.length,) the probability of a kept token, and the number of these
 * @property {Int32Array[]} ranks (2,) the rank of each token in the two orders; a removed token has rank n
 */

/** @param {Law} law without open tokens @returns {LawCuts} */
export function cutsOf({ weights, raw, rest, blur }) {
  const kept = Array.from(weights.keys()).filter((i) => weights[i] > 0);
  const total = kept.reduce((sum, i) => sum + weights[i], 0);
  const listed = 1 - (rest?.[0] ?? 0); // the masses must not be too small
  /** @type {LawCuts} */
  const found = { cuts: [], ranks: [] };
  for (const by of [weights, raw]) {
    const isSorted = kept.every((i, at) => at === 0 || by[i] <= by[kept[at - 1]]);
    const order = isSorted ? kept : [...kept].sort((a, b) => by[b] - by[a] || a - b);
    const ranks = new Int32Array(weights.length).fill(weights.length);
    const masses = new Float64Array(order.length + 1);
    const sums = new Float64Array(order.length + 1);
    for (const [rank, i] of order.entries()) {
      ranks[i] = rank;
      masses[rank + 1] = masses[rank] + weights[i];
      sums[rank + 1] = sums[rank] + by[i];
    }
    const whole = sums[order.length] / listed;
    const isKept = (
      /** @type {number} */ rank,
      /** @type {typeof CUTS[number]} */ { name, value },
    ) =>
      name === 'top_k'
        ? rank < value
        : name === 'top_p'
          ? sums[rank] < value * whole
          : by[order[rank]] >= value * by[order[0]];
    for (const cut of CUTS) {
      let count = 0;
      while (count < order.length && isKept(count, cut)) count++;
      const all = rest === null && count === order.length;
      const mass = ((1 + blur) * listed * masses[count]) / total;
      found.cuts.push({ mass: all ? 1 : Math.min(1, mass), count });
    }
    found.ranks.push(ranks);
  }
  return found;
}

/**
 * Tests for a tighter cut than the claimed one. The evidence for one cut, a product over the draws, is 0 after a draw
 * outside it; else it is 1 / mass for each draw. It is a martingale with mean 1 if the claim is true; so the mean evidence
 * of all cuts exceeds 1 / p with a probability of at most p (Ville 1939).
 * @param {readonly { cuts: LawCuts, drawn: number }[]} draws
 * @param {(name: string) => boolean} [counts] the cuts that take part; default all
 * @returns {{ p_value: number, as_if: Cut | null, finds: Cut | null }} as_if: the cut with the most evidence;
 *   finds: the loosest top_p of the final law that these laws would reveal for certain
 */
export function testTighter(draws, counts = () => true) {
  const n = CUTS.length;
  const parts = Array.from({ length: 2 * n }, (_, i) => i).filter((i) => counts(CUTS[i % n].name));
  const evidenceFor = (/** @type {number} */ i, /** @type {boolean} */ certain) =>
    draws.reduce((evidence, { cuts: { cuts, ranks }, drawn }) => {
      const { mass, count } = cuts[i];
      const inside = certain || ranks[i < n ? 0 : 1][drawn] < count;
      return inside ? Math.min(MOST, evidence / mass) : 0;
    }, 1);
  const evidence = parts.map((i) => evidenceFor(i, false));
  const mean = evidence.reduce((sum, value) => sum + value, 0) / parts.length;
  const best = evidence.reduce((most, value, at) => (value > evidence[most] ? at : most), 0);
  const isFound = (/** @type {number} */ i) =>
    evidenceFor(i, true) >= (parts.length * N_TESTS) / LEVEL;
  const [loosest] = parts.filter((i) => i < n && CUTS[i].name === 'top_p' && isFound(i)).slice(-1);
  return {
    p_value: Math.min(1, 1 / mean),
    as_if: evidence[best] > 1 ? CUTS[parts[best] % n] : null,
    finds: loosest === undefined ? null : CUTS[loosest],
  };
}
