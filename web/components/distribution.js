/**
 * <logit-distribution>: the ranked bars of the next token, raw ghost behind final, the removed kept
 * visible and marked by what removed them; readouts above, a table of the same numbers below.
 */
import { css, html, nothing, svg } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { fixed, measure, number, percent, plain, t, tick } from '../locale/locale.js';
import { layoutBars, orderRows } from '../plots/bars.js';
import { cssom } from './cssom.js';
import { define } from './define.js';
import { barStyles } from './distribution-styles.js';
import { LogitElement } from './element.js';
import { settingName } from './settings.js';
import { spoken, visibleHtml, visibleSvg } from './visible.js';
import { Width } from './width.js';

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').TraceToken} TraceToken
 * @typedef {ReturnType<typeof layoutBars>} Layout
 * @typedef {import('../plots/bars.js').Row} Row
 */

/** Room is always left for this many cut lines, so that the chart keeps its height. */
const LINES = 2;

export class LogitDistribution extends LogitElement {
  static properties = {
    trace: { attribute: false },
    hit: { attribute: false },
    eos: { attribute: false },
    active: { state: true },
  };

  static styles = [...LogitElement.styles, barStyles];

  #width = new Width(this, '.chart');

  constructor() {
    super();
    /** @type {Trace | null} */
    this.trace = null;
    /** @type {number | null} The token that the draw takes next. */
    this.hit = null;
    this.eos = -1;
    /** @type {string | null} The key of the row that is pointed at. */
    this.active = null;
  }

  /** @param {Map<string, unknown>} changes */
  willUpdate(changes) {
    const gone = this.active !== null && this.trace && !this.#keys(this.trace).includes(this.active);
    if (changes.has('trace') && gone) this.active = null;
  }

  render() {
    const { trace } = this;
    return html`
      <h2>${t('distribution.title')}</h2>
      <p class="about">${t('distribution.about', { n: trace?.vocab_size ?? 0 })}</p>
      ${this.#renderReadouts()}
      <div class="chart" role="listbox" tabindex="0" aria-label=${t('distribution.chart')} aria-describedby="keys"
        aria-activedescendant=${this.active === null ? nothing : `option-${this.active}`}
        @keydown=${this.#onKey} @blur=${() => (this.active = null)}>
        ${trace ? this.#renderOptions(trace) : nothing}
        ${trace && this.#width.width ? this.#renderChart(trace) : nothing}
      </div>
      <p id="keys" class="heard">${t('distribution.keys')}</p>
      ${this.#renderDetail()}
      ${trace ? this.#renderTable(trace) : nothing}
    `;
  }

  #renderReadouts() {
    const { trace } = this;
    if (!trace) return html`<dl class="readouts"></dl>`;
    /** @param {string} name @param {unknown} value @param {string} note @param {string} key */
    const readout = (name, value, note, key) => html`
      <div data-readout=${key}><dt class="label">${name}</dt><dd>${value}</dd><dd class="note">${note}</dd></div>`;
    /** @param {number} from @param {number} to */
    const change = (from, to) => html`<span class="from">${measure(from)}</span><span class="arrow">→</span>${measure(to)}`;
    return html`
      <dl class="readouts">
        ${readout(t('distribution.kept'), number(trace.kept), t('distribution.kept.of', { n: trace.vocab_size }), 'kept')}
        ${readout(t('distribution.mass'), percent(trace.kept_mass_raw), t('distribution.mass.note'), 'mass')}
        ${readout(t('distribution.entropy'), change(trace.raw_entropy, trace.entropy), t('distribution.to'), 'entropy')}
        ${readout(t('distribution.perplexity'), change(trace.raw_perplexity, trace.perplexity), t('distribution.to'), 'perplexity')}
      </dl>
    `;
  }

  /** The rows in words, for a screen reader; the keys walk them. @param {Trace} trace */
  #renderOptions(trace) {
    const rows = orderRows(trace);
    return this.#keys(trace).map((key, i) => html`
      <div class="heard" role="option" id="option-${key}" aria-selected=${key === this.active}>
        ${this.#rowWords(rows[i] ?? null)}</div>`);
  }

  /** The rows from top to bottom. @param {Trace} trace */
  #keys(trace) {
    const keys = orderRows(trace).map(({ id }) => String(id));
    return trace.rest.count > 0 ? [...keys, 'rest'] : keys;
  }

  /** @param {Trace} trace */
  #renderChart(trace) {
    const { width, unit } = this.#width;
    const layout = layoutBars({ trace, width, unit, lines: LINES });
    const rows = layout.rest ? [...layout.rows, layout.rest] : layout.rows;
    return html`
      <svg class=${layout.narrow ? 'narrow' : 'wide'} height=${layout.height} font-size=${13.5 * unit} aria-hidden="true"
        @pointerleave=${() => (this.active = null)}>
        ${patterns(unit)}
        ${this.#renderFrame(layout, unit)}
        ${layout.cuts.map((cut) => this.#renderCut(cut, layout, unit))}
        ${repeat(rows, ({ key }) => key, (row) => this.#renderRow(row, layout, unit))}
      </svg>
    `;
  }

  /**
   * The graticule and the column heads.
   * @param {Layout} layout
   * @param {number} unit
   */
  #renderFrame({ ticks, head, plotBottom, columns, narrow, width }, unit) {
    const baseline = head - 10 * unit;
    return svg`
      <g class="frame" font-size=${11.5 * unit}>
        ${narrow ? nothing : svg`<rect class="screen" x=${columns.barX} y=${head - 4 * unit} width=${columns.barWidth}
          height=${plotBottom - head + 4 * unit} rx=${4 * unit}></rect>`}
        ${narrow ? nothing : ticks.map(({ value, x }) => svg`
          <line class=${value === 0 ? 'zero' : 'grid'} x1=${x} x2=${x} y1=${head - 4 * unit} y2=${plotBottom}></line>
          <text x=${x} y=${baseline} text-anchor=${value === 0 ? 'start' : 'middle'}>${tick(value)}</text>`)}
        ${narrow ? svg`<text x="0" y=${baseline}>${t('distribution.token')}</text>` : nothing}
        <text class="heading" x=${columns.before} y=${baseline} text-anchor="end">${t('distribution.before')}</text>
        <text class="heading after" x=${width} y=${baseline} text-anchor="end">${t('distribution.after')}</text>
      </g>`;
  }

  /**
   * @param {import('../plots/bars.js').Cut} cut
   * @param {Layout} layout
   * @param {number} unit
   */
  #renderCut({ stage, y, below }, { width, gap }, unit) {
    const name = `${settingName(stage.name)} ${plain(stage.value)}`;
    const text = t(below ? 'distribution.cut.below' : 'distribution.cut', { stage: name, n: stage.kept });
    return svg`
      <g class="cutline ${cutClass(stage.name)}" data-cut=${stage.name} ${cssom({ transform: `translateY(${y}px)` })}>
        <line x1="0" x2=${width} y1=${gap / 2} y2=${gap / 2} stroke-width=${1.5 * unit}></line>
        <text class="back" x="0" y=${gap / 2 + 4 * unit} font-size=${11.5 * unit} stroke-width=${8 * unit}>${text}</text>
        <text x="0" y=${gap / 2 + 4 * unit} font-size=${11.5 * unit}>${text}</text>
      </g>`;
  }

  /**
   * @param {Row} row
   * @param {Layout} layout
   * @param {number} unit
   */
  #renderRow(row, { columns, rowHeight, width, narrow }, unit) {
    const { token } = row;
    const { raw, final, removed } = this.#shares(token);
    const { barWidth, barHeight } = columns;
    const inner = Math.round(barHeight * 0.5);
    const state = [removed ? `removed ${cutClass(removed)}` : '', token && token.id === this.hit ? 'hit' : '',
      token ? '' : 'rest', final === 0 ? 'gone' : '', row.key === this.active ? 'active' : ''].join(' ');
    const { tagX, tagY, inside } = placeTag(row, columns, unit);
    const letters = Math.max(3, Math.floor(columns.labelWidth / (8.6 * unit)) - 2);
    return svg`
      <g class="row ${state}" data-id=${token?.id ?? 'rest'} data-p=${String(final)} data-p-raw=${String(raw)}
        data-removed-by=${removed ?? nothing} ${cssom({ transform: `translateY(${row.y}px)` })}
        @pointerenter=${() => (this.active = row.key)} @pointerdown=${() => (this.active = row.key)}>
        <rect class="hover" x=${-6 * unit} width=${width + 12 * unit} height=${rowHeight} rx=${4 * unit}></rect>
        <text class="name" x="0" y=${columns.baseline}>${token ? this.#label(token, letters) : t(narrow ? 'distribution.rest' : 'distribution.rest.short', { n: this.trace?.rest.count ?? 0 })}</text>
        <svg class="bar" x=${columns.barX} y=${columns.barTop} width=${barWidth} height=${barHeight}>
          <rect class="ghost" width=${barWidth} height=${barHeight} rx=${Math.min(2 * unit, row.raw / 3)} ${cssom(slide(row.raw, barWidth, raw))}></rect>
          <rect class="final" width=${barWidth} y=${(barHeight - inner) / 2} height=${inner} rx=${Math.min(1.5 * unit, row.final / 3)} ${cssom(slide(row.final, barWidth, final))}></rect>
        </svg>
        ${removed ? svg`<text class="tag" x=${tagX} y=${tagY} text-anchor=${inside ? 'end' : 'start'} font-size=${11.5 * unit}>${settingName(removed)}</text>` : nothing}
        <text class="before" x=${columns.before} y=${columns.baseline} text-anchor="end">${percent(raw)}</text>
        <text class="after" x=${columns.after} y=${columns.baseline} text-anchor="end">${percent(final)}</text>
      </g>`;
  }

  /** @param {TraceToken | null} token null for the rest of the vocabulary */
  #shares(token) {
    if (token) return { raw: token.p_raw, final: token.p, removed: token.removed_by };
    const rest = this.trace?.rest ?? { p_raw: 0, p: 0 };
    return { raw: rest.p_raw, final: rest.p, removed: null };
  }

  /**
   * @param {TraceToken} token
   * @param {number} letters
   */
  #label(token, letters) {
    if (token.id === this.eos) return svg`<tspan class="space">‹</tspan>${t('text.end')}<tspan class="space">›</tspan>`;
    return visibleSvg(token, letters);
  }

  /** @param {TraceToken | null} token */
  #rowWords(token) {
    const { raw, final, removed } = this.#shares(token);
    const shares = { raw: percent(raw), p: percent(final) };
    if (!token) return t('distribution.row.rest', { label: t('distribution.rest', { n: this.trace?.rest.count ?? 0 }), ...shares });
    const name = spoken(token, this.eos);
    if (removed) return t('distribution.row.removed', { token: name, raw: shares.raw, stage: settingName(removed) });
    return t('distribution.row', { token: name, rank: token.rank, ...shares });
  }

  /** The numbers of one token: the one pointed at, else the one that the draw takes. */
  #renderDetail() {
    const { trace } = this;
    const wanted = trace?.tokens.find(({ id }) => String(id) === this.active) ??
      trace?.tokens.find(({ id }) => id === this.hit) ?? trace?.tokens[0];
    if (!trace || !wanted) return html`<div class="detail"></div>`;
    return html`
      <div class="detail" aria-hidden="true">
        <p><b class="token">${wanted.id === this.eos ? `‹${t('text.end')}›` : visibleHtml(wanted)}</b>
          <span>${t('distribution.detail.id')} ${plain(wanted.id)}</span>
          <span>${t('distribution.rank')} ${number(wanted.rank)}</span>
          <span>${t('distribution.detail.logit')} ${fixed(wanted.logit, 3)}</span>
          <span class="path-title">${t('distribution.detail.path')}:</span></p>
        <p class="path"><span>${t('distribution.detail.raw')} <b>${percent(wanted.p_raw)}</b></span>
          ${trace.stages.map((stage, i) => stage.active ? html`<span class="arrow">→</span>
            <span>${settingName(stage.name)} <b>${percent(wanted.stage_p[i])}</b></span>` : nothing)}</p>
      </div>
    `;
  }

  /** @param {Trace} trace */
  #renderTable(trace) {
    /** @param {TraceToken} token */
    const status = (token) => token.removed_by === null ? t('distribution.table.kept')
      : t('distribution.removed', { stage: settingName(token.removed_by) });
    return html`
      <details>
        <summary>${t('distribution.table')}</summary>
        <div class="scroll" tabindex="0" role="region" aria-label=${t('distribution.table.caption')}>
          <table>
            <caption class="heard">${t('distribution.table.caption')}</caption>
            <thead><tr>
              <th scope="col">${t('distribution.rank')}</th><th scope="col">${t('distribution.token')}</th>
              <th scope="col">${t('distribution.before.long')}</th><th scope="col">${t('distribution.after.long')}</th>
              <th scope="col">${t('distribution.table.status')}</th>
            </tr></thead>
            <tbody>
              ${trace.tokens.map((token) => html`<tr>
                <td>${number(token.rank)}</td>
                <th scope="row" class="token">${token.id === this.eos ? `‹${t('text.end')}›` : visibleHtml(token)}</th>
                <td>${percent(token.p_raw)}</td><td>${percent(token.p)}</td><td>${status(token)}</td></tr>`)}
              ${trace.rest.count === 0 ? nothing : html`<tr>
                <td></td><th scope="row">${t('distribution.rest', { n: trace.rest.count })}</th>
                <td>${percent(trace.rest.p_raw)}</td><td>${percent(trace.rest.p)}</td>
                <td>${t('distribution.table.kept')}: ${number(trace.rest.kept)}</td></tr>`}
            </tbody>
          </table>
        </div>
      </details>
      ${trace.underflowed ? html`<p class="about">${t('distribution.underflow', { n: trace.underflowed })}</p>` : nothing}
    `;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const keys = this.trace ? this.#keys(this.trace) : [];
    const at = this.active === null ? -1 : keys.indexOf(this.active);
    const last = keys.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (event.key === 'Escape') this.active = null;
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.active = keys[Math.min(last, Math.max(0, to))];
  }
}

/**
 * A bar is a full-width rectangle slid into its window: it moves by transform alone and neither its
 * corners nor its pattern are stretched. A share above zero shows at least one pixel.
 * @param {number} length
 * @param {number} width
 * @param {number} share
 */
function slide(length, width, share) {
  const shown = share > 0 ? Math.max(1, length) : -2;
  return { transform: `translateX(${shown - width}px)` };
}

/**
 * Where the name of the stage that removed a token stands: behind its bar, inside a long one, or in
 * a column of its own where bars run below the words.
 * @param {Row} row
 * @param {Layout['columns']} columns
 * @param {number} unit
 */
function placeTag(row, { tag, barX, barWidth, barTop, barHeight, baseline }, unit) {
  if (tag !== null) return { tagX: tag, tagY: baseline, inside: false };
  const behind = barX + Math.max(row.raw, 1) + 8 * unit;
  const inside = behind > barX + barWidth - 110 * unit;
  return { tagX: inside ? barX + barWidth - 6 * unit : behind, tagY: barTop + barHeight / 2 + 4 * unit, inside };
}

/** @param {string} stage */
function cutClass(stage) {
  return stage === 'top_k' || stage === 'top_p' ? `by-${stage}` : 'by-other';
}

/** Hatching for what top-k removed, dots for top-p, crosses for anything else. @param {number} unit */
function patterns(unit) {
  const size = 6 * unit;
  return svg`
    <defs>
      <pattern id="by-top_k" width=${size} height=${size} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="wash" width=${size} height=${size}></rect><rect class="ink" width=${size / 3} height=${size}></rect></pattern>
      <pattern id="by-top_p" width=${size} height=${size} patternUnits="userSpaceOnUse">
        <rect class="wash" width=${size} height=${size}></rect><circle class="ink" cx=${size / 2} cy=${size / 2} r=${size / 3.6}></circle></pattern>
      <pattern id="by-other" width=${size} height=${size} patternUnits="userSpaceOnUse">
        <rect class="wash" width=${size} height=${size}></rect><path class="ink" d="M0 0H${size}V${size / 5}H${size / 5}V${size}H0Z"></path></pattern>
    </defs>`;
}

define('logit-distribution', LogitDistribution);
