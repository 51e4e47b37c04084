/** The curves over all ranks as the rows of a table. */
import { cumulate } from './cumulate.js';

/**
 * What the curves say at the ranks 1, 2, 5, 10, 20 … and the last.
 * @param {import('./curve.js').Curves} curves
 */
export function curveTable(curves) {
  const count = curves.raw.length;
  const masses = { raw: cumulate(curves.raw), final: cumulate(curves.final) };
  const ranks = [];
  for (let scale = 1; scale <= count; scale *= 10)
    for (const step of [1, 2, 5]) if (step * scale < count) ranks.push(step * scale);
  return [...ranks, count].map((rank) => ({
    rank,
    raw: curves.raw[rank - 1],
    final: curves.final[rank - 1],
    rawMass: Math.min(1, masses.raw[rank - 1]),
    finalMass: Math.min(1, masses.final[rank - 1]),
  }));
}
