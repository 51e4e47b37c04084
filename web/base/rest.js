/** What happens once a hand rests: typing, a pointer, changes that follow each other. */

/** What waits, and what it does then. @type {Map<Rest, () => void>} */
const awaited = new Map();

export class Rest {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** Does at once all that waits on the page, but for `kept`; false where nothing did. @param {Rest} [kept] */
  static hasten(kept) {
    const waiting = [...awaited];
    for (const [rest, act] of waiting) {
      if (rest === kept || !awaited.has(rest)) continue; // one of the others has stopped it
      rest.stop();
      act();
    }
    return waiting.length > 0;
  }

  /**
   * Acts in `ms`, unless this is called again or stopped before.
   * @param {number} ms
   * @param {() => void} act
   */
  after(ms, act) {
    this.stop();
    awaited.set(this, act);
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
