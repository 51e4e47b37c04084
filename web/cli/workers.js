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

/**
 * Yields the result of each item in order. Up to `n` items are in work at once.
 * @template Item, Result
 * @param {Item[]} items
 * @param {number} n
 * @param {(item: Item) => Promise<Result>} work
 * @returns {AsyncGenerator<Result, void, void>}
 */
export async function* inOrder(items, n, work) {
  /** @type {Promise<Result>[]} */
  const results = [];
  const rest = items.values();
  const lane = async () => {
    // Items begin in order, so an item has begun when its turn comes.
    for (const item of rest) await results[results.push(work(item)) - 1];
  };
  for (let i = 0; i < n; i++) lane().catch(() => {}); // the loop below throws the error
  try {
    for (let i = 0; i < items.length; i++) yield await results[i];
  } finally {
    for (const _ of rest); // begins no further item
  }
}

/** @param {any} values */
export const checkWorkers = ({ workers = 1 }) => checkInteger('workers', workers, 1, WORKERS_MAX);

/**
 * The number of threads, and the memory for all copies of the model: half of the free memory.
 * @param {any} values
 * @returns {{ workers: number, memory: number }}
 */
export const crowdOf = ({ workers = Math.min(availableParallelism(), WORKERS_MAX) }) => ({
  workers,
  memory: freemem() / 2,
});
