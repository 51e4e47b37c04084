/**
 * Hashes that some learners' functions get as arguments: XTC's coin, and the watermarks' bits for each token. They
 * come from splitmix64 and do not depend on the numbers of the draw.
 */

const BITS = (1n << 64n) - 1n;
const BEYOND_IDS = 1n << 32n;

/** Returns the output of splitmix64 for a state (Steele et al. 2014). @param {bigint} x */
function splitmix64(x) {
  let z = (x + 0x9e3779b97f4a7c15n) & BITS;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & BITS;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & BITS;
  return z ^ (z >> 31n);
}

/**
 * Returns the coin in [0, 1). If it is below xtc_probability, XTC removes tokens.
 * @param {number} seed
 * @param {number} step
 */
export function coinOf(seed, step = 0) {
  const start = splitmix64(splitmix64(BigInt(seed)) + BigInt(step));
  return Number(splitmix64(start + BEYOND_IDS) >> 11n) / 2 ** 53;
}

/**
 * For each watermark: the setting with the number of ids that are hashed, and a number that makes its hash different.
 * @type {Record<string, [string, bigint]>}
 */
const MARKS = { green_bias: ['green_context', 1n], synthid_depth: ['synthid_context', 2n] };

/**
 * Returns 32 bits for each token after a history. Returns null if `as` is no watermark or the history is too short.
 * @param {string} as
 * @param {Record<string, any>} settings complete
 * @param {number[]} history
 * @param {number} size of the vocabulary
 */
export function bitsOf(as, settings, history, size) {
  if (!(as in MARKS)) return null;
  const [width, tag] = MARKS[as];
  const from = history.length - settings[width];
  if (from < 0) return null;
  const keyed = splitmix64(BigInt(settings.watermark_key)) + BEYOND_IDS;
  if (as === 'green_bias' && settings.green_self) return selfBits(keyed, history.slice(from), size);
  let seed = splitmix64(keyed + tag);
  for (const id of history.slice(from)) seed = splitmix64(seed + BigInt(id));
  return Uint32Array.from({ length: size }, (_, id) => {
    const pair = splitmix64(seed + BigInt(id >> 1));
    return Number(BigInt.asUintN(32, id & 1 ? pair >> 32n : pair));
  });
}

/** @param {bigint} keyed @param {number[]} context @param {number} size */
function selfBits(keyed, context, size) {
  const seed = splitmix64(keyed + 3n);
  const rank = (/** @type {number} */ id) => splitmix64(seed + BigInt(id));
  const least = context.map(rank).reduce((a, b) => (b < a ? b : a), BITS);
  return Uint32Array.from({ length: size }, (_, id) => {
    const own = rank(id);
    return Number(BigInt.asUintN(32, splitmix64((own < least ? own : least) + BigInt(id))));
  });
}
