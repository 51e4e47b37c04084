/**
 * `logitscope logprobs`: reads an answer with token probabilities of another program, and shows the effect that settings
 * would have had on each token, with bounds.
 */
import { basename } from 'node:path';
import { inEnglish } from '../engine/errors.js';
import { readRecord } from '../import/logprobs.js';
import { auditRecord } from '../sources/audit.js';
import { boundsOf } from '../sources/bounds.js';
import { positionAt, readsHistory } from '../sources/record-position.js';
import { SEED, UsageError, settingsOf } from './flags.js';
import { readStandardInput, readTextFile } from './read-text.js';
import { printAudit } from './record-audit.js';
import { columns, inLine, percent, printJson, quoted, safe } from './terminal.js';

/** @import { LogprobRecord } from '../import/logprobs.js' */
/** @import { Bounds } from '../sources/bounds.js' */
/** @import { RecordedPosition } from '../sources/record-position.js' */
/** @typedef {{ law: RecordedPosition, bounds: Bounds, entropy: [number, number] }} Reading */

/** Meaning of the recorded numbers, as the first line says it. */
const LAWS = {
  raw: 'probabilities of the model itself, before temperature and cuts',
  warped: 'probabilities that the server drew from: the settings come on top of its own',
  unknown: 'the program does not say if its probabilities are before or after temperature and cuts',
};

/** Alternatives of a line of the table. */
const SHOWN = 3;

/** @param {string} path @param {NodeJS.ReadStream} stdin */
async function readText(path, stdin) {
  try {
    return path === '-' ? await readStandardInput(stdin) : readTextFile(path);
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}

/**
 * Reads every position that has a probability.
 * @param {any} scope
 * @param {LogprobRecord} record
 * @param {Record<string, any>} settings
 * @returns {Promise<(Reading | null)[]>}
 */
async function readPositions(scope, record, settings) {
  const withHistory = readsHistory(scope.table, settings);
  const readings = [];
  for (const at of record.positions.keys()) {
    const law = positionAt(record, at, { settings, withHistory });
    if (!law) {
      readings.push(null);
      continue;
    }
    const { partial, history } = law;
    const raw = await boundsOf(scope, partial, {});
    const bounds = await boundsOf(scope, partial, law.settings, { history, step: at });
    readings.push({ law, bounds, entropy: raw.entropy });
  }
  return readings;
}

/** Surprise of a token in bits. @param {number | null} logprob */
const bitsOf = (logprob) => (logprob === null ? null : Math.max(0, -logprob / Math.LN2));

/** JSON has no infinity. @param {number[]} range */
export const finite = (range) => range.map((x) => (Number.isFinite(x) ? x : null));

/** An interval of numbers as text: one number if both ends print equally. @param {number[]} range @param {(x: number) => string} print */
export function rangeText([low, high], print) {
  const [from, to] = [print(low), high === Infinity ? '…' : print(high)];
  return from === to ? from : `${from} – ${to}`;
}

/** @param {null | string | { maybe: string }} removed */
export const removedText = (removed) =>
  removed === null ? '' : typeof removed === 'string' ? removed : `${removed.maybe}?`;

/** @param {LogprobRecord} record @param {(Reading | null)[]} readings @param {number} shown */
function table(record, readings, shown) {
  const rows = record.positions.map(({ token, prompt, drawn }, at) => {
    const reading = readings[at];
    const bits = bitsOf(token.logprob);
    const head = [
      String(at + 1),
      drawn ? quoted(token.text) : '?',
      bits === null ? '' : bits.toFixed(2),
    ];
    if (!reading) return [...head, '', '', '', prompt ? 'prompt' : ''];
    const { law, bounds, entropy } = reading;
    const mine = law.drawn === null ? null : bounds.tokens[law.drawn];
    const others = law.tokens
      .map((one, i) => ({ one, i }))
      .filter(({ i }) => i !== law.drawn)
      .slice(0, shown)
      .map(({ one, i }) => `${quoted(one.text)} ${rangeText(bounds.tokens[i].p, percent)}`);
    return [
      ...head,
      rangeText(entropy, (x) => x.toFixed(2)),
      mine ? rangeText(mine.p, percent) : '',
      mine ? removedText(mine.removed_by) : '',
      [...(prompt ? ['prompt'] : []), ...others].join('  '),
    ];
  });
  return columns(
    [['', 'token', 'surprise', 'entropy', 'now', 'removed by', 'alternatives now'], ...rows],
    [0, 2, 3],
  );
}

/** Sums over the drawn tokens. @param {LogprobRecord} record @param {(Reading | null)[]} readings */
function summaryOf({ positions }, readings) {
  const drawn = positions
    .map((position, at) => ({ ...position, reading: readings[at] }))
    .filter(({ prompt, token }) => !prompt && token.logprob !== null);
  const surprise =
    drawn.reduce((sum, { token }) => sum - Number(token.logprob), 0) / Math.max(1, drawn.length);
  /** @type {Record<string, { removed: number, maybe: number }>} */
  const stages = {};
  for (const { reading } of drawn) {
    if (!reading) continue;
    for (const { name } of reading.bounds.stages) stages[name] ??= { removed: 0, maybe: 0 };
    const removed =
      reading.law.drawn === null ? null : reading.bounds.tokens[reading.law.drawn].removed_by;
    if (typeof removed === 'string') stages[removed].removed++;
    else if (removed) stages[removed.maybe].maybe++;
  }
  const unbounded = readings.flatMap(
    (one) => one?.bounds.stages.filter(({ bounded }) => !bounded) ?? [],
  );
  return {
    drawn: drawn.length,
    surprise_bits: surprise / Math.LN2,
    stages,
    unbounded: [...new Set(unbounded.map(({ name }) => name))],
  };
}

/** @param {LogprobRecord} record @param {(Reading | null)[]} readings */
const tokensOf = (record, readings) =>
  record.positions.map(({ token, prompt, drawn, half_unit }, at) => {
    const reading = readings[at];
    const of = (/** @type {number} */ i) => ({
      p: /** @type {Reading} */ (reading).bounds.tokens[i].p,
      removed_by: /** @type {Reading} */ (reading).bounds.tokens[i].removed_by,
    });
    return {
      ...token,
      surprise_bits: bitsOf(token.logprob),
      prompt,
      drawn,
      half_unit,
      ...(reading && {
        entropy_bits: finite(reading.entropy),
        now: reading.law.drawn === null ? null : of(reading.law.drawn),
        alternatives: reading.law.tokens.map((one, i) => ({ ...one, ...of(i) })),
        stages: reading.bounds.stages.map((stage) => ({ ...stage, kept: finite(stage.kept) })),
        rest: reading.bounds.rest,
        settled: reading.bounds.settled,
        exact: reading.bounds.exact,
      }),
    };
  });

/** @param {ReturnType<typeof summaryOf>} summary @param {NodeJS.WriteStream} stdout */
function printSummary({ drawn, surprise_bits, stages, unbounded }, stdout) {
  stdout.write(`\n${drawn} drawn tokens, ${surprise_bits.toFixed(3)} bits of surprise each\n`);
  for (const [name, { removed, maybe }] of Object.entries(stages))
    stdout.write(
      unbounded.includes(name)
        ? `${name} has no bounds here: p is between 0 and 1\n`
        : `${name} would have removed ${removed} of them${maybe ? `, and perhaps ${maybe} more` : ''}\n`,
    );
}

/** @type {import('./flags.js').Command} */
export const logprobs = {
  summary: 'read token probabilities of another program, show the effect of settings on them',
  settings: true,
  modelless: true,
  operands: 'FILE, or - for standard input',
  flags: [
    SEED,
    { name: 'vocab_size', kind: 'number', help: 'tokens of the vocabulary, for narrower bounds' },
    {
      name: 'recorded',
      kind: 'text',
      help: 'raw or warped: the law of the recorded numbers (as the program says)',
    },
    { name: 'audit', kind: 'switch', help: 'test if the tokens are draws from these settings' },
    { name: 'alternatives', kind: 'number', help: `alternatives in a line (${SHOWN})` },
  ],
  notes:
    'Bounds hold for every tail of tokens that the program did not list. "top_p?" means that the tail decides.\n',

  check({ operands, recorded, vocab_size, alternatives }) {
    if (operands.length === 0) throw new UsageError('FILE is missing, - is standard input');
    if (operands.length > 1) throw new UsageError('logprobs reads one FILE');
    if (recorded !== undefined && !['raw', 'warped'].includes(recorded))
      throw new UsageError(`--recorded must be raw or warped, got ${JSON.stringify(recorded)}`);
    for (const [name, value, least] of /** @type {[string, any, number][]} */ ([
      ['vocab-size', vocab_size, 1],
      ['alternatives', alternatives, 0],
    ]))
      if (value !== undefined && !(Number.isSafeInteger(value) && value >= least))
        throw new UsageError(`--${name} must be a whole number of at least ${least}, got ${value}`);
  },

  async run(scope, values, { stdin, stdout }, table_) {
    const [path] = values.operands;
    const read = readRecord(await readText(path, stdin), {
      file: path === '-' ? 'standard input' : basename(path),
    });
    const record = {
      ...read,
      raw: values.recorded ?? read.raw,
      vocab_size: values.vocab_size ?? read.vocab_size,
    };
    const settings = settingsOf(values, table_);
    const readings = await readPositions(scope, record, settings);
    const summary = summaryOf(record, readings);
    const audit = values.audit
      ? await auditRecord(record, settings, scope, { seed: values.seed })
      : null;
    const { program, raw, vocab_size, text, notes } = record;
    if (values.json) {
      printJson(stdout, {
        program,
        raw,
        vocab_size,
        text,
        notes: notes.map((note) => ({ ...note, sentence: inEnglish(note) })),
        settings,
        tokens: tokensOf(record, readings),
        summary,
        ...(audit && { audit }),
      });
      return;
    }
    stdout.write(`${program}: ${LAWS[/** @type {keyof typeof LAWS} */ (raw)]}\n`);
    for (const note of notes) stdout.write(`note: ${safe(inLine(inEnglish(note)))}\n`);
    stdout.write(`\n${table(record, readings, values.alternatives ?? SHOWN)}\n`);
    printSummary(summary, stdout);
    if (audit) printAudit(audit, record, stdout);
  },
};
