/** What happens once a hand rests: typing, a pointer, changes that follow each other. */

/** @type {Set<Rest>} */
const awaited = new Set();

export class Rest {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** Whether anything on the page waits for a rest. */
  static get awaited() {
    return awaited.size > 0;
  }

  /**
   * Acts in `ms`, unless this is called again or stopped before.
   * @param {number} ms
   * @param {() => void} act
   */
  after(ms, act) {
    this.stop();
    awaited.add(this);
    this.#timer = setTimeout(() => {
      awaited.delete(this);
      act();
    }, ms);
  }

  stop() {
    clearTimeout(this.#timer);
    awaited.delete(this);
  }
}
