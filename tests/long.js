/** The amount of testing: `make test` tries a seeded sample of cases, `make test-long` all cases. */
import { test } from 'node:test';

export const LONG = process.env.LONG === '1';

/** Declares a test that only `make test-long` runs: it is slow, and quicker tests cover most of it. */
export const long = LONG ? test : () => {};

/** Seed of the samples. It is fixed, so a commit gets equal results on every machine. */
const SEED = Number(process.env.SEED ?? 1);
if (!LONG) console.log(`samples from SEED=${SEED}`);

/**
 * Returns the number of cases to try.
 * @param {number} sample in `make test`
 * @param {number} all in `make test-long`
 */
export const cases = (sample, all) => (LONG ? all : sample);

/**
 * In `make test`, returns n of the cases in their order; in `make test-long`, returns all cases.
 * @template T
 * @param {readonly T[]} all
 * @param {number} n
 * @param {number} [seed] must differ between samples of one list
 * @returns {T[]}
 */
export function sample(all, n, seed = 0) {
  if (LONG) return [...all];
  const drawn = all.map((one, i) => ({ one, i, lot: lot(i, seed) }));
  const chosen = drawn.sort((a, b) => a.lot - b.lot).slice(0, n);
  return chosen.sort((a, b) => a.i - b.i).map(({ one }) => one);
}

/**
 * Returns a pseudo-random number below 2^32, determined by SEED, `seed` and the index i.
 * @param {number} i
 * @param {number} seed
 */
function lot(i, seed) {
  let x =
    Math.imul(SEED, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b) ^ Math.imul(i + 1, 0xc2b2ae35);
  for (const factor of [0x7feb352d, 0x846ca68b]) x = Math.imul(x ^ (x >>> 15), factor);
  return (x ^ (x >>> 16)) >>> 0;
}
