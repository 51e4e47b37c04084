/** The values of a knob at which a landscape is read; the first frame has them before there is a reader. */

/** @typedef {import('../engine/types.js').TableRow} TableRow */

/** Parts of the way of a real number: a multiple of each stride of the reader. */
export const VALUES = 240;
/** A knob of whole numbers that has no more than these and one shows each of them. */
const MOST_WHOLE = 256;

/**
 * The values of a knob from end to end, evenly spaced; whole numbers to the nearest one.
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
