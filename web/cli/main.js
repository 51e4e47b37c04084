/** The list of commands, and a function that runs one without ending the process. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bench } from './bench.js';
import { compare } from './compare.js';
import { completionOf } from './completion.js';
import { convert } from './convert.js';
import { detect } from './detect.js';
import { distribution } from './distribution.js';
import { evaluate } from './eval.js';
import {
  UsageError,
  flagsOf,
  helpOf,
  nearestOf,
  parseFlags,
  takeOperand,
  takePromptFile,
} from './flags.js';
import { generate } from './generate.js';
import { grade } from './grade.js';
import { info } from './info.js';
import { showProgress } from './progress.js';
import { law } from './law.js';
import { lesson } from './lesson.js';
import { logprobs } from './logprobs.js';
import { checkServer, runOnServer } from './server.js';
import { settings, takeSettings } from './settings.js';
import { sweep } from './sweep.js';
import { takeLink } from './link.js';
import { printLine, say } from './terminal.js';
import { tokenize } from './tokenize.js';
import { wholeName } from '../engine/model-names.js';
import { Logitscope, LogitscopeError } from '../engine/index.js';

/** @type {Record<string, import('./flags.js').Command>} */
export const COMMANDS = {
  generate,
  distribution,
  compare,
  sweep,
  law,
  tokenize,
  detect,
  info,
  convert,
  settings,
  logprobs,
  eval: evaluate,
  bench,
  grade,
  lesson,
  completion: completionOf(() => COMMANDS),
};
const DEFAULT_MODEL = fileURLToPath(new URL('../../models/verbs.gguf', import.meta.url));

/** @returns {string} */
function usageText() {
  const rows = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(14)}${summary}`,
  );
  return (
    `usage: logitscope COMMAND [--flag value ...]\n\n${rows.join('\n')}\n\n` +
    'logitscope COMMAND --help lists its flags.\n'
  );
}

/**
 * Opens a model. A model of the hub without a GGUF file is converted first.
 * @param {any} options as Logitscope.load takes them
 */
async function loadModel({ model, ...options }) {
  const name = model === undefined ? null : wholeName(model);
  if (name === null) return Logitscope.load({ model, ...options });
  const { convertRepository } = await import('./convert.js');
  const { chunks } = await convertRepository(name, {}, options.onprogress);
  /** @type {BlobPart[]} */
  const pieces = [];
  for await (const chunk of chunks) pieces.push(/** @type {BlobPart} */ (chunk));
  return Logitscope.load({ model: new Blob(pieces), ...options });
}

/**
 * @param {string[]} words
 * @param {import('./flags.js').Streams} streams
 * @returns {Promise<number>} the exit code
 */
async function run(words, streams) {
  const [name, ...rest] = words[0] === 'help' && words.length > 1 ? [words[1], '--help'] : words;
  if (name === '--version') {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    streams.stdout.write(`${version}\n`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    streams.stdout.write(usageText());
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : null;
  if (!command) {
    throw new UsageError(
      `unknown command ${JSON.stringify(name)}${nearestOf(
        name,
        Object.keys(COMMANDS),
        ', known are ',
      )}`,
    );
  }
  // The table of settings does not need a model.
  const { table } = await Logitscope.load();
  const flags = flagsOf(command, table);
  if (rest.includes('--help') || rest.includes('-h')) {
    streams.stdout.write(helpOf(name, command, flags));
    return 0;
  }
  const given = parseFlags(rest, flags, command.operands);
  const linked = given.link ? await takeLink(given, flags) : given;
  const values = linked.settings_of ? await takeSettings(linked, streams) : linked;
  takeOperand(values, command);
  await takePromptFile(values, streams.stdin);
  command.check?.(values);
  checkServer(values);
  const { context, variant, threads } = values;
  const options = {
    variant,
    ...(context !== undefined && { context }),
    ...(threads !== undefined && { threads }),
  };
  if (values.server !== undefined) {
    // A link names a model of the page, not of the server.
    return runOnServer(command, { ...values, model: given.model }, options, streams, table);
  }
  const model = command.modelless ? undefined : (values.model ?? DEFAULT_MODEL);
  const progress = showProgress(streams.stderr);
  const loading = loadModel({
    model,
    ...options,
    session: !command.sessionless,
    keep: true,
    onprogress: progress.onprogress,
  });
  const scope = await loading.finally(progress.end);
  return (await command.run(scope, { ...values, model }, streams, table)) ?? 0;
}

/** The Makefile of the repository; the package has none. */
const MAKEFILE = new URL('../../Makefile', import.meta.url);

/**
 * If the engine is not built in a clone of the repository, returns the command that builds it; '' for other errors.
 * @param {any} error
 */
const remedyOf = ({ key, values }) =>
  key === 'load_failed_from' && values.setting === 'wasm' && existsSync(MAKEFILE)
    ? '; in a fresh clone, run `make wasm` first'
    : '';

/**
 * Runs a command line.
 * @param {string[]} words
 * @param {import('./flags.js').Streams} streams
 * @returns {Promise<number>} the exit code
 */
export async function main(words, streams) {
  try {
    return await run(words, streams);
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof LogitscopeError)) throw error;
    say(streams.stderr, error.message + remedyOf(error));
    const has = (/** @type {string} */ word) => words.includes(word);
    const isRead = has('--json') || has('--ndjson');
    if (isRead && !has('--interactive') && !has('--csv')) {
      const { code = 'usage', key, values, message } = /** @type {any} */ (error);
      printLine(streams.stdout, { error: { code, message, key, values } });
    }
    return 2;
  }
}
