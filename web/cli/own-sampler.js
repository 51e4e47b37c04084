/** `--own FILE`: runs the user's sampler inside the chain, in a thread with a time limit. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { pathToFileURL } from 'node:url';
import { dirname, resolve } from 'node:path';
import { message } from '../grade/harness.js';
import { numbersOf } from '../grade/properties.js';
import { TestedFunction, readsTokens } from '../grade/tested-function.js';
import { UsageError } from './flags.js';

/** @import { Logitscope } from '../engine/logitscope.js' */

/** If the user's code needs more memory than this (in MB), its thread ends. */
const HEAP_MB = 512;
/** The same for the process of a Python file: Torch needs much. */
const PYTHON_MB = 8192;
/** Time limit for loading a file, in ms: large Python libraries need seconds on a busy computer. */
const LOAD_MS = 20000;

/** @type {import('./flags.js').Flag[]} */
export const OWN = [
  {
    name: 'own',
    kind: 'text',
    help: 'a JavaScript or Python file whose function is a stage too, where --order has "own", or last',
  },
  {
    name: 'time_limit',
    kind: 'number',
    needs: 'own',
    help: 'seconds that one call of it may take (2)',
  },
];

export const OWN_NOTES = `--own FILE is run in a thread of its own with a time limit, but it is trusted as any script is: it can
read and write what you can. A Python file is run in a process as a submission of grade is.
  export default function own(logits, settings, { history, tokens }) { ...; return logits; }
  def own(logits, settings, history, tokens): ...; return logits
logits is a Float32Array as the stages before leave it (in Python a list, or an array or tensor if the file
imports NumPy or Torch), a removed token -Infinity; settings holds every setting, history the ids so far,
tokens the text of each token. A Python function may leave out parameters. The result has one number for
each token; tokens that were removed before stay removed. tokens is there if the file has that word.
`;

/**
 * Runs the user's file in a worker thread.
 * @param {string} path
 * @param {NodeJS.WritableStream} stderr for the file's output
 * @returns {import('../grade/tested-function.js').Start}
 */
export const inThread = (path, stderr) => (onanswer, onend) => {
  const worker = new Worker(new URL('../grade/node-worker.js', import.meta.url), {
    workerData: { url: pathToFileURL(resolve(path)).href },
    stdout: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // Output of the user's code goes to stderr, so that it does not mix with the command's own.
  worker.stdout.pipe(stderr, { end: false });
  worker.on('message', onanswer);
  worker.on('error', (error) => onend({ error: message(error) }));
  worker.on('exit', () => onend({ error: 'it ended its own thread' }));
  worker.unref();
  return { post: (message) => worker.postMessage(message), end: () => void worker.terminate() };
};

/** @param {string} file @param {number} [limit] in seconds */
export function checkFile(file, limit = 2) {
  if (!existsSync(file)) throw new UsageError(`there is no file ${JSON.stringify(file)}`);
  if (!(limit > 0 && limit <= 600)) {
    throw new UsageError(`--time-limit must be above 0 and at most 600, got ${limit}`);
  }
}

/**
 * Opens the processes of Python files.
 * @param {NodeJS.WritableStream} stderr for the file's output
 */
async function openPython(stderr) {
  const { Submissions } = await import('./submission.js');
  return new Submissions(stderr, { memory: PYTHON_MB });
}

/**
 * Opens the file of --own and calls `work` with its function. Ends the thread afterwards.
 * @param {any} values
 * @param {NodeJS.WritableStream} stderr for the file's output
 * @param {Logitscope} scope
 * @template T
 * @param {(asked: { own?: import('../engine/types.js').Own }) => Promise<T>} work
 */
export async function withOwn({ own: file, time_limit: limit = 2 }, stderr, scope, work) {
  if (file === undefined) return work({});
  checkFile(file, limit);
  if (statSync(file).isDirectory())
    throw new UsageError(`--own ${JSON.stringify(file)} is a folder`);
  const tokens =
    scope.info?.tokenizer && readsTokens(readFileSync(file, 'utf8')) ? scope.tokens() : null;
  const python = /\.py$/i.test(file) ? await openPython(stderr) : null;
  const start = python?.start(file, dirname(file)) ?? inThread(file, stderr);
  const tested = new TestedFunction(start, 'own', 1000 * limit, false, Infinity, LOAD_MS);
  const refuse = (/** @type {string} */ why) => {
    throw new UsageError(`--own ${JSON.stringify(file)}: ${why}`);
  };
  try {
    const { error } = await tested.load();
    if (error) refuse(error);
    return await work({
      async own(logits, settings, { history }) {
        const answer = await tested.call({ call: 'warp', logits, settings, history }, tokens);
        const { numbers, failure } = numbersOf(answer, { logits });
        return numbers ?? refuse(String(failure?.message));
      },
    });
  } finally {
    tested.close();
    python?.close();
  }
}
