/**
 * <logit-draw>: the survivors laid end to end, the random number u of the next step on them, the
 * seed and the draw counter. Asks with "logit-seed".
 */
import { css, html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { fixed, plain, rounded, t } from '../locale/locale.js';
import { STRIP_HEIGHT, drawStrip } from '../plots/strip-view.js';
import { layoutStrip } from '../plots/strip.js';
import { define } from './define.js';
import { LogitElement } from './element.js';
import { readSeed } from './settings.js';
import { Typed } from './typed.js';
import { visible, visibleHtml, visibleSvg } from './visible.js';
import { Width } from './width.js';

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').Drawn} Drawn
 */

export class LogitDraw extends LogitElement {
  static properties = {
    trace: { attribute: false },
    drawn: { attribute: false },
    seed: { attribute: false },
    count: { attribute: false },
    finished: { attribute: false },
    eos: { attribute: false },
  };

  static styles = [
    ...LogitElement.styles,
    css`
      .top {
        display: flex;
        align-items: baseline;
        justify-content: space-between;
        gap: 1rem;
      }

      .seed {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem;
        margin-top: 0.75rem;
      }

      .seed input {
        flex: 1;
        width: 7rem;
        height: 2.25rem;
        padding: 0 0.625rem;
        font-family: var(--mono);
        font-size: 0.875rem;
      }

      .seed button {
        padding: 0 0.75rem;
      }

      .counter {
        white-space: nowrap;
      }

      .counter b {
        color: var(--ink);
        font-family: var(--mono);
        font-size: 0.9375rem;
        font-weight: 600;
      }

      .strip {
        margin-top: 0.75rem;
      }

      svg {
        display: block;
        width: 100%;
        overflow: visible;
      }

      .segment rect {
        fill: var(--trace-wash);
        stroke: var(--ghost-line);
        stroke-width: 1;
        vector-effect: non-scaling-stroke;
        transform-origin: 0 0;
        transition: transform var(--calm), fill var(--quick);
      }

      .segment,
      .needle {
        transition: transform var(--calm);
      }

      .segment.hit rect {
        fill: var(--mark-wash);
        stroke: var(--mark);
      }

      .segment text {
        fill: var(--ink);
        font-family: var(--mono);
        text-anchor: middle;
      }

      .segment.hit text {
        font-weight: 700;
      }

      .segment .space {
        fill: var(--soft);
      }

      .needle path,
      .needle text {
        fill: var(--mark);
        font-weight: 700;
      }

      .needle line {
        stroke: var(--mark);
        stroke-width: 2;
      }

      .axis text {
        fill: var(--soft);
        text-anchor: middle;
      }

      .axis text:first-of-type {
        text-anchor: start;
      }

      .axis text:last-of-type {
        text-anchor: end;
      }

      .axis line {
        stroke: var(--control-line);
      }

      .lands {
        min-height: 2.625rem; /* two lines, so that nothing below moves */
        font-size: 0.875rem;
        text-wrap: pretty;
      }

      .space {
        color: inherit;
        opacity: 0.7;
      }
    `,
  ];

  #width = new Width(this, '.strip');
  #typed = new Typed(
    this,
    readSeed,
    (seed) => seed !== this.seed && this.emit('logit-seed', { seed }),
  );

  constructor() {
    super();
    /** @type {Trace | null} */
    this.trace = null;
    /** @type {Drawn | null} */
    this.drawn = null;
    this.seed = 0;
    this.count = 0;
    /** @type {string | null} */
    this.finished = null;
    this.eos = -1;
  }

  render() {
    const { error, text } = this.#typed;
    const sentence = error && t('error.kept', { sentence: error, kept: plain(this.seed) });
    return html`
      <div class="top">
        <h2>${t('draw.title')}</h2>
        <p class="label counter">${t('draw.count')} <b>${fixed(this.count, 0)}</b></p>
      </div>
      <p class="about">${t('draw.about')}</p>
      <div class="strip">${this.#renderStrip()}</div>
      <p class="lands" data-drawn=${this.drawn?.id ?? nothing}>${this.#sentence()}</p>
      <div class="seed">
        <label class="label" for="seed">${t('draw.seed')}</label>
        <input id="seed" type="text" inputmode="numeric" autocomplete="off" spellcheck="false"
          aria-invalid=${error ? 'true' : 'false'} aria-describedby="error why"
          .value=${live(text ?? plain(this.seed))}
          @input=${this.#typed.onInput} @change=${this.#typed.onChange}>
        <button @click=${this.#onNew}>${t('draw.seed.new')}</button>
      </div>
      <p id="error" class="error" role="alert">${sentence}</p>
      <p id="why" class="about" ?hidden=${error !== ''}>${t('draw.why')}</p>
    `;
  }

  #renderStrip() {
    const { trace, drawn } = this;
    const { width, unit } = this.#width;
    const height = STRIP_HEIGHT * unit;
    if (!trace || !width) return html`<svg height=${height} aria-hidden="true"></svg>`;
    const layout = layoutStrip({ trace, width, u: drawn?.u ?? null, hit: drawn?.id ?? null });
    const rest = t('draw.rest');
    const strip = drawStrip({
      layout,
      unit,
      tick: (value) => rounded(value, 1),
      label: ({ token }, letters) =>
        token ? visibleSvg(this.#named(token), letters) : rest.slice(0, letters),
      title: ({ token }) => (token ? visible(this.#named(token)) : rest),
    });
    return html`<svg height=${height} aria-hidden="true">${strip}</svg>`;
  }

  /** The end token under its name here. @param {import('../plots/trace.js').TraceToken} token */
  #named(token) {
    return token.id === this.eos ? { ...token, text: `‹${t('text.end')}›` } : token;
  }

  #sentence() {
    const { drawn, trace } = this;
    if (!drawn || !trace || drawn.u === null) return '';
    const token =
      drawn.id === this.eos
        ? html`<b>${t('text.end.long')}</b>`
        : html`<b class="token">${visibleHtml(drawn)}</b>`;
    const { hit } = layoutStrip({ trace, width: 1, u: drawn.u, hit: drawn.id });
    const u = fixed(drawn.u, 4);
    if (this.finished === 'eos') return weave(t('draw.drawn', { u }), token);
    if (!hit?.token) return weave(t('draw.lands.rest', { u, rank: drawn.rank }), token);
    return weave(t('draw.lands', { u, from: rounded(hit.from, 4), to: rounded(hit.to, 4) }), token);
  }

  #onNew() {
    const [seed] = crypto.getRandomValues(new Uint32Array(1));
    this.#typed.clear();
    this.emit('logit-seed', { seed });
  }
}

/**
 * A sentence with a template in the place of {token}.
 * @param {string} sentence
 * @param {unknown} token
 */
export function weave(sentence, token) {
  const [before, after] = sentence.split('{token}');
  return html`${before}${token}${after}`;
}

define('logit-draw', LogitDraw);
