/** The harness in the worker of a page that is one file; the reader's code follows in the same text. */
import { serve } from '../grade/harness.js';

const scope = /** @type {any} */ (globalThis);

/** @param {Record<string, unknown>} exported */
scope.serveOwn = (exported) => serve(scope, async () => exported);
