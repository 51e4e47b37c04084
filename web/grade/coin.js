/** The coin that XTC tosses, as conventions have it: of seed and step alone, apart from the draw's numbers. */

const BITS = (1n << 64n) - 1n;
const BEYOND_IDS = 1n << 32n;

/** splitmix64's output for a state. Steele et al. 2014. @param {bigint} x */
function splitmix64(x) {
  let z = (x + 0x9e3779b97f4a7c15n) & BITS;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & BITS;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & BITS;
  return z ^ (z >> 31n);
}

/**
 * In [0, 1): below xtc_probability XTC removes.
 * @param {number} seed
 * @param {number} step
 */
export function coinOf(seed, step = 0) {
  const start = splitmix64(splitmix64(BigInt(seed)) + BigInt(step));
  return Number(splitmix64(start + BEYOND_IDS) >> 11n) / 2 ** 53;
}
