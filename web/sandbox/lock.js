/**
 * A worker as the learner's code finds it: without a way to send messages or to start threads of its
 * own, which would go on when this one is ended. Its errors are cut before they leave; the code can
 * change how, so guard.js checks again.
 */
import { message } from '../grade/harness.js';

const scope = /** @type {any} */ (globalThis);
const TAKEN = ['postMessage', 'Worker', 'SharedWorker', 'close'];

/** @returns {(answer: any) => void} the one way to send */
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
