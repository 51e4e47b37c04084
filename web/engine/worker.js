/** The engine in a worker of its own, of a page or of Node; `remote.js` is the other end. */
import { serve } from './host.js';

const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';
const threads = 'node:worker_threads'; // a variable, so that bundlers for the browser leave it alone

if (inNode) import(threads).then(({ parentPort }) => serve(parentPort ?? globalThis));
else serve(/** @type {any} */ (globalThis));
