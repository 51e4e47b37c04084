/** The random generators again in big integers: slow, simple, independent of src/draw.c. */

const MASK = (1n << 64n) - 1n;

/** PCG32, XSH-RR 64/32. */
export class Pcg32 {
  #state = 0n;
  #increment;

  /**
   * @param {number} initstate
   * @param {number} initseq
   */
  constructor(initstate, initseq) {
    this.#increment = ((BigInt(initseq) << 1n) | 1n) & MASK;
    this.next();
    this.#state = (this.#state + BigInt(initstate)) & MASK;
    this.next();
  }

  /** @returns {number} 32 bits */
  next() {
    const old = this.#state;
    this.#state = (old * 6364136223846793005n + this.#increment) & MASK;
    const shifted = (((old >> 18n) ^ old) >> 27n) & 0xffffffffn;
    const rotation = old >> 59n;
    return Number(((shifted >> rotation) | (shifted << (32n - rotation))) & 0xffffffffn);
  }

  /**
   * Returns a number below `bound`: rejection below 2^32 mod bound, then the remainder.
   * @param {number} bound
   * @returns {number}
   */
  bounded(bound) {
    const threshold = 2 ** 32 % bound;
    let value;
    do value = this.next(); while (value < threshold);
    return value % bound;
  }
}

/**
 * Returns the u of two consecutive outputs.
 * @param {number} a
 * @param {number} b
 * @returns {number}
 */
export function unitOf(a, b) {
  return ((a >>> 5) * 2 ** 26 + (b >>> 6)) / 2 ** 53;
}

/**
 * Returns splitmix64's output for the state x.
 * @param {bigint} x
 * @returns {bigint}
 */
export function splitmix64(x) {
  let z = (x + 0x9e3779b97f4a7c15n) & MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return z ^ (z >> 31n);
}
