/** The knob on its way from end to end by itself. */
import { clamp } from './hand.js';

/** How long it takes, and how many steps it makes where nothing may move. */
const PLAY_MS = 8000;
const PLAY_STEPS = 12;

export class Run {
  #from = 0;

  /** @param {number} now */
  begin(now) {
    this.#from = now;
  }

  /**
   * Where the knob is now.
   * @param {number} now
   * @param {boolean} stepped
   * @param {import('../../engine/types.js').TableRow} row
   */
  at(now, stepped, { low, high, kind }) {
    const part = clamp((now - this.#from) / PLAY_MS, 0, 1);
    const share = stepped ? Math.floor(part * PLAY_STEPS) / PLAY_STEPS : part;
    const value = low + share * (high - low);
    return {
      value: kind === 'integer' ? Math.round(value) : Number(value.toFixed(4)),
      ended: part === 1,
    };
  }
}
