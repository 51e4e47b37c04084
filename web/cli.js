#!/usr/bin/env node
/** The command line: `logitscope COMMAND --flag value ...`; `logitscope --help` lists it all. */
import { fileURLToPath } from 'node:url';
import { compare } from './cli/compare.js';
import { distribution } from './cli/distribution.js';
import { evaluate } from './cli/eval.js';
import { UsageError, flagsOf, helpOf, nearestOf, parseFlags } from './cli/flags.js';
import { generate } from './cli/generate.js';
import { grade } from './cli/grade.js';
import { info } from './cli/info.js';
import { sweep } from './cli/sweep.js';
import { inLine } from './cli/terminal.js';
import { tokenize } from './cli/tokenize.js';
import { Logitscope, LogitscopeError } from './engine/index.js';

const COMMANDS = {
  generate,
  distribution,
  compare,
  sweep,
  tokenize,
  info,
  eval: evaluate,
  grade,
};
const DEFAULT_MODEL = fileURLToPath(new URL('../models/verbs.gguf', import.meta.url));

/** @returns {string} */
function usage() {
  const rows = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(14)}${summary}`,
  );
  return (
    `usage: logitscope COMMAND [--flag value ...]\n\n${rows.join('\n')}\n\n` +
    'logitscope COMMAND --help lists its flags.\n'
  );
}

/**
 * @param {string[]} words
 * @returns {Promise<void>}
 */
async function main(words) {
  const [name, ...rest] = words;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(usage());
    return;
  }
  const command = Object.hasOwn(COMMANDS, name)
    ? COMMANDS[/** @type {keyof typeof COMMANDS} */ (name)]
    : null;
  if (!command) {
    throw new UsageError(
      `unknown command ${JSON.stringify(name)}${nearestOf(
        name,
        Object.keys(COMMANDS),
        ', known are ',
      )}`,
    );
  }
  // The table of settings comes out of the module, so it is there before any model is.
  const { table } = await Logitscope.load();
  const flags = flagsOf(command, table);
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(helpOf(name, command, flags));
    return;
  }
  const values = parseFlags(rest, flags, command.operands);
  command.check?.(values);
  const model = command.modelless ? undefined : (values.model ?? DEFAULT_MODEL);
  const scope = await Logitscope.load({
    model,
    variant: values.variant,
    ...(values.context !== undefined && { context: values.context }),
    session: !command.sessionless,
  });
  await command.run(scope, { ...values, model }, table);
}

/** @param {string} sentence */
const say = (sentence) => process.stderr.write(`logitscope: ${inLine(sentence)}\n`);

// A reader that closes early (`| head`) is no error, a full disk is one.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code === 'EPIPE') process.exit();
    if (stream === process.stdout) say(`the output cannot be written: ${error.message}`);
    process.exit(2);
  });

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError) && !(error instanceof LogitscopeError)) throw error;
  say(error.message);
  process.exitCode = 2;
}
