/**
 * The answers of a lesson, as the engine computes them from its states: what is right, and what each
 * typical wrong answer is. No words; those are of `answer-words.js`.
 */

/**
 * @typedef {import('./lesson-file.js').Lesson} Lesson
 * @typedef {import('./lesson-file.js').Question} Question
 * @typedef {import('./measures.js').LessonState} LessonState
 * @typedef {import('./measures.js').Asked} Asked
 * @typedef {number | string | undefined} Value
 * @typedef {(state: LessonState, asked: Asked) => Promise<Value>} Measured
 *
 * A typical wrong answer: its value, where it lies, or the place of its option; and what is said.
 * @typedef {{ value?: Value, above?: number, below?: number, before?: [number, number],
 *   option?: number, say: string }} Wrong
 * @typedef {{ question: Question, place: number, truth: Value, begin: Value, wrong: Wrong[] }} Answer
 *   `truth` what is measured, or the place of the right option; `begin` of a state to reach
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

/**
 * @param {Question} question
 * @param {LessonState} state
 * @param {number} place
 * @param {Measured} measured
 * @returns {Promise<Answer>}
 */
async function answerOf(question, state, place, measured) {
  const { kind, answer, goal, options = [], wrong = [] } = question;
  const value = answer ? await measured(state, answer) : undefined;
  const begin = goal ? await measured(state, goal) : undefined;
  const truth = kind === 'choice' ? rightOption(question, value) : value;
  /** @type {Wrong[]} */
  const told = options.flatMap(({ say }, option) =>
    say && option !== truth ? [{ option, say }] : [],
  );
  for (const { measure, equals, above, below, before, say, ...of } of wrong) {
    const is = measure === undefined ? equals : await measured(state, { measure, ...of });
    told.push({ value: is, above, below, before, say });
  }
  return { question, place, truth, begin, wrong: told };
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
    for (const question of questions) {
      const state = question.state ?? figure?.state ?? { prompt: '' };
      answers.push(await answerOf(question, state, answers.length + 1, measured));
    }
  return answers;
}
