/** Answers calls to the engine in a worker thread of Node, as worker.js does in a web worker. */
import { parentPort } from 'node:worker_threads';
import { serve } from '../../web/engine/index.js';

serve(parentPort);
