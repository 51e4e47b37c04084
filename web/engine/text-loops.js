/** Finds a loop: a cycle of tokens that a text repeats. */

/** A cycle is a loop if it occurs at least this many times in a row. */
export const TIMES = 3;

/**
 * A loop: `times` complete cycles of `period` tokens, from index `start` to before `end`.
 * @typedef {{ start: number, end: number, period: number, times: number }} Loop
 */

/**
 * Returns the loop that begins first; if several begin there, the loop with the shortest cycle. Null
 * if no cycle occurs three times in a row.
 * @param {ArrayLike<number>} ids
 * @returns {Loop | null}
 */
export function findLoop(ids) {
  /** @type {Loop | null} */
  let first = null;
  for (let period = 1; period * TIMES <= ids.length; period++) {
    let run = 0;
    for (let i = period; i < ids.length; i++) {
      run = ids[i] === ids[i - period] ? run + 1 : 0;
      if (run < period * (TIMES - 1)) continue;
      const start = i + 1 - run - period;
      if (first && (first.start < start || (first.start === start && first.period < period))) break;
      first = { start, end: i + 1, period, times: Math.floor((run + period) / period) };
    }
  }
  return first;
}
