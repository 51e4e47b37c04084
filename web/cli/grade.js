/** `logitscope grade`: compares functions that a learner or a class has written with the engine. */
import { basename, resolve } from 'node:path';
import { MODULE_11, casesOf } from '../grade/cases.js';
import { CONVENTIONS } from '../grade/convention.js';
import { GRADED, propertyNames } from '../grade/grade.js';
import { total } from '../grade/score.js';
import { isFolder, submissionOf, submissionsIn } from './class.js';
import { UsageError, nearestOf } from './flags.js';
import { Report, cell } from './grade-report.js';
import { Grader, LOAD_MS } from './grader.js';
import { checkFile } from './own-sampler.js';
import { LANGUAGES } from './report-labels.js';
import { KINDS, Submissions, isPython, kindOf } from './submission.js';
import { inLine, printJson } from './terminal.js';
import { checkWorkers, crowdOf, inOrder } from './workers.js';

/** @typedef {import('./grader.js').Part} Part */

const TIME = 2;
const ALL_TIME = 60;
const MEMORY = 512;
const NOTES = `FILE is JavaScript (.js, .mjs, .cjs), Python (.py) or a notebook (.ipynb), of which the code cells
are run; DIR holds one for each learner, or a folder for each, and each learner has a row.
Python is --python, else that of the active virtual environment, else the first python3 of PATH; the
report names it. Packages installed for editing (pip install -e) are not seen.
Each runs in a process of its own, its file alone in a temporary folder: an empty environment, limits of
time, of the memory of all its processes together and of their number and, where bwrap or unshare works,
no network, nothing to write to and no more to read than what runs it.
Where neither works, stderr says so, and FILE is trusted as any script is: it can read and write what
you can. --isolated refuses to go on there, and where there is no limit of memory.

A sampler, or --as chain (repetition_penalty, temperature, top_k, top_p in this order):
  export default function top_p(logits, settings, { history }) { ...; return logits; }
  def top_p(logits, settings, history): ...
logits is a Float32Array, a removed token -Infinity; settings.top_p and so on are the settings, history
the ids so far, and beside it stand step, how many tokens are drawn, coin, the number in [0, 1) that XTC
tosses, second, the logits of the second distribution that guidance_scale and contrastive_beta read, and
bits, the 32 bits that the watermarks' hash gives each token, null while the history is too short. What it
returns has one number for each token; what it was given stays as it is.
In Python arguments are given by the names of the parameters: def top_k_filter(logits, k),
def apply_repetition_penalty(logits, token_ids, penalty). Logits are a list; in a file that imports NumPy
an array, in one that imports torch a tensor, and there ids are a tensor too. An annotation says otherwise
(logits: np.ndarray, token_ids: list[int]). A function that takes no (V,) is given a batch of one, (1, V).

--as generate:
  export default function generate(model, prompt_ids, settings, { rng }) { ...; return ids; }
  def generate(model, prompt_ids, settings, rng): ...
model.logits(ids) gives a list of rows, one for each position, and takes model.context_length ids at
most; model.eos_token_id ends a text, and is part of it. settings: temperature, top_k, top_p,
repetition_penalty, seed, max_new_tokens. rng(seed) gives a function that gives the next u in [0, 1);
the draw takes, from the most to the least probable token (lower id first where equal), the first
whose cumulative mass is above u. The ids returned are without the prompt, and
prompt_ids stays as it is.

In Python also as courses have it: model(ids) gives logits for each position, (1, T, V) for a tensor
(1, T), and has context_length, max_seq_len, block_size and eos_token_id; ids may be a tensor; seed,
generator, eos_id, block_size and the like are given by name; the prompt may be returned too. Draws of
torch, NumPy and random take the same u: torch.multinomial, rng.choice, random.choices. A loop may be
handed a sampler, or a strategy made of its classes: sample(model, prompt, max_tokens, seed, strategy)
with Greedy, Temperature, TopK, TopP. What its parameters have no word for is not asked, and named.

--convention NAME is for a course that teaches another rule, which then costs nothing and is named:
${Object.entries(CONVENTIONS)
  .map(([name, says]) => `  ${name.padEnd(12)} ${says}`)
  .join('\n')}

What samplers share or lessons leave out (min_tokens_to_keep, repetition_window, dry_base, mirostat_tau
and so on) is asked of a function that reads it from settings.

--as cases: the 43 cases of the Module 11 lesson, of five functions named temperature, top_k, top_p,
repetition_penalty and generate (or top_k_filter, apply_temperature and the like). It may refuse what makes no sense, as the lesson's
functions do, and need not: the marks are the same as by --as temperature,top_k and so on.

The score goes from 0, for a function that does nothing, to 100. --as top_k,top_p=2 counts top_p twice;
--weight exact=3 counts that property three times, --weight top_p.exact=3 that of top_p alone.

--stdio: FILE is a program that itself answers lines of JSON, a sampler or chain:
  {"id":1,"call":"load","name":"top_p"}                            {"id":1}
  {"id":2,"call":"warp","logits":[1,"-inf"],"settings":{"top_p":0.9,...},"history":[],"coin":0.4}
                                                                   {"id":2,"result":[1,"-inf"]}

Tokens within 2^-20 of a boundary may go either way. Exit code 0: all holds, or a DIR was graded; 1:
something fails; 2: a wrong argument.
`;

/** @param {string} given @returns {Part[]} */
function partsOf(given) {
  return given.split(',').flatMap((word) => partsIn(word));
}

/** @param {string} word NAME or NAME=WEIGHT @returns {Part[]} */
function partsIn(word) {
  const [written, number] = word.trim().split('=');
  const as = written.replaceAll('-', '_');
  const weight = number === undefined ? 1 : Number(number);
  if (!(weight > 0 && weight < Infinity)) {
    throw new UsageError(`--as ${JSON.stringify(word)}: a weight must be a number above 0`);
  }
  if (as === 'cases') {
    const counts = MODULE_11.map((name) => casesOf(name).length);
    const all = counts.reduce((a, b) => a + b);
    return MODULE_11.map((name, i) => ({
      as: name,
      lesson: true,
      weight: (weight * counts[i]) / all,
    }));
  }
  if (GRADED.includes(as)) return [{ as, lesson: false, weight }];
  const known = [...GRADED, 'cases'];
  throw new UsageError(
    `--as ${JSON.stringify(written)} is unknown${nearestOf(written, known, ', known are ')}`,
  );
}

/** Returns the weights of properties from --weights. @param {string[]} given @returns {Record<string, number>} */
function weightsOf(given = []) {
  return Object.fromEntries(
    given.map((text) => {
      const [, name, number] = /^([\w.]+)=(\d+\.?\d*)$/.exec(text) ?? [];
      if (name === undefined) {
        throw new UsageError(`--weight must be NAME=NUMBER, got ${JSON.stringify(text)}`);
      }
      return [name, Number(number)];
    }),
  );
}

/**
 * Throws if a weight names a property that no graded function has.
 * @param {Record<string, number>} weights
 * @param {Part[]} parts
 * @param {any} engine
 */
async function checkWeights(weights, parts, engine) {
  if (Object.keys(weights).length === 0) return;
  const known = await Promise.all(
    parts.map(async ({ as, lesson }) =>
      (await propertyNames(as, engine, lesson)).flatMap((name) => [name, `${as}.${name}`]),
    ),
  );
  const names = new Set(known.flat());
  for (const name of Object.keys(weights)) {
    if (names.has(name)) continue;
    const short = [...names].filter((it) => !it.includes('.'));
    throw new UsageError(
      `--weight names no property ${JSON.stringify(name)}${nearestOf(name, short, ', known are ')}`,
    );
  }
}

/** Keeps the text that a submission prints until its learner's turn. */
class Printer {
  #stderr;
  #kept = '';
  #open = false;

  /** @param {NodeJS.WritableStream} stderr */
  constructor(stderr) {
    this.#stderr = stderr;
  }

  /** @param {string} text */
  write(text) {
    if (this.#open) this.#stderr.write(text);
    else this.#kept += text;
  }

  flush() {
    this.#stderr.write(this.#kept);
    this.#open = true;
  }
}

/**
 * Grades a class and prints a row for each learner.
 * @param {Grader} grader
 * @param {import('./class.js').Submitted[]} learners
 * @param {{ parts: Part[], report: Report, stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream,
 *   lanes: number, csv?: boolean, json?: boolean }} how lanes: number of learners graded at once
 * @returns {Promise<object[]>} the rows
 */
async function gradeClass(grader, learners, { parts, report, stdout, stderr, lanes, csv, json }) {
  const rows = [];
  const names = parts.map(({ as, lesson }) => (lesson ? `cases:${as}` : as));
  if (csv) stdout.write(`${['file', 'score', ...names, 'faults'].map(cell).join(',')}\n`);
  const gradeOne = async (/** @type {import('./class.js').Submitted} */ learner) => {
    const { file, within } = learner;
    const printer = new Printer(stderr);
    const graded = file ? await grader.grade({ file, within }, { printer }) : [];
    return { ...learner, graded, printer };
  };
  for await (const { name, unread, graded, printer } of inOrder(learners, lanes, gradeOne)) {
    printer.flush();
    const score = total(graded);
    const error = unread && report.unread(unread);
    const faults = error ? [error] : graded.flatMap((it) => report.remarks(it));
    const cells = [name, score, ...parts.map((_, i) => graded[i]?.score ?? 0)];
    if (csv) stdout.write(`${[...cells, faults.join('; ')].map(cell).join(',')}\n`);
    else if (!json) stdout.write(`${inLine(name)}: ${report.points(score)}\n`);
    if (!csv && !json) for (const fault of faults) stdout.write(`  ${inLine(fault)}\n`);
    const functions = graded.map((it) => report.json(it));
    rows.push({ file: name, score, ...(error && { error }), functions });
  }
  return rows;
}

/**
 * Grades one file and prints its report, unless JSON is wanted.
 * @param {Grader} grader
 * @param {string} file
 * @param {{ parts: Part[], report: Report, stdout: NodeJS.WritableStream, json?: boolean }} how
 */
function gradeFile(grader, file, { parts, report, stdout, json }) {
  const onverdict =
    (/** @type {Part} */ { as }) =>
    (/** @type {any} */ verdict) =>
      void stdout.write(report.verdict(as, verdict));
  const ongraded = (/** @type {import('./grader.js').Graded} */ graded) => {
    if (graded.error && parts.length === 1) {
      throw new UsageError(`${JSON.stringify(file)} cannot be graded: ${graded.error}`);
    }
    if (!json) stdout.write(report.sum(graded));
  };
  return grader.grade({ file }, { onverdict: json ? undefined : onverdict, ongraded });
}

/**
 * Returns the report of a file as data for JSON.
 * @param {string} file
 * @param {import('./grader.js').Graded[]} all
 * @param {Report} report
 * @param {{ isolation: string | null, python?: object }} where
 */
function fileJson(file, all, report, { isolation, python }) {
  const functions = all.map((it) => report.json(it));
  if (all.length === 1) return { file, isolation, python, ...functions[0] };
  const sum = (/** @type {'passed' | 'failed'} */ name) =>
    functions.reduce((count, it) => count + it[name], 0);
  const whole = { file, as: all.map(({ as }) => as), score: total(all), isolation, python };
  return { ...whole, passed: sum('passed'), failed: sum('failed'), functions };
}

/**
 * Warns if submissions cannot be isolated or limited. If `isolated` is true, throws instead.
 * @param {Submissions} submissions
 * @param {boolean | undefined} isolated
 * @param {NodeJS.WritableStream} stderr
 */
function warnOfLimits(submissions, isolated, stderr) {
  /** @type {[why: string, so: string][]} */
  const lacks = [];
  if (!submissions.isolation)
    lacks.push([
      'neither bwrap nor unshare works here',
      'a submission can read, write and send everything that you can',
    ]);
  if (!submissions.bounded)
    lacks.push([
      'processes cannot be watched here',
      'the memory of a submission as a whole has no limit',
    ]);
  if (isolated && lacks.length)
    throw new UsageError(`--isolated: ${lacks.map(([why]) => why).join('; ')}`);
  for (const [why, so] of lacks) stderr.write(`logitscope: ${why}: ${so}\n`);
}

/** @type {import('./flags.js').Command} */
export const grade = {
  summary: 'check a sampler of your own against the built-in one',
  settings: false,
  modelless: true,
  operands: 'FILE|DIR',
  flags: [
    {
      name: 'as',
      kind: 'text',
      help: `what it is: ${GRADED.slice(-2).join(', ')}, a sampler's name, cases, or several with commas`,
    },
    {
      name: 'convention',
      kind: 'text',
      help: `the rule of a course that teaches another: ${Object.keys(CONVENTIONS).join(', ')}`,
    },
    {
      name: 'weight',
      kind: 'texts',
      help: 'PROPERTY=NUMBER: what it counts, by its name in --json; may be repeated',
    },
    {
      name: 'time_limit',
      kind: 'number',
      help: `seconds that one call may take (${TIME}); loading the file may take ${LOAD_MS / 1000}`,
    },
    {
      name: 'total_limit',
      kind: 'number',
      help: `seconds that a submission may take, loading included (${ALL_TIME})`,
    },
    {
      name: 'memory_limit',
      kind: 'number',
      help: `MB that all its processes may hold together (${MEMORY})`,
    },
    {
      name: 'isolated',
      kind: 'switch',
      help: 'refuse to go on without bwrap or unshare, or a limit of memory',
    },
    {
      name: 'python',
      kind: 'text',
      help: 'the program that runs Python (that of $VIRTUAL_ENV or PATH)',
    },
    { name: 'stdio', kind: 'switch', help: 'FILE is a program that answers lines of JSON' },
    { name: 'csv', kind: 'switch', help: 'of DIR: a table, a row for each learner' },
    {
      name: 'gradescope',
      kind: 'switch',
      help: "of FILE, or of DIR as one learner's folder: results.json of Gradescope, of 100 points",
    },
    {
      name: 'workers',
      kind: 'number',
      help: 'of DIR: learners graded at once; no row depends on it (all cores)',
    },
    { name: 'lang', kind: 'text', help: `language of the report: ${LANGUAGES.join(', ')}` },
  ],
  notes: NOTES,

  check({ operands, as, weight, lang, csv, json, gradescope, stdio, convention, ...limits }) {
    const [file, ...more] = operands;
    if (file === undefined) throw new UsageError('FILE is missing');
    if (more.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(more[0])}`);
    checkFile(file, limits.time_limit);
    checkWorkers(limits);
    for (const name of ['total_limit', 'memory_limit']) {
      const least = name === 'memory_limit' ? 64 : 1;
      const value = limits[name] ?? least;
      if (!(value >= least && value <= 1e5)) {
        const flag = `--${name.replace('_', '-')}`;
        throw new UsageError(`${flag} must be from ${least} to 100000, got ${value}`);
      }
    }
    if (as === undefined) {
      throw new UsageError(`--as is missing: one of ${[...GRADED, 'cases'].join(', ')}`);
    }
    const parts = partsOf(as);
    weightsOf(weight);
    if (lang !== undefined && !LANGUAGES.includes(lang)) {
      throw new UsageError(`--lang must be one of ${LANGUAGES.join(', ')}, got ${lang}`);
    }
    const rules = Object.keys(CONVENTIONS);
    if (convention !== undefined && !rules.includes(convention)) {
      throw new UsageError(`--convention must be one of ${rules.join(', ')}, got ${convention}`);
    }
    if (!stdio && !isFolder(file) && !KINDS.includes(kindOf(file))) {
      throw new UsageError(`${JSON.stringify(file)} must end in one of ${KINDS.join(', ')}`);
    }
    if (csv && !isFolder(file)) throw new UsageError('--csv needs a DIR');
    if (gradescope && (csv || json)) {
      throw new UsageError(`--gradescope and --${csv ? 'csv' : 'json'} exclude each other`);
    }
    if (stdio && parts.some((it) => it.as === 'generate')) {
      throw new UsageError('--stdio is for samplers and chain: generate needs a model to call');
    }
  },

  async run(engine, values, { stdout, stderr }) {
    const { operands, json, csv, gradescope, isolated, stdio, lang = 'en' } = values;
    const { time_limit: time = TIME, total_limit: seconds = ALL_TIME } = values;
    const [path] = operands;
    const parts = partsOf(values.as);
    const weights = weightsOf(values.weight);
    await checkWeights(weights, parts, engine);
    const learners = !isFolder(path)
      ? null
      : gradescope
        ? [submissionOf(basename(path), resolve(path), { stdio })]
        : submissionsIn(path, { stdio });
    if (learners?.length === 0)
      throw new UsageError(`${JSON.stringify(path)} holds no file ending in ${KINDS.join(', ')}`);
    const report = new Report(lang);
    const memory = values.memory_limit ?? MEMORY;
    const submissions = new Submissions(stderr, { memory, stdio, python: values.python });
    const { isolation } = submissions;
    const files = learners ? learners.map(({ file }) => file ?? '') : [path];

    /** Only if a file is Python. */
    const python = files.some(isPython)
      ? (({ program, version }) => ({ program, version }))(submissions.python)
      : undefined;
    const why = (/** @type {import('./grader.js').Graded} */ graded) => report.why(graded);
    const rule = values.convention;
    const options = { parts, weights, time, seconds, rule, stdio, why };
    const grader = new Grader(engine, submissions, options);
    // Each submission may hold the memory of its limit.
    const crowd = crowdOf(values);
    const most = Math.max(1, Math.floor(crowd.memory / (memory * 2 ** 20)));
    const lanes = Math.min(crowd.workers, most);
    const how = { parts, report, stdout, stderr, lanes, csv, json };
    try {
      warnOfLimits(submissions, isolated, stderr);
      if (gradescope) {
        const [{ file, within, unread }] = learners ?? [{ file: path }];
        printJson(
          stdout,
          report.gradescope(file ? await grader.grade({ file, within }) : [], unread),
        );
        return 0;
      }
      const named = python && `${inLine(report.python(python))}\n`;
      if (named && csv) stderr.write(`logitscope: ${named}`);
      else if (named && !json) stdout.write(named);
      if (learners) {
        const rows = await gradeClass(grader, learners, how);
        if (json && !csv) printJson(stdout, { isolation, python, submissions: rows });
        return 0;
      }
      const all = await gradeFile(grader, path, how);
      if (json) printJson(stdout, fileJson(path, all, report, { isolation, python }));
      else if (parts.length > 1) stdout.write(`${basename(path)}: ${report.points(total(all))}\n`);
      const holds = all.every(({ error, verdicts }) => !error && verdicts.every((it) => it.holds));
      return holds ? 0 : 1;
    } finally {
      submissions.close();
    }
  },
};
