/** The values of a knob at which a landscape is computed. The page and the build of the first frame both use them. */

/** @import { TableRow } from '../engine/types.js' */

/** Number of intervals for a real knob: a multiple of each of STRIDES in landscape.js. */
export const VALUES = 240;
/** An integer knob with at most this many intervals uses every integer. */
const MOST_WHOLE = 256;

/**
 * Returns the values, evenly spaced over the knob's range; rounded for an integer knob.
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
