/** The schedules of the knob's own movements: Play, and the sweep of an idle first visit. */
import { clamp } from './input.js';

/** The pause at the far end, and the way back to rest, in ms. */
const STANDS = 500;
const BACK = 700;
/** The number of steps with reduced motion. */
const PLAY_STEPS = 12;
/** The duration of a sweep in ms, and its reach as a share of the range. */
const SWEEP = 3000;
const REACH = 0.36;

/** @param {number} part 0 to 1 */
const eased = (part) => part * part * (3 - 2 * part);

export class Run {
  /** The time from one end to the other, in ms. */
  ms = 8000;
  /** True during a sweep. */
  sweeps = false;
  #from = 0;
  #home = 0;
  /** The time of arrival at the far end, in ms; null before it. @type {number | null} */
  #there = null;

  /**
   * @param {number} now
   * @param {number} home the knob's value before, as a share of its range
   * @param {boolean} sweeps
   */
  begin(now, home, sweeps) {
    this.#from = now;
    this.#home = home;
    this.sweeps = sweeps;
    this.#there = null;
  }

  /**
   * @param {number} now
   * @param {boolean} stepped true for reduced motion
   * @param {import('../../engine/types.js').TableRow} row
   */
  at(now, stepped, { low, high, kind }) {
    const { share, ended } = this.sweeps ? this.#sweepAt(now) : this.#playAt(now, stepped);
    const value = low + share * (high - low);
    return { value: kind === 'integer' ? Math.round(value) : Number(value.toFixed(4)), ended };
  }

  /** @param {number} now @param {boolean} stepped */
  #playAt(now, stepped) {
    const part = clamp((now - this.#from) / this.ms, 0, 1);
    if (part === 1) this.#there ??= now;
    const back = this.#there === null ? 0 : clamp((now - this.#there - STANDS) / BACK, 0, 1);
    const share = stepped ? Math.floor(part * PLAY_STEPS) / PLAY_STEPS : part;
    return {
      share: stepped ? share : share + (this.#home - share) * eased(back),
      ended: stepped ? back > 0 : back === 1,
    };
  }

  /** @param {number} now */
  #sweepAt(now) {
    const part = clamp((now - this.#from) / SWEEP, 0, 1);
    const far = this.#home + (this.#home < 0.5 ? REACH : -REACH);
    const out = Math.sin(Math.PI * part) ** 2;
    return { share: this.#home + (far - this.#home) * out, ended: part === 1 };
  }
}
