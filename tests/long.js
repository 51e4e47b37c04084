/** How much a test tries: `make test` a sample from a seed, `make test-long` all of it. */
import { test } from 'node:test';

export const LONG = process.env.LONG === '1';

/** A test that `make test-long` alone runs: it takes long, and quicker ones try most of the same. */
export const long = LONG ? test : () => {};

/** The seed of the samples: the same for each run, so that a commit is judged alike everywhere. */
const SEED = Number(process.env.SEED ?? 1);
if (!LONG) console.log(`samples from SEED=${SEED}`);

/**
 * How many cases of many.
 * @param {number} sample in `make test`
 * @param {number} all in `make test-long`
 */
export const cases = (sample, all) => (LONG ? all : sample);

/**
 * So many of the cases in `make test`, in their order; all of them in `make test-long`.
 * @template T
 * @param {readonly T[]} all
 * @param {number} n
 * @param {number} [seed] another one for each of several samples from the same cases
 * @returns {T[]}
 */
export function sample(all, n, seed = 0) {
  if (LONG) return [...all];
  const drawn = all.map((one, i) => ({ one, i, lot: lot(i, seed) }));
  const chosen = drawn.sort((a, b) => a.lot - b.lot).slice(0, n);
  return chosen.sort((a, b) => a.i - b.i).map(({ one }) => one);
}

/** A number below 2^32 that the seeds and the place decide. @param {number} i @param {number} seed */
function lot(i, seed) {
  let x =
    Math.imul(SEED, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b) ^ Math.imul(i + 1, 0xc2b2ae35);
  for (const factor of [0x7feb352d, 0x846ca68b]) x = Math.imul(x ^ (x >>> 15), factor);
  return (x ^ (x >>> 16)) >>> 0;
}
