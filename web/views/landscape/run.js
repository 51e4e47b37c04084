/**
 * How the knob moves on its own: Play goes through its range; a sweep, in an idle first visit, goes a short way and
 * back.
 */
import { clamp } from './input.js';

/** Pause at the end of the range, and time of the return to the start, in ms. */
const STANDS = 500;
const BACK = 700;
/** Number of steps of Play if the user prefers reduced motion. */
const PLAY_STEPS = 12;
/** Duration of a sweep in ms, and its way as a share of the range. */
const SWEEP = 3000;
const REACH = 0.36;

/** @param {number} part 0 to 1 */
const easeInOut = (part) => part * part * (3 - 2 * part);

export class Run {
  /** Time of Play from one end of the range to the other, in ms. */
  ms = 8000;
  /** True during a sweep. */
  sweeps = false;
  #from = 0;
  #home = 0;
  /** Time in ms at which Play reached the end of the range; null before that. @type {number | null} */
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
      share: stepped ? share : share + (this.#home - share) * easeInOut(back),
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
