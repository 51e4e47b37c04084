/** Runs the harness in a worker thread of Node, which imports the learner's file. */
import { parentPort, workerData } from 'node:worker_threads';
import { serve } from './harness.js';

const port = {
  postMessage: (/** @type {any} */ message) => parentPort?.postMessage(message),
  /** @type {any} */
  onmessage: null,
};
parentPort?.on('message', (data) => port.onmessage({ data }));
serve(port, () => import(workerData.url));
