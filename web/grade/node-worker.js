/** The harness in a Node worker thread; the learner's file is an ordinary import. */
import { parentPort, workerData } from 'node:worker_threads';
import { serve } from './harness.js';

const port = {
  postMessage: (/** @type {any} */ message) => parentPort?.postMessage(message),
  /** @type {any} */
  onmessage: null,
};
parentPort?.on('message', (data) => port.onmessage({ data }));
serve(port, () => import(workerData.url));
