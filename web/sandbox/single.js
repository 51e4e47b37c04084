/**
 * The script of the frame where the page is one file. There a script may import nothing, so a reader's
 * code stands in the text of its worker, as a classic script: its exports are taken down on the way.
 */
import { trustedAddress } from '../engine/trusted.js';
import { withoutExports } from './exports.js';
import { refuseOrigin } from './origin.js';

/** @type {Worker | null} */
let worker = null;

/** @param {string} code */
function start(code) {
  // The text of single-worker.js, put in by web/build.js; it leaves `serveOwn`.
  const harness = /** @type {any} */ (globalThis).HARNESS;
  const text = `${harness}\nserveOwn((() => {"use strict";const exported = {};${withoutExports(code)}\n})());`;
  const source = new Blob([text], { type: 'text/javascript' });
  // The page's policy holds here too, as this document came with it.
  worker = new Worker(trustedAddress(URL.createObjectURL(source)));
  worker.onmessage = ({ data }) => parent.postMessage(data, '*');
  worker.onerror = ({ message }) =>
    parent.postMessage({ error: message || 'the worker failed' }, '*');
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
