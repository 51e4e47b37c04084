/** The engine in a worker of its own, of a page or of Node; `remote.js` is the other end. */
import { serve } from './engine-server.js';

const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';

if (inNode) import('#node').then(({ parentPort }) => serve(parentPort ?? globalThis));
else {
  serve(/** @type {any} */ (globalThis));
  // The browser tells a page nothing of a worker that closes itself.
  const { close } = globalThis;
  globalThis.close = () => {
    postMessage({ closed: true });
    close();
  };
}
