/**
 * The script of sandbox.html: starts the worker that runs the user's code, and passes messages between
 * page and worker. The frame has an opaque origin, and its Content Security Policy forbids the network.
 * Its workers inherit origin and policy. Each runs in its own thread, so a worker that hangs does not
 * stop the page.
 */
import { startGuarded } from './guarded.js';
import { refuseOrigin } from './origin.js';

function start() {
  // web/build.js replaces HARNESS with the text of worker.js.
  const worker = startGuarded(/** @type {any} */ (globalThis).HARNESS);
  addEventListener('message', ({ data, source: from }) => {
    if (from === parent) worker.postMessage(data);
  });
  parent.postMessage('ready', '*');
}

if (!refuseOrigin()) start();
