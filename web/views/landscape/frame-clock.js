/** Schedules the frames of a view after changes. Numbers and status texts are updated less often, by a throttle. */
import { Throttle } from '../../base/throttle.js';

export class FrameClock {
  #frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #throttle = new Throttle();
  #onFrame;
  #onReadout;

  /**
   * @param {(now: number) => void} onFrame
   * @param {() => void} onReadout writes the numbers that people and screen readers read
   */
  constructor(onFrame, onReadout) {
    this.#onFrame = onFrame;
    this.#onReadout = onReadout;
  }

  /** True if a frame or a readout is due. */
  get due() {
    return this.#frame !== 0 || this.#timer !== undefined;
  }

  askFrame() {
    this.#frame ||= requestAnimationFrame((now) => {
      this.#frame = 0;
      this.#onFrame(now);
    });
  }

  askReadout() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#throttle.restart();
      this.#onReadout();
    }, this.#throttle.left());
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = 0;
    this.#timer = undefined;
  }
}
