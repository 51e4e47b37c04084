/**
 * The answers of a lesson, as the engine computes them from its states: what is right, and what each
 * typical wrong answer is. No words; those are of `answer-words.js`.
 */

import { range } from '../engine/sweep.js';
import { reached } from './judge.js';

/**
 * @typedef {import('./lesson-file.js').Lesson} Lesson
 * @typedef {import('./lesson-file.js').Figure} Figure
 * @typedef {import('./lesson-file.js').Question} Question
 * @typedef {import('./measures.js').LessonState} LessonState
 * @typedef {import('./measures.js').Asked} Asked
 * @typedef {number | string | undefined} Value
 * @typedef {(state: LessonState, asked: Asked) => Promise<Value>} Measured
 *
 * A typical wrong answer: its value, where it lies, or the place of its option; and what is said.
 * @typedef {{ value?: Value, above?: number, below?: number, before?: [number, number],
 *   option?: number, fault?: string, say: string }} Wrong
 * @typedef {{ question: Question, place: number, truth: Value, begin: Value, points: Points | null, wrong: Wrong[] }} Answer
 *   `truth` what is measured, or the place of the right option; `begin` of a state to reach
 * @typedef {{ setting: string, values: number[] }} Points the points of a sweep that are right
 */

/** The place of a choice's right option. @param {Question} question @param {Value} measured @returns {Value} */
export function rightOption({ options = [], answer, tolerance = 0 }, measured) {
  const fits = (/** @type {Value} */ value) =>
    typeof value === 'number' && typeof measured === 'number'
      ? Math.abs(value - measured) <= tolerance + 1e-12
      : String(value ?? '').trim() === String(measured ?? '').trim();
  const at = options.findIndex(({ right, value }) => (answer ? fits(value) : right));
  return at < 0 ? undefined : at;
}

/** How many tokens are offered where the author does not say. */
const OFFERED = 6;

/**
 * The tokens that a question offers: the right one and the typical wrong ones among the first, in the
 * model's order.
 * @param {Question} question
 * @param {string[]} texts of all, the most probable first
 * @param {(asked: Asked) => Promise<Value>} measured
 */
export async function offered({ choose = OFFERED, answer, wrong = [] }, texts, measured) {
  const needed = [answer, ...wrong.filter((each) => each.measure)];
  const named = await Promise.all(needed.map((asked) => measured(/** @type {Asked} */ (asked))));
  const others = texts.filter((text) => !named.includes(text));
  const some = [...new Set(named), ...others].slice(0, Math.max(choose, named.length));
  return texts.filter((text) => some.includes(text));
}

/**
 * @param {Question} question
 * @param {Figure | undefined} figure
 * @param {Measured} measured
 * @returns {Promise<Points | null>} null where no point of a sweep is to be found
 */
async function pointsOf({ goal, state }, figure, measured) {
  const first = figure?.state.choices?.first;
  if (!goal || state || figure?.show !== 'sweep' || !first) return null;
  const values = [];
  for (const value of range(first.name, first.from, first.to, first.step).values) {
    const settings = { ...goal.settings, [first.name]: value };
    if (reached(goal, await measured(figure.state, { ...goal, settings }))) values.push(value);
  }
  return { setting: first.name, values };
}

/**
 * @param {Question} question
 * @param {Figure | undefined} figure
 * @param {number} place
 * @param {Measured} measured
 * @returns {Promise<Answer>}
 */
async function answerOf(question, figure, place, measured) {
  const state = question.state ?? figure?.state ?? { prompt: '' };
  const { kind, answer, goal, options = [], wrong = [] } = question;
  const value = answer ? await measured(state, answer) : undefined;
  const begin = goal ? await measured(state, goal) : undefined;
  const truth = kind === 'choice' ? rightOption(question, value) : value;
  /** @type {Wrong[]} */
  const told = options.flatMap(({ say }, option) =>
    say && option !== truth ? [{ option, say }] : [],
  );
  for (const { measure, equals, above, below, before, fault, say, ...of } of wrong) {
    const is = measure === undefined ? equals : await measured(state, { measure, ...of });
    told.push({ value: is, above, below, before, fault, say });
  }
  const points = await pointsOf(question, figure, measured);
  return { question, place, truth, begin, points, wrong: told };
}

/**
 * @param {Lesson} lesson
 * @param {Measured} measured one after another
 * @returns {Promise<Answer[]>} one a question, in their order
 */
export async function answersOf(lesson, measured) {
  /** @type {Answer[]} */
  const answers = [];
  for (const { figure, questions = [] } of lesson.parts)
    for (const question of questions)
      answers.push(await answerOf(question, figure, answers.length + 1, measured));
  return answers;
}
