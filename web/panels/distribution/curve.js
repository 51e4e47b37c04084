/**
 * <logit-curve>: the distribution over all ranks, as a sum or on logarithmic axes, with draggable lines for top-k and
 * top-p. Emits "logit-set".
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/curve';
import { addMessages, number, percent, t, tick } from '../../locale/locale.js';
import { renderCurve } from '../../plots/curve-view.js';
import {
  chooseRanks,
  cumulate,
  curveTable,
  layoutCurve,
  massAt,
  rankAt,
} from '../../plots/curve.js';
import { findHandles, valueFor } from '../../plots/cuts.js';
import curveStyles from './curve.css';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { renderFold } from './distribution-table.js';
import frameStyles from '../../style/frame.css';
import handleStyles from '../../style/handle.css';
import { handleWords, renderHandle, walkTo } from '../../base/handles.js';
import { Width } from '../../base/width.js';

addMessages(locales);

/** @import { Trace } from '../../plots/trace.js' */
/** @import { Curves, Layout } from '../../plots/curve.js' */
/** @import { Handle } from '../../plots/cuts.js' */

/** Half of a handle's thickness, in 1/16 rem. */
const HALF = 10;

export class LogitCurve extends elementWith(LogitElement, () => ({
  fixed: false,
  /** @type {Trace | null} */
  trace: null,
  /** @type {Curves | null} */
  curves: null,
  /** @type {'cumulative' | 'ranks'} */
  view: 'cumulative',
  /** Rank under the pointer or chosen by a key; null if none. @type {number | null} */
  rank: null,
})) {
  static properties = { fixed: { type: Boolean } };

  static styles = [...LogitElement.styles, handleStyles, frameStyles, curveStyles];

  #width = new Width(this, '.chart');

  render() {
    const { trace, curves } = this;
    const { width, unit } = this.#width;
    const ready = trace && curves && width > 0;
    // The chart is not higher than the bars; on a phone, the knobs below stay visible.
    const height = unit * Math.min(540, Math.max(300, (width / unit) * 0.82));
    return html`
      <p class="legend">
        <span class="raw">${t('curve.raw')}</span>
        <span class="entering">${t('curve.entering')}</span>
        <span class="final">${t('curve.final')}</span>
      </p>
      <div class="chart">
        ${ready ? this.#renderChart(trace, curves, { width, height, unit }) : nothing}
      </div>
      <p class="readout" aria-hidden="true">${ready ? this.#pointWords(curves, this.rank ?? 1) : ''}</p>
    `;
  }

  /**
   * @param {Trace} trace
   * @param {Curves} curves
   * @param {{ width: number, height: number, unit: number }} size
   */
  #renderChart(trace, curves, size) {
    const handles = findHandles(trace);
    const layout = layoutCurve({ curves, view: this.view, handles, ...size });
    const { unit } = size;
    const count = curves.raw.length;
    const words = {
      x: t('curve.rank'),
      rank: number,
      share: tick,
      line: (/** @type {import('../../plots/cuts.js').Handle} */ handle) =>
        handleWords(handle, this.fixed),
    };
    return html`
      <div class="walk" translate="no" role="slider" tabindex="0" aria-label=${t('curve.walk')} aria-valuemin="1"
        aria-valuemax=${count} aria-valuenow=${this.rank ?? 1}
        aria-valuetext=${this.#pointWords(curves, this.rank ?? 1)}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKey(event, count)}
        @pointermove=${(/** @type {PointerEvent} */ event) => this.#onPoint(event, layout, count)}
        @pointerdown=${(/** @type {PointerEvent} */ event) => this.#onPoint(event, layout, count)}>
        <svg height=${size.height} font-size=${13.5 * unit} aria-hidden="true">
          ${renderCurve({ layout, unit, words, rank: this.rank })}
        </svg>
      </div>
      ${layout.lines.map((line) => renderHandle(this.#gripOf(line, layout, curves, unit), this))}
    `;
  }

  /**
   * @param {import('../../plots/curve.js').Line} line
   * @param {Layout} layout
   * @param {Curves} curves
   * @param {number} unit
   * @returns {import('../../base/handles.js').Grip}
   */
  #gripOf({ handle, x, y }, layout, curves, unit) {
    const { plot } = layout;
    const count = curves.raw.length;
    const keep = (/** @type {number} */ n) => valueFor(handle, n, curves.entering);
    if (y !== null)
      return {
        handle,
        across: true,
        at: y - HALF * unit,
        from: plot.left,
        length: plot.right - plot.left,
        valueAt: (_, at) => massAt(layout, at),
        more: (steps) => Math.max(0, Math.min(1, Math.round(handle.value * 100 + steps) / 100)),
        downIsMore: false,
      };
    const kept = handle.active ? handle.kept : handle.before;
    return {
      handle,
      across: false,
      at: (x ?? 0) - HALF * unit,
      from: plot.top,
      length: plot.bottom - plot.top,
      valueAt: (at) => keep(rankAt(layout, at, count)),
      more: (steps) => keep(kept + steps),
      downIsMore: false,
    };
  }

  /** @param {Curves} curves @param {number} rank */
  #pointWords(curves, rank) {
    const at = Math.min(rank, curves.raw.length) - 1;
    /** @param {Float64Array} shares */
    const value = (shares) =>
      percent(Math.min(1, this.view === 'ranks' ? shares[at] : cumulate(shares)[at]));
    return t(`curve.at.${this.view}`, {
      n: at + 1,
      raw: value(curves.raw),
      final: value(curves.final),
    });
  }

  /** @param {PointerEvent} event @param {Layout} layout @param {number} count */
  #onPoint(event, layout, count) {
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
    this.rank = rankAt(layout, event.clientX - box.left, count);
  }

  /** @param {KeyboardEvent} event @param {number} count */
  #onKey(event, count) {
    const ranks = chooseRanks(count);
    const at = ranks.findIndex((rank) => rank >= (this.rank ?? 1));
    const to = walkTo(event, at, ranks.length - 1);
    if (to !== undefined) this.rank = ranks[to];
  }
}

/** @param {Curves} curves @param {import('./distribution-table.js').Fold} fold */
export function renderCurveTable(curves, fold) {
  const rows = () =>
    curveTable(curves).map(
      ({ rank, raw, final, rawMass, finalMass }) => html`<tr>
      <th scope="row">${number(rank)}</th>
      <td>${percent(raw)}</td><td>${percent(final)}</td>
      <td>${percent(rawMass)}</td><td>${percent(finalMass)}</td></tr>`,
    );
  const heads = ['rank', 'p.raw', 'p.final', 'mass.raw', 'mass.final'];
  const titles = heads.map((head) => t(`curve.${head}`));
  return renderFold(fold, t('curve.table'), titles, rows);
}

define('logit-curve', LogitCurve);
