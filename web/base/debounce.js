/** Debounces actions after typing, pointer moves or a series of changes. */

/** The pending actions. @type {Map<Debounce, () => void>} */
const pending = new Map();

export class Debounce {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * Runs all pending actions of the page now, except the action of `kept`. Returns false if it ran none.
   * @param {Debounce} [kept]
   */
  static flush(kept) {
    const actions = [...pending];
    for (const [debounce, act] of actions) {
      if (debounce === kept || !pending.has(debounce)) continue; // another action has cancelled it
      debounce.cancel();
      act();
    }
    return actions.length > 0;
  }

  /**
   * Runs `act` after `ms` milliseconds. Another call or cancel() before then drops it.
   * @param {number} ms
   * @param {() => void} act
   */
  schedule(ms, act) {
    this.cancel();
    pending.set(this, act);
    this.#timer = setTimeout(() => {
      pending.delete(this);
      act();
    }, ms);
  }

  cancel() {
    clearTimeout(this.#timer);
    pending.delete(this);
  }
}
