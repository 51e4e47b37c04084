/** Bounds of the truncations: the tokens that stay, go or may go, and the part of the tail that may stay. */
import { exp, log } from '../engine/elementary.js';
import { KEPT, GONE, MAYBE, entropyOf, placesOf, weigh } from './position.js';
import { capOf, cutBelow, rebased, weightOf } from './tail.js';
import { NEAR, TOLERANCE, aheadOf, countOf, judge, limitTail } from './verdicts.js';

/**
 * @import { Interval } from './tail.js'
 * @import { Position, Weights } from './position.js'
 * @import { Run } from './verdicts.js'
 */

/**
 * Keeps the tokens with a weight of at least a limit, and the `least` best ones.
 * @param {Position} position
 * @param {Run} run
 * @param {string} name
 * @param {Weights} weights
 * @param {Interval} limit relative to e^ref
 * @param {(i: number) => boolean | null} [exactly] a verdict that is known to the bit
 */
export function keepHeavy(position, { values }, name, weights, limit, exactly = () => null) {
  const least = values.min_tokens_to_keep;
  const places = placesOf(position, weights);
  // A weight below 2^-44 of the best is 0 in the engine: any limit but 0 removes the token.
  const best = largestOf(position, weights)[0];
  const smallest = limit[0] > 0 ? Math.max(limit[0], best * 2 ** -44) : 0;
  const low = weights.ref + log(smallest * (1 - NEAR));
  const high = weights.ref + log(Math.max(limit[1], 2 ** -44) * (1 + NEAR));
  const slack = 2 ** -22 * (1 + Math.abs(weights.ref));
  const ahead = aheadOf(position);
  judge(position, name, (i) => {
    const heavy =
      exactly(i) ??
      (position.lo[i] >= high + slack ? true : position.hi[i] < low - slack ? false : null);
    if (heavy || places.most[i] < least) return true;
    return heavy === false && places.least[i] >= least ? false : null;
  });
  if (!position.tail) return;
  const cut = cutBelow(position.tail, [low - slack, high + slack]);
  if (ahead >= least) position.tail = cut;
  else if (!cut) limitTail(position, least - ahead);
  else position.tail = { ...cut, floor: -Infinity, count: [cut.count[0], position.tail.count[1]] };
}

/** @param {Interval} of @param {Interval} by @returns {Interval} */
const quotient = ([a, b], [c, d]) => [a / d, b === 0 ? 0 : b / c];

/** Sum of squared weights. @param {Position} position @param {Weights} weights @returns {Interval} */
function squaresOf({ n, tail }, { lo, hi, ref }) {
  const [low, high] = tail ? weightOf(tail, ref, 2) : [0, 0];
  const sum = [low, high];
  for (let i = 0; i < n; i++) {
    sum[0] += lo[i] * lo[i];
    sum[1] += hi[i] * hi[i];
  }
  return [sum[0] * (1 - 2 ** -45), sum[1] * (1 + 2 ** -45)];
}

/** Bounds of the largest weight, relative to e^ref. @param {Position} position @param {Weights} weights @returns {Interval} */
function largestOf({ n }, { lo, total, best }) {
  if (best !== null) return [1, 1];
  let low = 0;
  for (let i = 0; i < n; i++) low = Math.max(low, lo[i]);
  return [total[1] === 0 ? 0 : low, 1];
}

/**
 * Filters with a limit of weight: [low, high] relative to e^ref.
 * @type {Record<string, (value: number, position: Position, weights: Weights, run: Run) => Interval>}
 */
export const LIMITS = {
  min_p: (m, position, weights) => {
    const [low, high] = largestOf(position, weights);
    return [m * low, m * high];
  },
  epsilon_cutoff: (e, _, { total }) => [e * total[0], e * total[1]],
  eta_cutoff: (e, position, weights) => {
    const [low, high] = entropyOf(position, weights);
    const eta = (/** @type {number} */ h) => Math.min(e, Math.sqrt(e) * exp(-h));
    return [eta(high) * weights.total[0], eta(low) * weights.total[1]];
  },
  top_a: (a, position, weights) => {
    const [low, high] = largestOf(position, weights);
    return quotient([a * low * low, a * high * high], weights.total);
  },
  p_less: (version, position, weights) => {
    const [low, high] = quotient(squaresOf(position, weights), weights.total);
    if (version === 1) return [low * (1 - TOLERANCE), high * (1 - TOLERANCE)];
    const n = position.vocab_size ?? position.n + 1;
    const least = n === 1 ? 0 : (n * low - weights.total[1]) / (n - 1);
    return [Math.max(0, least) * (1 - TOLERANCE), high];
  },
  mirostat: (_, __, { total }, { values }) => {
    const mu = values.mirostat_mu === 0 ? 2 * values.mirostat_tau : values.mirostat_mu;
    const share = mu > 1000 ? 2 ** -1000 : mu < -1000 ? Infinity : exp(-mu * Math.LN2);
    return [share * total[0], share * total[1]];
  },
};

/** The verdict of min-p to the bit, if the best token is known. @param {Position} position @param {Weights} weights @param {number} m */
export const minPExactly =
  ({ lo, hi, state }, weights, m) =>
  (/** @type {number} */ i) =>
    weights.best !== null && lo[i] === hi[i] && state[i] ? weights.hi[i] >= m : null;

/** @param {Position} position @param {Run} run @param {number} k @param {boolean} exactly true if ties with the last are removed */
export function topK(position, { values }, k, exactly, name = 'top_k') {
  const least = Math.max(k, values.min_tokens_to_keep);
  const weights = weigh(position);
  const { least: before, most, over, overMost } = placesOf(position, weights);
  const ahead = aheadOf(position, !exactly);
  judge(position, name, (i) => {
    if ((exactly ? most[i] : overMost[i]) < least) return true;
    return (exactly ? before[i] : over[i]) >= least ? false : null;
  });
  const { tail } = position;
  if (!tail || ahead >= least) {
    position.tail = null;
    return;
  }
  limitTail(position, exactly ? least - ahead : Infinity);
  // The best hidden tokens together have at least their number times the mean mass of a hidden token.
  const { units } = rebased(tail);
  const surely = Math.max(0, least - countOf({ ...position, tail: null })[1]);
  const share = Math.min(1, surely / tail.count[1]) * (1 - 2 ** -30);
  if (position.tail) position.tail.units[0] = Math.min(units[0] * share, position.tail.units[1]);
}

/** @param {Position} position @param {Run} run @param {number} p */
export function topP(position, { values }, p) {
  const above = values.convention === 'llama2.c';
  if (p === 1 || (above && p === 0)) return;
  const target = above ? p + TOLERANCE : p - TOLERANCE;
  if (target >= 1) return;
  const least = values.min_tokens_to_keep;
  const weights = weigh(position);
  const places = placesOf(position, weights);
  const ahead = aheadOf(position);
  judge(position, 'top_p', (i) => {
    const [low, high] = places.share[i];
    if (places.most[i] < least || high < target) return true;
    return low > target && places.least[i] >= least ? false : null;
  });
  if (!position.tail) return;
  // Mass of listed tokens that come before all hidden ones.
  const before = /** @type {Interval} */ ([0, 0]);
  for (let i = 0; i < position.n; i++) {
    before[0] += position.outranks[i] ? weights.lo[i] : 0;
    before[1] += weights.hi[i];
  }
  if (ahead >= least && before[0] * (1 - 2 ** -40) > target * weights.total[1]) {
    position.tail = null;
    return;
  }
  const base = rebased(position.tail);
  const unit = exp(base.top - weights.ref);
  const most = Math.max(0, target) * weights.total[1] * (1 + 2 ** -40) - before[0];
  const left = target * weights.total[0] - before[1];
  const extra = Math.max(0, least - ahead);
  const high = Math.max(0, most / unit) + 1 + extra;
  position.tail = {
    ...base,
    units: [
      Math.max(0, Math.min(base.units[0], (left / unit) * (1 - NEAR) - NEAR)),
      Math.min(base.units[1], high),
    ],
    count: [0, base.count[1]],
  };
}

/** Largest list with a comparison of all pairs of tokens. */
const PAIRS_MOST = 2000;

/** @param {Position} position @param {Run} run @param {number} p */
export function typical(position, { values }, p) {
  const least = values.min_tokens_to_keep;
  const weights = weigh(position);
  const { n, lo, hi, state, tail } = position;
  const [low, high] = entropyOf(position, weights);
  const target = values.convention === 'llama.cpp' ? p + TOLERANCE : p - TOLERANCE;
  if (target >= 1) return;
  // The logit of a token with a surprise equal to the entropy.
  const slack = 2 ** -20 * (1 + Math.abs(weights.ref));
  const center = /** @type {Interval} */ ([
    log(weights.total[0]) + weights.ref - high - slack,
    log(weights.total[1]) + weights.ref - low + slack,
  ]);
  const alive = Array.from({ length: n }, (_, i) => i).filter((i) => state[i]);
  if (alive.length > PAIRS_MOST || !Number.isFinite(center[0])) {
    judge(position, 'typical_p', () => null);
    if (tail) limitTail(position, Infinity);
    return;
  }
  const hidden = /** @type {Interval} */ ([-Infinity, tail ? capOf(tail)[1] : -Infinity]);
  const closer = closerTo(center);
  const verdicts = new Map(
    alive.map((i) => {
      const before = beforeIn(position, weights, alive, i, closer, hidden);
      const stays =
        before.most < least || before.high < target * (before.high + before.rest) * (1 - 2 ** -30);
      const goes = before.least >= least && before.low * (1 - 2 ** -30) > target * weights.total[1];
      return [i, stays ? true : goes ? false : null];
    }),
  );
  const ahead = alive.filter((i) => state[i] === KEPT && closer([lo[i], hi[i]], hidden));
  const before = ahead.reduce((sum, i) => sum + weights.lo[i], 0);
  judge(position, 'typical_p', (i) => verdicts.get(i) ?? null);
  if (!tail) return;
  if (ahead.length >= least && before * (1 - 2 ** -30) > target * weights.total[1])
    position.tail = null;
  else limitTail(position, Infinity);
}

/** Compares two tokens: true if the first is closer to every possible centre. @param {Interval} center */
const closerTo =
  ([low, high]) =>
  (/** @type {Interval} */ [a, b], /** @type {Interval} */ [c, d]) =>
    a > d ? low > (b + d) / 2 : b < c ? high < (a + c) / 2 : false;

/**
 * The tokens that are more typical than token i: their number and mass, and the mass that is surely less typical.
 * @param {Position} position
 * @param {Weights} weights
 * @param {number[]} alive
 * @param {number} i
 * @param {(one: Interval, other: Interval) => boolean} closer
 * @param {Interval} hidden
 */
function beforeIn({ lo, hi, state, tail }, weights, alive, i, closer, hidden) {
  const self = /** @type {Interval} */ ([lo[i], hi[i]]);
  const joins = tail !== null && !closer(self, hidden);
  const before = {
    least: 0,
    most: joins ? tail.count[1] : 0,
    low: 0,
    high: joins ? weights.hidden[1] : 0,
    rest: weights.lo[i] + (joins ? 0 : weights.hidden[0]),
  };
  for (const j of alive) {
    if (j === i) continue;
    const other = /** @type {Interval} */ ([lo[j], hi[j]]);
    if (closer(other, self)) {
      before.low += weights.lo[j];
      before.least += Number(state[j] === KEPT);
    }
    if (closer(self, other)) before.rest += weights.lo[j];
    else {
      before.high += weights.hi[j];
      before.most++;
    }
  }
  return before;
}

/** @param {Position} position @param {Run} run @param {number} n */
export function topNSigma(position, { values }, n) {
  // The deviation has no upper bound, since a hidden logit may be as low as it likes.
  const { lo, hi, state } = position;
  const alive = Array.from(state.keys()).filter((i) => state[i] === KEPT);
  const mean = alive.reduce((sum, i) => sum + lo[i], 0) / Math.max(1, alive.length);
  const squares = alive.reduce((sum, i) => sum + (lo[i] - mean) ** 2, 0);
  const count = countOf(position)[1];
  const narrow = alive.every((i) => lo[i] === hi[i]) && !state.includes(MAYBE);
  const sigma = narrow && Number.isFinite(count) ? Math.sqrt(squares / count) * (1 - 2 ** -20) : 0;
  const places = placesOf(position, weigh(position));
  const best = Math.max(
    ...alive.map((i) => hi[i]),
    position.tail ? capOf(position.tail)[1] : -Infinity,
  );
  const limit = best - n * sigma;
  judge(position, 'top_n_sigma', (i) =>
    lo[i] > limit + 2 ** -20 * (1 + Math.abs(best)) || places.most[i] < values.min_tokens_to_keep
      ? true
      : null,
  );
  if (position.tail) position.tail = cutBelow(position.tail, [-Infinity, limit]) ?? position.tail;
}

/** @param {Position} position @param {Run} run @param {number} z */
export function tailFree(position, { values }, z) {
  const { n, state, outranks, sorted } = position;
  const weights = weigh(position);
  const alive = Array.from({ length: n }, (_, i) => i).filter((i) => state[i]);
  const known =
    sorted &&
    weights.best !== null &&
    alive.every((i) => state[i] === KEPT && position.lo[i] === position.hi[i]);
  const ahead = alive.filter((i) => outranks[i]).length;
  if (!known || ahead < 3 || ahead < alive.length || z + TOLERANCE >= 1) {
    const places = placesOf(position, weights);
    judge(position, 'tfs_z', (i) => (places.most[i] < values.min_tokens_to_keep ? true : null));
    if (position.tail) limitTail(position, Infinity);
    return;
  }
  const w = alive.map((i) => weights.lo[i]);
  const sums = [0];
  for (let i = 0; i + 2 < w.length; i++)
    sums.push(sums[i] + Math.abs(w[i] - w[i + 1] - (w[i + 1] - w[i + 2])));
  const last = w.length - 1;
  const seen = sums[sums.length - 1];
  // The slopes after the list vary by at most the last slope and twice the last weight.
  const total = [seen, seen + (w[last - 1] - w[last]) + 2 * w[last] + 2 ** -40];
  const bound = total.map((sum) => (z + TOLERANCE) * sum);
  const llama = values.convention === 'llama.cpp';
  // Number of partial sums within the bound: at least and at most, if the list reaches that far.
  const within = bound.map(
    (most, end) =>
      sums.slice(1).filter((sum) => sum <= most * (1 + (end ? 1 : -1) * 2 ** -40)).length,
  );
  const keep = within.map((count) => (llama && count > 0 ? count : count + 1));
  const ends = within[1] < sums.length - 1 && keep[1] >= values.min_tokens_to_keep;
  const least = Math.max(keep[0], values.min_tokens_to_keep);
  judge(position, 'tfs_z', (i) => {
    const place = alive.indexOf(i);
    return place < least ? true : ends && place >= keep[1] ? false : null;
  });
  if (!position.tail) return;
  if (ends) position.tail = null;
  else limitTail(position, Infinity);
}

/** @param {Position} position @param {Run} run */
export function xtc(position, { values, coin }) {
  if (!coin) return;
  const threshold = values.xtc_threshold;
  const weights = weigh(position);
  const slack = 2 ** -22 * (1 + Math.abs(weights.ref));
  const low = weights.ref + log(threshold * weights.total[0] * (1 - NEAR)) - slack;
  const high = weights.ref + log(threshold * weights.total[1] * (1 + NEAR)) + slack;
  const { n, lo, hi, state, tail } = position;
  const isHigh = (/** @type {number} */ i) => state[i] === KEPT && lo[i] >= high;
  const maybeHigh = (/** @type {number} */ i) => state[i] !== GONE && hi[i] >= low;
  const tailHigh = tail !== null && capOf(tail)[1] >= low;
  let [sure, any] = [0, 0];
  // The last sure ones and the last possible ones, in the order of the logits: two each, to leave one out.
  /** @type {number[]} */
  let lowest = [];
  /** @type {number[]} */
  let possible = [];
  for (let i = 0; i < n; i++) {
    if (isHigh(i)) lowest = [...lowest, i].sort((a, b) => hi[a] - hi[b] || b - a).slice(0, 2);
    if (maybeHigh(i))
      possible = [...possible, i].sort((a, b) => lo[a] - lo[b] || b - a).slice(0, 2);
    sure += Number(isHigh(i));
    any += Number(maybeHigh(i));
  }
  const [least, most] = countOf(position);
  const enough = values.min_tokens_to_keep;
  // The last likely token always stays.
  const acts = enough <= 1 || (!tailHigh && least - (any - 1) >= enough);
  const never = !tailHigh && (any < 2 || most - (sure - 1) < enough);
  if (never) return;
  judge(position, 'xtc_probability', (i) => {
    const other = lowest.find((j) => j !== i);
    const after = other !== undefined && (hi[other] < lo[i] || (hi[other] === lo[i] && other > i));
    if (isHigh(i) && after && acts) return false;
    const next = possible.find((j) => j !== i);
    const last =
      !tailHigh && (next === undefined || lo[next] > hi[i] || (lo[next] === hi[i] && next < i));
    return !maybeHigh(i) || last ? true : null;
  });
  if (tailHigh)
    position.tail = {
      ...rebased(tail),
      floor: -Infinity,
      units: [0, rebased(tail).units[1]],
      count: [0, tail.count[1]],
    };
}

/** True if the 100 best tokens are listed and known to the bit. @param {Position} position */
const knowsHundred = (position) =>
  position.sorted &&
  aheadOf(position) >= 100 &&
  position.state.every((state, i) => state === KEPT && position.lo[i] === position.hi[i]);

/** Top-h reads the 100 best tokens alone. @param {Position} position @param {Run} run */
export async function topH(position, run) {
  const { values } = run;
  if (!knowsHundred(position) || values.min_tokens_to_keep > 100) {
    const { most } = placesOf(position, weigh(position));
    judge(position, 'top_h', (i) => (most[i] < values.min_tokens_to_keep ? true : null));
    if (position.tail) limitTail(position, Infinity);
    return;
  }
  const trace = await run.engine.warp(
    Float32Array.from(position.lo),
    { ...run.only(['top_h']), top: 0 },
    {},
  );
  judge(position, 'top_h', (i) => trace.p[i] > 0 || trace.logits[i] !== -Infinity);
  position.tail = null;
}

/** Mirostat 1 reads the 100 best tokens and the size of the vocabulary. @param {Position} position @param {Run} run */
export async function zipf(position, run) {
  const size = position.vocab_size;
  if (!knowsHundred(position) || size === null || countOf(position)[0] !== size) return false;
  const row = new Float32Array(size).fill(position.lo[position.n - 1]);
  row.set(position.lo);
  const least = { min_tokens_to_keep: 1 };
  const trace = await run.engine.warp(row, { ...run.only(['mirostat']), ...least, top: 0 }, {});
  topK(position, run, trace.kept, true, 'mirostat');
  return true;
}
