/** What holds for a decode loop, tried on a toy model whose every logit is known here. */
import { Random } from './inputs.js';
import {
  NO_END,
  asksOften,
  beside,
  check,
  exchanged,
  generated,
  greedyEarly,
  invalidIds,
  notLast,
  otherIds,
  otherLength,
  promptToo,
  readsEarly,
  recordsGraph,
  refusesRun,
  reseeded,
  wrongEnd,
  wrongWindow,
  wrotePrompt,
} from './outcomes.js';
import { FAR, looksBack } from './properties.js';

/**
 * @typedef {import('./expect.js').Engine & { random: (seed: number, step: number) => number |
 * Promise<number> }} Engine
 */
/** @typedef {import('./expect.js').Failure} Failure */
/** @typedef {import('./properties.js').Property} Property */
/** @typedef {import('./toy.js').Toy} Toy */

/**
 * @typedef {object} Run
 * @property {Toy} toy
 * @property {number[]} prompt
 * @property {Record<string, any>} settings
 * @property {number[]} [us] random numbers in place of the seed's, on the boundary itself
 * @property {[string, string]} [order] two warpers of which the first comes before the second
 */

/** @type {Record<string, number>} */
const NEUTRAL = { temperature: 1, top_k: 0, top_p: 1, repetition_penalty: 1 };
/** @param {string} name @param {Record<string, any>} settings */
export const isNeutral = (name, settings) => settings[name] === NEUTRAL[name];

/**
 * @param {Random} random
 * @param {{ size?: number, context?: number, end?: number }} [options]
 * @returns {Toy}
 */
function toy(random, { size = 8, context = 16, end = NO_END } = {}) {
  const rows = Array.from({ length: 29 }, () =>
    Float32Array.from(random.logits(size, { spread: 1 })),
  );
  return { rows, vocab_size: size, context_length: context, eos_token_id: end };
}

/**
 * @param {number} count
 * @param {(i: number) => Partial<Run> & { settings?: object }} make
 * @param {Random} random
 * @returns {Run[]}
 */
function runs(count, make, random) {
  return Array.from({ length: count }, (_, i) => {
    const { settings, ...rest } = make(i);
    const model = rest.toy ?? toy(random);
    const prompt = rest.prompt ?? random.history(1, model.vocab_size);
    return {
      ...rest,
      toy: model,
      prompt,
      settings: { ...NEUTRAL, max_new_tokens: 1, seed: 100 + i, ...settings },
    };
  });
}

/** @param {Random} random */
const warpers = (random) => ({
  temperature: random.of([0, 0.4, 0.7, 1, 1.5]),
  top_k: random.of([0, 1, 2, 3, 5, 12]),
  top_p: random.of([0.3, 0.5, 0.8, 0.95, 1]),
  repetition_penalty: random.of([1, 1.2, 1.5]),
});

/** The highest u below 1. */
const TOP = 1 - 2 ** -53;

/** Runs of one token that come out otherwise where two warpers are exchanged. @type {{ order: [string, string], logits: number[], settings: object, u: number }[]} */
const ORDERED = [
  ['temperature', { temperature: 0 }],
  ['top_k', { top_k: 1 }],
  ['top_p', { top_p: 0.1 }],
].map(([second, settings]) => ({
  order: /** @type {[string, string]} */ (['repetition_penalty', second]),
  logits: [2, 1, 0],
  settings: { repetition_penalty: 3, .../** @type {object} */ (settings) },
  u: 0.5,
}));
ORDERED.push(
  {
    order: ['temperature', 'top_p'],
    logits: [3, 2, 1],
    settings: { temperature: 0.5, top_p: 0.8 },
    u: TOP,
  },
  {
    order: ['temperature', 'top_p'],
    logits: [3, 2, 1],
    settings: { temperature: 2, top_p: 0.8 },
    u: TOP,
  },
  {
    order: ['top_k', 'top_p'],
    logits: [0.4, 0.3, 0.2, 0.1].map(Math.log),
    settings: { top_k: 2, top_p: 0.5 },
    u: TOP,
  },
);

/** A model of the same logits everywhere. @param {number[]} logits @returns {Toy} */
const oneRow = (logits) => ({
  rows: [Float32Array.from(logits)],
  vocab_size: logits.length,
  context_length: 4,
  eos_token_id: NO_END,
});

/** One greedy step, in which the first of so many ids is penalised. @param {number} ids @returns {Run} */
const longAgo = (ids) => ({
  toy: oneRow([2, 1, 1.5]),
  prompt: [0, ...Array(ids - 1).fill(1)],
  settings: { ...NEUTRAL, temperature: 0, repetition_penalty: 3, max_new_tokens: 1, seed: 1 },
});

/** @type {(run: Run, failure: Failure, engine: Engine) => Promise<boolean>} */
const seesLess = async (run, { got }, engine) =>
  String(await generated(engine, run, { seen: (ids) => ids.slice(1) })) ===
  String(Array.from(got ?? []));

/** Rows as flat as T is low, so that a draw at T is as open as one at 1. @param {Toy} model @param {number} t @returns {Toy} */
const flattened = (model, t) => ({
  ...model,
  rows: model.rows.map((row) => row.map((logit) => logit * t)),
});

/** From the usual ones down, so that the first that fails is near the bound of a fault. */
const LOW_T = [0.7, 0.5, 0.4, 0.3, 0.2, 0.1, 0.08, 0.06, 0.04, 0.03, 0.02, 0.01, 0.005];

/** @param {number} [seed] of the random inputs @returns {Property[]} */
export function generationProperties(seed = 0) {
  const random = new Random(77 + 1000 * seed);
  const long = (/** @type {number} */ n) => random.history(n, 8);
  const many = { max_new_tokens: 6 };
  const penalised = { repetition_penalty: 3, temperature: 0, max_new_tokens: 3 };
  return [
    {
      name: 'draw',
      says: 'draws the first token with a cumulative mass above u, from the most to the least probable',
      cases: runs(20, () => ({}), random),
      fails: check(otherIds),
    },
    {
      name: 'met',
      says: 'draws the next token if the mass meets u exactly',
      // Of two and four the shares are exact, however they are computed.
      cases: [2, 4].flatMap((size) =>
        runs(
          1,
          () => ({
            toy: { ...toy(random, { size }), rows: [new Float32Array(size)] },
            us: [0.5],
          }),
          random,
        ),
      ),
      fails: check(otherIds),
    },
    {
      name: 'exact',
      says: 'keeps no more than needed if the mass meets p exactly',
      cases: runs(
        2,
        (i) => ({
          toy: { ...toy(random, { size: 4 }), rows: [new Float32Array(4)] },
          us: [TOP],
          settings: { top_p: [0.25, 0.5][i] },
        }),
        random,
      ),
      fails: check(otherIds),
    },
    {
      name: 'tied',
      says: 'keeps every token tied with the k-th',
      cases: runs(
        2,
        (i) => ({ toy: oneRow([1, 0, 0]), us: [TOP], prompt: [0], settings: { top_k: 1 + i } }),
        random,
      ),
      fails: check(otherIds),
    },
    {
      name: 'highest',
      says: 'the highest u draws the least probable token that is left',
      cases: [
        ...runs(
          20,
          (i) => ({
            us: [TOP],
            settings: i % 2 ? { top_k: 5 } : { top_p: random.of([0, 0.1, 0.5, 0.8]) },
          }),
          random,
        ),
        // Six shares of 1/6, or ten of 1/10, add up to less than 1 in float64.
        ...[6, 10].flatMap((count) =>
          runs(
            1,
            () => ({
              toy: oneRow([...Array(count).fill(1), -1, -2]),
              us: [TOP],
              prompt: [0],
              settings: { top_k: count },
            }),
            random,
          ),
        ),
      ],
      fails: check(notLast),
    },
    {
      name: 'wide',
      says: 'works for very large and very small logits',
      cases: runs(
        3,
        (i) => ({
          toy: {
            ...toy(random, { size: 4 }),
            rows: [Float32Array.from([1, 0.5, 0, -0.5], (it) => it + [1000, -1000, 0][i])],
          },
        }),
        random,
      ),
      fails: check(otherIds),
    },
    {
      name: 'nothing',
      says: 'max_new_tokens 0 gives no token',
      cases: runs(2, () => ({ settings: { max_new_tokens: 0 } }), random),
      fails: check(otherIds),
    },
    {
      name: 'one_stream',
      says: 'seeds once, before the loop',
      cases: runs(4, () => ({ settings: many }), random),
      fails: check(reseeded),
    },
    {
      name: 'slice_first',
      says: 'takes the last position before anything else',
      cases: runs(
        4,
        () => ({ prompt: long(4), settings: { ...many, temperature: 0.5, top_k: 3 } }),
        random,
      ),
      fails: check(readsEarly),
    },
    {
      name: 'once_a_token',
      says: 'asks the model once for each token',
      cases: runs(4, () => ({ settings: many }), random),
      fails: check(asksOften),
    },
    {
      name: 'no_grad',
      says: 'records no gradients',
      needs: 'torch',
      cases: runs(2, () => ({ settings: many }), random),
      fails: check(recordsGraph),
    },
    {
      name: 'last_position',
      says: 'the logits of the last position decide',
      cases: runs(12, () => ({ prompt: long(5) }), random),
      fails: check(otherIds),
    },
    {
      name: 'appends',
      says: 'appends each drawn token before it draws the next',
      cases: runs(12, () => ({ settings: many }), random),
      fails: check(otherIds),
    },
    {
      name: 'crop',
      says: 'the model is given the last context_length tokens, never more, never fewer',
      cases: runs(
        8,
        () => ({
          toy: toy(random, { context: 4 }),
          prompt: long(6),
          settings: { max_new_tokens: 3 },
        }),
        random,
      ),
      fails: check(wrongWindow),
    },
    {
      name: 'end',
      says: 'stops at the end token, which is part of the ids',
      cases: runs(
        24,
        (i) => ({
          toy: toy(random, { size: 4, end: i % 3 ? 1 : 0 }),
          prompt: random.history(2, 4),
          settings: { max_new_tokens: 8 },
        }),
        random,
      ),
      fails: check(wrongEnd),
    },
    {
      name: 'warpers',
      says: 'applies the four warpers to the logits, and the softmax after them',
      cases: runs(40, () => ({ settings: warpers(random) }), random),
      fails: check(otherIds),
    },
    {
      name: 'warper_order',
      says: 'applies repetition_penalty, temperature, top_k and top_p in this order',
      cases: ORDERED.map(({ order, logits, settings, u }) => ({
        toy: oneRow(logits),
        prompt: [0],
        settings: { ...NEUTRAL, ...settings, max_new_tokens: 1, seed: 1 },
        us: [u],
        order,
      })),
      fails: check(exchanged),
    },
    {
      name: 'signs',
      says: 'divides a positive logit and multiplies a negative one, so both fall',
      cases: runs(
        2,
        (i) => ({
          toy: oneRow(i ? [-1, -1.2] : [1, 0.9]),
          prompt: [0],
          settings: { repetition_penalty: 2, temperature: 0 },
        }),
        random,
      ),
      fails: check(otherIds),
    },
    {
      name: 'low_t',
      says: 'draws at a low temperature too: 0 alone is greedy',
      cases: LOW_T.flatMap((temperature) =>
        runs(
          2,
          () => ({
            toy: flattened(toy(random), temperature),
            settings: { ...many, temperature },
          }),
          random,
        ),
      ),
      fails: check(greedyEarly),
    },
    {
      name: 'far',
      says: 'penalties look at the whole text, however long',
      cases: FAR.map(longAgo),
      fails: looksBack(longAgo, check(otherIds), seesLess),
    },
    {
      name: 'own_prompt',
      says: 'leaves the ids of the prompt as they are',
      cases: runs(4, () => ({ prompt: [3, 1, 2], settings: many }), random),
      fails: check(wrotePrompt),
    },
    {
      name: 'history',
      says: 'penalties look at the whole text, prompt included, also beyond the context',
      // Of the first the prompt decides nothing.
      cases: [
        ...runs(
          1,
          () => ({ toy: oneRow([2, 1.5, 0, -3]), prompt: [3], settings: penalised }),
          random,
        ),
        ...runs(
          16,
          () => ({ toy: toy(random, { context: 3 }), prompt: long(6), settings: penalised }),
          random,
        ),
      ],
      fails: check(otherIds),
    },
    {
      name: 'agrees',
      weight: 3,
      says: 'agrees with the built-in on random runs',
      cases: runs(
        40,
        () => ({
          toy: toy(random, { context: 5, end: 2 }),
          prompt: long(random.whole(1, 7)),
          settings: { ...warpers(random), max_new_tokens: random.whole(1, 8) },
        }),
        random,
      ),
      fails: check(otherIds),
    },
  ];
}

/** The lesson's cases of generate; here the ids come without the prompt. @returns {Property[]} */
export function generationCases() {
  const random = new Random(1111);
  const steps = (/** @type {any} */ settings, /** @type {any} */ more = {}) =>
    runs(
      2,
      () => ({ prompt: [1, 2, 3], settings: { max_new_tokens: 10, ...settings }, ...more }),
      random,
    );
  const greedy = { temperature: 0 };
  /** @param {string} name @param {Run[]} cases @param {any} fails @returns {Property} */
  const it = (name, cases, fails) => ({ name, says: name.replaceAll('_', ' '), cases, fails });
  const same = check(otherIds);
  return [
    it('returns_correct_length', steps({ max_new_tokens: 5 }), check(otherLength)),
    it('starts_with_prompt', steps({}), check(promptToo)),
    it('outputs_valid_token_ids', steps({ temperature: 3 }), check(invalidIds)),
    it('greedy_is_deterministic', steps(greedy), beside({ settings: { seed: 9 } }, true)),
    it('seeded_sampling_is_reproducible', steps({}), beside({ settings: {} }, true)),
    it(
      'different_seeds_produce_different_output',
      [1, 0.4, 0.04].flatMap((temperature) =>
        steps({ temperature }, { toy: flattened(toy(random), temperature) }),
      ),
      beside({ settings: { seed: 9 } }, false),
    ),
    it(
      'top_k_one_matches_greedy',
      steps({ top_k: 1 }),
      beside({ settings: { top_k: 0, temperature: 0 } }, true),
    ),
    it(
      'eos_stops_early',
      runs(
        8,
        () => ({
          toy: toy(random, { size: 4, end: 1 }),
          prompt: [0, 2],
          settings: { max_new_tokens: 12 },
        }),
        random,
      ),
      same,
    ),
    it(
      'respects_max_seq_len_via_cropping',
      steps({}, { toy: toy(random, { context: 4 }) }),
      check(wrongWindow),
    ),
    it(
      'no_grad_does_not_populate_grads',
      steps({}),
      check((outcome) => recordsGraph(outcome) ?? asksOften(outcome)),
    ),
    it('invalid_temperature_raises', steps({ temperature: -1 }), refusesRun),
    it('empty_prompt_raises', steps({}, { prompt: [] }), refusesRun),
    it(
      'repetition_penalty_discourages_repeats',
      [...steps({ repetition_penalty: 3, temperature: 0.5 }), ...FAR.map(longAgo)],
      looksBack(longAgo, same, seesLess),
    ),
  ];
}
