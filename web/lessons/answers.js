/**
 * Computes the answers of a lesson: the values of right answers and of typical wrong ones. answer-words.js writes
 * them as text.
 */

import { range } from '../engine/sweep.js';
import { reached, rightOption, valueOf } from './judge.js';

/** @import { Lesson, Figure, Question } from './lesson-file.js' */
/** @import { LessonState, Asked } from './measures.js' */
/** @import { Value } from './judge.js' */

/**
 * @typedef {(state: LessonState, asked: Asked) => Promise<Value>} Measured
 *
 * A typical wrong answer, given by its value, bounds, order, option or fault. `say`: the sentence for it.
 * @typedef {{ value?: Value, above?: number, below?: number, before?: [number, number],
 *   option?: number, fault?: string, say: string }} Wrong
 * @typedef {{ question: Question, place: number, truth: Value, begin: Value, points: Points | null, wrong: Wrong[] }} Answer
 *   `truth`: the measured value, or the index of the right option; `begin`: the goal's measure before the
 *   learner changes the state
 * @typedef {{ setting: string, values: number[] }} Points the values of a sweep's setting that reach the goal
 */

/** Number of tokens that a question offers, unless the teacher has chosen another. */
const OFFERED = 6;

/**
 * Returns the tokens that a question offers, by probability: the most probable ones, the right one and typical wrong
 * ones.
 * @param {Question} question
 * @param {string[]} texts of all listed tokens, the most probable first
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
 * @returns {Promise<Points | null>} null unless the goal is a point of the figure's sweep
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
  for (const { above, below, before, fault, say, ...typical } of wrong) {
    const is = await valueOf({ ...typical, say }, (asked) => measured(state, asked));
    told.push({ value: is, above, below, before, fault, say });
  }
  const points = await pointsOf(question, figure, measured);
  return { question, place, truth, begin, points, wrong: told };
}

/**
 * @param {Lesson} lesson
 * @param {Measured} measured called for one measure at a time
 * @returns {Promise<Answer[]>} one answer per question, in order
 */
export async function answersOf(lesson, measured) {
  /** @type {Answer[]} */
  const answers = [];
  for (const { figure, questions = [] } of lesson.parts)
    for (const question of questions)
      answers.push(await answerOf(question, figure, answers.length + 1, measured));
  return answers;
}
