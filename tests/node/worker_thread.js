/** An engine in a worker thread of Node, as worker.js has it in a web worker. This file starts the thread and is its code. */
import { Worker, parentPort } from 'node:worker_threads';
import { serve } from '../../web/engine/index.js';
import { atEnd } from '../cleanup.js';

if (parentPort) serve(parentPort);

/** Starts a thread; returns it with the interface of a browser's Worker. */
export function startThread() {
  const worker = new Worker(new URL(import.meta.url));
  atEnd(() => worker.terminate());
  /** @type {any} */
  const port = {
    onmessage: null,
    onerror: null,
    postMessage: (/** @type {any} */ message, /** @type {any} */ transfer) =>
      worker.postMessage(message, transfer),
    terminate: () => worker.terminate(),
  };
  worker.on('message', (data) => port.onmessage({ data }));
  worker.on('error', (error) => port.onerror(error));
  return port;
}
