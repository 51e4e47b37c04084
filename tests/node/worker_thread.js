/** The engine in a Node worker thread, as worker.js has it in a browser's worker. */
import { parentPort } from 'node:worker_threads';
import { serve } from '../../web/engine/host.js';

const port = {
  postMessage: (message, transfer) => parentPort.postMessage(message, transfer),
  onmessage: null,
};
parentPort.on('message', (data) => port.onmessage({ data }));
serve(port);
