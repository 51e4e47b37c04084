/**
 * <logit-distribution>: the ranked bars of the next token, raw ghost behind final, the removed kept
 * visible and marked by what removed them; readouts above, a table of the same numbers below.
 */
import { css, html, nothing, svg } from 'lit';
import { fixed, measure, number, percent, plain, t, tick } from '../locale/locale.js';
import { drawBars } from '../plots/bars-view.js';
import { layoutBars, orderRows } from '../plots/bars.js';
import { define } from './define.js';
import { barStyles } from './distribution-styles.js';
import { LogitElement } from './element.js';
import { settingName } from './settings.js';
import { spoken, visibleHtml, visibleSvg } from './visible.js';
import { Width } from './width.js';

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').TraceToken} TraceToken
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
    const gone =
      this.active !== null && this.trace && !this.#keys(this.trace).includes(this.active);
    if (changes.has('trace') && gone) this.active = null;
  }

  render() {
    const { trace } = this;
    return html`
      <h2>${t('distribution.title')}</h2>
      <p class="about">${t('distribution.about', { n: trace?.vocab_size ?? 0 })}</p>
      ${this.#renderReadouts()}
      <div class="chart" role="listbox" tabindex="0" aria-label=${t('distribution.chart')}
        aria-describedby="keys"
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
    /** @param {string} key @param {unknown} value @param {string} note */
    const readout = (key, value, note) => html`
      <div data-readout=${key}>
        <dt class="label">${t(`distribution.${key}`)}</dt>
        <dd>${value}</dd>
        <dd class="note">${note}</dd>
      </div>`;
    /** @param {number} from @param {number} to */
    const change = (from, to) =>
      html`<span class="from">${measure(from)}</span><span class="arrow">→</span>${measure(to)}`;
    const { kept, vocab_size, kept_mass_raw, raw_entropy, raw_perplexity } = trace;
    const to = t('distribution.to');
    return html`
      <dl class="readouts">
        ${readout('kept', number(kept), t('distribution.kept.of', { n: vocab_size }))}
        ${readout('mass', percent(kept_mass_raw), t('distribution.mass.note'))}
        ${readout('entropy', change(raw_entropy, trace.entropy), to)}
        ${readout('perplexity', change(raw_perplexity, trace.perplexity), to)}
      </dl>
    `;
  }

  /** The rows in words, for a screen reader; the keys walk them. @param {Trace} trace */
  #renderOptions(trace) {
    const rows = orderRows(trace);
    return this.#keys(trace).map(
      (key, i) => html`
      <div class="heard" role="option" id="option-${key}" aria-selected=${key === this.active}>
        ${this.#rowWords(rows[i] ?? null)}</div>`,
    );
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
    const { hit, active } = this;
    const words = this.#words(trace, layout.narrow);
    const onPoint = (/** @type {string | null} */ key) => (this.active = key);
    return html`
      <svg class=${layout.narrow ? 'narrow' : 'wide'} height=${layout.height}
        font-size=${13.5 * unit} aria-hidden="true" @pointerleave=${() => onPoint(null)}>
        ${drawBars({ layout, unit, words, hit, active, onPoint })}
      </svg>
    `;
  }

  /**
   * What the chart says, in the language of the page.
   * @param {Trace} trace
   * @param {boolean} narrow
   * @returns {import('../plots/bars-view.js').Words}
   */
  #words(trace, narrow) {
    return {
      token: t('distribution.token'),
      before: t('distribution.before'),
      after: t('distribution.after'),
      rest: t(narrow ? 'distribution.rest' : 'distribution.rest.short', { n: trace.rest.count }),
      label: (token, letters) => this.#label(token, letters),
      percent,
      tick,
      stage: settingName,
      cut: ({ stage, below }) => {
        const name = `${settingName(stage.name)} ${plain(stage.value)}`;
        const params = { stage: name, n: stage.kept };
        return t(below ? 'distribution.cut.below' : 'distribution.cut', params);
      },
    };
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
    if (token.id === this.eos)
      return svg`<tspan class="space">‹</tspan>${t('text.end')}<tspan class="space">›</tspan>`;
    return visibleSvg(token, letters);
  }

  /** @param {TraceToken} token */
  #name(token) {
    return token.id === this.eos ? `‹${t('text.end')}›` : visibleHtml(token);
  }

  /** @param {TraceToken | null} token */
  #rowWords(token) {
    const { raw, final, removed } = this.#shares(token);
    const shares = { raw: percent(raw), p: percent(final) };
    if (!token)
      return t('distribution.row.rest', {
        label: t('distribution.rest', { n: this.trace?.rest.count ?? 0 }),
        ...shares,
      });
    const name = spoken(token, this.eos);
    if (removed)
      return t('distribution.row.removed', {
        token: name,
        raw: shares.raw,
        stage: settingName(removed),
      });
    return t('distribution.row', { token: name, rank: token.rank, ...shares });
  }

  /** The numbers of one token: the one pointed at, else the one that the draw takes. */
  #renderDetail() {
    const { trace } = this;
    const wanted =
      trace?.tokens.find(({ id }) => String(id) === this.active) ??
      trace?.tokens.find(({ id }) => id === this.hit) ??
      trace?.tokens[0];
    if (!trace || !wanted) return html`<div class="detail"></div>`;
    return html`
      <div class="detail" aria-hidden="true">
        <p><b class="token">${this.#name(wanted)}</b>
          <span>${t('distribution.detail.id')} ${plain(wanted.id)}</span>
          <span>${t('distribution.rank')} ${number(wanted.rank)}</span>
          <span>${t('distribution.detail.logit')} ${fixed(wanted.logit, 3)}</span>
          <span class="path-title">${t('distribution.detail.path')}:</span></p>
        <p class="path"><span>${t('distribution.detail.raw')} <b>${percent(wanted.p_raw)}</b></span>
          ${trace.stages.map((stage, i) =>
            stage.active
              ? html`<span class="arrow">→</span>
            <span>${settingName(stage.name)} <b>${percent(wanted.stage_p[i])}</b></span>`
              : nothing,
          )}</p>
      </div>
    `;
  }

  /** @param {Trace} trace */
  #renderTable(trace) {
    /** @param {TraceToken} token */
    const status = (token) =>
      token.removed_by === null
        ? t('distribution.table.kept')
        : t('distribution.removed', { stage: settingName(token.removed_by) });
    const { underflowed } = trace;
    const caption = t('distribution.table.caption');
    const heads = ['rank', 'token', 'before.long', 'after.long', 'table.status'];
    return html`
      <details>
        <summary>${t('distribution.table')}</summary>
        <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
          <table>
            <caption class="heard">${caption}</caption>
            <thead><tr>
              ${heads.map((name) => html`<th scope="col">${t(`distribution.${name}`)}</th>`)}
            </tr></thead>
            <tbody>
              ${trace.tokens.map(
                (token) => html`<tr>
                <td>${number(token.rank)}</td>
                <th scope="row" class="token">${this.#name(token)}</th>
                <td>${percent(token.p_raw)}</td><td>${percent(token.p)}</td><td>${status(token)}</td></tr>`,
              )}
              ${
                trace.rest.count === 0
                  ? nothing
                  : html`<tr>
                <td></td><th scope="row">${t('distribution.rest', { n: trace.rest.count })}</th>
                <td>${percent(trace.rest.p_raw)}</td><td>${percent(trace.rest.p)}</td>
                <td>${t('distribution.table.kept')}: ${number(trace.rest.kept)}</td></tr>`
              }
            </tbody>
          </table>
        </div>
      </details>
      ${underflowed ? html`<p class="about">${t('distribution.underflow', { n: underflowed })}</p>` : nothing}
    `;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const keys = this.trace ? this.#keys(this.trace) : [];
    const at = this.active === null ? -1 : keys.indexOf(this.active);
    const last = keys.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? last : at - 1, Home: 0, End: last }[
      event.key
    ];
    if (event.key === 'Escape') this.active = null;
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.active = keys[Math.min(last, Math.max(0, to))];
  }
}

define('logit-distribution', LogitDistribution);
