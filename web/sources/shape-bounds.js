/** Bounds of the stages that change logits. */
import { exp, log } from '../engine/elementary.js';
import {
  FLOAT_MAX,
  GONE,
  KEPT,
  MAYBE,
  entropyOf,
  placesOf,
  sharesOf,
  toFloat,
  weigh,
} from './position.js';
import { capOf, changed, divided, rebased, shifted } from './tail.js';
import { NEAR, above, aheadOf, below, countOf, judge, limitTail } from './verdicts.js';

/**
 * @import { Interval } from './tail.js'
 * @import { Position } from './position.js'
 * @import { Run } from './verdicts.js'
 */

/** Divides by a temperature that lies in an interval. @param {Position} position @param {string} name @param {Interval} temperature */
export function divide(position, name, [low, high]) {
  const { n, lo, hi, state } = position;
  if (high === 0) {
    const { least, most } = placesOf(position, weigh(position));
    const ahead = aheadOf(position);
    judge(position, name, (i) => (most[i] < 1 ? true : least[i] >= 1 ? false : null));
    if (ahead >= 1) position.tail = null;
    else limitTail(position, 1);
    return;
  }
  const { ref, best } = weigh(position);
  const largest = hi.reduce((most, x, i) => (state[i] ? Math.max(most, Math.abs(x)) : most), 0);
  const shift = largest / low > FLOAT_MAX ? ref : 0;
  if (low === high && (shift === 0 || best !== null)) {
    if (shift !== 0) position.absolute = false;
    for (let i = 0; i < n; i++) {
      const exact = lo[i] === hi[i];
      lo[i] = exact ? toFloat((lo[i] - shift) / low) : below((lo[i] - shift) / low);
      hi[i] = exact ? lo[i] : above((hi[i] - shift) / low);
    }
    if (position.tail)
      position.tail = divided(shift ? shifted(position.tail, -shift) : position.tail, [low, high]);
    return;
  }
  // The logits move by an unknown number, so they count from the best one.
  for (let i = 0; i < n; i++) {
    const [a, b] = [lo[i] - ref, hi[i] - ref];
    const slack = (2 ** -22 * Math.abs(ref)) / high;
    lo[i] = low > 0 ? below(a / low) - slack : a === 0 ? 0 : -Infinity;
    hi[i] = above(b / high) + slack;
    if (low === 0 && state[i] === KEPT && a < 0) {
      state[i] = MAYBE;
      position.by[i] = { maybe: name };
    }
  }
  position.absolute = false;
  if (!position.tail) return;
  position.tail = divided(shifted(position.tail, -ref), [low, high]);
  // At a temperature of 0 all tokens but the best go.
  if (low === 0)
    position.tail = {
      ...position.tail,
      units: [0, position.tail.units[1]],
      count: [0, position.tail.count[1]],
    };
}

/** @param {Position} position @param {Run} run @param {number} range */
export function dynamic(position, { values }, range) {
  const [least, most] = countOf(position);
  if (most < 2) return;
  const { temperature, dynatemp_exponent: exponent } = values;
  const from = Math.max(0, temperature - range);
  const to = temperature + range;
  const [low, high] = entropyOf(position, weigh(position));
  const share = [
    most === Infinity ? 0 : Math.max(0, (low / log(most)) * (1 - 2 ** -30)),
    least < 2 ? 1 : Math.min(1, (high / log(least)) * (1 + 2 ** -30)),
  ];
  const scale = share.map((x) =>
    exponent === 0 ? 1 : x > 0 ? Math.min(1, exp(exponent * log(x))) : 0,
  );
  const ends = /** @type {Interval} */ ([
    from + (to - from) * scale[0],
    from + (to - from) * scale[1],
  ]);
  // With one survivor the stage does nothing, which is a temperature of 1.
  const single = least < 2 ? [Math.min(ends[0], 1), Math.max(ends[1], 1)] : ends;
  divide(position, 'dynatemp_range', [single[0] * (1 - 2 ** -20), single[1] * (1 + 2 ** -20)]);
}

/** @param {Position} position @param {Run} run @param {number} factor */
export function smooth(position, { values }, factor) {
  const curve = values.smoothing_curve;
  const k = (factor * (3 - curve)) / 2;
  const s = (factor * (curve - 1)) / 2;
  if (k < 0) return false;
  const { n, lo, hi, tail } = position;
  const { ref, best } = weigh(position);
  const f = (/** @type {number} */ d) => (d === -Infinity ? d : d * d * (s * d - k));
  const top = best ?? ref;
  const moved = best === null ? largestShift(position, ref) : 0;
  if (best === null) position.absolute = false;
  const slack = 2 ** -22 * (1 + Math.abs(top));
  for (let i = 0; i < n; i++) {
    if (best !== null && lo[i] === hi[i]) {
      const d = lo[i] - best;
      if (d !== 0) lo[i] = hi[i] = toFloat(best + d * d * (s * d - k));
    } else {
      hi[i] = above(top + f(Math.min(0, hi[i] - ref + moved))) + slack;
      lo[i] = below(top + f(Math.min(0, lo[i] - ref))) - slack;
    }
  }
  if (tail) position.tail = smoothTail(rebased(tail), { top, moved, f, k, s });
  return true;
}

/**
 * @param {import('./tail.js').Tail} base
 * @param {{ top: number, moved: number, f: (d: number) => number, k: number, s: number }} curve
 */
function smoothTail(base, { top, moved, f, k, s }) {
  const [cap, floor] = [base.top - top, base.floor - top];
  const highest = f(Math.min(0, cap + moved));
  /** @type {Interval} */
  let units = [0, base.count[1]];
  if (moved === 0) {
    // Logarithm of the ratio of new to old weight, both relative to the cap's. It rises up to the peak, then falls.
    const ratio = (/** @type {number} */ d) => (d === -Infinity ? d : f(d) - d - (f(cap) - cap));
    const peak = s > 0 ? -(Math.sqrt(k * k + 3 * s) - k) / (3 * s) : -1 / (2 * k);
    const most = exp(Math.min(700, ratio(Math.max(floor, Math.min(cap, peak)))));
    const least = leastSmooth(base, (d) => ratio(cap + d));
    units = [least, Math.min(units[1], base.units[1] * most)];
  }
  return {
    top: top + highest,
    floor: floor === -Infinity ? floor : top + f(Math.min(0, floor)),
    units,
    count: base.count,
    a: /** @type {Interval} */ ([1, 1]),
    slop: base.slop + 2 ** -23 * (4 + Math.abs(top) + Math.abs(highest)),
  };
}

/**
 * A lower bound of the new weight: tokens below a share t of the cap hold at most the mass count t, and the others keep
 * at least the smaller ratio of both ends.
 * @param {import('./tail.js').Tail} base
 * @param {(d: number) => number} ratio of the weight at a logit that is d above the cap
 */
function leastSmooth({ top, floor, units, count }, ratio) {
  const low = exp(floor - top);
  const bounds = [0, 0.1, 0.3, 0.5, 0.7, 0.9].map((part) => {
    const share = Math.max(low, (part * units[0]) / count[1]);
    const left = units[0] - (part === 0 ? 0 : count[1] * share);
    return share > 0 && share <= 1 && left > 0 ? left * exp(Math.min(0, ratio(log(share)))) : 0;
  });
  return Math.max(...bounds) * (1 - 2 ** -30);
}

/** By how much the best logit may lie below the largest possible one. @param {Position} position @param {number} ref */
function largestShift({ n, lo, state }, ref) {
  let best = -Infinity;
  for (let i = 0; i < n; i++) if (state[i] === KEPT) best = Math.max(best, lo[i]);
  return ref - best;
}

/** @param {Position} position @param {Run} run @param {number} target */
export function adaptive(position, { values }, target) {
  const mean = values.adaptive_mean === 0 ? target : values.adaptive_mean;
  const aim = Math.min(1, Math.max(0, 2 * target - mean));
  const logit = (/** @type {number} */ p) => {
    const far = Math.abs(p - aim) / 0.3;
    return 5 - (10 * far * far) / (1 + far);
  };
  const over = (/** @type {Interval} */ [low, high]) => {
    const ends = [logit(low), logit(high)];
    const peak = low <= aim && aim <= high ? 5 : Math.max(...ends);
    return [Math.min(...ends) - 2 ** -19, peak + 2 ** -19];
  };
  const weights = weigh(position);
  const { p, rest } = sharesOf(position, weights);
  const { tail } = position;
  for (let i = 0; i < position.n; i++) [position.lo[i], position.hi[i]] = over(p[i]);
  if (tail) {
    const share = weights.total[0] > 0 ? exp(capOf(tail)[1] - weights.ref) / weights.total[0] : 1;
    const [floor, top] = over([0, Math.min(1, rest[1], share * (1 + NEAR))]);
    const units = /** @type {Interval} */ ([tail.count[0] * exp(floor - top), tail.count[1]]);
    position.tail = { top, floor, units, count: tail.count, a: [1, 1], slop: 2 ** -19 };
  }
  position.absolute = true;
  resort(position);
}

/** Finds the order of changed logits and the tokens that come before all hidden ones. @param {Position} position */
function resort(position) {
  const { n, lo, hi, state, outranks, tail } = position;
  const cap = tail ? capOf(tail)[1] : -Infinity;
  position.sorted = true;
  let last = -1;
  for (let i = 0; i < n; i++) {
    outranks[i] = Number(lo[i] >= cap);
    if (!state[i]) continue;
    if (last >= 0 && lo[last] < hi[i]) position.sorted = false;
    last = i;
  }
}

/** Penalties by a factor: their effect depends on the sign of the logit. */
const FACTORS = ['repetition_penalty', 'encoder_repetition_penalty'];

/**
 * A stage that changes single tokens: the engine runs it on the listed ones, with further ones for the hidden tokens of
 * the history.
 * @param {Position} position
 * @param {Run} run
 * @param {string} name
 */
export async function pointwise(position, run, name) {
  const { n, lo, hi, state, absolute } = position;
  const biased = Object.keys(run.values.logit_bias ?? {}).flatMap((key) =>
    key.split(' ').map(Number),
  );
  const others = Math.max(n, ...run.history.map((id) => id + 1), ...biased.map((id) => id + 1)) - n;
  const unknown = FACTORS.includes(name) && !absolute;
  const cap = position.tail ? Math.max(-1e30, capOf(position.tail)[1]) : 0;
  /** @param {ArrayLike<number>} logits @returns {Promise<number[]>} */
  const apply = async (logits) => {
    // The last token is in no history, so that one always stays.
    const row = Float32Array.from([
      ...Array.from(logits),
      ...Array(others).fill(unknown ? -1 : cap),
      -1,
    ]);
    const { history, step } = run;
    const trace = await run.engine.warp(row, { ...run.only([name]), top: 0 }, { history, step });
    return Array.from(trace.logits);
  };
  const finite = (/** @type {Float64Array} */ list) =>
    Array.from(list, (x) => (Number.isFinite(x) ? toFloat(x) : Math.sign(x) * 1e30));
  const given = unknown ? Array(n).fill(-1) : finite(lo);
  const isExact = lo.every((x, i) => x === hi[i]);
  const low = await apply(given);
  // By an unknown factor a rewarded token can rise to any probability.
  if (unknown && low.some((x) => x > -1)) return false;
  const high = isExact || unknown ? low : await apply(finite(hi));
  for (let i = 0; i < n; i++) {
    if (!state[i]) continue;
    if (low[i] === -Infinity) {
      position.by[i] = position.state[i] === MAYBE ? position.by[i] : name;
      state[i] = GONE;
    } else if (unknown) {
      if (low[i] < given[i]) lo[i] = -Infinity;
    } else if (low[i] !== given[i] || high[i] !== hi[i]) {
      const exact = lo[i] === hi[i];
      lo[i] =
        exact || !Number.isFinite(lo[i])
          ? Number.isFinite(lo[i])
            ? low[i]
            : lo[i]
          : below(low[i]);
      hi[i] = exact ? lo[i] : Number.isFinite(hi[i]) ? above(high[i]) : hi[i];
    }
  }
  if (position.tail) {
    const changes = low.slice(n, n + others).map((x) => x - (unknown ? -1 : Math.fround(cap)));
    changeTail(
      position,
      changes.filter((x) => x !== 0),
      FACTORS.includes(name),
    );
  }
  resort(position);
  return true;
}

/** @param {Position} position @param {number[]} changes of single hidden tokens @param {boolean} factor */
function changeTail(position, changes, factor) {
  if (!position.tail || changes.length === 0) return;
  const [least, most] = [Math.min(0, ...changes), Math.max(0, ...changes)];
  // A factor moves each logit differently: down by any amount, or up to at most the likeliest one's.
  const tail = changed(position.tail, changes.length, [
    factor && least < 0 ? -Infinity : least,
    most,
  ]);
  const raised = factor && most > 0 ? changes.length : 0;
  position.tail = { ...tail, units: [tail.units[0], tail.units[1] + raised] };
}

/** @param {Position} position */
export function renormalise(position) {
  // The shift of all logits changes no p; only rounding does.
  const { total, ref } = weigh(position);
  const slack = 2 ** -22 * (1 + Math.abs(ref) + Math.abs(log(total[0] || 1)));
  for (let i = 0; i < position.n; i++) {
    position.lo[i] = below(position.lo[i]) - slack;
    position.hi[i] = above(position.hi[i]) + slack;
  }
  position.absolute = false;
  if (position.tail) position.tail = { ...position.tail, slop: position.tail.slop + slack };
}
