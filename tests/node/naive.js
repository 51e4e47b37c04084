/**
 * The samplers and draws in the simplest JavaScript, with float64: full sorts, plain sums, no code of the engine.
 * The grader takes their results as the correct ones.
 */
import { splitmix64 } from '../vectors/generators.js';

const LARGEST = 3.4028234663852886e38;
const NEUTRAL = {
  guidance_scale: 1,
  contrastive_beta: 0,
  encoder_repetition_penalty: 1,
  repetition_penalty: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
  no_repeat_ngram_size: 0,
  dry_multiplier: 0,
  min_new_tokens: 0,
  exponential_decay_length_penalty: 1,
  temperature: 1,
  dynatemp_range: 0,
  smoothing_factor: 0,
  top_h: 0,
  top_k: 0,
  top_p: 1,
  min_p: 0,
  typical_p: 1,
  epsilon_cutoff: 0,
  eta_cutoff: 0,
  top_n_sigma: 0,
  tfs_z: 1,
  top_a: 0,
  p_less: 0,
  xtc_probability: 0,
  mirostat: 0,
  adaptive_target: 0,
  green_bias: 0,
  synthid_depth: 0,
  renormalize_logits: 0,
};
export const ORDER = Object.keys(NEUTRAL).toSpliced(2, 0, 'logit_bias');
/** Stages that Mirostat replaces. */
const REPLACED = [
  ...ORDER.slice(ORDER.indexOf('top_h'), ORDER.indexOf('mirostat')),
  'adaptive_target',
];

const clamp = (x) => Math.fround(Math.min(Math.max(x, -LARGEST), LARGEST));
const largestOf = (values) => values.reduce((a, b) => (a > b ? a : b), -Infinity);

/**
 * Returns the ids of the tokens that are not removed, from the highest logit to the lowest; of equal logits the lower
 * id comes first.
 */
export function ranked(logits) {
  return [...logits.keys()]
    .filter((id) => logits[id] !== -Infinity)
    .sort((a, b) => logits[b] - logits[a] || a - b);
}

/** Returns the probabilities of all tokens. */
export function softmax(logits) {
  const max = largestOf(logits);
  const e = Array.from(logits, (logit) => Math.exp(logit - max));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((value) => value / sum);
}

/** Returns the entropy in bits. */
export function entropy(p) {
  return p.reduce((sum, share) => (share > 0 ? sum - share * Math.log2(share) : sum), 0);
}

const onSurvivors = (logits, change) =>
  logits.map((logit, id) => (logit === -Infinity ? logit : change(logit, id)));
const keepOnly = (logits, ids) => {
  const keep = new Set(ids);
  return logits.map((logit, id) => (keep.has(id) ? logit : -Infinity));
};

/**
 * Returns the shortest prefix of `order` whose mass reaches the limit (or exceeds it, if `above`). It has at least
 * `least` ids.
 */
function prefix(order, p, limit, least, above) {
  let before = 0;
  return order.filter((id, place) => {
    const stays = (above ? before <= limit + 2 ** -20 : before < limit - 2 ** -20) || place < least;
    before += p[id];
    return stays;
  });
}

/**
 * Returns the length of the longest sequence that ends the text and that was also followed by `id` earlier in the
 * text.
 */
function longestMatch(text, id) {
  return text.reduce((longest, it, at) => {
    let match = 0;
    while (it === id && match < at && text[at - 1 - match] === text[text.length - 1 - match])
      match++;
    return Math.max(longest, match);
  }, 0);
}

/** Returns the number of ids after the last breaker. If several breakers begin at one place, the longest counts. */
function afterBreaker(text, breakers) {
  for (let at = text.length - 1; at >= 0; at--) {
    const lengths = breakers
      .filter((it) => String(text.slice(at, at + it.length)) === String(it))
      .map((it) => it.length);
    if (lengths.length) return text.length - at - Math.max(...lengths);
  }
  return text.length;
}

/** Returns the ids that frequency and presence penalty count. */
function countedIds(settings, history) {
  const { repetition_window: window = 0, penalty_generated_only: only = 0, step = 0 } = settings;
  const seen = history.slice(window ? -window : 0);
  return only ? seen.slice(Math.max(seen.length - step, 0)) : seen;
}

/** Mirostat 1: returns how many of n tokens to keep, from the Zipf exponent of the best tokens. */
function zipfCount(best, n, mu) {
  if (best.length < 2) return 1;
  const t = best.slice(1).map((_, i) => Math.log((i + 2) / (i + 1)));
  const products = t.reduce((sum, x, i) => sum + x * (best[i] - best[i + 1]), 0);
  const s = products / t.reduce((sum, x) => sum + x * x, 0);
  const k = (((s - 1) * 2 ** mu) / (1 - n ** (1 - s))) ** (1 / s);
  return Math.max(1, Math.min(n, Math.floor(k)));
}

/** Computes a power by repeated multiplication. */
const power = (base, n) =>
  Array(n)
    .fill(base)
    .reduce((a, b) => a * b, 1);

/** Returns ln softmax; removed tokens keep -Infinity. */
const logSoftmax = (logits) => {
  const max = largestOf(logits);
  const sum = logits.reduce((all, logit) => all + Math.exp(logit - max), 0);
  return Array.from(logits, (logit) => logit - max - Math.log(sum));
};

const SAMPLERS = {
  guidance_scale: (logits, { guidance_scale: scale }, _, second) => {
    const [here, there] = [logSoftmax(logits), logSoftmax(second)];
    return onSurvivors(logits, (_logit, id) => clamp(there[id] + scale * (here[id] - there[id])));
  },
  contrastive_beta: (logits, settings, _, second) => {
    const { contrastive_beta: beta, contrastive_alpha: alpha = 0.1 } = settings;
    const [good, bad] = [logSoftmax(logits), logSoftmax(second)];
    const least = largestOf(good) + Math.log(alpha);
    return onSurvivors(logits, (_logit, id) =>
      good[id] >= least ? clamp((1 + beta) * good[id] - beta * bad[id]) : -Infinity,
    );
  },
  logit_bias: (logits, { logit_bias: bias }, history) =>
    onSurvivors(logits, (logit, id) => {
      const mine = Object.entries(bias).filter(([key]) => {
        const ids = key.split(' ').map(Number);
        const next = [...history, id].slice(-ids.length);
        return next.join() === ids.join();
      });
      if (mine.length === 0) return logit;
      if (mine.some(([, value]) => value === false)) return -Infinity;
      return clamp(logit + mine.reduce((sum, [, value]) => sum + value, 0));
    }),
  encoder_repetition_penalty: (logits, { encoder_repetition_penalty: r, step = 0 }, history) => {
    const prompt = history.slice(0, Math.max(history.length - step, 0));
    return onSurvivors(logits, (logit, id) =>
      prompt.includes(id) ? clamp(logit > 0 ? logit * r : logit / r) : logit,
    );
  },
  repetition_penalty: (logits, settings, history) => {
    const {
      repetition_penalty: r,
      repetition_window: window = 0,
      rep_pen_slope: slope = 1,
      prompt_ignore_length: ignored = 0,
    } = settings;
    const from = Math.max(ignored, window ? history.length - window : 0);
    const seen = history.slice(from);
    const recent = seen.slice(Math.ceil(seen.length / 2));
    const older = r > 1 && slope !== 1 ? 1 + (r - 1) * slope : r;
    return onSurvivors(logits, (logit, id) => {
      if (!seen.includes(id)) return logit;
      const by = recent.includes(id) ? r : older;
      return clamp(logit > 0 ? logit / by : logit * by);
    });
  },
  temperature: (logits, { temperature }) => {
    const order = ranked(logits);
    if (temperature === 0) return keepOnly(logits, order.slice(0, 1));
    const span = largestOf(order.map((id) => Math.abs(logits[id])));
    const shift = span / temperature > LARGEST ? logits[order[0]] : 0;
    return onSurvivors(logits, (logit) => clamp((logit - shift) / temperature));
  },
  frequency_penalty: (logits, settings, history) => {
    const { frequency_penalty: a, penalty_decay: decay = 1 } = settings;
    const seen = countedIds(settings, history).reverse();
    const times = (id) =>
      seen.reduce((sum, it, age) => (it === id ? Math.fround(sum + power(decay, age)) : sum), 0);
    return onSurvivors(logits, (logit, id) => clamp(logit - a * times(id)));
  },
  presence_penalty: (logits, { presence_penalty: b, ...settings }, history) => {
    const seen = new Set(countedIds(settings, history));
    return onSurvivors(logits, (logit, id) => (seen.has(id) ? clamp(logit - b) : logit));
  },
  no_repeat_ngram_size: (
    logits,
    { no_repeat_ngram_size: n, repetition_window: window = 0 },
    history,
  ) => {
    const seen = history.slice(window ? -window : 0);
    const grams = seen
      .map((_, i) => seen.slice(i, i + n))
      .filter((gram) => gram.length === n)
      .map(String);
    const last = n > 1 ? seen.slice(1 - n) : [];
    return onSurvivors(logits, (logit, id) =>
      grams.includes(String([...last, id])) ? -Infinity : logit,
    );
  },
  dry_multiplier: (logits, settings, history) => {
    const {
      dry_base: base = 1.75,
      dry_allowed_length: allowed = 2,
      dry_penalty_last_n: most = 64,
      dry_multiplier: multiplier,
      dry_sequence_breakers: breakers = [],
    } = settings;
    const seen = history.slice(most ? -most : 0);
    const limit = afterBreaker(seen, breakers);
    return onSurvivors(logits, (logit, id) => {
      const match = Math.min(limit, longestMatch(seen, id));
      if (match < Math.max(allowed, 1) || breakers.some((it) => it.length === 1 && it[0] === id))
        return logit;
      return clamp(
        logit -
          multiplier *
            Array(match - allowed)
              .fill(base)
              .reduce((a, b) => a * b, 1),
      );
    });
  },
  top_k: (logits, { top_k: k, min_tokens_to_keep: least = 1, convention }) => {
    const order = ranked(logits);
    if (convention === 'llama.cpp') return keepOnly(logits, order.slice(0, Math.max(k, least)));
    const limit = logits[order[Math.min(Math.max(k, least), order.length) - 1]];
    return onSurvivors(logits, (logit) => (logit < limit ? -Infinity : logit));
  },
  top_p: (logits, { top_p: limit, min_tokens_to_keep: least = 1, convention }) => {
    const above = convention === 'llama2.c';
    if (above && limit === 0) return logits;
    return keepOnly(logits, prefix(ranked(logits), softmax(logits), limit, least, above));
  },
  min_p: (logits, { min_p: m, min_tokens_to_keep: least = 1 }) => {
    const p = softmax(logits);
    const limit = m * largestOf(p);
    return keepOnly(
      logits,
      ranked(logits).filter((id, place) => place < least || p[id] >= limit),
    );
  },
  typical_p: (logits, { typical_p: limit, min_tokens_to_keep: least = 1, convention }) => {
    const p = softmax(logits);
    const h = entropy(p) * Math.LN2;
    const max = largestOf(logits);
    const z = logits.reduce((sum, logit) => sum + Math.exp(logit - max), 0);
    const away = Array.from(logits, (logit) => Math.abs(Math.log(z) - (logit - max) - h));
    const order = ranked(logits).sort((a, b) => away[a] - away[b] || a - b);
    const exactly = convention === 'llama.cpp';
    const kept = prefix(order, p, limit, least, exactly);
    const last = away[kept.at(-1)];
    return keepOnly(logits, exactly ? kept : order.filter((id) => away[id] <= last));
  },
  epsilon_cutoff: (logits, { epsilon_cutoff: epsilon, min_tokens_to_keep: least = 1 }) => {
    const p = softmax(logits);
    return keepOnly(
      logits,
      ranked(logits).filter((id, place) => place < least || p[id] >= epsilon),
    );
  },
  eta_cutoff: (logits, { eta_cutoff: epsilon, min_tokens_to_keep: least = 1 }) => {
    const p = softmax(logits);
    const eta = Math.min(epsilon, Math.sqrt(epsilon) * Math.exp(-entropy(p) * Math.LN2));
    return keepOnly(
      logits,
      ranked(logits).filter((id, place) => place < least || p[id] >= eta),
    );
  },
  top_n_sigma: (logits, { top_n_sigma: n, min_tokens_to_keep: least = 1 }) => {
    const order = ranked(logits);
    const mean = order.reduce((sum, id) => sum + logits[id], 0) / order.length;
    const variance = order.reduce((sum, id) => sum + (logits[id] - mean) ** 2, 0) / order.length;
    const limit = logits[order[0]] - n * Math.sqrt(variance);
    return keepOnly(
      logits,
      order.filter((id, place) => place < least || logits[id] >= limit),
    );
  },
  top_a: (logits, { top_a: a, min_tokens_to_keep: least = 1 }) => {
    const p = softmax(logits);
    const limit = a * largestOf(p) ** 2;
    return keepOnly(
      logits,
      ranked(logits).filter((id, place) => place < least || p[id] >= limit),
    );
  },
  p_less: (logits, { p_less: version, min_tokens_to_keep: least = 1 }) => {
    const p = softmax(logits);
    const same = p.reduce((sum, share) => sum + share ** 2, 0);
    const n = p.length;
    const limit = version === 1 || n === 1 ? same : (n * same - 1) / (n - 1);
    return keepOnly(
      logits,
      ranked(logits).filter((id, place) => place < least || p[id] >= limit * (1 - 2 ** -20)),
    );
  },
  top_h: (logits, { top_h: h, min_tokens_to_keep: least = 1 }) => {
    const order = ranked(logits);
    const p = softmax(order.slice(0, 100).map((id) => logits[id]));
    // A token whose p is less than 2^-44 times the largest p is not counted.
    const heavy = p.filter((share) => share >= 2 ** -44 * p[0]);
    const terms = heavy.map((share) => -share * Math.log(share));
    const bound = (h + 2 ** -20) * terms.reduce((a, b) => a + b, 0);
    let sum = 0;
    const within = terms.filter((term) => (sum += term) <= bound).length;
    return keepOnly(logits, order.slice(0, Math.max(within, least, 1)));
  },
  dynatemp_range: (
    logits,
    { temperature: middle = 1, dynatemp_range: range, dynatemp_exponent: exponent = 1 },
  ) => {
    const count = ranked(logits).length;
    if (count < 2) return logits;
    const share = Math.min((entropy(softmax(logits)) * Math.LN2) / Math.log(count), 1);
    const low = Math.max(0, middle - range);
    return SAMPLERS.temperature(logits, {
      temperature: low + (middle + range - low) * share ** exponent,
    });
  },
  smoothing_factor: (logits, { smoothing_factor: factor, smoothing_curve: curve = 1 }) => {
    const max = largestOf(logits);
    const k = (factor * (3 - curve)) / 2;
    const s = (factor * (curve - 1)) / 2;
    return onSurvivors(logits, (logit) => {
      const d = logit - max;
      return clamp(max + d * d * (s * d - k));
    });
  },
  min_new_tokens: (logits, { min_new_tokens: least, end_tokens: ends = [], step = 0 }) =>
    onSurvivors(logits, (logit, id) => (step < least && ends.includes(id) ? -Infinity : logit)),
  exponential_decay_length_penalty: (
    logits,
    {
      exponential_decay_length_penalty: factor,
      exponential_decay_start: start = 0,
      end_tokens: ends = [],
      step = 0,
    },
  ) => {
    const power = factor ** Math.max(0, step - start);
    return onSurvivors(logits, (logit, id) =>
      ends.includes(id) ? clamp(logit + Math.abs(logit) * (power - 1)) : logit,
    );
  },
  tfs_z: (logits, { tfs_z: z, min_tokens_to_keep: least = 1, convention }) => {
    const order = ranked(logits);
    if (z + 2 ** -20 >= 1 || order.length <= 2) return logits;
    const p = softmax(logits);
    const steps = order.slice(1).map((id, i) => p[order[i]] - p[id]);
    const bends = steps.slice(1).map((step, i) => Math.abs(steps[i] - step));
    const bound = (z + 2 ** -20) * bends.reduce((a, b) => a + b, 0);
    let sum = 0;
    const within = bends.filter((bend) => (sum += bend) <= bound).length;
    if (within === bends.length) return logits;
    const keep = within + (convention === 'llama.cpp' ? 0 : 1);
    return keepOnly(logits, order.slice(0, Math.max(keep, least, 1)));
  },
  xtc_probability: (logits, settings) => {
    const {
      xtc_probability: chance,
      xtc_threshold: threshold = 0.1,
      min_tokens_to_keep: least = 1,
      seed = 0,
      step = 0,
    } = settings;
    if (coin(seed, step, 0) >= chance) return logits;
    const p = softmax(logits);
    const order = ranked(logits);
    const out = new Set(order.filter((id) => p[id] >= threshold).slice(0, -1));
    return order.length - out.size < least
      ? logits
      : keepOnly(
          logits,
          order.filter((id) => !out.has(id)),
        );
  },
  mirostat: (logits, settings) => {
    const {
      mirostat: version,
      mirostat_tau: tau = 5,
      mirostat_mu: mu = 0,
      min_tokens_to_keep: least = 1,
    } = settings;
    const bound = mu || 2 * tau;
    const [p, order] = [softmax(logits), ranked(logits)];
    if (version === 2) {
      return keepOnly(
        logits,
        order.filter((id, place) => place < least || -Math.log2(p[id]) <= bound),
      );
    }
    const k = zipfCount(
      order.slice(0, 100).map((id) => logits[id]),
      logits.length,
      bound,
    );
    return keepOnly(logits, order.slice(0, Math.max(k, least)));
  },
  adaptive_target: (logits, { adaptive_target: target, adaptive_mean: mean = 0 }) => {
    const aim = Math.min(Math.max(2 * target - (mean || target), 0), 1);
    const p = softmax(logits);
    return onSurvivors(logits, (_, id) => {
      const far = Math.abs(p[id] - aim) / 0.3;
      return Math.fround(5 - (10 * far ** 2) / (1 + far));
    });
  },
  green_bias: (logits, settings, history) => {
    const {
      green_bias: bias,
      green_fraction: fraction = 0.25,
      green_context: width = 1,
    } = settings;
    const bits = settings.green_self
      ? selfBits(settings, history, width)
      : markBits(1, settings, history, width);
    if (!bits) return logits;
    const green = ranked(logits).filter((id) => bits(id) < fraction * 2 ** 32);
    if (bias === 100) return green.length ? keepOnly(logits, green) : logits;
    const lifted = Float32Array.from(logits);
    for (const id of green) lifted[id] = clamp(logits[id] + bias);
    return lifted;
  },
  synthid_depth: (logits, settings, history) => {
    const { synthid_depth: depth, synthid_context: width = 4 } = settings;
    const bits = markBits(2, settings, history, width);
    const before = history.slice(0, -1).map((_, i) => history.slice(i, i + width).join());
    const now = history.slice(-width).join();
    if (!bits || before.slice(0, history.length - width).includes(now)) return logits;
    const max = largestOf(logits);
    let p = Array.from(logits, (logit) => Math.floor(Math.exp(logit - max) * 2 ** 44));
    const shift = Array.from(logits, () => 0);
    const g = Array.from(logits, (_, id) => bits(id));
    for (let layer = 0; layer < depth; layer++) {
      const has = g.map((word) => Math.floor(word / 2 ** layer) % 2 === 1);
      const total = p.reduce((a, b) => a + b, 0);
      const mass = p.reduce((sum, value, id) => sum + (has[id] ? 0 : value), 0);
      const like = Math.max(mass / total, 2 ** -100);
      p = p.map((value, id) => value * (has[id] ? 1 + like : like));
      for (const id of shift.keys()) shift[id] += Math.log(has[id] ? 1 + like : like);
    }
    return onSurvivors(logits, (logit, id) => clamp(logit + shift[id]));
  },
  renormalize_logits: (logits) => {
    const log = logSoftmax(logits);
    return onSurvivors(logits, (_, id) => clamp(log[id]));
  },
};

/**
 * Returns the function of a token's 32 watermark bits after a context, for a key; null if the history is shorter than
 * the context.
 */
export function markBits(tag, { watermark_key: key = 15485863 }, history, width) {
  if (history.length < width) return null;
  const context = history.slice(history.length - width);
  const start = splitmix64(splitmix64(BigInt(key)) + 2n ** 32n + BigInt(tag));
  const seed = context.reduce((state, id) => splitmix64(state + BigInt(id)), start);
  return (id) => {
    const pair = splitmix64(seed + BigInt(id >> 1));
    return Number(id % 2 ? pair >> 32n : pair & 0xffffffffn);
  };
}

/**
 * Like markBits, but the context includes the token itself, and only the context's token with the smallest hash gives
 * the bits. If `tell` is true, the function also returns the id of this token.
 */
export function selfBits({ watermark_key: key = 15485863 }, history, width, tell = false) {
  if (history.length < width) return null;
  const start = splitmix64(splitmix64(BigInt(key)) + 2n ** 32n + 3n);
  const rank = (id) => splitmix64(start + BigInt(id));
  const context = history.slice(history.length - width);
  return (id) => {
    const decider = [...context, id].reduce((a, b) => (rank(b) < rank(a) ? b : a));
    const bits = Number(splitmix64(rank(decider) + BigInt(id)) & 0xffffffffn);
    return tell ? { bits, decider } : bits;
  };
}

const isActive = (name, settings) =>
  name === 'logit_bias'
    ? Object.keys(settings.logit_bias ?? {}).length > 0
    : name in NEUTRAL &&
      (settings[name] ?? NEUTRAL[name]) !== NEUTRAL[name] &&
      !(settings.dynatemp_range && name === 'temperature') &&
      !(settings.mirostat && REPLACED.includes(name));

/**
 * Returns the logits after all active stages, and the number of tokens that remain after each.
 * @param {Float32Array} logits
 * @param {Record<string, any>} settings valid settings
 * @param {number[]} history
 * @param {ArrayLike<number>} [second] logits of a second distribution
 * @returns {{ logits: Float32Array, kept: number[] } | null} null if no token remains
 */
export function warp(logits, settings, history, second) {
  let state = logits;
  const kept = [];
  for (const name of settings.order ?? ORDER) {
    if (isActive(name, settings)) state = SAMPLERS[name](state, settings, history, second);
    kept.push(state.filter((logit) => logit !== -Infinity).length);
    if (kept.at(-1) === 0) return null;
  }
  return { logits: state, kept };
}

/**
 * Returns the first id in rank order at which the cumulative sum of p exceeds u.
 * @param {Float32Array} logits
 * @param {number} u
 */
export function drawInverse(logits, u) {
  const p = softmax(logits);
  let sum = 0;
  return ranked(logits).find((id) => (sum += p[id]) > u);
}

/**
 * Returns the id with the greatest l + g. g = -log(-log((k + 1/2) 2^-53)), and k is the top 53 bits of three rounds of
 * splitmix64.
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

/** Returns a number in [0, 1) for a decision other than a draw. XTC's decision has the tag 0. */
export function coin(seed, step, tag) {
  const start = splitmix64(splitmix64(BigInt(seed)) + BigInt(step));
  return Number(splitmix64(start + 2n ** 32n + BigInt(tag)) >> 11n) / 2 ** 53;
}

/** Returns the residual of speculative decoding as a distribution, and its sum before normalisation. */
export function residualOf(p, q) {
  const above = p.map((share, id) => Math.max(0, share - q[id]));
  const sum = above.reduce((a, b) => a + b, 0);
  return { sum, share: above.map((part) => (sum ? part / sum : 0)) };
}

/** Decides about a drafted token (Leviathan et al. 2023, algorithm 1). */
export function speculated(p, q, drafted, seed, step) {
  const { sum, share } = residualOf(p, q);
  if (coin(seed, step, 1) < Math.min(1, p[drafted] / q[drafted]) || !sum)
    return { id: drafted, accepted: true };
  const u = coin(seed, step, 2);
  let reached = 0;
  const id = share.findIndex((part) => {
    reached += part;
    return part > 0 && reached > u;
  });
  return { id, accepted: false };
}
