/** Delays an action until the user has paused. */

/** The actions that wait. @type {Map<Debounce, () => void>} */
const pending = new Map();

export class Debounce {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * Runs all waiting actions of the page now, except that of `kept`. Returns false if there were none.
   * @param {Debounce} [kept]
   */
  static flush(kept) {
    const actions = [...pending];
    for (const [debounce, act] of actions) {
      if (debounce === kept || !pending.has(debounce)) continue; // kept, or cancelled by an earlier action
      debounce.cancel();
      act();
    }
    return actions.length > 0;
  }

  /**
   * Runs `act` after `ms` milliseconds, unless schedule() or cancel() is called before.
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

/**
 * Accepts a text that the user is typing: one that waits for its debounce, or for the field to lose the focus.
 * @param {Debounce} [kept] its action does not run
 */
export function takeTyped(kept) {
  let box = /** @type {any} */ (document.activeElement);
  while (box?.shadowRoot?.activeElement) box = box.shadowRoot.activeElement;
  if (/^text/.test(box?.type)) {
    box.blur();
    box.focus();
  }
  Debounce.flush(kept);
}
