/**
 * Takes from a worker the means to send messages and to start threads, before the user's code runs: a
 * thread would outlive this worker. Errors are shortened before they leave; the code can change that,
 * so guard.js checks again.
 */
import { message } from '../grade/harness.js';

const scope = /** @type {any} */ (globalThis);
const TAKEN = ['postMessage', 'Worker', 'SharedWorker', 'close'];

/** @returns {(answer: any) => void} the only function that still sends */
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
