/**
 * Contour lines of values on a grid, like those on a map of mountains, and places for their numbers. Positions are
 * shares of the width from the left and of the height from the top.
 */
import { ticks as roundTicks } from 'd3-array';
import { contours } from 'd3-contour';

/**
 * A contour: the region with values of at least `value`, as an SVG path. `label` is the place of the number; null if
 * there is no room.
 * @typedef {{ value: number, d: string, label: { x: number, y: number } | null }} Contour
 */

/** Approximate number of contours. */
const LINES = 8;
/** Least distance of a number from the edges and from other numbers, as a share of width and height. */
const ROOM = { x: 0.08, y: 0.12 };

/**
 * @param {{ columns: number, rows: number, values: (number | null)[], counts: boolean }} grid values:
 *   column after column, each from the bottom; null if unknown. counts: true if values are whole
 *   numbers from 1, so that the scale is logarithmic
 * @returns {Contour[]} the lowest first
 */
export function layoutContours({ columns, rows, values, counts }) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return [];
  const scale = (/** @type {number} */ value) => (counts ? Math.log(value) : value);
  // The library d3-contour expects rows from the top.
  const heights = Array.from({ length: values.length }, (_, i) => {
    const value = values[(i % columns) * rows + (rows - 1 - Math.floor(i / columns))];
    return value === null ? Number.NaN : scale(value);
  });
  const trace = contours().size([columns, rows]);
  /** @type {{ x: number, y: number }[]} */
  const placed = [];
  return roundValues(Math.min(...known), Math.max(...known), counts).map((value) => {
    const rings = trace
      .contour(heights, scale(value))
      .coordinates.flat()
      .map((ring) => ring.map(([x, y]) => [(x - 0.5) / (columns - 1), (y - 0.5) / (rows - 1)]));
    const d = rings.map((ring) => `M${ring.map((place) => place.join()).join('L')}Z`).join('');
    const label = labelPlace(rings.flat(), placed);
    if (label) placed.push(label);
    return { value, d, label };
  });
}

/**
 * Returns round values above `low`, up to `high`. The lowest value needs no contour.
 * @param {number} low
 * @param {number} high
 * @param {boolean} counts
 */
function roundValues(low, high, counts) {
  if (!counts) return roundTicks(low, high, LINES).filter((value) => value > low);
  const tens = Array.from({ length: Math.floor(Math.log10(high)) + 1 }, (_, i) => 10 ** i);
  const all = tens.flatMap((ten) => [ten, 2 * ten, 5 * ten]);
  const between = (/** @type {number} */ value) => value > low && value <= high;
  const fine = all.filter(between);
  return fine.length <= LINES + 2 ? fine : tens.filter(between);
}

/**
 * Returns the point of a contour that is farthest from the edges and not too near to another number.
 * @param {number[][]} line
 * @param {{ x: number, y: number }[]} placed
 */
function labelPlace(line, placed) {
  const away = (/** @type {number[]} */ [x, y]) => Math.min(x, 1 - x, y, 1 - y);
  const found = line
    .filter(([x, y]) => x > ROOM.x && x < 1 - ROOM.x && y > ROOM.y && y < 1 - ROOM.y)
    .filter(
      ([x, y]) =>
        !placed.some((one) => Math.abs(one.x - x) < 2 * ROOM.x && Math.abs(one.y - y) < 2 * ROOM.y),
    )
    .sort((one, other) => away(other) - away(one))[0];
  return found ? { x: found[0], y: found[1] } : null;
}
