/**
 * The hidden tail of a partial distribution: all that is known of the tokens that a server did not list. Their number,
 * their mass and the largest of them are bounded. Every sum over them is extreme if few tokens have the largest probability, or if
 * all have the same.
 */
import { exp, log } from '../engine/elementary.js';

/**
 * @typedef {[low: number, high: number]} Interval
 *
 * A hidden token has the logit a ln q. q is at most e^top and at least e^floor. `units` bounds the sum of q in units
 * of e^top, `count` the number of tokens; both may be infinite. `slop` is the relative error of a weight that the
 * engine's float32 may add.
 * @typedef {object} Tail
 * @property {number} top
 * @property {number} floor
 * @property {Interval} units
 * @property {Interval} count
 * @property {Interval} a
 * @property {number} slop
 */

/** From this exponent on, only the likeliest hidden tokens weigh anything. */
const STEEP = 1e6;

/** Widens an interval of positive numbers against rounding in float64. @param {Interval} interval @returns {Interval} */
export const outward = ([low, high]) => [low * (1 - 2 ** -46), high * (1 + 2 ** -46)];

/** v^e for 0 <= v <= 1. @param {number} v @param {number} e */
export const power = (v, e) => (e === 0 ? 1 : v === 0 ? 0 : exp(e * log(v)));

/** k equal tokens of the sum `units`, each at most 1. @param {number} k @param {number} units @param {number} e */
function spread(k, units, e) {
  if (units <= 0) return 0;
  if (k === Infinity) return e > 1 ? 0 : e === 1 ? units : Infinity;
  return k <= units ? k : k * power(units / k, e);
}

/** As few tokens as possible of the sum `units`. @param {number} units @param {number} e */
const pack = (units, e) =>
  units === Infinity ? units : Math.floor(units) + power(units - Math.floor(units), e);

/** Most tokens that the tail may have. @param {Tail} tail @param {number} units */
function mostTokens({ count, floor, top }, units) {
  const share = exp(floor - top);
  return Math.max(units, Math.min(count[1], share > 0 ? units / share : Infinity));
}

/**
 * Bounds of the sum of (q / e^top)^e: e = a gives the weights, e = 2a their squares.
 * @param {Tail} tail
 * @param {number} e
 * @returns {Interval}
 */
export function powerSum(tail, e) {
  const [low, high] = tail.units;
  if (e === 0) return tail.count;
  if (e === 1) return outward([low, high]);
  if (e >= STEEP) return [0, Math.min(high, tail.count[1])];
  const most = Math.min(high, tail.count[1]);
  return outward(
    e > 1
      ? [spread(mostTokens(tail, low), low, e), pack(most, e)]
      : [pack(low, e), spread(mostTokens(tail, high), high, e)],
  );
}

/** The largest and smallest logit that the likeliest hidden token may have. @param {Tail} tail @returns {Interval} */
export function capOf({ a, top }) {
  const ends = [a[0] * top, a[1] * top];
  return [Math.min(...ends), Math.max(...ends)];
}

/** Product that counts 0 times infinity as 0. @param {number} x @param {number} y */
const times = (x, y) => (x === 0 || y === 0 ? 0 : x * y);

/**
 * Bounds of the sum of weights e^(logit - ref), or of their squares with `twice`.
 * @param {Tail} tail
 * @param {number} ref
 * @param {number} [twice] 1 or 2
 * @returns {Interval}
 */
export function weightOf(tail, ref, twice = 1) {
  const [low, high] = capOf(tail);
  const least = powerSum(tail, twice * tail.a[1])[0];
  const most = powerSum(tail, twice * tail.a[0])[1];
  const slop = twice * tail.slop;
  // Weights below 2^-44 of the best are 0 in the engine.
  const lost = twice === 1 ? Math.min(tail.count[1], 2 ** 20) * 2 ** -44 : 2 ** -44;
  return [
    Math.max(0, times(least, exp(twice * (low - ref))) * (1 - slop) - lost),
    times(most, exp(twice * (high - ref))) * (1 + slop),
  ];
}

/** -x ln x. @param {number} x */
const surprise = (x) => (x <= 0 ? 0 : -x * log(x));

/**
 * Bounds of the sum of -w ln w, w the weights relative to the likeliest hidden token's.
 * @param {Tail} tail
 * @returns {Interval}
 */
export function surpriseOf(tail) {
  const least = powerSum(tail, tail.a[1])[0];
  const most = powerSum(tail, tail.a[0])[1];
  const share = exp(tail.a[1] * (tail.floor - tail.top));
  const k = Math.min(tail.count[1], share > 0 ? most / share : Infinity);
  const part = (/** @type {number} */ x) => surprise(x - Math.floor(x));
  const low = Math.floor(least) === Math.floor(most) ? Math.min(part(least), part(most)) : 0;
  const spreads = [least, most, Math.min(most, Math.max(least, k * exp(-1)))];
  const high =
    k === Infinity
      ? times(most, Infinity)
      : Math.max(0, ...spreads.map((sum) => (sum > 0 ? sum * log(k / sum) : 0)));
  return outward([low * (1 - tail.slop), high * (1 + tail.slop)]);
}

/** The same tail with a = 1: q is the weight itself. @param {Tail} tail @returns {Tail} */
export function rebased(tail) {
  const { a, count, floor, slop } = tail;
  if (a[0] === 1 && a[1] === 1) return tail;
  const [low, high] = capOf(tail);
  const least = powerSum(tail, a[1])[0];
  const most = powerSum(tail, a[0])[1];
  const ends = [a[0] * floor, a[1] * floor];
  return {
    top: high,
    floor: floor === -Infinity ? floor : Math.min(...ends, high),
    units: [times(least, exp(low - high)), Math.min(most, count[1])],
    count,
    a: [1, 1],
    slop,
  };
}

/** Adds a number to every logit. @param {Tail} tail @param {number} shift @returns {Tail} */
export function shifted(tail, shift) {
  const it = tail.a[0] === tail.a[1] && tail.a[0] > 0 ? tail : rebased(tail);
  const by = shift / it.a[0];
  return { ...it, top: it.top + by, floor: it.floor + by };
}

/** Divides every logit by a temperature. @param {Tail} tail @param {Interval} temperature @returns {Tail} */
export function divided(tail, [low, high]) {
  const a = /** @type {Interval} */ ([tail.a[0] / high, low > 0 ? tail.a[1] / low : STEEP]);
  const depth = Math.abs(a[0] * tail.top) + 13 * a[0] + 1;
  return { ...tail, a, slop: tail.slop + 2 ** -24 * depth };
}

/**
 * Removes tokens with a logit below a limit that lies in [low, high]. Null if none can stay.
 * @param {Tail} tail
 * @param {Interval} limit
 * @returns {Tail | null}
 */
export function cutBelow(tail, [low, high]) {
  if (capOf(tail)[1] < low) return null;
  if (low === -Infinity) return { ...tail, units: [0, tail.units[1]], count: [0, tail.count[1]] };
  const it = tail.a[0] === tail.a[1] && tail.a[0] > 0 ? tail : rebased(tail);
  const { top, units, count, a } = it;
  const floor = Math.max(it.floor, Math.min(top, low / a[0]));
  // Tokens below the limit have at most this mass; the rest stays.
  const below = times(count[1], Math.min(1, exp(high / a[0] - top)));
  const left = Math.max(0, units[0] - below);
  const most = Math.min(count[1], units[1] / Math.max(exp(floor - top), Number.MIN_VALUE));
  return {
    ...it,
    floor,
    units: [left, units[1]],
    count: [Math.ceil(left), Math.floor(most * (1 + 2 ** -40))],
  };
}

/**
 * Changes some logits: at most n of them, each by at least `low` and at most `high`, low <= 0 <= high.
 * @param {Tail} tail
 * @param {number} n
 * @param {Interval} change
 * @returns {Tail}
 */
export function changed(tail, n, [low, high]) {
  if (n === 0) return tail;
  const { top, floor, units, count, slop } = rebased(tail);
  const some = Math.min(n, count[1]);
  const rise = exp(high);
  const fall = low === -Infinity ? 0 : exp(low);
  const least = units[0] - Math.min(units[0], some) * (1 - fall);
  const most = units[1] + Math.min(some, units[1]) * (rise - 1);
  return {
    top: top + high,
    floor: floor + low,
    units: [Math.max(0, least / rise), most / rise],
    count: [low === -Infinity ? Math.max(0, count[0] - n) : count[0], count[1]],
    a: [1, 1],
    slop: slop + 2 ** -24 * (Math.abs(top) + Math.abs(high) + 13),
  };
}
