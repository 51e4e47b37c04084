/**
 * In Node the template worker runs in a process of its own: a worker that exceeds its memory limit
 * at once may end its whole process. Takes the worker's address, passes messages both ways, and
 * exits with its parent.
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
