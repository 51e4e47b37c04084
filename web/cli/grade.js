/**
 * `logitscope grade`: compares a learner's own sampler, or those of a class, with the built-in one.
 */
import { basename } from 'node:path';
import { MODULE_11, casesOf } from '../grade/cases.js';
import { CONVENTIONS, byConvention } from '../grade/convention.js';
import { reason } from '../grade/expect.js';
import { GRADED, grade as gradeSubject, propertyNames } from '../grade/grade.js';
import { scoreOf, total } from '../grade/score.js';
import { shortest } from '../grade/shrink.js';
import { TestedFunction } from '../grade/tested-function.js';
import { isFolder, submissionsIn } from './class.js';
import { UsageError, nearestOf } from './flags.js';
import { checkFile } from './own-sampler.js';
import { KINDS, Submissions, isPython, kindOf } from './submission.js';
import { inLine, printJson, safe } from './terminal.js';
import { LANGUAGES, wordsOf } from './report-labels.js';

const LISTED = 12;
const TIME = 2;
/** Loading large Python libraries takes seconds on a busy machine. */
const LOAD_MS = 20000;
const ALL_TIME = 60;
const MEMORY = 512;
/** The least score at which another course's rule may explain lost points. */
const LEAST = 50;

const NOTES = `FILE is JavaScript (.js, .mjs, .cjs), Python (.py) or a notebook (.ipynb), of which the code cells
are run; DIR holds one for each learner, or a folder for each, and each learner has a row.
Python is --python, else that of the active virtual environment, else the first python3 of PATH; the
report names it. Packages installed for editing (pip install -e) are not seen.
Each runs in a process of its own, its file alone in a temporary folder: an empty environment, limits of
time, of the memory of all its processes together and of their number and, where bwrap or unshare works,
no network, nothing to write to and no more to read than what runs it.
Where neither works, stderr says so, and FILE is trusted as any script is: it can read and write what
you can. --isolated refuses to go on there, and where there is no limit of memory.

A warper, or --as chain (repetition_penalty, temperature, top_k, top_p in this order):
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

What warpers share or lessons leave out (min_tokens_to_keep, repetition_window, dry_base, mirostat_tau
and so on) is asked of a function that reads it from settings.

--as cases: the 43 cases of the Module 11 lesson, of five functions named temperature, top_k, top_p,
repetition_penalty and generate (or top_k_filter, apply_temperature and the like). It may refuse what makes no sense, as the lesson's
functions do, and need not: the marks are the same as by --as temperature,top_k and so on.

The score goes from 0, for a function that does nothing, to 100. --as top_k,top_p=2 counts top_p twice;
--weight exact=3 counts that property three times, --weight top_p.exact=3 that of top_p alone.

--stdio: FILE is a program that itself answers lines of JSON, a warper or chain:
  {"id":1,"call":"load","name":"top_p"}                            {"id":1}
  {"id":2,"call":"warp","logits":[1,"-inf"],"settings":{"top_p":0.9,...},"history":[],"coin":0.4}
                                                                   {"id":2,"result":[1,"-inf"]}

Tokens within 2^-20 of a boundary may go either way. Exit code 0: all holds, or a DIR was graded; 1:
something fails; 2: a wrong argument.
`;

/**
 * A function to grade, with its weight.
 * @typedef {{ as: string, lesson: boolean, weight: number }} Part
 *
 * @typedef {object} Graded
 * @property {string} as
 * @property {boolean} lesson
 * @property {number} weight
 * @property {number} score
 * @property {import('../grade/grade.js').Verdict[]} verdicts
 * @property {{ code?: string, message: string } | null} fault
 * @property {import('../grade/diagnose.js').Fault[]} notes differences that cost no points
 * @property {string} [convention] the rule of another course under which it gets the full score
 * @property {string} [error] the reason why no call could be made
 */

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

/** The weights of properties. @param {string[]} given @returns {Record<string, number>} */
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
 * Refuses a name that no graded function has among its properties.
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

/**
 * The weights that belong to one function.
 * @param {Record<string, number>} weights
 * @param {string} as
 */
const weightsFor = (weights, as) =>
  Object.fromEntries(
    Object.entries(weights).flatMap(([name, weight]) => {
      const [of, property] = name.includes('.') ? name.split('.') : [as, name];
      return of === as ? [[property, weight]] : [];
    }),
  );

/** JSON has no infinities; they become text. @param {unknown} value @returns {any} */
function jsonable(value) {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (ArrayBuffer.isView(value)) return Array.from(/** @type {any} */ (value), jsonable);
  if (Array.isArray(value)) return value.map(jsonable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, jsonable(it)]));
}

/** A cell that no spreadsheet reads as a formula. @param {unknown} value */
function cell(value) {
  const text = safe(String(value)).replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes a report in one language. */
class Report {
  #words;

  /** @param {string} language */
  constructor(language) {
    this.#words = wordsOf(language);
  }

  /** @param {ArrayLike<number>} numbers */
  #list(numbers) {
    const shown = Array.from(numbers).slice(0, LISTED).map(shortest).join(' ');
    const more = numbers.length - LISTED;
    return `[${shown}${more > 0 ? this.#words.more(more) : ''}]`;
  }

  /** @param {any} input */
  #input({ logits, prompt, toy, settings, history, second, step }) {
    const given = Object.entries(settings).map(
      ([name, value]) => `${name} ${JSON.stringify(value)}`,
    );
    const first = logits ? `logits ${this.#list(logits)}` : `prompt_ids ${this.#list(prompt)}`;
    const lines = [first];
    if (given.length) lines.push(given.join(', '));
    if (history?.length) lines.push(`history ${this.#list(history)}`);
    if (step !== undefined) lines.push(`step ${step}`);
    if (second) lines.push(`second ${this.#list(second)}`);
    if (toy) lines.push(`context_length ${toy.context_length}, eos_token_id ${toy.eos_token_id}`);
    return lines.join('; ');
  }

  /** @param {string} as @param {import('../grade/grade.js').Verdict} verdict */
  verdict(as, verdict) {
    const words = this.#words;
    const { holds, input, expected, got } = verdict;
    const rows = [`${holds ? words.holds : words.fails}  ${words.says(as, verdict)}`];
    const why = holds ? null : words.why(verdict);
    if (why) rows.push(`         ${why}`);
    if (input) rows.push(`         ${words.input}${this.#input(input)}`);
    if (expected) rows.push(`         ${words.expected}${this.#list(expected)}`);
    if (got) rows.push(`         ${words.got}${this.#list(got)}`);
    return `${rows.map(inLine).join('\n')}\n`;
  }

  /** @param {{ message: string }} fault */
  fault(fault) {
    return inLine(String(this.#words.why(fault)));
  }

  /** The reason why a function does not have the full score. @param {Graded} graded */
  why({ as, fault, verdicts }) {
    if (fault) return this.fault(fault);
    return verdicts
      .filter(({ holds }) => !holds)
      .map((it) => this.#words.says(as, it))
      .join('; ');
  }

  /**
   * The reasons for lost points: time that ran out, then the fault, else the first property that
   * fails.
   * @param {Graded} graded
   */
  reasons({ as, fault, verdicts, convention }) {
    const { failing, byRule } = this.#words;
    const late = verdicts.find(({ code }) => code === 'late');
    const first = verdicts.find(({ holds, code }) => !holds && code !== 'late');
    const lost = [];
    if (late) lost.push(this.fault(/** @type {any} */ (late)));
    if (fault) lost.push(this.fault(fault));
    else if (first) lost.push(inLine(`${failing}${this.#words.says(as, first)}`));
    if (convention) lost.push(byRule(convention));
    return lost;
  }

  /** The sentence on a function, for a table. @param {Graded} graded */
  remarks(graded) {
    const { as, notes, error } = graded;
    if (error) return [`${as}: ${error}`];
    const said = [...this.reasons(graded), ...notes.map((note) => this.#note(note))];
    return said.map((it) => `${as}: ${it}`);
  }

  /** @param {{ message: string }} note */
  #note(note) {
    return `${this.#words.note}${this.fault(note)}`;
  }

  /** @param {Graded} graded */
  sum(graded) {
    const { as, verdicts, notes, score, error } = graded;
    const passed = verdicts.filter(({ holds }) => holds).length;
    const { sum, points, fault: wrong } = this.#words;
    if (error) return `${as}: ${inLine(error)}, ${points(score)}\n`;
    const found = this.reasons(graded).map((it) => `${wrong}${it}`);
    const said = [...found, ...notes.map((it) => this.#note(it))];
    const named = said.map((it) => `${as}: ${it}\n`).join('');
    const counts = sum(passed, verdicts.length - passed);
    return `${named}${as}: ${counts}${score < 100 ? `, ${points(score)}` : ''}\n`;
  }

  /** @param {number} score */
  points(score) {
    return this.#words.points(score);
  }

  /** @param {{ program: string, version: string }} given */
  python(given) {
    return this.#words.python(given);
  }

  /**
   * The reason why a learner has no submission.
   * @param {{ code: import('./class.js').Unread, what: string }} given
   */
  unread({ code, what }) {
    return this.#words.unread[code](what);
  }
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
      help: `what it is: ${GRADED.slice(-2).join(', ')}, a warper's name, cases, or several with commas`,
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
    { name: 'lang', kind: 'text', help: `language of the report: ${LANGUAGES.join(', ')}` },
  ],
  notes: NOTES,

  check({ operands, as, weight, lang, csv, stdio, convention, ...limits }) {
    const [file, ...more] = operands;
    if (file === undefined) throw new UsageError('FILE is missing');
    if (more.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(more[0])}`);
    checkFile(file, limits.time_limit);
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
    if (stdio && parts.some((it) => it.as === 'generate')) {
      throw new UsageError('--stdio is for warpers and chain: generate needs a model to call');
    }
  },

  async run(engine, values, { stdout, stderr }) {
    const { operands, json, csv, isolated, stdio, python: chosen, lang = 'en' } = values;
    const { time_limit = TIME, total_limit: seconds = ALL_TIME, memory_limit = MEMORY } = values;
    const [path] = operands;
    const rule = /** @type {import('../grade/convention.js').Convention | undefined} */ (
      values.convention
    );
    const parts = partsOf(values.as);
    const weights = weightsOf(values.weight);
    await checkWeights(weights, parts, engine);
    const folder = isFolder(path) ? submissionsIn(path, { stdio }) : null;
    if (folder?.length === 0)
      throw new UsageError(`${JSON.stringify(path)} holds no file ending in ${KINDS.join(', ')}`);
    const report = new Report(lang);
    const submissions = new Submissions(stderr, { memory: memory_limit, stdio, python: chosen });
    const { isolation } = submissions;
    const files = folder ? folder.map(({ file }) => file ?? '') : [path];

    /** Absent from the report if no file is Python. */
    const python = files.some(isPython)
      ? (({ program, version }) => ({ program, version }))(submissions.python)
      : undefined;

    /**
     * @param {TestedFunction} tested
     * @param {Part} part
     * @param {any} by the engine, by a course's rule or its own
     * @param {(verdict: import('../grade/grade.js').Verdict) => void} [onverdict]
     * @returns {Promise<Graded>}
     */
    const gradeBy = async (tested, { as, lesson, weight }, by, onverdict) => {
      /** @type {Graded} */
      const graded = { as, lesson, weight, score: 0, verdicts: [], fault: null, notes: [] };
      if (stdio) tested.close();
      const { error } = await tested.use(as);
      if (error) return { ...graded, error };
      const onfault = (/** @type {any} */ fault) => void (graded.fault = fault);
      const onnotes = (/** @type {any[]} */ notes) => void (graded.notes = notes);
      const given = {
        engine: by,
        tested,
        as,
        lesson,
        seconds,
        onverdict,
        onfault,
        onnotes,
      };
      graded.verdicts = await gradeSubject(given);
      graded.score = scoreOf(graded.verdicts, weightsFor(weights, as));
      return graded;
    };

    /**
     * The rule of another course under which a function has the full score, if no other fault
     * explains the loss.
     * @param {TestedFunction} tested
     * @param {Part} part
     * @param {Graded} usual
     */
    const conventionOf = async (tested, part, { score, fault, error, verdicts }) => {
      const open = !fault || (fault.code !== undefined && fault.code in CONVENTIONS);
      const asked = ['top_k', 'top_p', 'chain', 'generate'].includes(part.as) && !part.lesson;
      const late = verdicts.some(({ code }) => code === 'late');
      if (error || score < LEAST || score === 100 || !open || !asked || late) return undefined;
      const { spent } = tested;
      for (const name of Object.keys(CONVENTIONS)) {
        const by = byConvention(engine, /** @type {any} */ (name));
        const { verdicts: other } = await gradeBy(tested, part, by);
        tested.spent = spent; // these calls are not the learner's
        if (other.length && other.every(({ holds }) => holds)) return name;
      }
      return undefined;
    };

    /**
     * Grades by the usual rules; if these cost points and the course teaches other rules, also by
     * the course's.
     * @param {TestedFunction} tested
     * @param {Part} part
     * @param {(verdict: import('../grade/grade.js').Verdict) => void} [onverdict]
     */
    const gradePart = async (tested, part, onverdict) => {
      if (!rule) {
        const usual = await gradeBy(tested, part, engine, onverdict);
        return { ...usual, convention: await conventionOf(tested, part, usual) };
      }
      const usual = await gradeBy(tested, part, engine);
      const course =
        usual.error || usual.score === 100
          ? usual
          : await gradeBy(tested, part, byConvention(engine, rule));
      const better = course.score > usual.score;
      const found = better ? course : usual;
      if (better) found.notes.push(reason('by_rule', { rule, why: report.why(usual) }));
      for (const verdict of found.verdicts) onverdict?.(verdict);
      return found;
    };

    /**
     * Grades the functions of one file in one process; none is called if the file did not load in
     * time.
     * @param {{ file: string, within?: string }} submission
     * @param {(part: Part) => ((verdict: import('../grade/grade.js').Verdict) => void) | undefined} [onverdict]
     * @param {(graded: Graded) => void} [ongraded]
     */
    const gradeFile = async ({ file, within }, onverdict, ongraded) => {
      const [{ as: first }] = parts;
      const [limit, total] = [1000 * time_limit, 1000 * seconds];
      const start = submissions.start(file, within);
      const tested = new TestedFunction(start, first, limit, parts.length > 1, total, LOAD_MS);
      /** @type {Graded[]} */
      const all = [];
      try {
        for (const part of parts) {
          const { as, lesson, weight } = part;
          /** @type {Graded} */
          let graded = { as, lesson, weight, score: 0, verdicts: [], fault: null, notes: [] };
          const hung = all.find(({ error }) => error && tested.stuck);
          try {
            graded = hung
              ? { ...graded, error: hung.error }
              : await gradePart(tested, part, onverdict?.(part));
          } catch (error) {
            // No error of one submission stops the grading of the next.
            if (error instanceof UsageError) throw error;
            graded.error = String(error);
          }
          all.push(graded);
          ongraded?.(graded);
        }
      } finally {
        tested.close();
      }
      return all;
    };

    /** @param {Graded} graded */
    const plain = (graded) => {
      const { as, lesson, weight, score, verdicts, fault, notes, error } = graded;
      const failed = verdicts.filter(({ holds }) => !holds).length;
      const of = { as, ...(lesson && { cases: true }), weight, score };
      const counts = { passed: verdicts.length - failed, failed };
      const reasons = report.reasons(graded);
      const more = { fault, reasons, notes, ...(error && { error }) };
      return { ...of, ...counts, ...more, properties: jsonable(verdicts) };
    };

    /** @param {import('./class.js').Submitted[]} all */
    const gradeAll = async (all) => {
      const rows = [];
      const names = parts.map(({ as, lesson }) => (lesson ? `cases:${as}` : as));
      if (csv) stdout.write(`${['file', 'score', ...names, 'faults'].map(cell).join(',')}\n`);
      for (const { name, file, within, unread } of all) {
        const graded = file ? await gradeFile({ file, within }) : [];
        const score = total(graded);
        const reason = unread && report.unread(unread);
        const found = graded.flatMap((it) => report.remarks(it));
        const faults = reason ? [reason] : found;
        const cells = [name, score, ...parts.map((_, i) => graded[i]?.score ?? 0)];
        if (csv) stdout.write(`${[...cells, faults.join('; ')].map(cell).join(',')}\n`);
        else if (!json) stdout.write(`${inLine(name)}: ${report.points(score)}\n`);
        if (!csv && !json) for (const fault of faults) stdout.write(`  ${inLine(fault)}\n`);
        rows.push({
          file: name,
          score,
          ...(reason && { error: reason }),
          functions: graded.map(plain),
        });
      }
      if (json && !csv) printJson(stdout, { isolation, python, submissions: rows });
      return 0;
    };

    /** @param {string} file */
    const gradeOne = async (file) => {
      const onverdict =
        (/** @type {Part} */ { as }) =>
        (/** @type {any} */ verdict) =>
          void stdout.write(report.verdict(as, verdict));
      const ongraded = (/** @type {Graded} */ graded) => {
        if (graded.error && parts.length === 1) {
          throw new UsageError(`${JSON.stringify(file)} cannot be graded: ${graded.error}`);
        }
        if (!json) stdout.write(report.sum(graded));
      };
      const all = await gradeFile({ file }, json ? undefined : onverdict, ongraded);
      const score = total(all);
      if (json) {
        const [first] = all.map(plain);
        const sum = (/** @type {'passed' | 'failed'} */ name) =>
          all.map(plain).reduce((count, it) => count + it[name], 0);
        const whole = { file, as: parts.map(({ as }) => as), score, isolation, python };
        const counts = { passed: sum('passed'), failed: sum('failed') };
        if (all.length > 1) printJson(stdout, { ...whole, ...counts, functions: all.map(plain) });
        else printJson(stdout, { file, isolation, python, ...first });
      } else if (parts.length > 1) {
        stdout.write(`${basename(file)}: ${report.points(score)}\n`);
      }
      return all.every(({ error, verdicts }) => !error && verdicts.every(({ holds }) => holds))
        ? 0
        : 1;
    };

    try {
      /** @type {[why: string, so: string][]} */
      const lacks = [];
      if (!isolation)
        lacks.push([
          'neither bwrap nor unshare works here',
          'what is graded can read, write and send what you can',
        ]);
      if (!submissions.bounded)
        lacks.push([
          'processes cannot be watched here',
          'the memory of a submission as a whole has no limit',
        ]);
      if (isolated && lacks.length)
        throw new UsageError(`--isolated: ${lacks.map(([why]) => why).join('; ')}`);
      for (const [why, so] of lacks) stderr.write(`logitscope: ${why}: ${so}\n`);
      const named = python && `${inLine(report.python(python))}\n`;
      if (named && csv) stderr.write(`logitscope: ${named}`);
      else if (named && !json) stdout.write(named);
      return await (folder ? gradeAll(folder) : gradeOne(path));
    } finally {
      submissions.close();
    }
  },
};
