/** Distributions in falling order as numbers to show: their masses, and the ranks of a table. */

/** @typedef {import('./curve.js').Curves} Curves */

/**
 * Masses of the first 1, 2, 3 … shares.
 * @param {Float64Array} shares
 */
export function cumulate(shares) {
  const masses = new Float64Array(shares.length);
  let mass = 0;
  for (let i = 0; i < shares.length; i++) masses[i] = mass += shares[i];
  return masses;
}

/**
 * The rows of a table that says what the curves say: ranks 1, 2, 5, 10, 20 … and the last.
 * @param {Curves} curves
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
