/**
 * Two JavaScript samplers for comparison: a sort of objects, as in many demos, and an optimised version of
 * transformers' algorithm (penalty, temperature, top-k by the k-th value, top-p by a sort and a cumulative sum) over
 * typed arrays. Both read Float32Array logits (V,).
 */
import { timeOf } from './timing.js';

/** @typedef {import('./contender.js').Settings} Settings */
/** @typedef {{ id: number, kept: number }} Picked */

/**
 * Samples as many demos do: it makes an object for every token and sorts all objects.
 * @param {Float32Array} logits
 * @param {number[]} history
 * @param {Settings} settings
 * @param {number} u
 * @returns {Picked}
 */
export function drawBySorting(
  logits,
  history,
  { repetition_penalty = 1, temperature = 1, top_k = 0, top_p = 1 },
  u,
) {
  const adjusted = Array.from(logits);
  for (const id of new Set(history))
    adjusted[id] *= adjusted[id] < 0 ? repetition_penalty : 1 / repetition_penalty;
  const scaled = adjusted.map((logit) => logit / temperature);
  const greatest = scaled.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = scaled.map((logit) => Math.exp(logit - greatest));
  const sum = weights.reduce((a, b) => a + b, 0);
  let candidates = weights.map((weight, id) => ({ id, p: weight / sum })).sort((a, b) => b.p - a.p);
  if (top_k) candidates = candidates.slice(0, top_k);
  const mass = candidates.reduce((total, { p }) => total + p, 0);
  let reached = 0;
  const end = candidates.findIndex(({ p }) => (reached += p) >= top_p * mass);
  candidates = candidates.slice(0, end < 0 ? candidates.length : end + 1);
  let rest = u * candidates.reduce((total, { p }) => total + p, 0);
  const chosen = candidates.find(({ p }) => (rest -= p) < 0) ?? candidates[candidates.length - 1];
  return { id: chosen.id, kept: candidates.length };
}

const DIGIT = 11;
const BUCKETS = 1 << DIGIT;

/** Transformers' logits warpers; every array is allocated only once. */
export class TransformersSampler {
  #scores;
  #bits;
  #keys;
  #ids;
  #otherKeys;
  #otherIds;
  #weights;
  #counts = new Uint32Array(3 * BUCKETS);
  /** @type {Float32Array} */
  #best = new Float32Array(0);

  /** @param {number} size of the vocabulary */
  constructor(size) {
    this.#scores = new Float32Array(size);
    this.#bits = new Uint32Array(this.#scores.buffer);
    this.#keys = new Uint32Array(size);
    this.#ids = new Uint32Array(size);
    this.#otherKeys = new Uint32Array(size);
    this.#otherIds = new Uint32Array(size);
    this.#weights = new Float64Array(size);
  }

  /** Returns the k-th greatest score. One pass keeps the k greatest in a sorted list. @param {number} k */
  #kthGreatest(k) {
    const scores = this.#scores;
    if (this.#best.length !== k) this.#best = new Float32Array(k);
    const best = this.#best.fill(-Infinity);
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i];
      if (score <= best[k - 1]) continue;
      let at = k - 1;
      for (; at > 0 && best[at - 1] < score; at--) best[at] = best[at - 1];
      best[at] = score;
    }
    return best[k - 1];
  }

  /**
   * Sorts the ids with scores of at least `least`, descending, by a radix sort with three digits of 11 bits.
   * @param {number} least
   * @returns {number} number of sorted ids, which are in #otherIds
   */
  #sort(least) {
    const scores = this.#scores;
    const counts = this.#counts.fill(0);
    let keys = this.#keys;
    let ids = this.#ids;
    let n = 0;
    for (let i = 0; i < scores.length; i++) {
      if (scores[i] < least) continue;
      const bits = this.#bits[i];
      // Flips bits so that descending floats become ascending unsigned integers.
      const key = bits >>> 31 ? bits : ~bits & 0x7fffffff;
      keys[n] = key;
      ids[n++] = i;
      counts[key & (BUCKETS - 1)]++;
      counts[BUCKETS + ((key >>> DIGIT) & (BUCKETS - 1))]++;
      counts[2 * BUCKETS + (key >>> (2 * DIGIT))]++;
    }
    let toKeys = this.#otherKeys;
    let toIds = this.#otherIds;
    for (let digit = 0; digit < 3; digit++) {
      const base = digit * BUCKETS;
      for (let i = 0, start = 0; i < BUCKETS; i++) {
        const count = counts[base + i];
        counts[base + i] = start;
        start += count;
      }
      const shift = digit * DIGIT;
      for (let i = 0; i < n; i++) {
        const key = keys[i];
        const to = counts[base + ((key >>> shift) & (BUCKETS - 1))]++;
        toKeys[to] = key;
        toIds[to] = ids[i];
      }
      [keys, toKeys] = [toKeys, keys];
      [ids, toIds] = [toIds, ids];
    }
    return n;
  }

  /**
   * @param {Float32Array} logits
   * @param {number[]} history
   * @param {Settings} settings
   * @param {number} u
   * @returns {Picked}
   */
  draw(logits, history, { repetition_penalty = 1, temperature = 1, top_k = 0, top_p = 1 }, u) {
    const scores = this.#scores;
    scores.set(logits);
    if (repetition_penalty !== 1) {
      for (const id of history)
        scores[id] = logits[id] * (logits[id] < 0 ? repetition_penalty : 1 / repetition_penalty);
    }
    if (temperature !== 1) {
      const factor = 1 / temperature;
      for (let i = 0; i < scores.length; i++) scores[i] *= factor;
    }
    // Scores below the k-th are -Infinity, so they need no sort.
    const n = this.#sort(top_k ? this.#kthGreatest(Math.min(top_k, scores.length)) : -Infinity);
    const ids = this.#otherIds;
    const weights = this.#weights;
    const greatest = scores[ids[0]];
    let total = 0;
    for (let i = 0; i < n; i++) total += weights[i] = Math.exp(scores[ids[i]] - greatest);
    let kept = 0;
    let mass = 0;
    while (kept < n && mass < top_p * total) mass += weights[kept++];
    let rest = u * mass;
    let at = 0;
    while (at < kept - 1 && rest >= weights[at]) rest -= weights[at++];
    return { id: ids[at], kept };
  }
}

/** @param {any} source a URL, or in Node a path @returns {Promise<Float32Array>} */
async function readLogits(source) {
  if (typeof process === 'object' && !/^https?:/.test(source)) {
    const { readFile } = await import('node:fs/promises');
    const bytes = await readFile(source);
    return new Float32Array(new Uint8Array(bytes).buffer);
  }
  return new Float32Array(await (await fetch(source)).arrayBuffer());
}

/** A contender that wraps one of these samplers. */
export class JsSampler {
  #draw;
  #turn = 0;

  /** @param {(settings: Settings, u: number) => Picked} draw */
  constructor(draw) {
    this.#draw = draw;
  }

  /** @param {{ algorithm: 'sort' | 'transformers', logits: string, history: number[] }} options */
  static async open({ algorithm, logits: source, history }) {
    const logits = await readLogits(source);
    if (algorithm === 'sort')
      return new JsSampler((settings, u) => drawBySorting(logits, history, settings, u));
    const sampler = new TransformersSampler(logits.length);
    return new JsSampler((settings, u) => sampler.draw(logits, history, settings, u));
  }

  /** @param {import('./contender.js').Work} work @param {number} least */
  sample(work, least) {
    const { settings } = /** @type {any} */ (work);
    return timeOf(
      () => void this.#draw(settings, (this.#turn = (this.#turn + 0.618033988749895) % 1)),
      least,
    );
  }

  close() {}
}
