/** The straight line between two intervals: all that the first view needs of a scale. */

/**
 * @param {[number, number]} domain
 * @param {[number, number]} range
 * @returns {(value: number) => number}
 */
export function linear([from, to], [start, end]) {
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}
