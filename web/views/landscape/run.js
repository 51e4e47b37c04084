/** The knob on its way from end to end by itself. */
import { clamp } from './input.js';

/** How long the far end stands, in ms. */
const STANDS = 500;
/** How many steps it makes where nothing may move. */
const PLAY_STEPS = 12;

export class Run {
  /** How long it takes. */
  ms = 8000;
  #from = 0;
  /** Since when the knob is at the far end; null before. @type {number | null} */
  #there = null;

  /** @param {number} now */
  begin(now) {
    this.#from = now;
    this.#there = null;
  }

  /**
   * Where the knob is now.
   * @param {number} now
   * @param {boolean} stepped
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
