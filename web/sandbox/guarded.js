/** Starts the worker guard.js, which then starts the worker for the user's code. */
import { trustedAddress } from '../engine/trusted.js';

/** @param {string} harness the code of the worker */
export function startGuarded(harness) {
  // web/build.js replaces GUARD with the text of guard.js.
  const guard = /** @type {any} */ (globalThis).GUARD;
  const source = new Blob([guard], { type: 'text/javascript' });
  const worker = new Worker(trustedAddress(URL.createObjectURL(source)));
  worker.onmessage = ({ data }) => parent.postMessage(data, '*');
  worker.onerror = ({ message }) =>
    parent.postMessage({ error: message || 'the worker failed' }, '*');
  worker.postMessage({ harness });
  return worker;
}
