/** The properties of a chain of four samplers, in the order that the lessons teach. */
import { disagreement, expect, warped } from './expect.js';
import { reason } from './reasons.js';
import { Random } from './inputs.js';
import {
  FAR,
  against,
  keepsState,
  looksBack,
  property,
  returnsNumbers,
  seesLess,
  writesToInput,
} from './properties.js';
import { SPECS } from './specs.js';
import { differs, otherCounts, otherLogit } from './wrongs.js';

/** @import { Case } from './inputs.js' */
/** @import { Engine } from './expect.js' */
/** @import { Property } from './properties.js' */

export const CHAIN = ['repetition_penalty', 'temperature', 'top_k', 'top_p'];
const NUDGE = (/** @type {any} */ settings) =>
  settings.top_p === undefined ? [] : (SPECS.top_p.nudge?.(settings) ?? []);

/**
 * Returns random settings with which the order of the samplers matters.
 * @param {Random} random
 * @param {string[]} names
 * @param {number} size
 */
function settingsOf(random, names, size) {
  const values = {
    repetition_penalty: random.of([1.2, 1.5, 2]),
    temperature: names.includes('top_p') ? random.of([0.4, 0.5, 1.5, 2]) : random.of([0, 0.5, 2]),
    top_k: random.whole(1, Math.max(1, size - 1)),
    top_p: random.of([0.5, 0.7, 0.8, 0.9]),
  };
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

/**
 * @param {Random} random
 * @param {string[]} names
 * @param {number} count
 * @returns {Case[]}
 */
function casesOf(random, names, count) {
  return Array.from({ length: count }, () => {
    const size = random.whole(2, 8);
    return {
      logits: random.logits(size),
      settings: settingsOf(random, names, size),
      history: random.history(random.whole(1, 4), size),
    };
  });
}

/**
 * Returns the canonical order with two samplers exchanged.
 * @param {Engine} engine
 * @param {string} a
 * @param {string} b
 */
function swappedOrder(engine, a, b) {
  const order = engine.table.filter((row) => row.sampler).map((row) => row.name);
  return order.map((name) => (name === a ? b : name === b ? a : name));
}

/**
 * Returns the property "a comes before b", tested with inputs for which the two orders give different results.
 * @param {string} a
 * @param {string} b
 * @param {Random} random
 * @returns {Property}
 */
function orderProperty(a, b, random) {
  const cases = casesOf(random, [a, b], 80);
  // Penalty and temperature give the same result in both orders, except at temperature 0.
  const inputs =
    b === 'temperature'
      ? cases.map((it) => ({ ...it, settings: { ...it.settings, temperature: 0 } }))
      : cases;
  return {
    name: `${a}_before_${b}`,
    says: `${a} comes before ${b}`,
    cases: inputs,
    shrinks: true,
    async fails(input, asking) {
      const order = swappedOrder(asking.engine, a, b);
      const expected = await expect(asking.engine, input, NUDGE);
      const other = await warped(asking.engine, input, { order });
      if (!disagreement(expected, other)) return null;
      const failure = await against(differs, NUDGE)(input, asking);
      if (!failure) return null;
      const wrong = {
        logits: other,
        stays: (/** @type {number} */ id) => other[id] !== -Infinity,
        free: () => false,
      };
      // At temperature 0, only the token matters, not its logit.
      const isSwapped =
        failure.got && !disagreement(wrong, failure.got, input.settings.temperature !== 0);
      return isSwapped ? { ...failure, ...reason('swapped', { first: b, second: a }) } : failure;
    },
  };
}

/** @type {import('./wrongs.js').Compare} */
function looksLikeProbabilities({ logits }, got) {
  const sum = got.reduce((total, it) => total + it, 0);
  const looks = got.every((it) => it >= 0 && it <= 1) && Math.abs(sum - 1) < 1e-3;
  return looks
    ? {
        expected: logits,
        got,
        ...reason('probabilities'),
      }
    : null;
}

/** Returns some edge cases of one sampler. @param {string} as @param {string[]} names @returns {Property[]} */
const edgeProperties = (as, ...names) =>
  names.map((name) => {
    const [says, cases] = /** @type {Record<string, [string, Case[]]>} */ (SPECS[as].edges)[name];
    return property(name, says, cases, against(differs));
  });

/** @param {number[]} logits @param {Record<string, any>} [settings] @param {number[]} [history] @returns {Case} */
const makeCase = (logits, settings = {}, history = []) => ({ logits, settings, history });

/** Makes a history whose first id, long ago, must be penalised. @param {number} ids */
const longAgo = (ids) =>
  makeCase([3, 1, 2], { repetition_penalty: 2 }, [0, ...Array(ids - 1).fill(1)]);

/** Returns properties at the limits of the samplers. @param {Property['fails']} whole @returns {Property[]} */
const boundaryProperties = (whole) => [
  property(
    'zero',
    'temperature 0 keeps the best alone',
    [makeCase([1, 2], { temperature: 0 }), makeCase([1, 1], { temperature: 0 })],
    against(otherLogit),
  ),
  property(
    'far',
    'looks at the whole history, however long',
    FAR.map(longAgo),
    looksBack(longAgo, whole, seesLess),
  ),
  property(
    'exact',
    'keeps no more than needed if the mass meets p exactly',
    [0.25, 0.5, 0.75].map((p) => makeCase([1, 1, 1, 1], { top_p: p })),
    against(otherCounts),
  ),
  property(
    'wide',
    'works for very large and very small logits',
    [1000, -1000].map((by) =>
      makeCase(
        [1, 0.5, 0, -0.5].map((it) => it + by),
        { top_p: 0.8 },
      ),
    ),
    whole,
  ),
  property(
    'tiny',
    'p near or at 0 keeps the best alone',
    [0, 1e-9].map((p) => makeCase([1, 2], { top_p: p })),
    against(differs),
  ),
];

/**
 * Returns properties on random inputs.
 * @param {Random} random @param {Property['fails']} whole @returns {Property[]}
 */
function logitProperties(random, whole) {
  const all = (/** @type {number} */ count) => casesOf(random, CHAIN, count);
  const shrinks = { shrinks: true };
  return [
    property(
      'numbers',
      'returns one number for each token, none NaN or +Infinity',
      all(25),
      returnsNumbers,
      shrinks,
    ),
    property(
      'own_copy',
      'leaves the logits and the history that it is given as they are',
      all(25),
      writesToInput,
      shrinks,
    ),
    property(
      'logits',
      'returns logits: the softmax comes last and is not part of it',
      casesOf(random, [], 25),
      against(looksLikeProbabilities, NUDGE),
      shrinks,
    ),
    property(
      'neutral',
      'changes nothing when every setting is neutral',
      // Tokens must stay even if their probabilities are too small to change a float64 sum.
      [...casesOf(random, [], 25), makeCase([60, 0, -60])],
      whole,
      shrinks,
    ),
    property(
      'pure',
      'answers the same input in the same way, after any other calls',
      all(10),
      keepsState,
    ),
    ...CHAIN.map((name) =>
      property(
        name,
        `${name} alone agrees with the built-in`,
        casesOf(random, [name], 40),
        whole,
        shrinks,
      ),
    ),
  ];
}

/** @param {number} [seed] of the random inputs @returns {Property[]} */
export function chainProperties(seed = 0) {
  const random = new Random(50 + 1000 * seed);
  const whole = against(differs, NUDGE);
  const pair = (/** @type {string} */ a, /** @type {string} */ b) => orderProperty(a, b, random);
  const [penalty, temperature, topK, topP] = CHAIN;
  return [
    ...logitProperties(random, whole),
    ...boundaryProperties(whole),
    ...edgeProperties(topK, 'tied', 'above'),
    ...edgeProperties(topP, 'ties', 'reaches'),
    pair(penalty, temperature),
    pair(penalty, topK),
    pair(penalty, topP),
    pair(temperature, topP),
    pair(topK, topP),
    property(
      'agrees',
      'agrees with the built-in chain on random inputs',
      casesOf(random, CHAIN, 120),
      whole,
      {
        weight: 3,
        shrinks: true,
      },
    ),
  ];
}
