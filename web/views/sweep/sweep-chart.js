/** The base class of a sweep's charts: the plan, the measured points, and the chosen point. */
import { LogitElement } from '../../base/element.js';
import frameStyles from '../../style/frame.css';
import { Width } from '../../base/width.js';
import chartStyles from '../../style/chart.css';

/**
 * @typedef {import('../../engine/sweep.js').Plan} Plan
 * @typedef {import('../../engine/sweep.js').Point} Point
 */

export class SweepChart extends LogitElement {
  static properties = {
    plan: { attribute: false },
    points: { attribute: false },
    at: { type: Number },
  };

  static styles = [...LogitElement.styles, frameStyles, chartStyles];

  room = new Width(this, '.chart');

  constructor() {
    super();
    /** @type {Plan | null} */
    this.plan = null;
    /** @type {Point[]} */
    this.points = [];
    this.at = 0;
  }

  get figure() {
    return /** @type {SVGSVGElement | null} */ (this.renderRoot.querySelector('svg'));
  }
}
