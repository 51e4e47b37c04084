/** Judges an answer: right or wrong, with a sentence. It depends only on measured values. */

/** @import { Question, Typical } from './lesson-file.js' */
/** @import { Asked } from './measures.js' */

/**
 * @typedef {number | string | undefined} Value
 * @typedef {(asked: Asked) => Promise<Value>} Measured measures the present state
 * @typedef {'close' | 'high' | 'low'} Side of a wrong number for which the teacher wrote no sentence; close:
 *   within three tolerances of the truth, or rounded too early
 * @typedef {{ right: boolean, say: string, side?: Side }} Verdict
 */

/**
 * The grader's result for a question about code: a fault's code and its sentence.
 * @typedef {{ right: boolean, fault: string | null, say: string }} Coded
 */

/** Returns a token without spaces around it, because an answer may leave them out. @param {unknown} text */
const trimmed = (text) => String(text ?? '').trim();

/**
 * Returns true if two values match: numbers within a tolerance, other values as texts.
 * @param {Value} value
 * @param {Value} other
 */
function matchesValue(value, other, tolerance = 0) {
  if (typeof value !== 'number') return trimmed(value) === trimmed(other);
  return typeof other === 'number' && Math.abs(value - other) <= tolerance + 1e-12;
}

/** @param {number} value @param {{ above?: number, below?: number }} bounds */
function isBetween(value, { above = -Infinity, below = Infinity }) {
  return value > above && value < below;
}

/**
 * Returns true if a state reaches a goal.
 * @param {import('./lesson-file.js').Goal} goal
 * @param {Value} value measured in the state
 */
export function reached(
  { equals, at_least = -Infinity, at_most = Infinity, tolerance = 0 },
  value,
) {
  if (equals !== undefined) return matchesValue(equals, value, tolerance);
  return typeof value === 'number' && value >= at_least && value <= at_most;
}

/** Returns the index of the right option. @param {Question} question @param {Value} measured @returns {Value} */
export function rightOption({ options = [], answer, tolerance }, measured) {
  const at = options.findIndex(({ right, value }) =>
    answer ? matchesValue(value, measured, tolerance) : right,
  );
  return at < 0 ? undefined : at;
}

/**
 * Returns the value of a typical wrong answer; undefined if it is a range.
 * @param {Typical} typical @param {Measured} measured
 */
export const valueOf = async (typical, measured) =>
  typical.measure === undefined ? typical.equals : measured(/** @type {Asked} */ (typical));

/** A wrong number is called close if it is within this many tolerances. */
const CLOSE = 3;
const MOST_DECIMALS = 6;

/** @param {number} value @param {number} truth @param {number} tolerance @returns {Side} */
function sideOf(value, truth, tolerance) {
  const cut = (/** @type {number} */ by) => [
    Math.round(truth * by) / by,
    Math.trunc(truth * by) / by,
  ];
  const powers = Array.from({ length: MOST_DECIMALS }, (_, i) => 10 ** (i + 1));
  const early = powers.some((by) => cut(by).some((rounded) => matchesValue(value, rounded)));
  if (tolerance > 0 && (early || matchesValue(value, truth, CLOSE * tolerance))) return 'close';
  return value > truth ? 'high' : 'low';
}

/** @param {Question} question @param {number | string} given a number or a token @param {Measured} measured */
async function judgeValue({ answer, tolerance = 0, wrong = [] }, given, measured) {
  const truth = await measured(/** @type {Asked} */ (answer));
  if (matchesValue(given, truth, tolerance)) return null;
  for (const typical of wrong) {
    const value = await valueOf(typical, measured);
    const met =
      typeof given === 'number' && value === undefined
        ? isBetween(given, typical)
        : matchesValue(given, value, typical.tolerance ?? tolerance);
    if (met) return typical.say;
  }
  if (typeof given !== 'number' || typeof truth !== 'number') return '';
  return { side: sideOf(given, truth, tolerance) };
}

/** @param {Question} question @param {number} index of the option @param {Measured} measured */
async function judgeChoice({ options = [], answer, tolerance }, index, measured) {
  const { right, value, say = '' } = options[index];
  const met = answer ? matchesValue(value, await measured(answer), tolerance) : right;
  return met ? null : say;
}

/** @param {Question} question @param {number[]} order the items' indices in the teacher's list */
function judgeOrder({ wrong = [] }, order) {
  if (order.every((item, place) => item === place)) return null;
  const early = wrong.find(({ before: [a, b] = [0, 0] }) => order.indexOf(a) < order.indexOf(b));
  return early?.say ?? '';
}

/** @param {Question} question @param {Measured} measured of the current state */
async function judgeState({ goal, wrong = [] }, measured) {
  const wanted = /** @type {import('./lesson-file.js').Goal} */ (goal);
  if (reached(wanted, await measured(wanted))) return null;
  for (const typical of wrong) {
    const { equals, say } = typical;
    const value = await measured(typical.measure ? /** @type {Asked} */ (typical) : wanted);
    const met =
      typeof value === 'number'
        ? isBetween(value, typical)
        : value !== undefined && matchesValue(value, equals ?? value);
    if (met) return say;
  }
  return '';
}

/** @param {Question} question @param {Coded} coded */
function judgeCode({ wrong = [] }, { right, fault, say }) {
  if (right) return null;
  const typical = fault === null ? undefined : wrong.find((each) => each.fault === fault);
  return typical ? `${say} ${typical.say}` : say;
}

/**
 * @param {Question} question
 * @param {any} given depends on the kind: a number, a token, an option's index, an order of indices, or a
 *   `Coded`; null for a state
 * @param {Measured} measured
 * @returns {Promise<Verdict>} `say`: the sentence for a right answer or for a typical wrong answer
 */
export async function judge(question, given, measured) {
  const say = await {
    number: () => judgeValue(question, given, measured),
    token: () => judgeValue(question, given, measured),
    choice: () => judgeChoice(question, given, measured),
    order: async () => judgeOrder(question, given),
    state: () => judgeState(question, measured),
    code: async () => judgeCode(question, given),
  }[question.kind]();
  if (say === null) return { right: true, say: question.right ?? '' };
  return typeof say === 'string' ? { right: false, say } : { right: false, say: '', ...say };
}
