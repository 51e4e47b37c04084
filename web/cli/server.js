/** `--server URL`: the model of a command is on a server. The server computes the logits, Logitscope draws. */
import { Logitscope, LogitscopeError } from '../engine/index.js';
import { KINDS } from '../sources/server-kinds.js';
import { Server, partialError } from '../sources/server.js';
import { UsageError, checkBeside } from './flags.js';
import { inLine } from './terminal.js';

/** The environment variable of the server's key; a flag would show it to other users of the machine. */
const KEY = 'LOGITSCOPE_SERVER_KEY';
/** The time to open a server, in ms. */
const OPEN_MS = 60_000;

/** @type {import('./flags.js').Flag[]} */
export const SERVER = [
  {
    name: 'server',
    kind: 'text',
    help: `a server that computes the logits and so gets the prompt, such as http://127.0.0.1:8080; --model is then a model's name there, and the variable ${KEY} its key`,
  },
  {
    name: 'kind',
    kind: 'text',
    needs: 'server',
    help: `with --server: ${KINDS.map(({ id }) => id).join(', ')} (asked of the server)`,
  },
];

/** Flags that need the weights or the file of the model. */
const NOT_REMOTE = ['chat', 'amateur', 'draft', 'held_out'];

/** @param {any} values */
export function checkServer(values) {
  checkBeside(values, 'server', NOT_REMOTE);
  const { kind } = values;
  const ids = KINDS.map(({ id }) => id);
  if (kind !== undefined && !ids.includes(kind))
    throw new UsageError(`--kind must be one of ${ids.join(', ')}, got ${JSON.stringify(kind)}`);
}

/** A count of tokens. @param {number} n */
const tokens = (n) => `${n} token${n === 1 ? '' : 's'}`;

/**
 * Opens the server of the flags and says so.
 * @param {any} values
 * @param {NodeJS.WritableStream} stderr
 */
export async function openServer({ server: address, kind, model, no_cache: whole }, stderr) {
  const key = process.env[KEY];
  const signal = AbortSignal.timeout(OPEN_MS);
  const given = { ...(kind && { kind }), ...(model && { model }), ...(key && { key }) };
  const server = await Server.open(address, { ...given, cache: !whole, signal }).catch((error) => {
    if (error.name !== 'TimeoutError') throw error;
    throw new LogitscopeError('unanswered', 'asked_late', { limit: OPEN_MS / 1000 });
  });
  const size = server.source ? `, ${tokens(server.source.info.vocab_size)}` : '';
  const fixed = server.reproducible
    ? 'equal questions had equal answers'
    : 'not reproducible: equal questions had answers that differ in the last digits';
  const told = server.source ? `; ${fixed}` : '';
  stderr.write(
    `${inLine(`the prompt goes to ${server.host} (${server.kind.name}, ${server.model}${size})${told}`)}\n`,
  );
  return server;
}

/**
 * Says how fast the server was.
 * @param {Server} server
 * @param {NodeJS.WritableStream} stderr
 */
export function tellSpeed({ host, speed: { answers, ms } }, stderr) {
  if (answers > 0)
    stderr.write(`${host}: ${answers} answers with logits, ${(ms / answers).toFixed(1)} ms each\n`);
}

/**
 * Runs a command with the model of a server.
 * @param {import('./flags.js').Command} command
 * @param {any} values of the flags
 * @param {object} options of Logitscope.load
 * @param {import('./flags.js').Streams} streams
 * @param {any[]} table
 * @returns {Promise<number>} the exit code
 */
export async function runOnServer(command, values, options, streams, table) {
  const server = await openServer(values, streams.stderr);
  const { source, model } = server;
  if (!source && command.partial) return command.partial(server, values, streams, table);
  if (!source) throw partialError(server);
  const scope = await Logitscope.load({ source, ...options });
  try {
    return (await command.run(scope, { ...values, model }, streams, table)) ?? 0;
  } finally {
    tellSpeed(server, streams.stderr);
  }
}

/** Codes of errors that end the model's answers. The work so far is printed. */
const STOPPED = ['asked', 'unanswered'];

/** @param {any} error */
export const isStopped = ({ code }) => STOPPED.includes(code);

/** The data of an error, for JSON. @param {any} error */
export const faultOf = ({ code, key, values, message }) => ({ code, message, key, values });
