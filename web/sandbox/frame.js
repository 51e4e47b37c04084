/**
 * The script of sandbox.html: starts the worker that runs the user's code, and passes messages between
 * page and worker. The frame has an opaque origin and a policy without network. Its workers inherit
 * both, and they run in threads of their own, so a worker that hangs does not stop the page.
 */
import { startGuarded } from './guarded.js';
import { refuseOrigin } from './origin.js';

function start() {
  // web/build.js puts in the text of worker.js.
  const worker = startGuarded(/** @type {any} */ (globalThis).HARNESS);
  addEventListener('message', ({ data, source: from }) => {
    if (from === parent) worker.postMessage(data);
  });
  parent.postMessage('ready', '*');
}

if (!refuseOrigin()) start();
