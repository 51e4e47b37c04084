/** Random inputs of the grader, made of short numbers. The same seed gives the same inputs. */

/**
 * An input for a sampler or a chain.
 * @typedef {object} Case
 * @property {number[]} logits
 * @property {Record<string, any>} settings only those that differ from neutral
 * @property {number[]} history
 * @property {number} [step] the number of drawn tokens, if the sampler reads it
 * @property {number[]} [second] logits of a second distribution, if the sampler reads one
 */

export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** Returns a number in [0, 1), by mulberry32. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let x = this.#state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  }

  /**
   * Returns an integer from low to high, both included.
   * @param {number} low
   * @param {number} high
   */
  whole(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  of(list) {
    return list[this.whole(0, list.length - 1)];
  }

  /**
   * Returns a number from low to high, in hundredths.
   * @param {number} low
   * @param {number} high
   */
  hundredths(low, high) {
    return this.whole(Math.round(100 * low), Math.round(100 * high)) / 100;
  }

  /**
   * Returns different multiples of 1/256 around 0. If `removed` is true, some are -Infinity.
   * @param {number} size
   * @param {{ spread?: number, removed?: boolean }} [options]
   * @returns {number[]}
   */
  logits(size, { spread = this.of([1, 2, 4]), removed = false } = {}) {
    const taken = new Set();
    while (taken.size < size) {
      const sum = this.next() + this.next() + this.next() - 1.5;
      taken.add(Math.round(256 * spread * 2 * sum) / 256);
    }
    const list = [...taken];
    if (removed)
      list.forEach((_, i) => {
        if (i && this.next() < 0.3) list[i] = -Infinity;
      });
    return list;
  }

  /**
   * @param {number} length
   * @param {number} size of the vocabulary
   */
  history(length, size) {
    return Array.from({ length }, () => this.whole(0, size - 1));
  }
}

/** Sizes of vocabularies, most of them small. */
export const SIZES = [2, 3, 4, 5, 6, 8, 12, 40];
