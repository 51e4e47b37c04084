/** A linear scale. The first screen uses it, so that d3-scale is fetched later. */

/**
 * @param {[number, number]} domain
 * @param {[number, number]} range
 * @returns {(value: number) => number}
 */
export function linear([from, to], [start, end]) {
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}
