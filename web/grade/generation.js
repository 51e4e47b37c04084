/** The properties of a decode loop. They are tested with a small model with known logits. */
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
/** @import { Failure } from './expect.js' */
/** @import { Property } from './properties.js' */
/** @import { Toy } from './toy.js' */

/**
 * @typedef {object} Run
 * @property {Toy} toy
 * @property {number[]} prompt
 * @property {Record<string, any>} settings
 * @property {number[]} [us] random numbers that replace the seed's; exactly on a boundary
 * @property {[string, string]} [order] two samplers; the first must be before the second
 */

/** @type {Record<string, number>} */
const NEUTRAL = { temperature: 1, top_k: 0, top_p: 1, repetition_penalty: 1 };
/** @param {string} name @param {Record<string, any>} settings */
export const isNeutral = (name, settings) => settings[name] === NEUTRAL[name];

/** The largest u below 1. */
const TOP = 1 - 2 ** -53;
/** Settings for a run of several tokens. */
const MANY = { max_new_tokens: 6 };

/** Makes runs from one sequence of random numbers, so that the same seed gives the same runs. */
class RunMaker {
  /** @param {number} seed */
  constructor(seed) {
    this.random = new Random(seed);
  }

  /** @param {{ size?: number, context?: number, end?: number }} [options] @returns {Toy} */
  toy({ size = 8, context = 16, end = NO_END } = {}) {
    const rows = Array.from({ length: 29 }, () =>
      Float32Array.from(this.random.logits(size, { spread: 1 })),
    );
    return { rows, vocab_size: size, context_length: context, eos_token_id: end };
  }

  /** Returns a model whose logits are all the same. @param {number} size of the vocabulary @returns {Toy} */
  flat(size) {
    return { ...this.toy({ size }), rows: [new Float32Array(size)] };
  }

  /** @param {number} length */
  prompt(length) {
    return this.random.history(length, 8);
  }

  /** Returns random settings of the four samplers. */
  samplers() {
    const { random } = this;
    return {
      temperature: random.of([0, 0.4, 0.7, 1, 1.5]),
      top_k: random.of([0, 1, 2, 3, 5, 12]),
      top_p: random.of([0.3, 0.5, 0.8, 0.95, 1]),
      repetition_penalty: random.of([1, 1.2, 1.5]),
    };
  }

  /**
   * @param {number} count
   * @param {(i: number) => Partial<Run> & { settings?: object }} [make]
   * @returns {Run[]}
   */
  runs(count, make = () => ({})) {
    return Array.from({ length: count }, (_, i) => {
      const { settings, ...rest } = make(i);
      const model = rest.toy ?? this.toy();
      const prompt = rest.prompt ?? this.random.history(1, model.vocab_size);
      const set = { ...NEUTRAL, max_new_tokens: 1, seed: 100 + i, ...settings };
      return { ...rest, toy: model, prompt, settings: set };
    });
  }
}

/**
 * Runs that draw one token: two samplers, logits, settings and u. If the two exchange their places, the run draws
 * another token.
 * @type {[[string, string], number[], object, number][]}
 */
const ORDERED = [
  [
    ['repetition_penalty', 'temperature'],
    [2, 1, 0],
    { repetition_penalty: 3, temperature: 0 },
    0.5,
  ],
  [['repetition_penalty', 'top_k'], [2, 1, 0], { repetition_penalty: 3, top_k: 1 }, 0.5],
  [['repetition_penalty', 'top_p'], [2, 1, 0], { repetition_penalty: 3, top_p: 0.1 }, 0.5],
  [['temperature', 'top_p'], [3, 2, 1], { temperature: 0.5, top_p: 0.8 }, TOP],
  [['temperature', 'top_p'], [3, 2, 1], { temperature: 2, top_p: 0.8 }, TOP],
  [['top_k', 'top_p'], [0.4, 0.3, 0.2, 0.1].map(Math.log), { top_k: 2, top_p: 0.5 }, TOP],
];

/** Returns a model with the same logits at every position. @param {number[]} logits @returns {Toy} */
const oneRow = (logits) => ({
  rows: [Float32Array.from(logits)],
  vocab_size: logits.length,
  context_length: 4,
  eos_token_id: NO_END,
});

/**
 * Makes a greedy run in which the first id of a long history must be penalised.
 * @param {number} ids @returns {Run}
 */
const longAgo = (ids) => ({
  toy: oneRow([2, 1, 1.5]),
  prompt: [0, ...Array(ids - 1).fill(1)],
  settings: { ...NEUTRAL, temperature: 0, repetition_penalty: 3, max_new_tokens: 1, seed: 1 },
});

/** @type {(run: Run, failure: Failure, engine: Engine) => Promise<boolean>} */
const seesLess = async (run, { got }, engine) =>
  String(await generated(engine, run, { seen: (ids) => ids.slice(1) })) ===
  String(Array.from(got ?? []));

/**
 * Multiplies the logits by t, so that a draw at temperature t has the probabilities that a draw at 1 would have
 * without this.
 * @param {Toy} model @param {number} t @returns {Toy}
 */
const scaledModel = (model, t) => ({
  ...model,
  rows: model.rows.map((row) => row.map((logit) => logit * t)),
});

/** Temperatures in descending order: the first one that fails is near the limit of the fault. */
const LOW_T = [0.7, 0.5, 0.4, 0.3, 0.2, 0.1, 0.08, 0.06, 0.04, 0.03, 0.02, 0.01, 0.005];

/**
 * @param {string} name
 * @param {string} says
 * @param {Run[]} cases
 * @param {Parameters<typeof check>[0]} [finds]
 * @param {Partial<Property>} [more]
 * @returns {Property}
 */
const makeProperty = (name, says, cases, finds = otherIds, more = {}) => ({
  name,
  says,
  cases,
  fails: check(finds),
  ...more,
});

/** @param {RunMaker} maker @returns {Property[]} */
function drawProperties(maker) {
  const ofAll = (/** @type {number} */ count) => ({
    toy: oneRow([...Array(count).fill(1), -1, -2]),
    us: [TOP],
    prompt: [0],
    settings: { top_k: count },
  });
  return [
    makeProperty(
      'draw',
      'draws the first token with a cumulative mass above u, from the most to the least probable',
      maker.runs(20),
    ),
    makeProperty(
      'met',
      'draws the next token if the mass meets u exactly',
      // The sums of 1/2 and 1/4 are exact in every order.
      [2, 4].flatMap((size) => maker.runs(1, () => ({ toy: maker.flat(size), us: [0.5] }))),
    ),
    makeProperty(
      'exact',
      'keeps no more than needed if the mass meets p exactly',
      maker.runs(2, (i) => ({
        toy: maker.flat(4),
        us: [TOP],
        settings: { top_p: [0.25, 0.5][i] },
      })),
    ),
    makeProperty(
      'tied',
      'keeps every token tied with the k-th',
      maker.runs(2, (i) => {
        const settings = { top_k: 1 + i };
        return { toy: oneRow([1, 0, 0]), us: [TOP], prompt: [0], settings };
      }),
    ),
    makeProperty(
      'highest',
      'the highest u draws the least probable token that is left',
      [
        ...maker.runs(20, (i) => ({
          us: [TOP],
          settings: i % 2 ? { top_k: 5 } : { top_p: maker.random.of([0, 0.1, 0.5, 0.8]) },
        })),
        // The float64 sums of six times 1/6 and of ten times 1/10 are below 1.
        ...[6, 10].flatMap((count) => maker.runs(1, () => ofAll(count))),
      ],
      notLast,
    ),
    makeProperty(
      'wide',
      'works for very large and very small logits',
      maker.runs(3, (i) => {
        const rows = [Float32Array.from([1, 0.5, 0, -0.5], (it) => it + [1000, -1000, 0][i])];
        return { toy: { ...maker.toy({ size: 4 }), rows } };
      }),
    ),
  ];
}

/** @param {RunMaker} maker @returns {Property[]} */
function callProperties(maker) {
  const many = () => maker.runs(4, () => ({ settings: MANY }));
  return [
    makeProperty(
      'nothing',
      'max_new_tokens 0 gives no token',
      maker.runs(2, () => ({ settings: { max_new_tokens: 0 } })),
    ),
    makeProperty('one_stream', 'seeds once, before the loop', many(), reseeded),
    makeProperty(
      'slice_first',
      'takes the last position before anything else',
      maker.runs(4, () => {
        const settings = { ...MANY, temperature: 0.5, top_k: 3 };
        return { prompt: maker.prompt(4), settings };
      }),
      readsEarly,
    ),
    makeProperty('once_a_token', 'asks the model once for each token', many(), asksOften),
    makeProperty(
      'no_grad',
      'records no gradients',
      maker.runs(2, () => ({ settings: MANY })),
      recordsGraph,
      { needs: 'torch' },
    ),
    makeProperty(
      'last_position',
      'the logits of the last position decide',
      maker.runs(12, () => ({ prompt: maker.prompt(5) })),
    ),
    makeProperty(
      'appends',
      'appends each drawn token before it draws the next',
      maker.runs(12, () => ({ settings: MANY })),
    ),
    makeProperty(
      'crop',
      'the model is given the last context_length tokens, never more, never fewer',
      maker.runs(8, () => {
        const toy = maker.toy({ context: 4 });
        return { toy, prompt: maker.prompt(6), settings: { max_new_tokens: 3 } };
      }),
      wrongWindow,
    ),
    makeProperty(
      'end',
      'stops at the end token, which is part of the ids',
      maker.runs(24, (i) => {
        const toy = maker.toy({ size: 4, end: i % 3 ? 1 : 0 });
        return { toy, prompt: maker.random.history(2, 4), settings: { max_new_tokens: 8 } };
      }),
      wrongEnd,
    ),
  ];
}

/** @param {RunMaker} maker @returns {Property[]} */
function samplerProperties(maker) {
  return [
    makeProperty(
      'warpers',
      'applies the four samplers to the logits, and the softmax after them',
      maker.runs(40, () => ({ settings: maker.samplers() })),
    ),
    makeProperty(
      'warper_order',
      'applies repetition_penalty, temperature, top_k and top_p in this order',
      ORDERED.map(([order, logits, settings, u]) => ({
        toy: oneRow(logits),
        prompt: [0],
        settings: { ...NEUTRAL, ...settings, max_new_tokens: 1, seed: 1 },
        us: [u],
        order,
      })),
      exchanged,
    ),
    makeProperty(
      'signs',
      'divides a positive logit and multiplies a negative one, so both fall',
      maker.runs(2, (i) => {
        const settings = { repetition_penalty: 2, temperature: 0 };
        return { toy: oneRow(i ? [-1, -1.2] : [1, 0.9]), prompt: [0], settings };
      }),
    ),
    makeProperty(
      'low_t',
      'draws at a low temperature too: 0 alone is greedy',
      LOW_T.flatMap((temperature) =>
        maker.runs(2, () => {
          const toy = scaledModel(maker.toy(), temperature);
          return { toy, settings: { ...MANY, temperature } };
        }),
      ),
      greedyEarly,
    ),
  ];
}

/** @param {RunMaker} maker @returns {Property[]} */
function historyProperties(maker) {
  const settings = { repetition_penalty: 3, temperature: 0, max_new_tokens: 3 };
  return [
    makeProperty(
      'far',
      'penalties look at the whole text, however long',
      FAR.map(longAgo),
      otherIds,
      {
        fails: looksBack(longAgo, check(otherIds), seesLess),
      },
    ),
    makeProperty(
      'own_prompt',
      'leaves the ids of the prompt as they are',
      maker.runs(4, () => ({ prompt: [3, 1, 2], settings: MANY })),
      wrotePrompt,
    ),
    makeProperty(
      'history',
      'penalties look at the whole text, prompt included, also beyond the context',
      [
        // In the first run, the penalty does not change the result.
        ...maker.runs(1, () => ({ toy: oneRow([2, 1.5, 0, -3]), prompt: [3], settings })),
        ...maker.runs(16, () => {
          const toy = maker.toy({ context: 3 });
          return { toy, prompt: maker.prompt(6), settings };
        }),
      ],
    ),
  ];
}

/** @param {number} [seed] of the random inputs @returns {Property[]} */
export function generationProperties(seed = 0) {
  const maker = new RunMaker(77 + 1000 * seed);
  return [
    ...drawProperties(maker),
    ...callProperties(maker),
    ...samplerProperties(maker),
    ...historyProperties(maker),
    makeProperty(
      'agrees',
      'agrees with the built-in on random runs',
      maker.runs(40, () => ({
        toy: maker.toy({ context: 5, end: 2 }),
        prompt: maker.prompt(maker.random.whole(1, 7)),
        settings: { ...maker.samplers(), max_new_tokens: maker.random.whole(1, 8) },
      })),
      otherIds,
      { weight: 3 },
    ),
  ];
}

/** Returns the lesson's cases for `generate`. The returned ids do not include the prompt. @returns {Property[]} */
export function generationCases() {
  const maker = new RunMaker(1111);
  const steps = (/** @type {any} */ settings, /** @type {any} */ more = {}) =>
    maker.runs(2, () => ({
      prompt: [1, 2, 3],
      settings: { max_new_tokens: 10, ...settings },
      ...more,
    }));
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
        steps({ temperature }, { toy: scaledModel(maker.toy(), temperature) }),
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
      maker.runs(8, () => {
        const toy = maker.toy({ size: 4, end: 1 });
        return { toy, prompt: [0, 2], settings: { max_new_tokens: 12 } };
      }),
      same,
    ),
    it(
      'respects_max_seq_len_via_cropping',
      steps({}, { toy: maker.toy({ context: 4 }) }),
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
