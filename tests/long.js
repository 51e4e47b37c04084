/** How much a test tries: `make test` a sample from a fixed seed, `make test-long` all of it. */
export const LONG = process.env.LONG === '1';

/**
 * How many cases of many.
 * @param {number} sample in `make test`
 * @param {number} all in `make test-long`
 */
export const cases = (sample, all) => (LONG ? all : sample);

/**
 * So many cases of a list, drawn from a seed, in the order of the list; all of it in
 * `make test-long`. The runner shows what is printed here where a test of the file fails.
 * @template T
 * @param {readonly T[]} list
 * @param {number} count
 * @param {number} seed
 * @returns {readonly T[]}
 */
export function sample(list, count, seed) {
  if (LONG || count >= list.length) return list;
  console.log(`${count} of ${list.length} cases, seed ${seed}`);
  let state = seed;
  const keys = list.map(() => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0;
  });
  const limit = keys.toSorted((a, b) => a - b)[count];
  return list.filter((_, i) => keys[i] < limit);
}
