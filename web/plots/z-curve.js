/** The geometry of a detector's z over the length of a text. */
import { linear } from './linear.js';

/** The z that one of a hundred unmarked texts reaches. */
const ONE_IN_100 = 2.33;
/** The least end of the axis. */
const LEAST = 4;

/** @param {{ curve: number[], width: number, height: number }} options z after 1, 2, … tokens */
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
