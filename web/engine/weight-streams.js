/**
 * Chooses how many blocks of a quantised matrix are read together (streams) in a multiplication with
 * one vector. Some processors read memory faster in four streams, others in one, and a page cannot
 * identify its processor. So the choices are timed on the model's weights at load. No result depends
 * on the choice.
 */

/** Bytes of weights in one timed reading: more than a cache holds. */
export const BYTES = 64e6;
/** Maximum number of readings before the measurement, until the browser has optimised the code. */
const WARM_UP = 6;
/** Number of rounds if one choice wins every round; otherwise up to ROUNDS_MAX. */
const ROUNDS = 3;
const ROUNDS_MAX = 7;
/** A number of streams is chosen in place of the default only if it is faster by this factor. */
const MARGIN = 1.1;

/**
 * Times each choice. Returns the first choice, unless another choice is faster by MARGIN.
 * @param {Record<string, (...args: number[]) => number>} calls the module's exports
 * @param {number} model
 * @param {number[]} choices
 * @param {() => number} [now] returns the time in ms
 * @returns {number}
 */
export function chooseStreams(calls, model, choices, now = () => performance.now()) {
  /** Reads weights once; returns the time in ms and the bytes read. @param {number} streams */
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
