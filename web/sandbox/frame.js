/**
 * The script of sandbox.html: starts the worker that runs a learner's code, and passes messages to
 * and fro. The frame has an origin of its own and a policy without any network; its workers inherit
 * both, and being threads of their own they can hang without the page.
 */
import { startGuarded } from './guarded.js';
import { refuseOrigin } from './origin.js';

function start() {
  // The text of worker.js, put in by web/build.js.
  const worker = startGuarded(/** @type {any} */ (globalThis).HARNESS);
  addEventListener('message', ({ data, source: from }) => {
    if (from === parent) worker.postMessage(data);
  });
  parent.postMessage('ready', '*');
}

if (!refuseOrigin()) start();
