/**
 * In Node, the template worker runs in a separate process, because a worker that exceeds its memory
 * limit may end its whole process. This script gets the worker's address as an argument, passes
 * messages between worker and parent, and exits with the parent.
 */
import { Worker } from 'node:worker_threads';

/** Memory limit of the worker, in MB. */
const HEAP_MB = 256;

const send = (/** @type {unknown} */ message) => process.send?.(message);
const worker = new Worker(new URL(process.argv[2]), {
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
});
worker.on('message', send);
worker.on('error', (error) => send({ reason: error.message }));
process.on('message', (job) => worker.postMessage(job));
process.on('disconnect', () => process.exit());
