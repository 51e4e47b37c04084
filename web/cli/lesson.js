/**
 * `logitscope lesson check FILE` checks a lesson and prints a sentence for each fault. `lesson answers FILE` prints
 * its answers.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inEnglish } from '../lessons/faults.js';
import { questionIds, readLesson } from '../lessons/lesson-file.js';
import { LESSON_LANGUAGES, SHIPPED, lessonFile } from '../lessons/shipped.js';
import { UsageError } from './flags.js';
import { answerSheet, computeAnswers } from './lesson-answers.js';
import { readTextFile } from './read-text.js';
import { inLine, printJson } from './terminal.js';
import { WORKERS, checkWorkers, crowdOf } from './workers.js';

const NOTES = `FILE is JSON, or Markdown: words between two lines of ---, ## for each part, and fenced blocks
named figure and question with a "name: value" a line. docs/teaching.md shows both. A shipped
lesson is named too: ${SHIPPED.join(', ')}.

check   says what is wrong with it, one sentence a fault
answers writes what is right and what each typical wrong answer is, as the engine computes them

Exit code 0: it is a lesson; 2: it has faults, or a wrong argument.
`;

/** Returns the path of a shipped lesson, or the given path. @param {string} name @param {string} language */
function fileOf(name, language) {
  if (existsSync(name) || !SHIPPED.includes(name)) return name;
  return fileURLToPath(new URL(`../${lessonFile(name, language)}`, import.meta.url));
}

/** @param {string} file */
function readText(file) {
  try {
    return readTextFile(file);
  } catch (error) {
    throw new UsageError(`FILE: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {number} n */
const questionCount = (n) => `${n} ${n === 1 ? 'question' : 'questions'}`;

/** @type {import('./flags.js').Command} */
export const lesson = {
  summary: 'check a lesson of your own, or write its answer sheet',
  settings: false,
  modelless: true,
  operands: 'check|answers FILE',
  flags: [
    { name: 'lang', kind: 'text', help: `answers in ${LESSON_LANGUAGES.join(' or ')} (en)` },
    WORKERS,
  ],
  notes: NOTES,

  check({ operands: [verb, file, more], lang = 'en', workers }) {
    checkWorkers({ workers });
    if (verb === undefined) throw new UsageError('check or answers is missing');
    if (verb !== 'check' && verb !== 'answers')
      throw new UsageError(`lesson knows check and answers, got ${JSON.stringify(verb ?? '')}`);
    if (file === undefined) throw new UsageError('FILE is missing');
    if (more !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(more)}`);
    if (!LESSON_LANGUAGES.includes(lang))
      throw new UsageError(
        `--lang must be ${LESSON_LANGUAGES.join(' or ')}, got ${JSON.stringify(lang)}`,
      );
  },

  async run(_, { operands: [verb, name], json, lang = 'en', workers }, { stdout, stderr }, table) {
    const file = fileOf(name, lang);
    const { lesson: read, faults } = readLesson(readText(file), table);
    const told = faults.map((fault) => ({ ...fault, message: inEnglish(fault) }));
    for (const { message } of told) stderr.write(`logitscope: ${inLine(message)}\n`);
    if (read && verb === 'answers') {
      const answers = await computeAnswers(read, file, crowdOf({ workers }));
      if (json) printJson(stdout, answers.map(withoutText));
      else stdout.write(await answerSheet(read, answers, lang));
      return 0;
    }
    const questions = read ? questionIds(read) : [];
    if (json) printJson(stdout, { file, valid: read !== null, questions, faults: told });
    else if (read) stdout.write(`${read.title}: ${questionCount(questions.length)}, no fault\n`);
    return read ? 0 : 2;
  },
};

/** @param {import('../lessons/answers.js').Answer} answer */
const withoutText = ({ question: { id, kind }, truth, begin, wrong }) => ({
  id,
  kind,
  truth,
  begin,
  wrong,
});
