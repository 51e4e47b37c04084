/** Serves the engine in a Node worker thread, as worker.js does in a web worker. */
import { parentPort } from 'node:worker_threads';
import { serve } from '../../web/engine/index.js';

serve(parentPort);
