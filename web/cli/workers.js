/** The flag --workers: the number of threads that write texts. */
import { availableParallelism, freemem } from 'node:os';
import { checkInteger } from '../engine/checks.js';
import { WORKERS_MAX } from '../engine/crowd.js';

/** @type {import('./flags.js').Flag} */
export const WORKERS = {
  name: 'workers',
  kind: 'number',
  help: 'threads that write texts, each with a copy of the model; no result depends on it (all cores)',
};

/** @param {any} values */
export const checkWorkers = ({ workers = 1 }) => checkInteger('workers', workers, 1, WORKERS_MAX);

/**
 * The number of threads, and the memory for all copies of the model: half of the free memory.
 * @param {any} values
 * @returns {import('../engine/crowd.js').CrowdOptions & { workers: number }}
 */
export const crowdOf = ({ workers = Math.min(availableParallelism(), WORKERS_MAX) }) => ({
  workers,
  memory: freemem() / 2,
});
