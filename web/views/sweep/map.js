/**
 * <logit-sweep-map>: a sweep over two settings as a map. Arrow keys or the pointer choose a cell ("logit-point").
 * Enter or a click uses its settings in the bench ("logit-take").
 */
import { html, nothing } from 'lit';
import { MEASURES } from '../../engine/measures.js';
import { plain, t } from '../../locale/locale.js';
import { renderHeat } from '../../plots/heat-view.js';
import { cellAt, layoutHeat } from '../../plots/heat.js';
import { define } from '../../base/element.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { SweepChart } from './sweep-chart.js';
import { axisName, placeOf, pointWords, shortOf, writeMeasure } from './labels.js';

/** @import { Plan } from '../../engine/sweep.js' */

export class LogitSweepMap extends SweepChart {
  render() {
    const { plan } = this;
    const { width, unit } = this.room;
    return html`<div class="chart">
      ${plan && width > 0 ? this.#renderMap(plan, width, unit) : nothing}
    </div>`;
  }

  /**
   * @param {Plan} plan
   * @param {number} width
   * @param {number} unit
   */
  #renderMap(plan, width, unit) {
    const { points } = this;
    const [first, second] = plan.axes;
    const [name] = plan.measures;
    const count = first.values.length * second.values.length;
    const layout = layoutHeat({
      columns: first.values,
      rows: second.values,
      values: Array.from({ length: count }, (_, i) => {
        const { mean = Number.NaN } = points[i]?.measures[name] ?? {};
        return Number.isNaN(mean) ? null : mean;
      }),
      counts: MEASURES[name].unit === 'tokens',
      width,
      unit,
    });
    const log = layout.logarithmic ? ` ${t('sweep.log')}` : '';
    const words = {
      scale: axisName(name) + log,
      x: capitalise(settingName(first.name)),
      y: capitalise(settingName(second.name)),
      value: (/** @type {number} */ value) => writeMeasure(name, value),
      short: (/** @type {number} */ value) => shortOf(name, value),
      tick: plain,
      cell: (/** @type {number} */ i) =>
        points[i]
          ? pointWords(plan, points[i])
          : `${placeOf(this.#settingsAt(i))}: ${t('sweep.open')}`,
    };
    return html`
      <svg class="map" height=${layout.height} font-size=${13 * unit} role="grid" tabindex="0"
        aria-label=${t('sweep.map')} aria-activedescendant="cell-${this.at}"
        @keydown=${this.#onKey}
        @pointermove=${(/** @type {PointerEvent} */ event) => this.#onPoint(event, layout)}
        @click=${(/** @type {PointerEvent} */ event) => this.#onClick(event, layout)}>
        ${renderHeat({ layout, unit, words, at: this.at })}
      </svg>`;
  }

  /** @param {number} index */
  #settingsAt(index) {
    const [first, second] = /** @type {Plan} */ (this.plan).axes;
    const rows = second.values.length;
    return {
      [first.name]: first.values[Math.floor(index / rows)],
      [second.name]: second.values[index % rows],
    };
  }

  /** @param {number} at */
  #emitPoint(at) {
    if (at >= 0 && at !== this.at) this.emit('logit-point', { at });
  }

  /**
   * @param {PointerEvent} event
   * @param {import('../../plots/heat.js').Layout} layout
   */
  #cellUnder(event, layout) {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    return cellAt(layout, event.clientX - box.left, event.clientY - box.top);
  }

  /**
   * @param {PointerEvent} event
   * @param {import('../../plots/heat.js').Layout} layout
   */
  #onPoint(event, layout) {
    this.#emitPoint(this.#cellUnder(event, layout));
  }

  /**
   * @param {PointerEvent} event
   * @param {import('../../plots/heat.js').Layout} layout
   */
  #onClick(event, layout) {
    const at = this.#cellUnder(event, layout);
    if (at < 0) return;
    this.#emitPoint(at);
    this.emit('logit-take', { at });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const [first, second] = /** @type {Plan} */ (this.plan).axes;
    const [columns, rows] = [first.values.length, second.values.length];
    const [column, row] = [Math.floor(this.at / rows), this.at % rows];
    const to = {
      ArrowRight: [column + 1, row],
      ArrowLeft: [column - 1, row],
      ArrowUp: [column, row + 1],
      ArrowDown: [column, row - 1],
      Home: [0, row],
      End: [columns - 1, row],
      Enter: [column, row],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    const clamp = (/** @type {number} */ n, /** @type {number} */ count) =>
      Math.max(0, Math.min(count - 1, n));
    this.#emitPoint(clamp(to[0], columns) * rows + clamp(to[1], rows));
    if (event.key === 'Enter') this.emit('logit-take', { at: this.at });
  }
}

define('logit-sweep-map', LogitSweepMap);
