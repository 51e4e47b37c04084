/** How to test each sampler: settings to try, boundaries, and inputs made by hand. */
import { NEAR } from './expect.js';
import { otherCounts, otherDivisor, otherLogit } from './wrongs.js';

/** @import { Case, Random } from './inputs.js' */

/**
 * @typedef {object} Spec
 * @property {'filter' | 'values'} kind a filter removes tokens and changes no logit
 * @property {(random: Random, size: number) => Record<string, any>} pick settings to try
 * @property {(settings: any) => object[]} [nudge] settings on both sides of the boundary, if rounding may
 *   decide the sampler's rule
 * @property {(settings: any) => object} [tighter] settings that keep the same tokens or fewer
 * @property {boolean} [best] true if the most probable token always stays
 * @property {boolean} [history] true if the sampler reads the history
 * @property {boolean} [step] true if the sampler reads the number of drawn tokens
 * @property {boolean} [second] true if the sampler reads a second distribution
 * @property {boolean} [bans] true if a sampler of kind 'values' also removes tokens
 * @property {number} [spread] of the random logits; 1 to 4 by default
 * @property {Record<string, (random: Random, size: number) => Record<string, any>>} [beside] returns values
 *   to try for each additional setting, which a course may leave out
 * @property {boolean} [wide] true if the sampler's rule makes sense for huge logits
 * @property {(ids: number) => Case} [far] returns an input with `ids` ids of history; its first id counts
 * @property {Record<string, [says: string, cases: Case[]]>} [edges] inputs at the rule's limits, by name
 * @property {Record<string, import('./wrongs.js').Compare>} [compares] the comparison for an edge; by default
 *   the whole answer is compared
 */

const zeros = (/** @type {number} */ n) => Array(n).fill(0);
/**
 * @param {number[]} logits
 * @param {Record<string, any>} settings
 * @param {number[]} [history]
 * @returns {Case}
 */
const makeCase = (logits, settings, history = []) => ({ logits, settings, history });
const clamp = (/** @type {number} */ x, /** @type {number} */ high) =>
  Math.min(Math.max(x, 0), high);
/**
 * @param {string} name
 * @param {number} by
 * @param {number} [high]
 */
const beside =
  (name, by, high = Infinity) =>
  (/** @type {any} */ settings) => [
    { [name]: clamp(settings[name] - by, high) },
    { [name]: clamp(settings[name] + by, high) },
  ];

const KEEP = {
  min_tokens_to_keep: (/** @type {Random} */ random, /** @type {number} */ size) => ({
    min_tokens_to_keep: random.whole(2, Math.max(2, Math.min(size, 5))),
  }),
};
const WINDOW = {
  repetition_window: (/** @type {Random} */ random) => ({ repetition_window: random.whole(1, 6) }),
};

/** @param {number[]} logits @param {number[]} second @param {Record<string, any>} settings @returns {Case} */
const caseOfTwo = (logits, second, settings) => ({ logits, settings, history: [], second });

/**
 * Makes an input in which both tokens end the text.
 * @param {number[]} logits @param {number} factor @param {number} start @param {number} step @returns {Case}
 */
const caseOfEnds = (logits, factor, start, step) => ({
  ...makeCase(logits, {
    exponential_decay_length_penalty: factor,
    exponential_decay_start: start,
    end_tokens: [0, 1],
  }),
  step,
});

const KEY = {
  watermark_key: (/** @type {Random} */ random) => ({ watermark_key: random.whole(0, 99) }),
};

/** Makes a history of id 0 once, long ago, and then only id 1. @param {string} name @param {number} value */
const longAgo = (name, value) => (/** @type {number} */ ids) =>
  makeCase([3, 1, 2], { [name]: value }, [0, ...Array(ids - 1).fill(1)]);

const REPEATS = [0, 1, 2, 0, 1, 2, 0, 1];

/** Temperatures, the usual ones first: the first one that fails is near the limit of the fault. */
const EACH_T = [
  ...[0.4, 0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.04, 0.03, 0.02, 0.01, 0.005, 0.002],
  ...[1.2, 3, 5, 20, 100],
];

/** @type {Record<string, Spec>} */
export const SPECS = {
  guidance_scale: {
    kind: 'values',
    second: true,
    pick: (random) => ({ guidance_scale: random.of([0, 0.5, 1.5, 3, 7.5]) }),
    edges: {
      second_alone: [
        'at 0 is the second distribution, as ln p',
        [caseOfTwo([2, 1, 0], [0, 1, 3], { guidance_scale: 0 })],
      ],
      away: [
        'above 1 leads away from the second distribution',
        [caseOfTwo([1, 1, 1], [1, 0, 1.5], { guidance_scale: 1.5 })],
      ],
    },
  },
  contrastive_beta: {
    kind: 'values',
    bans: true,
    second: true,
    beside: {
      contrastive_alpha: (random) => ({
        contrastive_alpha: random.of([0, 0.01, 0.3, 0.7, 1]),
      }),
    },
    nudge: ({ contrastive_alpha: alpha = 0.1 }) =>
      [0.9999, 1.0001].map((by) => ({ contrastive_alpha: Math.min(alpha * by, 1) })),
    pick: (random) => ({ contrastive_beta: random.of([0.1, 0.5, 1, 2]) }),
    edges: {
      plausible: [
        'removes tokens below alpha of the most probable one, for every answer of the weaker model',
        [caseOfTwo([5, 4, 0], [5, 4, -9], { contrastive_beta: 0.5 })],
      ],
      same: [
        'leaves the ln p of the model if both agree',
        [caseOfTwo([2, 1, 0.5], [2, 1, 0.5], { contrastive_beta: 1 })],
      ],
    },
  },
  logit_bias: {
    kind: 'values',
    bans: true,
    pick: (random, size) => {
      const id = () => String(random.whole(0, size - 1));
      return {
        logit_bias: {
          [id()]: random.hundredths(-3, 3),
          ...(random.next() < 0.5 && { [id()]: false }),
        },
      };
    },
    edges: {
      ban: [
        'false bans: the logit becomes -Infinity',
        [makeCase([1, 2], { logit_bias: { 1: false } })],
      ],
    },
  },
  encoder_repetition_penalty: {
    kind: 'values',
    history: true,
    pick: (random) => ({ encoder_repetition_penalty: random.of([0.8, 1.1, 1.3, 2]) }),
    far: longAgo('encoder_repetition_penalty', 2),
    edges: {
      rewards: [
        'multiplies a positive logit and divides a negative one, so both rise',
        [
          makeCase([2, 1], { encoder_repetition_penalty: 2 }, [0]),
          makeCase([-1, 0], { encoder_repetition_penalty: 2 }, [0]),
        ],
      ],
    },
  },
  repetition_penalty: {
    kind: 'values',
    history: true,
    beside: {
      ...WINDOW,
      prompt_ignore_length: (random) => ({ prompt_ignore_length: random.whole(1, 6) }),
      rep_pen_slope: (random) => ({ rep_pen_slope: random.of([0, 0.25, 0.5]) }),
    },
    pick: (random) => ({ repetition_penalty: random.of([0.8, 1.1, 1.2, 1.5, 2]) }),
    far: longAgo('repetition_penalty', 2),
    edges: {
      signs: [
        'divides a positive logit and multiplies a negative one, so both fall',
        [
          makeCase([2, 1], { repetition_penalty: 2 }, [0]),
          makeCase([-1, 0], { repetition_penalty: 2 }, [0]),
        ],
      ],
      once: [
        'penalises a token once, however often it was seen',
        [makeCase([2, 1], { repetition_penalty: 2 }, [0, 0])],
      ],
      reward: ['below 1 it rewards', [makeCase([2, -2], { repetition_penalty: 0.5 }, [0, 1])]],
    },
  },
  frequency_penalty: {
    kind: 'values',
    history: true,
    beside: {
      ...WINDOW,
      penalty_decay: (random) => ({ penalty_decay: random.of([0, 0.5, 0.9]) }),
    },
    pick: (random) => ({ frequency_penalty: random.of([-0.5, 0.25, 0.5, 1.5]) }),
    far: longAgo('frequency_penalty', 0.5),
    edges: {
      counts: [
        'penalises a token each time it was seen',
        [makeCase([2, 1], { frequency_penalty: 0.5 }, [0, 0, 0])],
      ],
    },
  },
  presence_penalty: {
    kind: 'values',
    history: true,
    beside: WINDOW,
    pick: (random) => ({ presence_penalty: random.of([-0.5, 0.25, 0.5, 1.5]) }),
    far: longAgo('presence_penalty', 0.5),
    edges: {
      once: [
        'penalises a token once, however often it was seen',
        [makeCase([2, 1], { presence_penalty: 0.5 }, [0, 0])],
      ],
    },
  },
  no_repeat_ngram_size: {
    kind: 'filter',
    history: true,
    beside: WINDOW,
    pick: (random) => ({ no_repeat_ngram_size: random.whole(1, 3) }),
    far: longAgo('no_repeat_ngram_size', 1),
    edges: {
      first: [
        'n = 1 removes every token that was seen',
        [makeCase([1, 2, 3], { no_repeat_ngram_size: 1 }, [2])],
      ],
      short: [
        'a text shorter than n has no n-gram',
        [makeCase([1, 2], { no_repeat_ngram_size: 3 }, [0, 0])],
      ],
      each_ngram: [
        'removes the token after each of the same n-grams',
        [
          makeCase([1, 2, 3, 4], { no_repeat_ngram_size: 2 }, [0, 1, 0, 2, 0]),
          makeCase([1, 2, 3, 4], { no_repeat_ngram_size: 3 }, [0, 1, 2, 0, 1, 3, 0, 1]),
        ],
      ],
    },
  },
  dry_multiplier: {
    kind: 'values',
    history: true,
    beside: {
      dry_base: (random) => ({ dry_base: random.of([1, 1.5, 3]) }),
      dry_allowed_length: (random) => ({ dry_allowed_length: random.whole(0, 4) }),
      dry_penalty_last_n: (random) => ({ dry_penalty_last_n: random.of([0, 3, 5, 8]) }),
      dry_sequence_breakers: (random) => ({
        dry_sequence_breakers: random.of([[[0]], [[1], [0, 1]], [[0, 1, 2]]]),
      }),
    },
    pick: (random) => ({ dry_multiplier: random.of([0.5, 0.8, 1]) }),
    edges: {
      allowed: [
        'a repeat shorter than dry_allowed_length costs nothing',
        [makeCase([1, 2, 3], { dry_multiplier: 1 }, [0, 1, 0])],
      ],
      grows: [
        'a longer repeat costs dry_base times more for each token',
        [
          makeCase([1, 2, 3], { dry_multiplier: 1 }, [0, 1, 2, 0, 1]),
          makeCase([1, 2, 3], { dry_multiplier: 1 }, REPEATS),
        ],
      ],
    },
  },
  temperature: {
    kind: 'values',
    bans: true,
    best: true,
    wide: true,
    pick: (random) => ({ temperature: random.of([0.02, 0.1, 0.25, 0.5, 0.7, 1.5, 2, 10]) }),
    edges: {
      zero: [
        'T = 0 keeps the best alone',
        [makeCase([1, 2], { temperature: 0 }), makeCase([-1, -3, -2], { temperature: 0 })],
      ],
      each_t: [
        'divides by T itself, however small or large: 0 alone is greedy',
        EACH_T.map((temperature) => makeCase([1, 0.75, -0.5], { temperature })),
      ],
      zero_tie: [
        'T = 0 keeps the lowest id of equal bests',
        [makeCase([0, 0], { temperature: 0 }), makeCase([1, 2, 2], { temperature: 0 })],
      ],
    },
    compares: { zero: otherLogit, each_t: otherDivisor },
  },
  top_k: {
    kind: 'filter',
    tighter: (settings) => ({ top_k: Math.max(1, Math.floor(settings.top_k / 2)) }),
    best: true,
    beside: KEEP,
    wide: true,
    pick: (random, size) => ({ top_k: random.whole(1, size) }),
    edges: {
      tied: [
        'keeps every token tied with the k-th',
        [
          makeCase([2, 2, 1, 0], { top_k: 2 }),
          makeCase([0, 0], { top_k: 1 }),
          makeCase([1, 0, 0], { top_k: 2 }),
          makeCase([3, 1, 3, 1, 2, 1], { top_k: 4 }),
        ],
      ],
      above: [
        'k at or above the vocabulary keeps all',
        [
          makeCase([1, 0], { top_k: 2 }),
          makeCase([1, 0], { top_k: 3 }),
          makeCase([2, 1, 0], { top_k: 1000 }),
        ],
      ],
    },
  },
  top_p: {
    kind: 'filter',
    tighter: (settings) => ({ top_p: settings.top_p / 2 }),
    best: true,
    wide: true,
    beside: KEEP,
    nudge: beside('top_p', 2 * NEAR, 1),
    pick: (random) => ({ top_p: random.of([0.05, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99]) }),
    edges: {
      exact: [
        'keeps no more than needed if the mass meets p exactly',
        [
          makeCase(zeros(2), { top_p: 0.5 }),
          makeCase(zeros(4), { top_p: 0.75 }),
          makeCase(zeros(8), { top_p: 0.25 }),
          makeCase(zeros(8), { top_p: 0.5 }),
        ],
      ],
      ties: [
        'of equal logits the lower id stays',
        [makeCase(zeros(2), { top_p: 0.4 }), makeCase([0, 0, 4], { top_p: 0.985 })],
      ],
      reaches: [
        'keeps the token that takes the mass to p',
        [makeCase([1, 0], { top_p: 0.8 }), makeCase([2, 1, 0], { top_p: 0.8 })],
      ],
      tiny: [
        'p near or at 0 keeps the best alone',
        [makeCase([1, 0], { top_p: 1e-9 }), makeCase([0, 1, 0.5], { top_p: 0 })],
      ],
    },
    compares: { exact: otherCounts },
  },
  min_p: {
    kind: 'filter',
    tighter: (settings) => ({ min_p: Math.min(1, 2 * settings.min_p) }),
    best: true,
    wide: true,
    beside: KEEP,
    nudge: beside('min_p', 2 * NEAR),
    pick: (random) => ({ min_p: random.of([0.01, 0.05, 0.1, 0.2, 0.5, 0.9]) }),
    edges: {
      boundary: [
        'keeps a token at the boundary itself',
        [makeCase(zeros(2), { min_p: 1 }), makeCase([0, 0, -1], { min_p: 1 })],
      ],
      alone: ['above 1 keeps the best alone', [makeCase([1, 0], { min_p: 1.5 })]],
      relative: [
        'measures against the most probable token, not against 1',
        [makeCase(zeros(8), { min_p: 0.5 })],
      ],
    },
  },
  typical_p: {
    kind: 'filter',
    beside: KEEP,
    nudge: beside('typical_p', 2 * NEAR, 1),
    pick: (random) => ({ typical_p: random.of([0.1, 0.3, 0.5, 0.7, 0.9, 0.95]) }),
    edges: {
      typical_ties: [
        'keeps every token as far from the entropy as the last one kept',
        [makeCase(zeros(2), { typical_p: 0.5 }), makeCase(zeros(8), { typical_p: 0.25 })],
      ],
    },
  },
  epsilon_cutoff: {
    kind: 'filter',
    tighter: (settings) => ({ epsilon_cutoff: Math.min(0.9, 2 * settings.epsilon_cutoff) }),
    best: true,
    wide: true,
    beside: KEEP,
    nudge: beside('epsilon_cutoff', 2 * NEAR, 0.999999),
    pick: (random) => ({ epsilon_cutoff: random.of([0.001, 0.01, 0.05, 0.1, 0.3]) }),
    edges: {
      boundary: [
        'keeps a token at the boundary itself',
        [
          makeCase(zeros(2), { epsilon_cutoff: 0.5 }),
          makeCase(zeros(8), { epsilon_cutoff: 0.125 }),
        ],
      ],
    },
  },
  eta_cutoff: {
    kind: 'filter',
    best: true,
    beside: KEEP,
    nudge: (settings) =>
      [0.9999, 1.0001].map((by) => ({ eta_cutoff: Math.min(settings.eta_cutoff * by, 0.999999) })),
    pick: (random) => ({ eta_cutoff: random.of([0.001, 0.01, 0.05, 0.1, 0.3]) }),
  },
  top_n_sigma: {
    kind: 'filter',
    tighter: (settings) => ({ top_n_sigma: settings.top_n_sigma / 2 }),
    best: true,
    beside: KEEP,
    nudge: beside('top_n_sigma', 2 ** -16),
    pick: (random) => ({ top_n_sigma: random.of([0.25, 0.5, 1, 1.5, 2]) }),
    edges: {
      flat: [
        'equal logits all stay',
        [makeCase(zeros(2), { top_n_sigma: 1 }), makeCase(zeros(5), { top_n_sigma: 0.5 })],
      ],
      boundary: [
        'keeps a token at the boundary itself',
        [makeCase([2, 0], { top_n_sigma: 2 }), makeCase([4, 0, 4, 0], { top_n_sigma: 2 })],
      ],
    },
  },
  xtc_probability: {
    kind: 'filter',
    beside: KEEP,
    nudge: beside('xtc_threshold', 2 * NEAR, 1),
    // At probability 1, XTC acts at every step. The edge `coin` tests both results of the coin.
    pick: (random) => ({ xtc_probability: 1, xtc_threshold: random.of([0.05, 0.1, 0.2, 0.3]) }),
    edges: {
      two: [
        'needs two tokens at the threshold',
        [makeCase([5, 0], { xtc_probability: 1, xtc_threshold: 0.1 })],
      ],
      coin: [
        'removes if the coin is below xtc_probability, and only then',
        [1, 2, 3, 4, 5, 6, 7, 8].map((seed) =>
          makeCase([2, 1, 0], { xtc_probability: 0.5, xtc_threshold: 0.05, seed }),
        ),
      ],
      least: [
        'keeps the least likely of those at the threshold',
        [makeCase([2, 1, 0, -9], { xtc_probability: 1, xtc_threshold: 0.05 })],
      ],
    },
  },
  mirostat: {
    kind: 'filter',
    best: true,
    beside: {
      ...KEEP,
      mirostat_tau: (random) => ({ mirostat_tau: random.of([0.25, 0.5, 1, 2]), mirostat_mu: 0 }),
    },
    nudge: beside('mirostat_mu', 2 ** -16),
    pick: (random) => ({
      mirostat: random.of([1, 2]),
      mirostat_tau: 5,
      mirostat_mu: random.of([0.5, 1, 2, 3, 6]),
    }),
    edges: {
      surprise: [
        'keeps the best if mu is below every surprisal',
        [
          makeCase([1, 0.5], { mirostat: 2, mirostat_mu: 0.01 }),
          makeCase([0, 1], { mirostat: 1, mirostat_mu: 0.01 }),
        ],
      ],
    },
  },
  adaptive_target: {
    kind: 'values',
    beside: {
      adaptive_decay: (random) => ({ adaptive_decay: random.of([0, 0.5, 0.99]) }),
    },
    pick: (random) => ({
      adaptive_target: random.of([0.05, 0.3, 0.5, 0.8, 1]),
      adaptive_mean: random.of([0, 0.2, 0.4, 0.9]),
    }),
    edges: {
      start: [
        'aims at the target if the mean is 0',
        [makeCase([2, 1, 0], { adaptive_target: 0.3, adaptive_mean: 0 })],
      ],
      clamp: [
        'aims at 0 at least and at 1 at most',
        [
          makeCase([2, 1, 0], { adaptive_target: 0.9, adaptive_mean: 0.1 }),
          makeCase([2, 1, 0], { adaptive_target: 0.1, adaptive_mean: 0.9 }),
        ],
      ],
    },
  },
  top_a: {
    kind: 'filter',
    tighter: (settings) => ({ top_a: settings.top_a * 2 }),
    best: true,
    wide: true,
    beside: KEEP,
    nudge: (settings) => [0.9999, 1.0001].map((by) => ({ top_a: settings.top_a * by })),
    pick: (random) => ({ top_a: random.of([0.05, 0.1, 0.2, 0.5, 0.9]) }),
    edges: {
      square: [
        'compares with the square of the largest probability',
        [makeCase([3, 1, 0, -1], { top_a: 0.2 }), makeCase([0.2, 0.1, 0], { top_a: 1 })],
      ],
      much: ['keeps only the best if a is very large', [makeCase([1, 0], { top_a: 100 })]],
    },
  },
  p_less: {
    kind: 'filter',
    best: true,
    beside: KEEP,
    pick: (random) => ({ p_less: random.of([1, 2]) }),
    edges: {
      flat: [
        'equal logits all stay',
        [makeCase(zeros(3), { p_less: 1 }), makeCase(zeros(5), { p_less: 2 })],
      ],
    },
  },
  top_h: {
    kind: 'filter',
    tighter: (settings) => ({ top_h: settings.top_h / 2 }),
    best: true,
    beside: KEEP,
    nudge: beside('top_h', 2 * NEAR, 1),
    pick: (random) => ({ top_h: random.of([0.15, 0.3, 0.45, 0.7, 0.85]) }),
    edges: {
      sure: [
        'keeps the best even if its own share of the entropy is above h',
        [makeCase([1, 0, 0], { top_h: 0.05 })],
      ],
    },
  },
  dynatemp_range: {
    kind: 'values',
    beside: {
      dynatemp_exponent: (random) => ({ dynatemp_exponent: random.of([0, 0.5, 2]) }),
    },
    pick: (random) => ({
      temperature: random.of([0.8, 1, 1.5]),
      dynatemp_range: random.of([0.2, 0.5]),
      dynatemp_exponent: 1,
    }),
    edges: {
      even: [
        'takes the highest temperature if all tokens are equally probable',
        [makeCase([1, 1, 1], { temperature: 1, dynatemp_range: 0.5, dynatemp_exponent: 1 })],
      ],
      floor: [
        'never takes a temperature below 0',
        [makeCase([2, 1, 0], { temperature: 0.5, dynatemp_range: 2, dynatemp_exponent: 1 })],
      ],
    },
  },
  smoothing_factor: {
    kind: 'values',
    wide: false,
    beside: {
      smoothing_curve: (random) => ({ smoothing_curve: random.of([1.5, 3, 5]) }),
    },
    pick: (random) => ({ smoothing_factor: random.of([0.1, 0.3, 1, 2]), smoothing_curve: 1 }),
    edges: {
      top: [
        'leaves the best logit as it is',
        [makeCase([3, 2.5, 0], { smoothing_factor: 0.4, smoothing_curve: 1 })],
      ],
    },
  },
  min_new_tokens: {
    kind: 'filter',
    pick: (random, size) => ({ min_new_tokens: random.of([0, 1, 5]), end_tokens: [size] }),
    edges: {
      ends: [
        'removes every token that ends a text before the first is drawn',
        [makeCase([2, 1, 0], { min_new_tokens: 1, end_tokens: [0, 2] })],
      ],
    },
  },
  tfs_z: {
    kind: 'filter',
    tighter: (settings) => ({ tfs_z: settings.tfs_z / 2 }),
    best: true,
    beside: KEEP,
    nudge: beside('tfs_z', 2 * NEAR, 1),
    pick: (random) => ({ tfs_z: random.of([0.25, 0.5, 0.8, 0.9, 0.95]) }),
    edges: {
      pair: ['leaves two tokens as they are', [makeCase([1, 0], { tfs_z: 0.5 })]],
    },
  },
  green_bias: {
    kind: 'values',
    bans: true,
    history: true,
    beside: {
      green_fraction: (random) => ({ green_fraction: random.of([0.1, 0.5, 0.9]) }),
      green_context: (random) => ({ green_context: random.whole(0, 4) }),
      green_self: () => ({ green_self: 1 }),
      ...KEY,
    },
    pick: (random) => ({ green_bias: random.of([0.5, 1, 2, 4, 100]) }),
    edges: {
      unseen_context: [
        'does nothing while the history is shorter than the context',
        [makeCase([2, 1, 0, -1], { green_bias: 2, green_context: 3 }, [1, 0])],
      ],
      hard: [
        'at 100 removes the others in place of lifting the green ones',
        [0, 1, 2, 3].map((id) => makeCase(zeros(8), { green_bias: 100 }, [id])),
      ],
      none_green: [
        'leaves all at 100 if no survivor is green',
        [0, 1, 2, 3].map((id) =>
          makeCase([2, 1, 0], { green_bias: 100, green_fraction: 0.001 }, [id]),
        ),
      ],
    },
  },
  synthid_depth: {
    kind: 'values',
    history: true,
    spread: 1,
    beside: {
      synthid_context: (random) => ({ synthid_context: random.whole(1, 4) }),
      ...KEY,
    },
    pick: (random) => ({ synthid_depth: random.of([1, 2, 3]), synthid_context: 2 }),
    edges: {
      unseen_context: [
        'does nothing while the history is shorter than the context',
        [makeCase([2, 1, 0, -1], { synthid_depth: 3, synthid_context: 3 }, [1, 0])],
      ],
      seen_context: [
        'does nothing if the same context occurred before in the history',
        [
          makeCase([2, 1, 0, -1], { synthid_depth: 3, synthid_context: 2 }, [0, 1, 2, 0, 1]),
          makeCase([2, 1, 0, -1], { synthid_depth: 3, synthid_context: 1 }, [1, 1]),
        ],
      ],
      layers: [
        'plays each layer on the result of the layer before it',
        [0, 1, 2, 3].map((id) => makeCase(zeros(4), { synthid_depth: 4 }, [id, 0, 1, 2])),
      ],
      wide: [
        'works for very large and very small logits',
        [
          [1000, 999, 998, 0],
          [-1000, -1001, -999],
        ].map((logits) => makeCase(logits, { synthid_depth: 3, synthid_context: 1 }, [0, 1])),
      ],
      least_factor: [
        'takes no factor below 2^-100 if nearly all win',
        [0, 1, 2, 3].map((id) =>
          makeCase([3, 1, 0, -1], { synthid_depth: 30, synthid_context: 1 }, [id]),
        ),
      ],
    },
  },
  renormalize_logits: {
    kind: 'values',
    best: true,
    wide: true,
    pick: () => ({ renormalize_logits: 1 }),
    edges: {
      even_share: [
        'of n equal logits makes -ln n each',
        [
          makeCase(zeros(2), { renormalize_logits: 1 }),
          makeCase([3, 3, 3], { renormalize_logits: 1 }),
        ],
      ],
    },
  },
  exponential_decay_length_penalty: {
    kind: 'values',
    step: true,
    pick: (random, size) => ({
      exponential_decay_length_penalty: random.of([0.5, 0.9, 1.5, 2]),
      exponential_decay_start: random.whole(0, 3),
      end_tokens: [random.whole(0, size - 1)],
    }),
    edges: {
      not_yet: [
        'changes nothing before more tokens are drawn than the start says',
        [0, 1, 2].map((step) => caseOfEnds([2, -1], 2, 2, step)),
      ],
      ends_rise: [
        'above 1 lifts the tokens that end a text, negative logits too',
        [caseOfEnds([2, -1], 1.5, 0, 1), caseOfEnds([2, -1], 1.5, 1, 4)],
      ],
    },
  },
};
