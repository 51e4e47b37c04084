/**
 * The warpers and draws once more, in the most obvious JavaScript: full sorts, plain sums, no shared code with
 * the engine. For tests that hold the engine against it.
 */
import { splitmix64 } from '../vectors/twin.js';

const LARGEST = 3.4028234663852886e38;
const NEUTRAL = { repetition_penalty: 1, temperature: 1, top_k: 0, top_p: 1 };
const ORDER = ['logit_bias', 'repetition_penalty', 'temperature', 'top_k', 'top_p'];

const clamp = (x) => Math.fround(Math.min(Math.max(x, -LARGEST), LARGEST));
const largestOf = (values) => values.reduce((a, b) => (a > b ? a : b), -Infinity);

/** Ids of the survivors, best first, ties by id. */
export function ranked(logits) {
  return [...logits.keys()].filter((id) => logits[id] !== -Infinity)
    .sort((a, b) => logits[b] - logits[a] || a - b);
}

/** Probabilities over the whole vocabulary. */
export function softmax(logits) {
  const max = largestOf(logits);
  const e = Array.from(logits, (logit) => Math.exp(logit - max));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((value) => value / sum);
}

/** In bits. */
export function entropy(p) {
  return p.reduce((sum, share) => (share > 0 ? sum - share * Math.log2(share) : sum), 0);
}

const onSurvivors = (logits, change) =>
  logits.map((logit, id) => (logit === -Infinity ? logit : change(logit, id)));
const keepOnly = (logits, ids) => {
  const keep = new Set(ids);
  return logits.map((logit, id) => (keep.has(id) ? logit : -Infinity));
};

const WARPERS = {
  logit_bias: (logits, { logit_bias: bias }) => onSurvivors(logits, (logit, id) => {
    if (!(id in bias)) return logit;
    return bias[id] === false ? -Infinity : clamp(logit + bias[id]);
  }),
  repetition_penalty: (logits, { repetition_penalty: r, repetition_window: window = 0 }, history) => {
    const seen = new Set(history.slice(window ? -window : 0));
    return onSurvivors(logits, (logit, id) => {
      if (!seen.has(id)) return logit;
      return clamp(logit > 0 ? logit / r : logit * r);
    });
  },
  temperature: (logits, { temperature }) => {
    const order = ranked(logits);
    if (temperature === 0) return keepOnly(logits, order.slice(0, 1));
    const span = largestOf(order.map((id) => Math.abs(logits[id])));
    const shift = span / temperature > LARGEST ? logits[order[0]] : 0;
    return onSurvivors(logits, (logit) => clamp((logit - shift) / temperature));
  },
  top_k: (logits, { top_k: k, min_tokens_to_keep: least = 1 }) => {
    const order = ranked(logits);
    const limit = logits[order[Math.min(Math.max(k, least), order.length) - 1]];
    return onSurvivors(logits, (logit) => (logit < limit ? -Infinity : logit));
  },
  top_p: (logits, { top_p: limit, min_tokens_to_keep: least = 1 }) => {
    const p = softmax(logits);
    let before = 0;
    return keepOnly(logits, ranked(logits).filter((id, place) => {
      const stays = before < limit - 2 ** -20 || place < least;
      before += p[id];
      return stays;
    }));
  },
};

const isActive = (name, settings) => (name === 'logit_bias'
  ? Object.keys(settings.logit_bias ?? {}).length > 0
  : (settings[name] ?? NEUTRAL[name]) !== NEUTRAL[name]);

/**
 * @param {Float32Array} logits
 * @param {Record<string, any>} settings accepted ones
 * @param {number[]} history
 * @returns {{ logits: Float32Array, kept: number[] } | null} survivors after each stage; null where
 *   nothing is left
 */
export function warp(logits, settings, history) {
  let state = logits;
  const kept = [];
  for (const name of settings.order ?? ORDER) {
    if (isActive(name, settings)) state = WARPERS[name](state, settings, history);
    kept.push(state.filter((logit) => logit !== -Infinity).length);
    if (kept.at(-1) === 0) return null;
  }
  return { logits: state, kept };
}

/**
 * The first in rank order at which the running sum of p exceeds u.
 * @param {Float32Array} logits
 * @param {number} u
 */
export function drawInverse(logits, u) {
  const p = softmax(logits);
  let sum = 0;
  return ranked(logits).find((id) => (sum += p[id]) > u);
}

/**
 * The best of l + g, g = -log(-log((k + 1/2) 2^-53)), k the top 53 bits of three rounds of splitmix64.
 * @param {Float32Array} logits
 * @param {number} seed
 * @param {number} step
 */
export function drawGumbel(logits, seed, step) {
  const start = splitmix64(splitmix64(BigInt(seed)) + BigInt(step));
  const noisy = Array.from(logits, (logit, id) => {
    const k = Number(splitmix64(start + BigInt(id)) >> 11n);
    return logit - Math.log(-Math.log((k + 0.5) / 2 ** 53));
  });
  return noisy.indexOf(largestOf(noisy));
}
