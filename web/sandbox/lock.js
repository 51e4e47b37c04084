/**
 * Removes a worker's functions that send messages or start threads, before the user's code runs: a thread
 * would outlive this worker. Errors are shortened before they are sent. The user's code can bypass that,
 * so guard.js checks again.
 */
import { message } from '../grade/harness.js';

const scope = /** @type {any} */ (globalThis);
const TAKEN = ['postMessage', 'Worker', 'SharedWorker', 'close'];

/** @returns {(answer: any) => void} the only function that can still send messages */
export function lock() {
  const post = scope.postMessage.bind(scope);
  for (let at = scope; at; at = Object.getPrototypeOf(at))
    for (const name of TAKEN) delete at[name];
  scope.addEventListener('error', (/** @type {ErrorEvent} */ event) => {
    event.preventDefault();
    post({ error: message(event.message) });
  });
  return post;
}
