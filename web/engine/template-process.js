/**
 * In Node the worker that renders templates runs in a process of its own. A worker's limit of memory is
 * no wall: one that takes very much at once may end its whole process, which is then this one.
 * Takes the worker's address; passes on what either end says, and goes when its parent does.
 */
import { Worker } from 'node:worker_threads';

/** How much memory the worker may take, in MB. */
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
