/**
 * The script of sandbox.html: starts the worker that runs a learner's code, and passes messages to
 * and fro. The frame has an origin of its own and a policy without any network; the worker inherits
 * both, and being a thread of its own it can hang without the page.
 */
import { refuseOrigin } from './origin.js';

function start() {
  // The text of worker.js, put in by web/build.js.
  const source = new Blob([/** @type {any} */ (globalThis).HARNESS], { type: 'text/javascript' });
  const worker = new Worker(URL.createObjectURL(source));
  addEventListener('message', ({ data, source: from }) => {
    if (from === parent) worker.postMessage(data);
  });
  worker.onmessage = (/** @type {MessageEvent} */ { data }) => parent.postMessage(data, '*');
  worker.onerror = (/** @type {ErrorEvent} */ event) =>
    parent.postMessage({ error: event.message || 'the worker failed' }, '*');
  parent.postMessage('ready', '*');
}

if (!refuseOrigin()) start();
