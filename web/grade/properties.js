/** The properties of a sampler, with inputs that test them. */
import { disagreement, expect, warped } from './expect.js';
import { reason } from './reasons.js';
import { Random, SIZES } from './inputs.js';
import { SPECS } from './specs.js';
import {
  cameBack,
  differs,
  emptied,
  lostBest,
  notIdentity,
  raised,
  reordered,
  softlyRemoved,
  touched,
} from './wrongs.js';

/** @import { Case } from './inputs.js' */
/** @import { Engine, Failure } from './expect.js' */
/** @import { Spec } from './specs.js' */

/**
 * Passed to a property: the engine, and functions that call the learner's function.
 * @typedef {object} Asking
 * @property {Engine} engine
 * @property {(input: Case) => Promise<import('./tested-function.js').Answer>} ask
 * @property {(found: import('./diagnose.js').Fault) => void} note reports a difference that costs no points
 */

/**
 * @typedef {object} Property
 * @property {string} name
 * @property {string} says a sentence without subject; the subject is the function
 * @property {any[]} cases
 * @property {(input: any, asking: Asking) => Promise<Failure | null>} fails
 * @property {boolean} [shrinks]
 * @property {string} [needs] a setting; the property is tested only if the function reads it
 * @property {number} [weight] in the score; 1 by default
 */

const MANY = 120;
const SOME = 25;

/**
 * @param {string} name
 * @param {string} says
 * @param {any[]} cases
 * @param {Property['fails']} fails
 * @param {Partial<Property>} [more]
 * @returns {Property}
 */
export const property = (name, says, cases, fails, more = {}) => ({
  name,
  says,
  cases,
  fails,
  ...more,
});

/**
 * Returns the numbers of an answer, or the failure if they are not valid.
 * @param {import('./tested-function.js').Answer} answer
 * @param {{ logits: ArrayLike<number> }} input
 * @returns {{ numbers: Float64Array, failure: null } | { numbers: null, failure: Failure }}
 */
export function numbersOf({ result, length, error, hung, ...given }, { logits }) {
  const wrong = (
    /** @type {string} */ code,
    /** @type {any} */ params,
    /** @type {string} */ message,
  ) => ({
    numbers: null,
    failure: {
      expected: null,
      got: typeof result === 'object' ? result : null,
      message,
      code,
      params,
    },
  });
  if (error) {
    const { code = hung ? 'hung' : 'threw', params = { error } } = given;
    return wrong(code, params, error);
  }
  if (!result || typeof result === 'string') {
    return wrong('list', { what: String(result) }, `it returned ${result}, not a list of numbers`);
  }
  const [n, size] = [length ?? result.length, logits.length];
  if (n !== size)
    return wrong('length', { n, size }, `it returned ${n} numbers for ${size} tokens`);
  const odd = result.findIndex((it) => !(it < Infinity));
  if (odd >= 0) {
    const value = String(result[odd]);
    return wrong('odd', { id: odd, value }, `token ${odd} has a logit that is ${value}`);
  }
  return { numbers: result, failure: null };
}

/**
 * Compares the learner's numbers with the engine's. An answer without numbers fails too.
 * @param {import('./wrongs.js').Compare} compare
 * @param {Spec['nudge']} [nudge]
 */
export const against =
  (compare, nudge) =>
  async (/** @type {Case} */ input, /** @type {Asking} */ { engine, ask }) => {
    const expected = await expect(engine, input, nudge);
    const { numbers, failure } = numbersOf(await ask(input), input);
    return failure ?? compare(expected, numbers, input);
  };

/**
 * @param {Case} input
 * @param {Asking} asking
 */
export async function returnsNumbers(input, { engine, ask }) {
  await warped(engine, input); // throws if the engine refuses the input, before the learner's code runs
  return numbersOf(await ask(input), input).failure;
}

/**
 * @param {Case} input
 * @param {Asking} asking
 * @returns {Promise<Failure | null>}
 */
export async function writesToInput(input, { engine, ask }) {
  await warped(engine, input);
  const answer = await ask(input);
  const [expected, got] = [null, null];
  if (answer.changed) return { expected, got, ...reason('wrote') };
  if (answer.rewrote) return { expected, got, ...reason('wrote_history') };
  return answer.error ? numbersOf(answer, input).failure : null;
}

/** Lengths of histories. Each is a little longer than a window that learners often use. */
export const FAR = [2, 3, 5, 9, 17, 33, 65, 129, 257, 513, 1025];

/**
 * Checks that the first id of a long history has an effect. If not, a bisection finds how many ids the function looks
 * back. An input that `make` has not made is checked without this.
 * @param {(ids: number) => any} make
 * @param {Property['fails']} fails
 * @param {(input: any, failure: Failure, engine: any) => Promise<boolean>} isBlind true if the answer is
 *   the one without the first id
 * @returns {Property['fails']}
 */
export const looksBack = (make, fails, isBlind) => async (input, asking) => {
  let failure = await fails(input, asking);
  if (!failure) return null;
  const { length } = input.history ?? input.prompt;
  if (JSON.stringify(make(length)) !== JSON.stringify(input)) return failure;
  let [enough, few] = [FAR[FAR.indexOf(length) - 1] ?? 1, length];
  while (few - enough > 1) {
    const middle = (few + enough) >> 1;
    const other = await fails(make(middle), asking);
    if (other) [few, failure] = [middle, other];
    else enough = middle;
  }
  const isWindow = enough > 1 && (await isBlind(make(few), failure, asking.engine));
  return isWindow ? { ...failure, ...reason('near_only', { count: enough }) } : failure;
};

/** @param {Case} input @param {Failure} failure @param {Engine} engine */
export async function seesLess(input, { got }, engine) {
  const less = await expect(engine, { ...input, history: input.history.slice(1) });
  return got !== null && disagreement(less, got) === null;
}

/**
 * Calls the function twice with one input, and with another input between.
 * @param {Case} input
 * @param {Asking} asking
 * @returns {Promise<Failure | null>}
 */
export async function keepsState(input, { engine, ask }) {
  await warped(engine, input);
  const first = numbersOf(await ask(input), input);
  if (!first.numbers) return first.failure;
  await ask({ ...input, logits: [...input.logits].reverse(), history: [0] });
  const again = numbersOf(await ask(input), input);
  if (!again.numbers) return again.failure;
  const { numbers: then } = first;
  if (again.numbers.every((it, id) => it === then[id])) return null;
  return { expected: then, got: again.numbers, ...reason('state') };
}

/**
 * Checks that a stricter value removes every token that a less strict value removes.
 * @param {Spec} spec
 * @returns {Property['fails']}
 */
const notSubset =
  ({ tighter, nudge }) =>
  async (input, asking) => {
    const tight = { ...input, settings: { ...input.settings, ...tighter?.(input.settings) } };
    const expected = await expect(asking.engine, tight, nudge);
    const loose = numbersOf(await asking.ask(input), input);
    const { numbers, failure } = numbersOf(await asking.ask(tight), input);
    if (!loose.numbers || !numbers) return loose.failure ?? failure;
    const { numbers: more } = loose;
    const id = numbers.findIndex((it, i) => it !== -Infinity && more[i] === -Infinity);
    if (id < 0) return null;
    const why = reason('subset', { id, settings: JSON.stringify(tight.settings) });
    return { expected: expected.logits, got: numbers, ...why };
  };

/** @param {ArrayLike<number>} logits */
export function softmaxOf(logits) {
  const list = Array.from(logits);
  const max = Math.max(...list);
  const e = list.map((logit) => Math.exp(logit - max));
  const total = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / total);
}

/** Returns the entropy in bits. @param {ArrayLike<number>} logits */
const entropyOf = (logits) =>
  softmaxOf(logits).reduce((sum, p) => (p > 0 ? sum - p * Math.log2(p) : sum), 0);

/** @type {Property['fails']} */
async function entropyFalls(input, asking) {
  const { temperature } = input.settings;
  const hotter = { ...input, settings: { temperature: 2 * temperature } };
  const cool = numbersOf(await asking.ask(input), input);
  const hot = numbersOf(await asking.ask(hotter), input);
  if (!cool.numbers || !hot.numbers) return cool.failure ?? hot.failure;
  const [before, after] = [entropyOf(cool.numbers), entropyOf(hot.numbers)];
  const expected = await warped(asking.engine, hotter);
  if (after >= before - 1e-6) return null;
  const why = reason('entropy_fell', { from: temperature, to: 2 * temperature });
  return { expected, got: hot.numbers, ...why };
}

/** Checks that the best token has nearly the whole probability. @type {Property['fails']} */
async function notGreedy(input, asking) {
  const expected = await warped(asking.engine, input);
  const { numbers, failure } = numbersOf(await asking.ask(input), input);
  if (!numbers) return failure;
  const best = softmaxOf(numbers)[input.logits.indexOf(Math.max(...input.logits))];
  return best > 0.999 ? null : { expected, got: numbers, ...reason('not_cold') };
}

/**
 * Returns true if rounding cannot change the order of tokens in typical_p.
 * @param {Engine} engine
 * @param {Case} input
 */
async function isClear(engine, { logits }) {
  const { tokens, raw_entropy } = await engine.warp(
    Float32Array.from(logits),
    { top: logits.length },
    { history: [] },
  );
  const away = tokens.map(({ p_raw, logit }) => ({
    logit,
    far: Math.abs(-Math.log(p_raw) - raw_entropy * Math.LN2),
  }));
  return away.every((a) =>
    away.every((b) => a.logit === b.logit || Math.abs(a.far - b.far) > 2 ** -16),
  );
}

/**
 * @param {Spec} spec
 * @param {Random} random
 * @param {number} count
 * @param {{ removed?: boolean, neutral?: object }} [options]
 * @returns {Case[]}
 */
function randomCases(spec, random, count, { removed = false, neutral } = {}) {
  return Array.from({ length: count }, () => {
    const size = random.of(SIZES);
    const history = spec.history ? random.history(random.whole(0, 12), Math.min(size, 3)) : [];
    const settings = neutral ?? spec.pick(random, size);
    const { spread } = spec;
    const logits = random.logits(size, { spread, removed });
    const second = spec.second && { second: random.logits(size) };
    return { logits, settings, history, ...second, ...(spec.step && { step: random.whole(0, 6) }) };
  });
}

/** Adds a second distribution if the sampler reads one. @param {Spec} spec @param {number[]} logits */
const withSecond = ({ second }, logits) =>
  second ? { logits, second: logits.map((_, id) => id / 2) } : { logits };

/** @param {Case[]} some random cases @returns {Property[]} */
const ofEach = (some) => [
  property(
    'numbers',
    'returns one number for each token, none NaN or +Infinity',
    some,
    returnsNumbers,
  ),
  property(
    'own_copy',
    'leaves the logits and the history that it is given as they are',
    some.map((it) => ({ ...it, history: it.history.length > 1 ? it.history : [1, 0, 1] })),
    writesToInput,
  ),
  property(
    'pure',
    'answers the same input in the same way, after any other calls',
    some.slice(0, 10),
    keepsState,
  ),
];

/**
 * @param {string} name
 * @param {Spec} spec
 * @param {Random} random
 * @param {Case[]} some random cases
 * @returns {Property[]}
 */
function ofKind(name, spec, random, some) {
  const { kind, nudge, bans, best, tighter } = spec;
  /** @type {Property[]} */
  const list = [];
  const add = (/** @type {Parameters<typeof property>} */ ...parts) =>
    void list.push(property(...parts));
  const many = () => randomCases(spec, random, 3 * SOME);
  const [, zero = []] = (name === 'temperature' && spec.edges?.zero) || [];
  if (kind === 'filter' || bans)
    add(
      'minus_infinity',
      'removes with -Infinity, not with a large negative number',
      [...zero, ...many()],
      against(softlyRemoved, nudge),
    );
  if (kind === 'filter')
    add('untouched', 'changes no logit that it keeps', some, against(touched, nudge));
  if (best) add('best', 'the most probable token stays the best', many(), against(lostBest, nudge));
  if (tighter) add('subset', 'a tighter setting keeps a subset', some, notSubset(spec));
  return list;
}

/** For each sampler: properties that no other sampler has. @type {Record<string, (some: Case[]) => Property[]>} */
const OF_ONE = {
  temperature: (some) => [
    property('order', 'reorders nothing', some, against(reordered)),
    property(
      'entropy',
      'a higher temperature never lowers the entropy',
      some.filter(({ logits }) => logits.length > 1),
      entropyFalls,
    ),
    property(
      'cold',
      'near 0 the best has nearly all of the mass',
      some.map((it) => ({ ...it, settings: { temperature: 2 ** -12 } })),
      notGreedy,
    ),
  ],
  repetition_penalty: (some) => [
    property('never_rises', 'at 1 or above raises no logit', some, against(raised)),
  ],
};

/**
 * @param {string} name
 * @param {Spec} spec
 * @param {Random} random
 * @returns {Property[]}
 */
function generalProperties(name, spec, random) {
  const some = randomCases(spec, random, SOME);
  const { nudge } = spec;
  const list = [
    ...ofEach(some),
    ...ofKind(name, spec, random, some),
    ...(OF_ONE[name]?.(some) ?? []),
    property('something_left', 'never removes the last token', some, against(emptied, nudge)),
    property(
      'stay_removed',
      'a token already removed stays removed',
      randomCases(spec, random, SOME, { removed: true }),
      against(cameBack, nudge),
    ),
  ];
  return list.map((it) => ({ ...it, shrinks: true }));
}

const WIDE = [
  [1000, 999, 998, 0],
  [-1000, -1001, -999],
  [1e30, 0, -1e30],
  [3e-30, 2e-30, -1e-30],
  [2, -0],
];

/**
 * @param {string} name
 * @param {Spec} spec
 * @returns {Property[]}
 */
function byHand(name, spec) {
  const random = new Random(3);
  const settings = {
    ...spec.pick(random, 1),
    ...(name === 'logit_bias' && { logit_bias: { 0: 0.5 } }),
  };
  const history = spec.history ? [0] : [];
  // For a single value, the answer may be correct by chance.
  const picked = Array.from({ length: 4 }, () => JSON.stringify(spec.pick(random, 4)));
  const several = [...new Set(picked)].map((text) => JSON.parse(text));
  const whole = against(differs, spec.nudge);
  /** @type {Property[]} */
  const list = Object.entries(spec.edges ?? {}).map(([edge, [says, cases]]) =>
    property(edge, says, cases, against(spec.compares?.[edge] ?? differs)),
  );
  if (spec.far)
    list.push(
      property(
        'far',
        'looks at the whole history, however long',
        FAR.map(spec.far),
        looksBack(spec.far, whole, seesLess),
      ),
    );
  if (name !== 'no_repeat_ngram_size')
    list.push(
      property(
        'single',
        'works for a vocabulary of one',
        [0, -3, 2.5].map((logit) => ({ ...withSecond(spec, [logit]), settings, history })),
        whole,
      ),
    );
  if (name !== 'no_repeat_ngram_size' && name !== 'mirostat')
    list.push(
      property(
        'last_one',
        'works if only one token is left',
        [
          { ...withSecond(spec, [-Infinity, 1]), settings, history: [] },
          { ...withSecond(spec, [-2, -Infinity, -Infinity]), settings, history },
        ],
        whole,
      ),
    );
  if (spec.wide)
    list.push(
      property(
        'wide',
        'works for very large and very small logits',
        WIDE.flatMap((logits) => several.map((settings) => ({ logits, settings, history }))),
        whole,
      ),
    );
  return list;
}

/**
 * Returns properties of additional settings. They are tested only if the function reads the setting; a lesson's
 * top-p, for example, has no min_tokens_to_keep.
 * @param {Spec} spec
 * @param {Random} random
 * @param {Property['fails']} fails
 * @returns {Property[]}
 */
function dependentProperties(spec, random, fails) {
  return Object.entries(spec.beside ?? {}).map(([needs, pick]) => {
    const cases = randomCases(spec, random, 2 * SOME).map(({ settings, ...it }) => ({
      ...it,
      settings: { ...settings, ...pick(random, it.logits.length) },
    }));
    const says = `agrees with the built-in for other values of ${needs}`;
    return property(needs, says, cases, fails, { needs, shrinks: true });
  });
}

/**
 * Returns the properties of one sampler.
 * @param {string} name in the settings table
 * @param {Engine} engine
 * @param {number} [seed] of the random inputs
 * @returns {Promise<Property[]>}
 */
export async function propertiesOf(name, engine, seed = 0) {
  const spec = SPECS[name];
  const random = new Random(1 + Object.keys(SPECS).indexOf(name) + 1000 * seed);
  const row = engine.table.find((it) => it.name === name);
  const neutral = { [name]: row?.neutral };
  const many = randomCases(spec, random, MANY);
  const agrees = against(differs, spec.nudge);
  /** @type {Property[]} */
  const agreeing = [
    property('agrees', 'agrees with the built-in on random inputs', many, agrees, {
      weight: 3,
      shrinks: true,
    }),
    ...dependentProperties(spec, random, agrees),
  ];
  for (const property of name === 'typical_p' ? agreeing : []) {
    const clear = [];
    for (const it of property.cases) if (await isClear(engine, it)) clear.push(it);
    property.cases = clear;
  }
  return [
    ...generalProperties(name, spec, random),
    property(
      'neutral',
      `changes nothing at ${name} ${JSON.stringify(row?.neutral)}`,
      [
        ...randomCases(spec, random, SOME, { neutral, removed: true }),
        // Tokens must stay even if their probabilities are too small to change a float64 sum.
        { ...withSecond(spec, [60, 0, -60]), settings: neutral, history: [] },
      ],
      against(notIdentity),
      { shrinks: true },
    ),
    ...byHand(name, spec),
    ...agreeing,
  ];
}
