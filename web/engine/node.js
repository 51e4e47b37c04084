/**
 * Everything that the engine imports from Node, as '#node' in package.json. In a bundle for browsers,
 * no-node.js replaces this module.
 */
import { fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { LogitscopeError, reasonOf } from './errors.js';

export { createHash } from 'node:crypto';
export { availableParallelism } from 'node:os';
export { fileURLToPath } from 'node:url';
export { parentPort } from 'node:worker_threads';
export { openFile } from './node-files.js';
export { store } from './folder-store.js';

/** Starts a thread. @param {string | URL} [address] of its script; default: the engine's worker */
export function startThread(address = new URL('./worker.js', import.meta.url)) {
  try {
    return new Worker(/^(file|data):/.test(String(address)) ? new URL(address) : address);
  } catch (error) {
    throw new LogitscopeError('load_failed', 'worker_failed', { reason: reasonOf(error) });
  }
}

/** Starts a thread that runs a script's text. @param {string} code */
export const startProgram = (code) => new Worker(code, { eval: true, execArgv: [] });

/**
 * Starts the process whose worker renders chat templates.
 * @param {string | URL} [code] address of the worker
 */
export const startTemplates = (code = new URL('./template.js', import.meta.url)) =>
  fork(new URL('./template-process.js', import.meta.url), [String(code)], {
    execArgv: [],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
