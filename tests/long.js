/** How much a test tries: `make test` a sample from a fixed seed, `make test-long` all of it. */
export const LONG = process.env.LONG === '1';

/**
 * How many cases of many.
 * @param {number} sample in `make test`
 * @param {number} all in `make test-long`
 */
export const cases = (sample, all) => (LONG ? all : sample);
