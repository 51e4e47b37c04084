/**
 * The 43 cases of the lesson "Module 11" for a learner's functions, by name. A call has one row of logits, so for
 * "per row" the function is called once for each row. The lesson refuses some settings that mean something here; a
 * function may refuse them or follow the meaning.
 */
import { reason } from './reasons.js';
import { generationCases } from './generation.js';
import {
  FAR,
  against,
  looksBack,
  numbersOf,
  returnsNumbers,
  seesLess,
  softmaxOf,
} from './properties.js';
import { SPECS } from './specs.js';
import { differs, lostBest, otherDivisor } from './wrongs.js';

/** @import { Case } from './inputs.js' */
/** @import { Property } from './properties.js' */

/** Names of the lesson's functions. */
export const MODULE_11 = ['temperature', 'top_k', 'top_p', 'repetition_penalty', 'generate'];

const LOGITS = [2, 1, 0.5, -1, -2.5];
/** Logits with the probabilities .60 .20 .10 .05 .03 .02 of the lesson. */
const SHARES = [0.6, 0.2, 0.1, 0.05, 0.03, 0.02].map((p) => Math.fround(Math.log(p)));

/**
 * @param {Record<string, any>} settings
 * @param {number[]} [logits]
 * @param {number[]} [history]
 * @returns {Case}
 */
const makeCase = (settings, logits = LOGITS, history = []) => ({ logits, settings, history });

/**
 * Checks that the best token's probability has increased (1) or decreased (-1).
 * @param {1 | -1} way @returns {import('./wrongs.js').Compare}
 */
const checkSharpness = (way) => (expected, got, input) => {
  const [before, after] = [softmaxOf(input.logits)[0], softmaxOf(got)[0]];
  return way * (after - before) > 0
    ? otherDivisor(expected, got, input)
    : { expected: expected.logits, got, ...reason(way > 0 ? 'not_sharper' : 'not_flatter') };
};

/** Checks that the probabilities of the kept tokens add up to 1. @type {import('./wrongs.js').Compare} */
function sumsToOne(expected, got, input) {
  const total = softmaxOf(got).reduce((a, b) => a + b, 0);
  return Math.abs(total - 1) < 1e-6
    ? differs(expected, got, input)
    : { expected: expected.logits, got, ...reason('emptied') };
}

/** @type {import('./wrongs.js').Compare} */
function checkLowering({ logits }, got, input) {
  const [before, after] = [softmaxOf(input.logits), softmaxOf(got)];
  const id = input.history.find((it) => !(after[it] < before[it]));
  return id === undefined ? null : { expected: logits, got, ...reason('not_lowered', { id }) };
}

/** Makes a history whose first id, long ago, must be penalised. @param {number} ids */
const longAgo = (ids) =>
  makeCase({ repetition_penalty: 1.3 }, LOGITS, [0, ...Array(ids - 1).fill(3)]);

/**
 * Checks that a function refuses a setting, as in the lesson. If it answers instead, `otherwise` checks the answer,
 * which costs no points.
 * @param {Property['fails']} [otherwise]
 */
export const refuses =
  (otherwise) => async (/** @type {any} */ input, /** @type {any} */ asking) => {
    const answer = await asking.ask(input);
    if (answer.error && !answer.hung && !answer.code) return null;
    if (answer.error) return numbersOf(answer, input).failure;
    const failure = otherwise ? await otherwise(input, asking) : null;
    if (!failure) asking.note(reason('no_refusal', { settings: JSON.stringify(input.settings) }));
    return failure;
  };

/** Calls the function for two rows and then for the first one again. @type {Property['fails']} */
async function inTurn(input, asking) {
  const right = against(differs, nudgeOf(input));
  const other = { ...input, logits: [...input.logits].reverse() };
  for (const row of [input, other, input]) {
    const failure = await right(row, asking);
    if (failure) return failure;
  }
  return null;
}

/** @param {Case} input */
const nudgeOf = ({ settings }) => SPECS[Object.keys(settings)[0]]?.nudge;

/** @param {string} name @param {Case[]} cases @param {Property['fails']} fails @returns {Property} */
const makeProperty = (name, cases, fails) => ({
  name,
  says: name.replaceAll('_', ' '),
  cases,
  fails,
});

const right = against(differs);
const best = against(lostBest);
const all = (
  /** @type {string} */ name,
  /** @type {any[]} */ values,
  /** @type {number[]} */ seen,
) => values.map((value) => makeCase({ [name]: value }, LOGITS, seen));

/** @type {Record<string, () => Property[]>} */
const CASES = {
  temperature: () => {
    const at = (/** @type {number[]} */ ...values) => all('temperature', values, []);
    return [
      makeProperty('identity_at_one', at(1), right),
      makeProperty('shape_preserved', at(0.5, 1, 2), returnsNumbers),
      makeProperty(
        'low_t_sharpens_distribution',
        at(0.5, 0.1, 0.04, 0.02),
        against(checkSharpness(1)),
      ),
      makeProperty('high_t_flattens_distribution', at(2), against(checkSharpness(-1))),
      makeProperty('preserves_argmax', at(0.1, 0.5, 2, 10), best),
      makeProperty('zero_raises', at(0), refuses(right)),
      makeProperty('negative_raises', at(-1), refuses()),
    ];
  },
  top_k: () => {
    const at = (/** @type {number[]} */ ...values) => all('top_k', values, []);
    return [
      makeProperty('shape_preserved', at(1, 2, 3), returnsNumbers),
      makeProperty('k_equals_v_is_identity', at(5), right),
      makeProperty('k_greater_than_v_clamps', at(6, 100), right),
      makeProperty('k_one_keeps_only_argmax', at(1), right),
      makeProperty('k_two_keeps_top_two', at(2), right),
      makeProperty('per_row', at(2), inTurn),
      makeProperty('softmax_sums_to_one_over_survivors', at(3), against(sumsToOne)),
      makeProperty('zero_or_negative_raises', at(-1), refuses()),
    ];
  },
  top_p: () => {
    const at = (/** @type {number[]} */ ...values) => all('top_p', values, []);
    return [
      makeProperty('shape_preserved', at(0.5, 0.9), returnsNumbers),
      makeProperty('p_one_keeps_everything', at(1), right),
      makeProperty(
        'keeps_smallest_prefix_reaching_p',
        [makeCase({ top_p: 0.89 }, SHARES), makeCase({ top_p: 0.91 }, SHARES)],
        right,
      ),
      makeProperty(
        'argmax_always_survives',
        [makeCase({ top_p: 0.01 }), makeCase({ top_p: 0.5 }, [9, 0, 0])],
        best,
      ),
      makeProperty('per_row', at(0.8), inTurn),
      makeProperty('softmax_sums_to_one', at(0.5, 0.9), against(sumsToOne)),
      makeProperty('invalid_p_raises', at(1.5, -0.1), refuses()),
    ];
  },
  repetition_penalty: () => {
    const at = (/** @type {number[]} */ seen, /** @type {number[]} */ ...values) =>
      all('repetition_penalty', values, seen);
    return [
      makeProperty('one_is_identity', at([0, 3], 1), right),
      makeProperty('shape_preserved', at([0], 1.2), returnsNumbers),
      makeProperty('positive_logit_divided', at([0, 1], 2), right),
      makeProperty('negative_logit_multiplied', at([3, 4], 2), right),
      makeProperty('untouched_tokens_unchanged', at([2], 1.5), right),
      makeProperty('lowers_probability', at([0], 1.5), against(checkLowering)),
      makeProperty(
        'one_d_prev_broadcasts',
        [...at([0, 3, 0], 1.3), ...FAR.map(longAgo)],
        looksBack(longAgo, right, seesLess),
      ),
      makeProperty('invalid_raises', at([0], 0, -1), refuses()),
    ];
  },
  generate: generationCases,
};

/** Returns the lesson's cases for one function. @param {string} as */
export const casesOf = (as) => CASES[as]();
