/**
 * `logitscope compare`: writes texts with several strategies from one prompt and the same random numbers, and prints
 * numbers about them.
 */
import { coldPair, divergence, gapsOf, spreadOf } from '../engine/compare.js';
import { writeAll } from '../engine/crowd.js';
import { nameOf, suites } from '../engine/suites.js';
import {
  GRAMMAR,
  MAX_NEW_TOKENS,
  PROMPTS,
  SEED,
  UsageError,
  checkBeside,
  needPrompt,
  nearestOf,
} from './flags.js';
import { HELD_OUT, compareHeldOut } from './held-out.js';
import { SERVER, faultOf, isStopped } from './server.js';
import { columns, inLine, percent, printJson, quoted, say } from './terminal.js';
import { wholeNumber } from './documents.js';
import { judge, readGrammar, verdictLine } from './verdict.js';
import { WORKERS, checkWorkers, crowdOf } from './workers.js';

/** @import { Strategy } from '../engine/compare.js' */

const MOST = 9;

/** @type {import('./flags.js').Flag[]} */
const CHOICE = [
  { name: 'suite', kind: 'text', help: `${suites.map(({ name }) => name).join(', ')} (nine)` },
  {
    name: 'strategy',
    kind: 'texts',
    help:
      'settings such as temperature=0.7,top_p=0.9 in place of a suite, or a search: beam_width=4 ' +
      'or alpha=0.6,k=4; two to nine times',
  },
  {
    name: 'settings_of',
    kind: 'texts',
    help:
      'a file with the settings of another program, - for standard input: a strategy in place of ' +
      'a suite; one alone stands beside the plain model',
  },
  { name: 'samples', kind: 'number', help: 'texts of each strategy, of seeds that follow (1)' },
];

/** @param {string} text NAME=VALUE,NAME=VALUE @returns {Strategy} */
function readStrategy(text) {
  const pairs = text.split(',').map((part) => {
    const [, name, value] = /^([\w-]+)=(.+)$/.exec(part.trim()) ?? [];
    if (name === undefined) {
      throw new UsageError(`--strategy must be NAME=VALUE,..., got ${JSON.stringify(text)}`);
    }
    const read = value === 'true' || value === 'false' ? value === 'true' : Number(value);
    return [name.replaceAll('-', '_'), Number.isNaN(read) ? value : read];
  });
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError(`--strategy names ${twice} twice`);
  const settings = Object.fromEntries(pairs);
  const search = 'beam_width' in settings ? 'beam' : 'alpha' in settings ? 'contrastive' : null;
  return { name: nameOf(settings), ...(search && { kind: search }), settings };
}

/** @param {any} values @returns {{ samples: number, strategies: readonly Strategy[] }} */
function readSuite({ suite = 'nine', strategy, strategies_read = [], samples }) {
  const found = suites.find(({ name }) => name === suite);
  if (!found) {
    const names = suites.map(({ name }) => name);
    throw new UsageError(`unknown --suite ${suite}${nearestOf(suite, names, ', known are ')}`);
  }
  if (!strategy && strategies_read.length === 0)
    return { ...found, samples: wholeNumber('--samples', samples, found.samples) };
  const given = [...(strategy ?? []).map(readStrategy), ...strategies_read];
  if (!strategy && given.length === 1) given.unshift({ name: nameOf({}), settings: {} });
  if (given.length < 2 || given.length > MOST) {
    const flag = strategies_read.length === 0 ? '--strategy' : '--strategy and --settings-of';
    throw new UsageError(`${flag} must be given 2 to ${MOST} times, got ${given.length}`);
  }
  return { samples: wholeNumber('--samples', samples, 1), strategies: given };
}

/**
 * Writes the texts of all strategies; yields the texts of each strategy together.
 * @param {any} scope
 * @param {any} values
 * @param {readonly Strategy[]} strategies
 * @param {number} samples
 */
async function* writeTexts(scope, values, strategies, samples) {
  const grammar = readGrammar(values);
  const { prompt, seed = 0, max_new_tokens } = values;
  const tasks = strategies.flatMap((strategy) =>
    Array.from({ length: samples }, (_, i) => ({
      strategy,
      options: { prompt, seed: seed + i, max_new_tokens },
    })),
  );
  let texts = [];
  const written = writeAll(scope, scope, 'strategy', tasks, tasks.length, crowdOf(values));
  for await (const { text, ids, finish_reason, figures } of written) {
    const verdict = judge(grammar, prompt + text);
    texts.push({ seed: seed + texts.length, text, ids, finish_reason, figures, verdict });
    if (texts.length < samples) continue;
    yield texts;
    texts = [];
  }
}

/**
 * Returns a row for each strategy: its first text. If it has several texts, the row has their common numbers too.
 * `stopped` is the error of a server that gave no more logits; the rows before it are complete.
 * @param {any} scope
 * @param {any} values
 */
async function compareStrategies(scope, values) {
  const { prompt, seed = 0 } = values;
  const { strategies, samples } = readSuite(values);
  const rows = [];
  /** @type {number[]} */
  let reference = [];
  try {
    for await (const texts of writeTexts(scope, values, strategies, samples)) {
      if (rows.length === 0) reference = texts[0].ids;
      const diverges_at = divergence(reference, texts[0].ids);
      rows.push({ ...strategies[rows.length], texts, diverges_at });
    }
  } catch (stopped) {
    if (rows.length === 0 || !isStopped(stopped)) throw stopped;
    return { prompt, seed, samples, rows, cold: null, stopped: /** @type {Error} */ (stopped) };
  }
  const pair = coldPair(strategies);
  const cold = pair && {
    greedy: rows[pair.greedy].name,
    cold: rows[pair.cold].name,
    ...(await gapsOf(
      scope,
      await scope.encode(prompt),
      rows[pair.greedy].texts[0].ids,
      Number(strategies[pair.cold].settings.temperature),
    )),
  };
  return { prompt, seed, samples, rows, cold, stopped: null };
}

/** @param {any} text a text of a row; undefined fields are removed */
function flattenText({ seed, figures, verdict, ...rest }) {
  return { ...rest, ...figures, ...(verdict && { verdict }) };
}

/**
 * @param {any} values
 * @param {Awaited<ReturnType<typeof compareStrategies>>} compared
 * @param {NodeJS.WriteStream} stdout
 */
function printAll({ model }, { prompt, seed, samples, rows, cold, stopped }, stdout) {
  printJson(stdout, {
    model,
    prompt,
    seed,
    samples,
    strategies: rows.map(({ texts, ...row }) =>
      samples === 1
        ? { ...row, ...flattenText(texts[0]) }
        : {
            ...row,
            ...spreadOf(texts),
            texts: texts.map((text) => ({ seed: text.seed, ...flattenText(text) })),
          },
    ),
    ...(cold && { greedy_gaps: cold }),
    ...(stopped && { error: faultOf(stopped) }),
  });
}

/** @param {number | null} value @param {number} digits */
const writeFixed = (value, digits) => value?.toFixed(digits) ?? '';

/** @param {any[]} rows @param {NodeJS.WriteStream} stdout */
function printTexts(rows, stdout) {
  const judged = rows.some(({ texts: [{ verdict }] }) => verdict);
  const head = ['strategy', 'distinct-1', 'distinct-2', 'bits', 'mean kept', 'parts at', 'loop'];
  const table = rows.map(({ name, diverges_at, texts: [{ text, figures, verdict }] }) => [
    name,
    writeFixed(figures.distinct_1, 2),
    writeFixed(figures.distinct_2, 2),
    writeFixed(figures.surprisal_raw, 2),
    writeFixed(figures.mean_kept, 1),
    diverges_at === null ? '' : String(diverges_at + 1),
    figures.loop ? 'yes' : '',
    ...(judged ? [verdict?.right ? 'right' : 'wrong'] : []),
    quoted(text),
  ]);
  const lines = [[...head, ...(judged ? ['grammar'] : []), 'text'], ...table];
  stdout.write(`${columns(lines, [1, 2, 3, 4, 5])}\n`);
  for (const { name, texts } of rows) {
    const [{ verdict }] = texts;
    if (verdict && !verdict.right) stdout.write(`${name}: ${inLine(verdictLine(verdict))}\n`);
  }
}

/** @param {any[]} rows @param {NodeJS.WriteStream} stdout */
function printSpreads(rows, stdout) {
  const head = [
    'strategy',
    'different',
    'distinct-2',
    'all together',
    'alike',
    'mean kept',
    'bits',
  ];
  const table = rows.map(({ name, texts }) => {
    const spread = spreadOf(texts);
    return [
      name,
      `${spread.different} of ${texts.length}`,
      writeFixed(spread.distinct_2_within, 2),
      writeFixed(spread.distinct_2_between, 2),
      writeFixed(spread.edit_similarity, 2),
      writeFixed(spread.mean_kept, 1),
      writeFixed(spread.surprisal_raw, 2),
    ];
  });
  stdout.write(
    `${columns(
      [[...head, 'first text'], ...table.map((row, i) => [...row, quoted(rows[i].texts[0].text)])],
      [1, 2, 3, 4, 5, 6],
    )}\n`,
  );
}

/** @param {any} cold @param {NodeJS.WriteStream} stdout */
function printGaps({ cold, smallest, close }, stdout) {
  /** @param {any} gap */
  const line = ({ step, best, second, gap }) =>
    `token ${step + 1}, ${quoted(best.text)} before ${quoted(second.text)}: ` +
    `${gap.toPrecision(3)} apart, the second has ${percent(second.p)} at ${cold}\n`;
  if (!smallest) return;
  stdout.write(`smallest gap between best and second logit: ${line(smallest)}`);
  if (close.length === 0) stdout.write(`no gap is too small for ${cold} to be greedy\n`);
  for (const gap of close) stdout.write(`too small for ${cold}: ${line(gap)}`);
}

/** @type {import('./flags.js').Command} */
export const compare = {
  summary: 'run strategies side by side on a prompt with the same seed',
  settings: false,
  flags: [...PROMPTS, MAX_NEW_TOKENS, SEED, ...CHOICE, GRAMMAR, WORKERS, ...HELD_OUT, ...SERVER],

  check(values) {
    const texts = ['prompt', 'suite', 'strategy', 'settings_of', 'samples', 'grammar'];
    checkBeside(values, 'held_out', texts);
    checkBeside(values, 'strategy', ['suite']);
    checkBeside(values, 'settings_of', ['suite']);
    checkWorkers(values);
    if (values.held_out !== undefined) return;
    readSuite(values);
    needPrompt(values);
  },

  async run(scope, values, { stdout, stderr }) {
    if (values.held_out !== undefined) return compareHeldOut(scope, values, stdout);
    const compared = await compareStrategies(scope, values);
    if (values.json) printAll(values, compared, stdout);
    else if (compared.samples === 1) printTexts(compared.rows, stdout);
    else printSpreads(compared.rows, stdout);
    if (compared.cold && !values.json) printGaps(compared.cold, stdout);
    if (compared.stopped) say(stderr, compared.stopped.message);
    return compared.stopped ? 2 : 0;
  },
};
