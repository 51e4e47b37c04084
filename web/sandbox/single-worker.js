/** The harness in the worker of the single-file page. The user's code is appended to this script. */
import { serve } from '../grade/harness.js';
import { lock } from './lock.js';

const scope = /** @type {any} */ (globalThis);
const port = { postMessage: lock(), onmessage: null };

/** @param {Record<string, unknown>} exported */
scope.serveOwn = (exported) => {
  serve(port, async () => exported);
  scope.onmessage = port.onmessage;
};
