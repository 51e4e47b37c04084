/**
 * Finds the fault of a function. A wrong form is a function with one known fault: if its wrong answers are the same, the
 * function has this fault. Other faults are found by checks, for example with a second seed.
 */
import { disagreement, expect } from './expect.js';
import { reason } from './reasons.js';
import { bitsOf, coinOf } from './hashes.js';
import { some } from './learner-stages.js';
import { WRONG_CHAINS } from './wrong-chains.js';
import { WRONG_FILTERS } from './wrong-filters.js';
import { WRONG_LOOPS } from './wrong-loops.js';
import { WRONG_MARKS } from './wrong-marks.js';
import { WRONG_PENALTIES } from './wrong-penalties.js';
import { WRONG_SAMPLERS, codeOf } from './wrong-samplers.js';

/** For each function: its wrong forms. @type {Record<string, Record<string, import('./wrong-samplers.js').WrongForm>>} */
export const WRONG_FORMS = {
  ...WRONG_SAMPLERS,
  ...WRONG_FILTERS,
  ...WRONG_PENALTIES,
  ...WRONG_MARKS,
  chain: WRONG_CHAINS,
};

/**
 * @typedef {import('./grade.js').Verdict} Verdict
 * @typedef {{ code: string, params?: Record<string, string | number>, message: string }} Fault
 * @typedef {{ input: any, settings: any, answer: import('./tested-function.js').Answer }} Asked
 */

/** Codes of checks that come first: no wrong form says more. */
const PLAIN = [
  ...['bare', 'line', 'no_answer', 'long_line', 'own_message', 'unasked', 'memory', 'tasks'],
  ...['hung', 'list', 'length', 'no_ids', 'reseeded'],
];
/** Codes of checks that count if no wrong form fits. Each is the sign of one fault. */
const ELSE = [
  ...['swapped', 'long_window', 'early', 'graph', 'asked_often', 'wrote', 'wrote_history'],
  ...['wrote_prompt', 'state', 'near_only', 'greedy_early', 'other_divisor', 'zero_logit'],
  ...['unseeded', 'other_seed', 'not_last', 'invalid_id'],
];
/** Codes of checks that come last: each is the sign of several faults. */
const VAGUE = [
  ...['threw', 'odd', 'soft', 'probabilities', 'short_window', 'emptied'],
  ...['came_back', 'lost_best', 'overtaken', 'risen', 'subset', 'end_left_out', 'after_end'],
  ...['stopped', 'went_on'],
];

/** Codes that count only if every single stage is correct. */
const OF_ORDER = ['swapped', 'order_reversed', 'not_last'];

/**
 * Least share of answers that must be the same as the wrong form's: of all answers, and of wrong ones. Rounding may decide
 * a few.
 */
const OF_ALL = 0.97;
const OF_WRONG = 0.9;

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function sameNumbers(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const near = Math.abs(a[i] - b[i]) <= 1e-5 * Math.max(1, Math.abs(b[i]));
    const finite = Number.isFinite(a[i]) && Number.isFinite(b[i]);
    if (finite ? !near : !Object.is(a[i], b[i])) return false;
  }
  return true;
}

/** Replaces large negative numbers by -1e9, because learners remove tokens with various numbers. @param {number} x */
const softRemoval = (x) => (x < -1000 && x > -Infinity ? -1e9 : x);

/**
 * Prepares a result for comparison: large negative numbers become equal, and tokens that were removed before become
 * 0, because functions with this fault treat them in different ways.
 * @param {ArrayLike<number>} result
 * @param {number[]} logits
 */
const comparable = (result, logits) =>
  Array.from(result, (x, id) => (logits[id] === -Infinity ? 0 : softRemoval(x)));

/**
 * @template T
 * @typedef {T & { wrong: boolean }} Judged
 */

/**
 * Returns the names of wrong forms, first those that do nothing. The first of the forms that fit equally well names the
 * fault, and a few calls of a function that does nothing fit other forms too.
 * @param {object} forms
 */
const namesOf = (forms) => {
  const acts = (/** @type {string} */ name) => Number(!codeOf(name).startsWith('idle'));
  return Object.keys(forms).sort((a, b) => acts(a) - acts(b));
};

/**
 * Finds the wrong form with the most answers in common. A wrong form is given up as soon as too many answers differ.
 * @template T
 * @param {Judged<T>[]} answers
 * @param {string[]} names
 * @param {(name: string, answer: T) => boolean} isSame
 */
function closestAnswer(answers, names, isSame) {
  const wrong = answers.filter((it) => it.wrong);
  if (!wrong.length) return null;
  const all = [...wrong, ...answers.filter((it) => !it.wrong)];
  const [most, mostWrong] = [(1 - OF_ALL) * all.length, (1 - OF_WRONG) * wrong.length];
  let found = null;
  let least = Infinity;
  for (const name of names) {
    let [missed, missedWrong] = [0, 0];
    for (const [at, answer] of all.entries()) {
      if (isSame(name, answer)) continue;
      missed++;
      if (at < wrong.length) missedWrong++;
      if (missed > most || missedWrong > mostWrong) break;
    }
    const off = missed / all.length + missedWrong / wrong.length;
    if (missed > most || missedWrong > mostWrong || off >= least) continue;
    [found, least] = [name, off];
  }
  return found;
}

/** @param {string} as @param {Asked[]} asked @param {any} engine */
async function wrongSampler(as, asked, engine) {
  const forms = WRONG_FORMS[as];
  if (!forms) return null;
  const answers = [];
  for (const { input, settings, answer } of asked) {
    const { result } = answer;
    if (!(result instanceof Float64Array) || result.length !== input.logits.length) continue;
    const right = await expect(engine, input).catch(() => null);
    if (!right) continue;
    const logits = Array.from(input.logits, Math.fround);
    const { history } = input;
    const bits = bitsOf(as, settings, history, logits.length);
    const coin = coinOf(input.settings.seed ?? 0);
    const second = input.second?.map(Math.fround);
    const given = { logits, settings, history, second, bits, coin };
    answers.push({ result, given, wrong: disagreement(right, result) !== null });
  }
  return closestAnswer(answers, namesOf(forms), (name, { result, given }) => {
    const form = forms[name](given);
    return name.startsWith('soft_mask')
      ? sameNumbers(comparable(result, given.logits), comparable(form, given.logits))
      : sameNumbers(result, form);
  });
}

/** @param {Asked[]} asked */
function wrongLoop(asked) {
  const answers = [];
  for (const { input, answer } of asked) {
    const { result } = answer;
    if (!(result instanceof Float64Array) || !input.expected) continue;
    const ids = result.map((id) => (id >= 0 && Number.isInteger(id) ? id : -1));
    answers.push({ input, result: ids, wrong: !sameNumbers(result, input.expected) });
  }
  return closestAnswer(answers, namesOf(WRONG_LOOPS), (name, { input, result }) => {
    const us = input.streams[input.settings.seed];
    const ids = WRONG_LOOPS[name](input, (step) => us[step % us.length]);
    // The harness has shortened a list that was too long.
    return sameNumbers(result, ids.slice(0, input.settings.max_new_tokens + 8));
  });
}

/**
 * Returns true if a wrong answer becomes correct when nothing was called before: then the function keeps a state.
 * @param {Asked[]} asked
 * @param {any} engine
 * @param {(input: any) => Promise<import('./tested-function.js').Answer | null>} afresh
 */
async function keepsSomething(asked, engine, afresh) {
  for (const { input, answer } of [...asked].reverse()) {
    const { expected, logits } = input;
    const right = expected ? null : await expect(engine, input).catch(() => null);
    const isRight = (/** @type {any} */ result) =>
      result instanceof Float64Array &&
      (expected ? sameNumbers(result, expected) : right !== null && !disagreement(right, result));
    if (!(expected || logits) || isRight(answer.result)) continue;
    const again = await afresh(input);
    return again !== null && isRight(again.result);
  }
  return false;
}

/**
 * Returns true if the samplers of the learner's file, called one after another, give the same answers as its chain or
 * loop.
 * @param {string} as
 * @param {Asked[]} asked
 * @param {any} engine
 * @param {import('./learner-stages.js').LearnerStages} stages
 */
async function isOfStages(as, asked, engine, stages) {
  const answers = [];
  for (const { input, settings, answer } of asked) {
    const { result, error } = answer;
    const { expected } = input;
    const isList = result instanceof Float64Array;
    if (as === 'generate') {
      if (!expected || !(isList || error)) continue;
      answers.push({ input, result, error, wrong: !(isList && sameNumbers(result, expected)) });
      continue;
    }
    const right = await expect(engine, input).catch(() => null);
    if (!right || !(isList || error)) continue;
    const logits = Array.from(input.logits, Math.fround);
    const wrong = !(isList && result.length === logits.length && !disagreement(right, result));
    answers.push({ input: { logits, settings, history: input.history }, result, error, wrong });
  }
  const picked = some(answers);
  const inputs = picked.map(({ input }) => input);
  const made = as === 'generate' ? await stages.loop(inputs) : await stages.chain(inputs);
  if (!made.length || !stages.wrong.size) return false;
  const told = picked.map((it, i) => ({ ...it, made: /** @type {any} */ (made[i]) }));
  const found = closestAnswer(
    told,
    ['own'],
    (_, { made: { list, ids, open, error: failed }, ...it }) => {
      const { error } = it;
      const result = /** @type {Float64Array} */ (it.result);
      if (error !== undefined) return open || failed === error;
      const right = ids ?? list;
      return right !== undefined && sameNumbers(open ? result.slice(0, ids.length) : result, right);
    },
  );
  return found !== null;
}

/** Returns the first of some codes that a failed property has. @param {Verdict[]} failed @param {string[]} codes */
function firstSeen(failed, codes) {
  for (const code of codes) {
    const verdict = failed.find((it) => it.code === code);
    if (verdict) return { code, params: verdict.params, message: verdict.message ?? code };
  }
  return null;
}

/**
 * @param {string} as
 * @param {Verdict[]} verdicts
 * @param {Asked[]} asked
 * @param {any} engine
 * @param {(input: any) => Promise<import('./tested-function.js').Answer | null>} afresh asks in a new place (process, thread or frame)
 * @param {import('./learner-stages.js').LearnerStages | null} [stages] the samplers in the file of a chain or loop
 * @returns {Promise<Fault | null>} null if no verdict failed, or no code fits
 */
export async function diagnose(as, verdicts, asked, engine, afresh, stages = null) {
  const failed = verdicts.filter(({ holds }) => !holds);
  if (!failed.length) return null;
  const plain = firstSeen(failed, PLAIN);
  if (plain) return plain;
  if (stages && (await isOfStages(as, asked, engine, stages)))
    return reason('follows', { names: [...stages.wrong].join(', ') });
  // A wrong sampler can look like a wrong order, so codes about the order do not count then.
  const doubted = stages?.wrong.size ? OF_ORDER : [];
  const form = await (as === 'generate' ? wrongLoop(asked) : wrongSampler(as, asked, engine));
  if (form && !doubted.includes(codeOf(form))) {
    return reason(/** @type {any} */ (codeOf(form)), WRONG_LOOPS[form]?.params);
  }
  const known = firstSeen(
    failed,
    ELSE.filter((code) => !doubted.includes(code)),
  );
  if (known) return known;
  if (await keepsSomething(asked, engine, afresh)) return reason('state');
  return firstSeen(failed, VAGUE);
}
