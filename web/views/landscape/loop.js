/** The knob's movement in a recorded film: from its value to one end of its range, to the other end and back. */

/** Length of the film, and the pause at its beginning, in ms. */
const [LOOP_MS, REST_MS] = [4000, 400];
/** Number of steps if the user prefers reduced motion. */
const STEPS = 16;

/** @param {number} part 0 to 1 */
const easeInOut = (part) => (1 - Math.cos(Math.PI * part)) / 2;

export class Loop {
  #home;
  #from = 0;

  /** @param {number} home the value at both ends of the loop */
  constructor(home) {
    this.#home = home;
  }

  /** @param {number} now */
  begin(now) {
    this.#from = now;
  }

  /**
   * @param {number} now
   * @param {boolean} stepped true for reduced motion
   * @param {import('../../engine/types.js').TableRow} row
   */
  at(now, stepped, { low, high, kind }) {
    const past = now - this.#from;
    const part = Math.min(1, Math.max(0, (past - REST_MS) / (LOOP_MS - REST_MS)));
    const value = this.#valueAt(stepped ? Math.floor(part * STEPS) / STEPS : part, low, high);
    return {
      value: kind === 'integer' ? Math.round(value) : Number(value.toFixed(4)),
      ended: past >= LOOP_MS,
    };
  }

  /** @param {number} part of the way, 0 to 1 @param {number} low @param {number} high */
  #valueAt(part, low, high) {
    const stops = [this.#home, low, high, this.#home];
    let left = part * 2 * (high - low); // the whole way is twice the range: home, low, high, home
    for (let i = 1; i < stops.length; i++) {
      const [from, to] = [stops[i - 1], stops[i]];
      const leg = Math.abs(to - from);
      if (left < leg) return from + (to - from) * easeInOut(left / leg);
      left -= leg;
    }
    return this.#home;
  }
}
