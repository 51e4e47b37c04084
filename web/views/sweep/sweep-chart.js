/** The base class of a sweep's charts: its plan, the measured points and the chosen point. */
import { LogitElement, elementWith } from '../../base/element.js';
import frameStyles from '../../style/frame.css';
import { Width } from '../../base/width.js';
import chartStyles from '../../style/chart.css';

/** @import { Plan, Point } from '../../engine/sweep.js' */

/** Height of everything around the chart in its view, and least height of a chart, in rem. */
const AROUND = 21;
const LEAST = 18.75;

/**
 * Returns the height in pixels of a chart that fits into the window. sweep.css has the same formula for `.empty`.
 * @param {number} width
 * @param {number} unit pixels per 1/16 rem
 */
export function chartHeight(width, unit) {
  const rem = 16 * unit;
  const most = Math.min(0.6 * width, innerHeight - AROUND * rem);
  return Math.max(Math.min(LEAST * rem, 0.72 * innerHeight), most);
}

export class SweepChart extends elementWith(LogitElement, () => ({
  /** @type {Plan | null} */
  plan: null,
  /** @type {Point[]} */
  points: [],
  at: 0,
})) {
  static properties = { at: { type: Number } };

  static styles = [...LogitElement.styles, frameStyles, chartStyles];

  room = new Width(this, '.chart');

  get figure() {
    return /** @type {SVGSVGElement | null} */ (this.renderRoot.querySelector('svg'));
  }
}
