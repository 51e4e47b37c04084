/** `logitscope grade`: a learner's own sampler against what holds for the built-in one. */
import { GRADED, grade as gradeSubject } from '../grade/grade.js';
import { shortest } from '../grade/shrink.js';
import { Subject } from '../grade/subject.js';
import { UsageError, nearestOf } from './flags.js';
import { checkFile, inThread } from './own-sampler.js';
import { inLine, printJson } from './terminal.js';

const LISTED = 12;

const NOTES = `FILE is run in a thread of its own with a time limit, but it is trusted as any script is: it can
read and write what you can.

A warper, or --as chain (repetition_penalty, temperature, top_k, top_p in this order):
  export default function top_p(logits, settings, { history }) { ...; return logits; }
logits is a Float32Array, a removed token -Infinity; settings.top_p and so on are the settings, history
the ids so far, coin (beside history) the number in [0, 1) that XTC tosses. What it returns has one number for each token; what it was given stays as it is.

--as generate:
  export default function generate(model, prompt_ids, settings, { rng }) { ...; return ids; }
model.logits(ids) gives a list of rows, one for each position, and takes model.context_length ids at
most; model.eos_token_id ends a text, and is part of it. settings: temperature, top_k, top_p,
repetition_penalty, seed, max_new_tokens. rng(seed) gives a function that gives the next u in [0, 1);
the draw takes, from the most to the least probable token (lower id first where equal), the first
whose cumulative mass is above u. The ids returned are without the prompt.

What warpers share or lessons leave out (min_tokens_to_keep, repetition_window, dry_base, mirostat_tau
and so on) is asked of a function that reads it from settings.

Tokens within 2^-20 of a boundary may go either way. Exit code 0: all holds; 1: something fails;
2: a wrong argument.
`;

/** @param {ArrayLike<number>} numbers */
function list(numbers) {
  const shown = Array.from(numbers).slice(0, LISTED).map(shortest).join(' ');
  const more = numbers.length - LISTED;
  return `[${shown}${more > 0 ? ` and ${more} more` : ''}]`;
}

/** @param {any} input */
function inputLines({ logits, prompt, toy, settings, history }) {
  const given = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const lines = logits ? [`logits ${list(logits)}`] : [`prompt_ids ${list(prompt)}`];
  if (given.length) lines.push(given.join(', '));
  if (history?.length) lines.push(`history ${list(history)}`);
  if (toy) lines.push(`context_length ${toy.context_length}, eos_token_id ${toy.eos_token_id}`);
  return lines.join('; ');
}

/** @param {import('../grade/grade.js').Verdict} verdict */
function verdictLines({ says, holds, message, input, expected, got }) {
  const rows = [`${holds ? 'holds' : 'FAILS'}  ${says}`];
  if (message) rows.push(`         ${message}`);
  if (input) rows.push(`         smallest input: ${inputLines(input)}`);
  if (expected) rows.push(`         expected ${list(expected)}`);
  if (got) rows.push(`         got      ${list(got)}`);
  return `${rows.map(inLine).join('\n')}\n`;
}

/** JSON has no infinities: they are written as text. @param {unknown} value @returns {any} */
function jsonable(value) {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (ArrayBuffer.isView(value)) return Array.from(/** @type {any} */ (value), jsonable);
  if (Array.isArray(value)) return value.map(jsonable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, jsonable(it)]));
}

/** @type {import('./flags.js').Command} */
export const grade = {
  summary: 'check a sampler of your own against the built-in one',
  settings: false,
  modelless: true,
  operands: 'FILE',
  flags: [
    {
      name: 'as',
      kind: 'text',
      help: `what it is: ${GRADED.slice(-2).join(', ')} or a warper's name`,
    },
    { name: 'time_limit', kind: 'number', help: 'seconds that one call may take (2)' },
  ],
  notes: NOTES,

  check({ operands, as, time_limit: limit }) {
    const [file, ...more] = operands;
    if (file === undefined) throw new UsageError('FILE is missing');
    if (more.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(more[0])}`);
    checkFile(file, limit);
    if (as === undefined) throw new UsageError(`--as is missing: one of ${GRADED.join(', ')}`);
    if (!GRADED.includes(as.replaceAll('-', '_'))) {
      throw new UsageError(
        `--as ${JSON.stringify(as)} is unknown${nearestOf(as, GRADED, ', known are ')}`,
      );
    }
  },

  async run(
    engine,
    { operands: [file], as: given, time_limit: limit = 2, json },
    { stdout, stderr },
  ) {
    const as = given.replaceAll('-', '_');
    const subject = new Subject(inThread(file, stderr), as, 1000 * limit);
    const { error } = await subject.load();
    if (error) {
      subject.close();
      throw new UsageError(`${JSON.stringify(file)} cannot be graded: ${error}`);
    }
    const verdicts = await gradeSubject({
      engine,
      subject,
      as,
      onverdict: json ? undefined : (verdict) => void stdout.write(verdictLines(verdict)),
    });
    subject.close();
    const failed = verdicts.filter(({ holds }) => !holds).length;
    const passed = verdicts.length - failed;
    if (json) printJson(stdout, { file, as, passed, failed, properties: jsonable(verdicts) });
    else stdout.write(`${as}: ${passed} hold, ${failed} fail\n`);
    return failed ? 1 : 0;
  },
};
