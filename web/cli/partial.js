/** `distribution` with a server that gives the most probable tokens only: a table with the bounds that they allow. */
import { Logitscope } from '../engine/index.js';
import { readRecord } from '../import/logprobs.js';
import { askRecord } from '../sources/asked-record.js';
import { boundsOf } from '../sources/bounds.js';
import { positionAt, readsHistory } from '../sources/record-position.js';
import { UsageError, settingsOf } from './flags.js';
import { wholeNumber } from './documents.js';
import { finite, rangeText, removedText } from './logprobs.js';
import { columns, percent, printJson, quoted } from './terminal.js';

/** @import { RecordedPosition } from '../sources/record-position.js' */

/** @type {import('./flags.js').Flag} */
export const VOCAB_SIZE = {
  name: 'vocab_size',
  kind: 'number',
  needs: 'server',
  help: 'with --server: tokens of the vocabulary, if the server gives only some, for narrower bounds',
};

/**
 * Asks the server and computes the bounds.
 * @param {import('../sources/server.js').Server} server
 * @param {any} values of the flags
 * @param {any[]} table of settings
 */
async function readBounds(server, values, table) {
  const asked = settingsOf(values, table);
  // The answer names no token of the prompt.
  if (values.own || readsHistory(table, asked))
    throw new UsageError(
      `--own, --preset and penalties read the tokens of the prompt, which ${server.kind.name} does not give`,
    );
  const { vocab_size = null } = values;
  if (vocab_size !== null) wholeNumber('--vocab-size', vocab_size, 1);
  const read = readRecord(await askRecord(server, values.prompt), { file: server.host });
  const record = { ...read, vocab_size: vocab_size ?? read.vocab_size };
  const law = /** @type {RecordedPosition} */ (positionAt(record, 0, { settings: asked }));
  const { step } = values;
  const bounds = await boundsOf(await Logitscope.load(), law.partial, law.settings, {
    ...(step !== undefined && { step }),
  });
  // Questions ask for a draw without temperature and cuts, so a law after them is the model's own.
  const raw = record.raw !== 'unknown';
  return { law, bounds, raw };
}

/** @param {Awaited<ReturnType<typeof readBounds>>} found @param {NodeJS.WriteStream} stdout */
function print({ law: { tokens }, bounds, raw }, stdout) {
  const rows = tokens.map(({ text, logprob }, i) => [
    String(i + 1),
    quoted(text),
    percent(Math.exp(logprob)),
    rangeText(bounds.tokens[i].p, percent),
    removedText(bounds.tokens[i].removed_by),
  ]);
  const hidden = ['', 'the others', '', rangeText(bounds.rest, percent), ''];
  const stages = bounds.stages.map(({ name, value, exact, kept }) => [
    name,
    String(value),
    rangeText(kept, String),
    exact ? '' : 'depends on the others',
  ]);
  const listed = columns([['', 'token', 'given', 'now', 'removed by'], ...rows, hidden], [0, 2, 3]);
  stdout.write(`${listed}\n`);
  if (stages.length > 0)
    stdout.write(`\n${columns([['stage', 'value', 'kept', ''], ...stages], [1, 2])}\n`);
  if (!raw)
    stdout.write(
      '\nThe server does not say if its numbers are before or after its own settings.\n',
    );
}

/** @type {NonNullable<import('./flags.js').Command['partial']>} */
export async function showPartial(server, values, { stdout }, table) {
  const found = await readBounds(server, values, table);
  const { law, bounds, raw } = found;
  if (!values.json) print(found, stdout);
  else
    printJson(stdout, {
      model: server.model,
      prompt: values.prompt,
      raw,
      tokens: law.tokens.map((token, i) => ({ ...token, ...bounds.tokens[i], index: undefined })),
      rest: bounds.rest,
      stages: bounds.stages.map((stage) => ({ ...stage, kept: finite(stage.kept) })),
      exact: bounds.exact,
    });
  return 0;
}
