/** The mass of the likeliest tokens together. */

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
