/** Starts a worker for a learner's code, with one between it and the page. */
import { trustedAddress } from '../engine/trusted.js';

/** @param {string} harness the text of the worker */
export function startGuarded(harness) {
  // The text of guard.js, put in by web/build.js.
  const guard = /** @type {any} */ (globalThis).GUARD;
  const source = new Blob([guard], { type: 'text/javascript' });
  const worker = new Worker(trustedAddress(URL.createObjectURL(source)));
  worker.onmessage = ({ data }) => parent.postMessage(data, '*');
  worker.onerror = ({ message }) =>
    parent.postMessage({ error: message || 'the worker failed' }, '*');
  worker.postMessage({ harness });
  return worker;
}
