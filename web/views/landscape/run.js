/** The schedule of Play: the knob's value at each time, from one end of its range to the other. */
import { clamp } from './input.js';

/** The pause at the far end, in ms. */
const STANDS = 500;
/** The number of steps with reduced motion. */
const PLAY_STEPS = 12;

export class Run {
  /** The time from one end to the other, in ms. */
  ms = 8000;
  #from = 0;
  /** The time of arrival at the far end, in ms; null before it. @type {number | null} */
  #there = null;

  /** @param {number} now */
  begin(now) {
    this.#from = now;
    this.#there = null;
  }

  /**
   * @param {number} now
   * @param {boolean} stepped true for reduced motion
   * @param {import('../../engine/types.js').TableRow} row
   */
  at(now, stepped, { low, high, kind }) {
    const part = clamp((now - this.#from) / this.ms, 0, 1);
    if (part === 1) this.#there ??= now;
    const share = stepped ? Math.floor(part * PLAY_STEPS) / PLAY_STEPS : part;
    const value = low + share * (high - low);
    return {
      value: kind === 'integer' ? Math.round(value) : Number(value.toFixed(4)),
      ended: this.#there !== null && now - this.#there >= STANDS,
    };
  }
}
