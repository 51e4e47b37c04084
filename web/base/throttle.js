/** Limits how often something slow is rendered while a knob moves. */

/** Least time between two renders of numbers or text, in ms. */
const NUMBERS_MS = 100;

export class Throttle {
  #interval;
  #last = -Infinity;

  /** @param {number} [interval] in ms */
  constructor(interval = NUMBERS_MS) {
    this.#interval = interval;
  }

  /** Starts an interval. @param {number} [now] in ms, as performance.now() */
  restart(now = performance.now()) {
    this.#last = now;
  }

  /** Returns the time until the interval ends, in ms. @param {number} [now] in ms, as performance.now() */
  left(now = performance.now()) {
    return Math.max(0, this.#last + this.#interval - now);
  }
}
