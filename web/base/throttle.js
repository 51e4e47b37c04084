/** Throttles the renders that take longer than a frame while a knob moves. */

/** The shortest time between two renders of numbers or text during movement, in ms. */
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

  /** Returns the rest of the interval, in ms. @param {number} [now] in ms, as performance.now() */
  left(now = performance.now()) {
    return Math.max(0, this.#last + this.#interval - now);
  }
}
