/** A linear scale. With it, the first view needs no d3-scale. */

/**
 * @param {[number, number]} domain
 * @param {[number, number]} range
 * @returns {(value: number) => number}
 */
export function linear([from, to], [start, end]) {
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}
