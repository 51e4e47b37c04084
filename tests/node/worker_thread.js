/** Serves the engine in a caller's Node worker thread, as worker.js does in its own. */
import { parentPort } from 'node:worker_threads';
import { serve } from '../../web/engine/index.js';

serve(parentPort);
