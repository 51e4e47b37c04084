/**
 * The script of the frame where the page is one file. There a script may import nothing, so a reader's
 * code stands in the text of its worker, as a classic script: its exports are taken down on the way.
 */
import { withoutExports } from './exports.js';
import { startGuarded } from './guarded.js';
import { refuseOrigin } from './origin.js';

/** @type {Worker | null} */
let worker = null;

/** @param {string} code */
function start(code) {
  // The text of single-worker.js, put in by web/build.js; it leaves `serveOwn`.
  const harness = /** @type {any} */ (globalThis).HARNESS;
  const text = `${harness}\nserveOwn((() => {"use strict";const exported = {};${withoutExports(code)}\n})());`;
  worker = startGuarded(text);
}

function listen() {
  addEventListener('message', ({ data, source }) => {
    if (source !== parent) return;
    if (worker) worker.postMessage(data);
    else start(data.code);
  });
  parent.postMessage('ready', '*');
}

if (!refuseOrigin()) listen();
