/**
 * How many blocks of a quantised matrix one vector meets at once. One processor reads memory faster
 * in four streams, another in one, and a page cannot ask for its name: so the choices are timed on
 * the model's own weights when it is loaded. No bit depends on the choice.
 */

/** Bytes of weights that one reading covers: more than a cache holds. */
const BYTES = 64e6;
/** The first readings run code that is not optimised yet: at most so many are not counted. */
const WARM_UP = 6;
/** So many rounds where one choice is the fastest in each of them, else the most. */
const ROUNDS = 3;
const ROUNDS_MAX = 7;
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
  /** @type {number[][]} milliseconds by round, then by choice */
  const rounds = [];
  /** @param {number[]} times */
  const winner = (times) => times.indexOf(Math.min(...times));
  const differ = () => rounds.some((times) => winner(times) !== winner(rounds[0]));
  while (rounds.length < ROUNDS || (rounds.length < ROUNDS_MAX && differ()))
    rounds.push(choices.map((streams) => read(streams).ms));
  const medians = choices.map((_, i) => {
    const times = rounds.map((round) => round[i]).sort((a, b) => a - b);
    return times[times.length >> 1];
  });
  const best = Math.min(...medians);
  const chosen = medians[0] > MARGIN * best ? medians.indexOf(best) : 0;
  return choices[chosen];
}
