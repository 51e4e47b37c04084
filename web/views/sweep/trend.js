/**
 * <logit-sweep-trend>: a sweep over one setting as a line chart. Arrow keys or the pointer choose a point
 * ("logit-point").
 */
import { html, nothing } from 'lit';
import { plain, t } from '../../locale/locale.js';
import { renderTrend } from '../../plots/trend-view.js';
import { layoutTrend, markAt } from '../../plots/trend.js';
import { MEASURES, hasSpread } from '../../engine/measures.js';
import { define } from '../../base/element.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { walkTo } from '../../base/handles.js';
import { SweepChart, chartHeight } from './sweep-chart.js';
import { axisName, measureName, pointWords, tickOf } from './labels.js';

/** @import { Plan, Point } from '../../engine/sweep.js' */

export class LogitSweepTrend extends SweepChart {
  static properties = {
    ...SweepChart.properties,
    trade: { type: Boolean },
    vocabulary: { type: Number },
    now: { attribute: false },
  };

  constructor() {
    super();
    /** True to use the first measure as x and the second as y. */
    this.trade = false;
    this.vocabulary = 0;
    /** The bench's value of this setting; null if unknown. @type {number | null} */
    this.now = null;
  }

  render() {
    const { plan, points } = this;
    if (!plan) return nothing;
    const { width, unit } = this.room;
    const height = chartHeight(width, unit);
    return html`<div class="chart">
      ${width > 0 ? this.#renderChart(plan, points, { width, height, unit }) : nothing}
    </div>`;
  }

  /** A name and colour for each line; empty if the axis names the only one. */
  get #legend() {
    const measures = this.trade ? [] : (this.plan?.measures ?? []);
    if (measures.length === 1 && !hasSpread(measures[0])) return [];
    return measures.map((name) => {
      const said = measureName(name);
      return hasSpread(name) ? t('sweep.band', { name: said }) : said;
    });
  }

  /**
   * @param {Plan} plan
   * @param {Point[]} points
   * @param {{ width: number, height: number, unit: number }} size
   */
  #renderChart(plan, points, size) {
    const { unit, height } = size;
    const layout = this.#layOut(plan, points, size);
    const [across, up] = this.trade ? plan.measures : [plan.axes[0].name, plan.measures[0]];
    const log = layout.logarithmic ? ` ${t('sweep.log')}` : '';
    const many = MEASURES[up].unit === 'share' ? t('sweep.share') : t('sweep.tokens');
    const words = {
      x: this.trade ? axisName(across) : capitalise(settingName(across)),
      y: (plan.measures.length > 1 && !this.trade ? many : axisName(up)) + log,
      legend: this.#legend,
      now: t('sweep.now'),
      tickX: (/** @type {number} */ value) => (this.trade ? tickOf(across, value) : plain(value)),
      tickY: (/** @type {number} */ value) => tickOf(up, value),
    };
    const said = points[this.at] ? pointWords(plan, points[this.at]) : '';
    return html`
      <div class="walk" role="slider" tabindex="0" aria-label=${t('sweep.walk')} aria-valuemin="1"
        aria-valuemax=${Math.max(1, points.length)} aria-valuenow=${this.at + 1} aria-valuetext=${said}
        @keydown=${this.#onKey}
        @pointermove=${(/** @type {PointerEvent} */ event) => this.#onPoint(event, layout)}
        @pointerdown=${(/** @type {PointerEvent} */ event) => this.#onPoint(event, layout)}>
        <svg height=${height} font-size=${13 * unit} aria-hidden="true">
          ${renderTrend({ layout, unit, words, at: this.at })}
        </svg>
      </div>`;
  }

  /**
   * @param {Plan} plan
   * @param {Point[]} points
   * @param {{ width: number, height: number, unit: number }} size
   */
  #layOut({ axes, measures }, points, size) {
    const [{ name: setting, values }] = axes;
    const one = (/** @type {Point} */ { at, measures: found }, /** @type {string} */ name) => ({
      y: found[name].mean,
      low: found[name].q1,
      high: found[name].q3,
      label: plain(at[setting]),
    });
    const [across, up] = measures;
    const series = this.trade
      ? [
          {
            key: up,
            band: false,
            marks: points.map((point) => ({ x: point.measures[across].mean, ...one(point, up) })),
          },
        ]
      : measures.map((name) => ({
          key: name,
          band: hasSpread(name),
          marks: points.map((point) => ({ x: point.at[setting], ...one(point, name) })),
        }));
    const shares = MEASURES[this.trade ? up : measures[0]].unit === 'share';
    /** @type {[number, number]} */
    const whole = [0, 1];
    return layoutTrend({
      series,
      limits: measures[0] === 'entropy' && !this.trade ? this.#entropyLimits() : [],
      x: this.trade ? whole : [Math.min(...values), Math.max(...values)],
      y: shares ? whole : null,
      counts: measures.every((name) => MEASURES[name].unit === 'tokens'),
      named: this.trade,
      legend: this.#legend.length,
      now: this.trade ? null : this.now,
      ...size,
    });
  }

  /** The range of an axis for entropy: from 0 (one certain token) to the entropy of equally probable tokens. */
  #entropyLimits() {
    return [
      { value: 0, label: t('sweep.limit.low') },
      { value: Math.log2(this.vocabulary), label: t('sweep.limit.high', { n: this.vocabulary }) },
    ];
  }

  /** @param {number} at */
  #emitPoint(at) {
    const next = Math.max(0, Math.min(this.points.length - 1, at));
    if (next !== this.at) this.emit('logit-point', { at: next });
  }

  /**
   * @param {PointerEvent} event
   * @param {import('../../plots/trend.js').Layout} layout
   */
  #onPoint(event, layout) {
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
    this.#emitPoint(markAt(layout, event.clientX - box.left, event.clientY - box.top, !this.trade));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const to = walkTo(event, this.at, this.points.length - 1);
    if (to !== undefined) this.#emitPoint(to);
  }
}

define('logit-sweep-trend', LogitSweepTrend);
