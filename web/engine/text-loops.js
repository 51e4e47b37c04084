/** Finds a loop: a cycle of tokens that a text repeats. */

/** A cycle is a loop if it occurs at least this many times in a row. */
export const TIMES = 3;
/** In a text that still grows, a cycle of at least this many tokens is a loop if it occurs twice in a row. */
const LONG = 8;

/**
 * A loop: `times` complete cycles of `period` tokens, from index `start` to before `end`.
 * @typedef {{ start: number, end: number, period: number, times: number }} Loop
 */

/**
 * Returns the loop that begins first; if several begin there, the loop with the shortest cycle. Null
 * if no cycle occurs so many times in a row.
 * @param {ArrayLike<number>} ids
 * @param {number} [times]
 * @param {number} [least] length of the shortest cycle
 * @returns {Loop | null}
 */
export function findLoop(ids, times = TIMES, least = 1) {
  /** @type {Loop | null} */
  let first = null;
  for (let period = least; period * times <= ids.length; period++) {
    let run = 0;
    for (let i = period; i < ids.length; i++) {
      run = ids[i] === ids[i - period] ? run + 1 : 0;
      if (run < period * (times - 1)) continue;
      const start = i + 1 - run - period;
      if (first && (first.start < start || (first.start === start && first.period < period))) break;
      first = { start, end: i + 1, period, times: Math.floor((run + period) / period) };
    }
  }
  return first;
}

/** Returns the loop of a text that still grows; null if there is none. @param {ArrayLike<number>} ids */
export const findEarlyLoop = (ids) => findLoop(ids) ?? findLoop(ids, 2, LONG);
