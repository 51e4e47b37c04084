/**
 * The script of the frame in the single-file page. Scripts there cannot import, so the user's code is
 * part of the worker's text, a classic script; withoutExports collects the code's exports.
 */
import { withoutExports } from './exports.js';
import { startGuarded } from './guarded.js';
import { refuseOrigin } from './origin.js';

/** @type {Worker | null} */
let worker = null;

/** @param {string} code */
function start(code) {
  // web/build.js replaces HARNESS with the text of single-worker.js, which defines `serveOwn`.
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
