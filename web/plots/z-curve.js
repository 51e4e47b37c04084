/** Lays out the curve of a watermark's z-score by the length of the text. */
import { linear } from './linear.js';

/** One of a hundred texts without a watermark reaches this z-score by chance. */
const ONE_IN_100 = 2.33;
/** The axis ends at least at this z-score. */
const LEAST = 4;

/** @param {{ curve: number[], width: number, height: number }} options curve: z after 1, 2, … tokens */
export function layoutZ({ curve, width, height }) {
  const high = curve.reduce((a, b) => Math.max(a, b), LEAST);
  const low = curve.reduce((a, b) => Math.min(a, b), 0);
  const x = linear([0, Math.max(1, curve.length - 1)], [0, width]);
  const y = linear([low, high], [height, 0]);
  return {
    points: curve.map((z, i) => `${x(i).toFixed(1)},${y(z).toFixed(1)}`).join(' '),
    zero: y(0),
    limit: y(ONE_IN_100),
    end: { x: x(curve.length - 1), y: y(curve.at(-1) ?? 0) },
  };
}
