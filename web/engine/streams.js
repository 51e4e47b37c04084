/**
 * How many blocks of a quantised matrix one vector meets at once. One processor reads memory faster
 * in four streams, another in one, and a page cannot ask for its name: so the choices are timed on
 * the model's own weights when it is loaded. No bit depends on the choice.
 */

/** Bytes of weights that one reading covers: more than a cache holds. */
const BYTES = 64e6;
/** The first readings run code that is not optimised yet: at most so many are not counted. */
const WARM_UP = 6;
const ROUNDS = 3;
/** So many times faster than the first choice another must be. */
const MARGIN = 1.1;

/**
 * Times each choice and returns the fastest: the first one where no other is clearly faster.
 * @param {Record<string, (...args: number[]) => number>} calls of the module
 * @param {number} model
 * @param {number[]} choices
 * @param {() => number} [now] milliseconds
 * @returns {number}
 */
export function chooseStreams(calls, model, choices, now = () => performance.now()) {
  /** Milliseconds of one reading, and its bytes. @param {number} streams */
  const read = (streams) => {
    calls.kernels_streams(streams);
    const begin = now();
    let bytes = 0;
    for (let part = 0, more = 1; more && bytes < BYTES; part++) {
      more = calls.model_probe(model, part);
      bytes += more;
    }
    return { ms: now() - begin, bytes };
  };
  let { ms, bytes } = read(choices[0]);
  if (!bytes) return choices[0];
  for (let i = 1, before = Infinity; i < WARM_UP && before > 1.3 * ms; i++) {
    before = ms;
    ms = read(choices[i % choices.length]).ms;
  }
  const times = choices.map(() => /** @type {number[]} */ ([]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, streams] of choices.entries()) times[i].push(read(streams).ms);
  const medians = times.map((list) => list.sort((a, b) => a - b)[ROUNDS >> 1]);
  const best = Math.min(...medians);
  const chosen = medians[0] > MARGIN * best ? medians.indexOf(best) : 0;
  return choices[chosen];
}
