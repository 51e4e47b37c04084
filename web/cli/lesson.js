/** `logitscope lesson check FILE`: whether a lesson is of its form, one sentence a fault. */
import { readFileSync } from 'node:fs';
import { inEnglish } from '../lessons/faults.js';
import { questionIds, readLesson } from '../lessons/lesson-file.js';
import { UsageError } from './flags.js';
import { inLine, printJson } from './terminal.js';

const NOTES = `FILE is JSON, or Markdown: words between two lines of ---, ## for each part, and fenced blocks
named figure and question with a "name: value" a line. web/lessons/README.md shows both.

Exit code 0: it is a lesson; 2: it has faults, or a wrong argument.
`;

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`FILE: ${/** @type {Error} */ (error).message}`);
  }
}

/** @type {import('./flags.js').Command} */
export const lesson = {
  summary: 'check a lesson of your own',
  settings: false,
  modelless: true,
  operands: 'check FILE',
  flags: [],
  notes: NOTES,

  check({ operands: [verb, file, more] }) {
    if (verb !== 'check')
      throw new UsageError(`lesson knows check, got ${JSON.stringify(verb ?? '')}`);
    if (file === undefined) throw new UsageError('FILE is missing');
    if (more !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(more)}`);
  },

  run(_, { operands: [, file], json }, { stdout, stderr }, table) {
    const { lesson: read, faults } = readLesson(readText(file), table);
    const told = faults.map((fault) => ({ ...fault, message: inEnglish(fault) }));
    const questions = read ? questionIds(read) : [];
    if (json) printJson(stdout, { file, valid: read !== null, questions, faults: told });
    for (const { message } of told) stderr.write(`logitscope: ${inLine(message)}\n`);
    if (read && !json) stdout.write(`${read.title}: ${questions.length} questions, no fault\n`);
    return read ? 0 : 2;
  },
};
