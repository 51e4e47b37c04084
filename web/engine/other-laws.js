/** Laws of whole texts that are made from another law: sharpened, best of n, conditioned; and their distances. */
import { exp, log } from './elementary.js';

/** @import { Sentence } from './law-types.js' */

/** @param {number[]} values */
export const product = (values) => values.reduce((all, p) => all * p, 1);
/** @param {number[]} values */
export const sum = (values) => values.reduce((all, p) => all + p, 0);

/** @typedef {{ each: [number, number][], rest: [number, number] }} Beside each listed text's p and the rest's, from and to */

/**
 * p^power, divided by its sum over all texts. A text that is not listed has at most `last`, which bounds the sum of
 * the rest: sum p^power <= rest * last^(power - 1) for power >= 1.
 * @param {number[]} ps p of the listed texts
 * @param {number} rest
 * @param {number} last
 * @param {number} power
 * @returns {Beside}
 */
export function sharpen(ps, rest, last, power) {
  const best = log(Math.max(last, ...ps));
  const weights = ps.map((p) => exp(power * (log(p) - best)));
  const total = sum(weights);
  const tail = rest > 0 ? exp(log(rest) - best + (power - 1) * (log(last) - best)) : 0;
  return {
    each: weights.map((weight) => [weight / (total + tail), weight / total]),
    rest: [0, tail / (total + tail)],
  };
}

/**
 * The most probable of n independent draws: at rank k with G_k^n - G_(k+1)^n, G_k = 1 - the p of the texts before it.
 * @param {Sentence[]} listed
 * @param {number} n
 * @returns {Beside}
 */
export function bestOf(listed, n) {
  let over = 1;
  const each = listed.map(({ p }) => {
    const before = exp(n * log(over));
    over = Math.max(0, over - p);
    const share = before - exp(n * log(over));
    return /** @type {[number, number]} */ ([share, share]);
  });
  const none = exp(n * log(over));
  return { each, rest: [none, none] };
}

/**
 * The law given that a text satisfies a constraint.
 * @param {import('./prefixes.js').Walk} masked a walk with the constraint as its only setting
 * @param {Sentence[]} listed
 * @param {number} rest
 * @returns {Promise<Beside>}
 */
export async function condition(masked, listed, rest) {
  /** @type {boolean[]} */
  const valid = [];
  for (const { ids } of listed) valid.push(Boolean((await masked.along(ids)).at(-1)));
  const total = sum(listed.map(({ p }, i) => (valid[i] ? p : 0)));
  return {
    each: listed.map(({ p }, i) => (valid[i] && p ? [p / (total + rest), p / total] : [0, 0])),
    rest: [0, total + rest ? rest / (total + rest) : 0],
  };
}

/** The smallest and the largest |a - b| for b in an interval. @param {number} a @param {[number, number]} b @returns {[number, number]} */
const apart = (a, [low, high]) => [
  Math.max(0, a - high, low - a),
  Math.max(Math.abs(a - low), Math.abs(a - high)),
];

/** a ln(a / b), 0 for a = 0. @param {number} a @param {number} b */
const divergence = (a, b) => {
  if (!a) return 0;
  return b ? a * (log(a) - log(b)) : Infinity;
};

/**
 * Total variation and KL divergence (nats) of another law from this one, each from and to.
 * @param {Sentence[]} listed
 * @param {number} rest
 * @param {Beside} other
 */
export function distances(listed, rest, other) {
  const gaps = listed.map(({ p }, i) => apart(p, other.each[i]));
  const tail = apart(rest, other.rest);
  const known = [0, 1].map((side) => sum(gaps.map((gap) => gap[side])));
  const low = sum(listed.map(({ p }, i) => divergence(p, other.each[i][1])));
  const high = sum(listed.map(({ p }, i) => divergence(p, other.each[i][0])));
  return {
    total_variation: [(known[0] + tail[0]) / 2, Math.min(1, (known[1] + rest + other.rest[1]) / 2)],
    kl: [Math.max(0, low + (rest ? divergence(rest, other.rest[1]) : 0)), rest ? Infinity : high],
  };
}
