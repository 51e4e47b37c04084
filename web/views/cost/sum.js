/**
 * <logit-cost-sum>: a calculator for the cost of all steps of a text, with and without the KV cache: for one matrix
 * and for attention. Emits "logit-count" with the numbers that the user typed.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/cost';
import { LogitElement, define, elementWith, valueOf } from '../../base/element.js';
import { walkTo } from '../../base/handles.js';
import { readWhole } from '../../base/setting-words.js';
import { Width } from '../../base/width.js';
import { COUNT_MAX, countStep, countText, exponentOf } from '../../engine/step-costs.js';
import { addMessages, fixed, number, rounded, t } from '../../locale/locale.js';
import chartStyles from '../../style/chart.css';
import frameStyles from '../../style/frame.css';
import { renderChart } from './chart.js';
import costStyles from './cost.css';

addMessages(locales);

/** The number fields, with their letters in the formula. */
const BOXES = /** @type {const} */ ({ prompt_tokens: 'L', new_tokens: 'T', width: 'd' });
/** Most points of a curve. */
const POINTS = 24;

export class LogitCostSum extends elementWith(LogitElement, () => ({
  prompt_tokens: 8,
  new_tokens: 20,
  width: 64,
  /** Index of the chosen point; null for the last one. @type {number | null} */
  at: null,
  /**
   * For each field with an error: its text and the reason.
   * @type {Record<string, { text: string, error: string }>}
   */
  wrong: {},
})) {
  static properties = {
    prompt_tokens: { type: Number },
    new_tokens: { type: Number },
    width: { type: Number },
  };

  static styles = [...LogitElement.styles, frameStyles, chartStyles, costStyles];

  #room = new Width(this, '.chart');

  get #counts() {
    const { prompt_tokens, new_tokens, width } = this;
    return { prompt_tokens, new_tokens, width };
  }

  /** @param {keyof typeof BOXES} name @param {Event} event */
  #onTyped(name, event) {
    const text = valueOf(event);
    const read = this.speak(() => readWhole(t(`cost.${name}`), text, 1, COUNT_MAX));
    const { wrong } = this;
    const { [name]: _, ...others } = wrong;
    this.wrong = 'error' in read ? { ...others, [name]: { text, error: read.error } } : others;
    if ('error' in read) return;
    this[name] = read.value;
    this.at = null;
    this.emit('logit-count', { [name]: read.value });
  }

  render() {
    const names = /** @type {(keyof typeof BOXES)[]} */ (Object.keys(BOXES));
    return html`
      <div class="boxes">${names.map(
        (name) => html`<label><span><b>${BOXES[name]}</b> ${t(`cost.${name}`)}</span>
          <input inputmode="numeric" autocomplete="off" data-box=${name} .value=${this.wrong[name]?.text ?? String(this[name])}
            aria-invalid=${name in this.wrong} aria-describedby="wrong" @input=${(/** @type {Event} */ event) => this.#onTyped(name, event)}></label>`,
      )}</div>
      <p id="wrong" class="error" role="alert">${Object.values(this.wrong)[0]?.error}</p>
      ${this.#renderTable()}
      ${this.#renderChart()}`;
  }

  #renderTable() {
    const counted = this.#counts;
    const { prompt_tokens, new_tokens, width } = counted;
    const n = prompt_tokens + new_tokens;
    const ways = /** @type {const} */ ([
      ['sum.without', false],
      ['with', true],
    ]);
    const row = (
      /** @type {string} */ name,
      /** @type {import('../../engine/step-costs.js').Multiplications} */ { matrix, attention },
      /** @type {(value: number) => string} */ write = number,
    ) =>
      html`<tr><th scope="row">${t(`cost.${name}`)}</th><td>${write(matrix)}</td><td>${write(attention)}</td></tr>`;
    const group = (
      /** @type {string} */ head,
      /** @type {(cached: boolean) => import('../../engine/step-costs.js').Multiplications} */ of,
      /** @type {(value: number) => string} */ write = number,
    ) => html`<tbody><tr class="group"><th colspan="3" scope="rowgroup">${head}</th></tr>
      ${ways.map(([name, cached]) => row(name, of(cached), write))}</tbody>`;
    return html`<div class="scroll" tabindex="0" role="group" aria-label=${t('cost.sum')}>
      <table class="sum"><caption class="visually-hidden">${t('cost.sum')}</caption>
        <thead><tr><td></td><th scope="col">${t('cost.one-matrix')}</th><th scope="col">${t('cost.attention')}</th></tr></thead>
        ${group(t('cost.sum.step', { n }), (cached) => countStep(n, cached ? 1 : n, width))}
        ${group(t('cost.sum.all', { n: new_tokens }), (cached) => countText(counted, cached))}
        ${group(
          t('cost.sum.exponent'),
          (cached) => exponentOf(counted, cached),
          (value) => fixed(value, 2),
        )}
      </table></div>`;
  }

  #renderChart() {
    const { width, unit } = this.#room;
    const { new_tokens } = this;
    const count = Math.min(POINTS, new_tokens);
    const places = Array.from({ length: count }, (_, i) =>
      Math.round(((i + 1) * new_tokens) / count),
    );
    const costs = places.map((n) =>
      [false, true].map((cached) => countText({ ...this.#counts, new_tokens: n }, cached).matrix),
    );
    const at = Math.min(this.at ?? count - 1, count - 1);
    const [again, kept] = costs[at].map((value) => number(value));
    const said = t('cost.sum.point', { n: places[at], again, kept });
    const options = {
      series: ['without', 'with'].map((key, way) => ({
        key,
        values: costs.map((cost) => cost[way]),
      })),
      places,
      counts: false,
      words: {
        x: t('cost.sum.x'),
        y: t('cost.sum.y'),
        legend: [t('cost.sum.without'), t('cost.with')],
      },
      write: writeOnAxis,
      at,
      onPoint: (/** @type {number} */ to) => (this.at = to),
    };
    const height = Math.min(320 * unit, Math.max(260 * unit, width * 0.4));
    const step = (/** @type {KeyboardEvent} */ event) => {
      const to = walkTo(event, at, count - 1);
      if (to !== undefined) this.at = to;
    };
    return html`<div class="chart">${
      width > 0
        ? html`<div class="sums" role="slider" tabindex="0" aria-label=${t('cost.sum.walk')} aria-valuemin="1"
            aria-valuemax=${count} aria-valuenow=${at + 1} aria-valuetext=${said} @keydown=${step}>
            ${renderChart(options, { width, height, unit })}</div>`
        : nothing
    }</div><p class="told" aria-hidden="true">${said}</p>`;
  }
}

/** Writes a number on an axis, with k, M or G. @param {number} value */
function writeOnAxis(value) {
  if (value >= 1e9) return `${rounded(value / 1e9, 6)} G`;
  if (value >= 1e6) return `${rounded(value / 1e6, 6)} M`;
  return value >= 1e3 ? `${rounded(value / 1e3, 6)} k` : rounded(value, 6);
}

define('logit-cost-sum', LogitCostSum);
