/** The values of a knob at which a landscape is computed. The page and the build of the first frame use them. */

/** @typedef {import('../engine/types.js').TableRow} TableRow */

/** The number of intervals of a real-valued knob; a multiple of each of STRIDES in landscape.js. */
export const VALUES = 240;
/** The most intervals with which an integer knob uses every integer. */
const MOST_WHOLE = 256;

/**
 * Returns the values of a knob, evenly spaced over its range; integers are rounded.
 * @param {TableRow} row
 */
export function valuesOf({ kind, low, high }) {
  const whole = kind === 'integer';
  const span = high - low;
  const parts = whole && span <= MOST_WHOLE ? span : VALUES;
  return Float64Array.from({ length: parts + 1 }, (_, i) => {
    const value = low + (span * i) / parts;
    return whole ? Math.round(value) : value;
  });
}
