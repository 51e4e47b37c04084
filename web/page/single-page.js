/**
 * Reads the engine and the models from the single-file page. The engine runs in a worker made from a blob. If the
 * worker does not start, the engine runs in the page.
 */
import { assets } from '../state/assets.js';
import { MODELS } from '../state/models.js';
import { serve } from '../engine/engine-server.js';
import { trustedAddress } from '../engine/trusted.js';

/** Longest time to wait for a worker's first message, in ms. */
const PATIENCE = 4000;

/** @param {string} text base64 */
function bytesOf(text) {
  const letters = atob(text.trim());
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

/** @type {string} */
let workerCode = '';
for (const element of document.querySelectorAll('script[data-file]')) {
  const name = element.getAttribute('data-file') ?? '';
  const bytes = bytesOf(element.textContent ?? '');
  if (name === 'logitscope.wasm') assets.wasm = bytes;
  else if (name === 'logitscope-simd.wasm') assets.simd = bytes;
  else if (name === 'logitscope-relaxed.wasm') assets.relaxed = bytes;
  else if (name === 'worker.js') workerCode = new TextDecoder().decode(bytes);
  else if (name === 'template.js') assets.renderer = bytes;
  else assets.inside.set(name, bytes);
  element.remove();
}
const carried = MODELS.filter(({ model }) => assets.inside.has(model));
MODELS.splice(0, MODELS.length, ...carried);

/** Starts a worker and waits for its first message. @returns {Promise<Worker>} */
function startWorker() {
  const address = URL.createObjectURL(new Blob([workerCode], { type: 'text/javascript' }));
  return new Promise((resolve, reject) => {
    const worker = new Worker(trustedAddress(address));
    const settle = (/** @type {() => void} */ end) => {
      clearTimeout(timer);
      URL.revokeObjectURL(address);
      end();
    };
    const fail = () => {
      worker.terminate();
      settle(() => reject(new Error('no worker')));
    };
    const timer = setTimeout(fail, PATIENCE);
    worker.onerror = fail;
    worker.onmessage = () => settle(() => resolve(worker));
  });
}

assets.worker = async () => {
  try {
    return await startWorker();
  } catch {
    const { port1, port2 } = new MessageChannel();
    serve(/** @type {any} */ (port2));
    return port1;
  }
};
