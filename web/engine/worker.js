/** The script of the engine's worker, in a page or in Node. `remote.js` is the client. */
import { serve } from './engine-server.js';

const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';

if (inNode) import('#node').then(({ parentPort }) => serve(parentPort ?? globalThis));
else {
  serve(/** @type {any} */ (globalThis));
  // A browser does not tell the page that a worker has closed itself, so this message does.
  const { close } = globalThis;
  globalThis.close = () => {
    postMessage({ closed: true });
    close();
  };
}
