/** Paints many draws: each draw is a dot that flies from the line of the knob to the bar of its token. */
import { fitCanvas } from '../../plots/canvas.js';
import { FLIGHT_MS } from './rain.js';

/** The radius of a dot, in 1/16 rem. */
const RADIUS = 2.25;

/** @param {number} part 0 to 1 */
const easeInOut = (part) => part * part * (3 - 2 * part);

export class Flights {
  #stage;
  #canvas;
  /**
   * Positions of the picture and the bars, measured at the first dot; null while no dot flies.
   * @type {{ plot: DOMRect, bars: DOMRect, stage: DOMRect } | null}
   */
  #boxes = null;

  /** @param {ParentNode} root */
  constructor(root) {
    this.#stage = /** @type {HTMLElement} */ (root.querySelector('.stage'));
    this.#canvas = /** @type {HTMLCanvasElement} */ (root.querySelector('.drops'));
  }

  /** Measures the elements again at the next flight. */
  refit() {
    this.#boxes = null;
  }

  #measure() {
    const box = (/** @type {string} */ name) =>
      /** @type {HTMLElement} */ (this.#stage.querySelector(name)).getBoundingClientRect();
    const stage = this.#stage.getBoundingClientRect();
    return { stage, plot: box('.plot'), bars: box('.bars') };
  }

  /**
   * @param {number} now
   * @param {import('./rain.js').Drop[]} drops
   * @param {number} share the knob's value as a share of its range
   * @param {(id: number) => { x: number, y: number }} endOf
   * @param {import('./paint.js').Look} look
   */
  paint(now, drops, share, endOf, { unit, palette }) {
    if (drops.length === 0) {
      if (this.#boxes) this.#canvas.width = 0;
      this.#boxes = null;
      return;
    }
    const { stage, plot, bars } = (this.#boxes ??= this.#measure());
    const context = fitCanvas(this.#canvas, stage.width, stage.height);
    const x = plot.left - stage.left + share * plot.width;
    context.fillStyle = palette.mark;
    context.beginPath();
    for (const { id, u, born } of drops) {
      const part = (now - born) / FLIGHT_MS;
      if (part <= 0 || part >= 1) continue;
      const y = plot.top - stage.top + (u ?? 1) * plot.height;
      const end = endOf(id);
      const [right, down] = [bars.left - stage.left + end.x, bars.top - stage.top + end.y];
      const at = [x + (right - x) * easeInOut(part), y + (down - y) * part * part];
      context.moveTo(at[0] + RADIUS * unit, at[1]);
      context.arc(at[0], at[1], RADIUS * unit, 0, 2 * Math.PI);
    }
    context.fill();
  }
}
