/** The engine in a Node worker thread that a caller writes, as worker.js has it. */
import { parentPort } from 'node:worker_threads';
import { serve } from '../../web/engine/index.js';

serve(parentPort);
