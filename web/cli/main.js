/** The list of commands, and a function that runs one without ending the process. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  UsageError,
  flagsOf,
  helpOf,
  nearestOf,
  parseFlags,
  takeOperand,
  takePromptFile,
} from './flags.js';
import { showProgress } from './progress.js';
import { printLine, say } from './terminal.js';
import { wholeName } from '../engine/model-names.js';
import { Logitscope, LogitscopeError } from '../engine/index.js';

/**
 * Each command loads its own files only: all files together take most of the time of a short run.
 * @type {Record<string, () => Promise<import('./flags.js').Command>>}
 */
export const COMMANDS = {
  generate: async () => (await import('./generate.js')).generate,
  distribution: async () => (await import('./distribution.js')).distribution,
  compare: async () => (await import('./compare.js')).compare,
  sweep: async () => (await import('./sweep.js')).sweep,
  law: async () => (await import('./law.js')).law,
  tokenize: async () => (await import('./tokenize.js')).tokenize,
  detect: async () => (await import('./detect.js')).detect,
  info: async () => (await import('./info.js')).info,
  convert: async () => (await import('./convert.js')).convert,
  settings: async () => (await import('./settings.js')).settings,
  logprobs: async () => (await import('./logprobs.js')).logprobs,
  eval: async () => (await import('./eval.js')).evaluate,
  bench: async () => (await import('./bench.js')).bench,
  grade: async () => (await import('./grade.js')).grade,
  lesson: async () => (await import('./lesson.js')).lesson,
  completion: async () => (await import('./completion.js')).completionOf(loadAll),
};

/** @returns {Promise<Record<string, import('./flags.js').Command>>} */
async function loadAll() {
  const all = Object.entries(COMMANDS).map(async ([name, load]) => [name, await load()]);
  return Object.fromEntries(await Promise.all(all));
}

const DEFAULT_MODEL = fileURLToPath(new URL('../../models/verbs.gguf', import.meta.url));

async function usageText() {
  const rows = Object.entries(await loadAll()).map(
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

/** Fetches the code of a command. @param {string} name */
async function findCommand(name) {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name]();
  const nearest = nearestOf(name, Object.keys(COMMANDS), ', known are ');
  throw new UsageError(`unknown command ${JSON.stringify(name)}${nearest}`);
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
    streams.stdout.write(await usageText());
    return 0;
  }
  const command = await findCommand(name);
  // The table of settings does not need a model.
  const { table } = await Logitscope.load();
  const flags = flagsOf(command, table);
  if (rest.includes('--help') || rest.includes('-h')) {
    streams.stdout.write(helpOf(name, command, flags));
    return 0;
  }
  const given = parseFlags(rest, flags, command.operands);
  const linked = given.link ? await (await import('./link.js')).takeLink(given, flags) : given;
  const values = linked.settings_of
    ? await (await import('./settings.js')).takeSettings(linked, streams)
    : linked;
  takeOperand(values, command);
  await takePromptFile(values, streams.stdin);
  command.check?.(values);
  const asks = values.server !== undefined;
  const server = asks || values.kind !== undefined ? await import('./server.js') : null;
  server?.checkServer(values);
  const { context, variant, threads } = values;
  const options = {
    variant,
    ...(context !== undefined && { context }),
    ...(threads !== undefined && { threads }),
  };
  if (asks && server) {
    // A link names a model of the page, not of the server.
    return server.runOnServer(command, { ...values, model: given.model }, options, streams, table);
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
