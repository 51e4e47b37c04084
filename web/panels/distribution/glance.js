/**
 * <logit-glance>: the distribution in a strip at the edge of the window, while a knob is turned and
 * the chart itself is out of sight, as on a phone. It lies over the page, so that nothing moves.
 */
import { css, html, nothing } from 'lit';
import { measure, number, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { define } from '../../base/define.js';
import { LogitElement } from '../../base/element.js';
import { visible } from '../../base/visible.js';

/** @typedef {import('../../plots/trace.js').Trace} Trace */

const COLUMNS = 7;
/** How long it stays after a knob that took no focus was turned, in ms. */
const LINGER = 2500;
/** The strip with its distance from the edge, in px at least. */
const ROOM = 150;
/** The share of the chart, or of the window where that is smaller, that is enough of it in sight. */
const ENOUGH = 0.4;
/** The shares in sight at which that is asked again. */
const PARTS = Array.from({ length: 21 }, (_, i) => i / 20);

export class LogitGlance extends LogitElement {
  static properties = {
    trace: { attribute: false },
    hit: { attribute: false },
    eos: { attribute: false },
    knobs: {},
    chart: {},
    shown: { type: Boolean, reflect: true },
    low: { type: Boolean, reflect: true },
  };

  static styles = [
    ...LogitElement.styles,
    css`
      :host {
        position: fixed;
        z-index: 5;
        inset: 0.5rem 0.5rem auto;
        max-width: 34rem;
        margin: 0 auto;
        padding: 0.5rem 0.75rem 0.375rem;
        border: 1px solid var(--control-line);
        border-radius: 0.625rem;
        background: var(--panel);
        box-shadow: 0 0.5rem 1.75rem light-dark(#14201d40, #000000b3);
        opacity: 0;
        pointer-events: none;
        transform: translateY(-0.75rem);
        visibility: hidden;
        transition: opacity var(--quick), transform var(--quick), visibility var(--quick);
      }

      :host([low]) {
        inset: auto 0.5rem 0.5rem;
      }

      :host([shown]) {
        opacity: 1;
        transform: none;
        visibility: visible;
      }

      .facts {
        display: flex;
        justify-content: space-between;
        color: var(--soft);
        font-size: 0.75rem;
      }

      .facts b {
        color: var(--ink);
        font-family: var(--mono);
      }

      .columns {
        display: grid;
        grid-auto-columns: minmax(0, 1fr);
        grid-auto-flow: column;
        gap: 0.25rem;
      }

      .column {
        text-align: center;
        font-size: 0.6875rem;
        line-height: 1rem;
      }

      .well {
        position: relative;
        height: 3.25rem;
        margin: 0.25rem 0 0.125rem;
        border-bottom: 1px solid var(--control-line);
        overflow: hidden;
      }

      .well i {
        position: absolute;
        inset: 0;
        transform: scaleY(var(--share));
        transform-origin: bottom;
      }

      .ghost {
        background: var(--ghost);
      }

      .final {
        margin: 0 22%;
        background: var(--trace);
        transition: transform var(--calm);
      }

      .hit .final {
        background: var(--mark);
      }

      .removed .ghost {
        background: repeating-linear-gradient(135deg, var(--ghost) 0 2px, transparent 2px 5px);
      }

      .name {
        display: block;
        overflow: hidden;
        font-family: var(--mono);
        text-overflow: ellipsis;
        white-space: pre;
      }

      .hit .name,
      .hit .share {
        color: var(--mark);
        font-weight: 700;
      }

      .removed .name,
      .removed .share {
        color: var(--soft);
      }

      .removed .name {
        text-decoration: line-through;
      }
    `,
  ];

  /** @type {AbortController | null} */
  #listening = null;
  /** Whether enough of the chart is in sight. */
  #sight = true;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  constructor() {
    super();
    /** @type {Trace | null} */
    this.trace = null;
    /** @type {number | null} */
    this.hit = null;
    this.eos = -1;
    /** Selectors, in the same tree, of what is turned and of what must be out of sight. */
    this.knobs = '';
    this.chart = '';
    this.shown = false;
    this.low = false;
  }

  firstUpdated() {
    const root = /** @type {ShadowRoot} */ (this.getRootNode());
    const knobs = root.querySelector(this.knobs);
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const place = () => this.#place();
    knobs?.addEventListener('focusin', place, { signal });
    knobs?.addEventListener('focusout', () => setTimeout(place), { signal });
    knobs?.addEventListener('logit-set', () => this.#linger(), { signal });
    addEventListener('scroll', place, { signal, passive: true });
    const seen = new IntersectionObserver((entries) => this.#see(entries), { threshold: PARTS });
    const chart = root.querySelector(this.chart);
    if (chart) seen.observe(chart);
    signal.addEventListener('abort', () => seen.disconnect());
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#listening?.abort();
    clearTimeout(this.#timer);
  }

  #linger() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, LINGER);
    this.#look();
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #see(entries) {
    const { intersectionRect, boundingClientRect } = entries[entries.length - 1];
    const most = Math.min(boundingClientRect.height, innerHeight);
    this.#sight = intersectionRect.height > ENOUGH * most;
    this.#look();
  }

  /** Shows or hides the strip. */
  #look() {
    const { activeElement } = /** @type {ShadowRoot} */ (this.getRootNode());
    const used = activeElement?.matches(this.knobs) || this.#timer !== undefined;
    this.shown = used && !this.#sight;
  }

  /** Puts it away from the knob in use. */
  #place() {
    this.#look();
    const root = /** @type {ShadowRoot} */ (this.getRootNode());
    const knobs = root.querySelector(this.knobs);
    if (root.activeElement !== knobs) return;
    let element = /** @type {Element | null} */ (knobs);
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    if (element && element !== knobs) this.low = element.getBoundingClientRect().top < ROOM;
  }

  render() {
    const { trace } = this;
    if (!trace || !this.shown) return nothing;
    const tokens = [...trace.tokens].sort((a, b) => b.p_raw - a.p_raw).slice(0, COLUMNS);
    const most = Math.max(...tokens.flatMap(({ p, p_raw }) => [p, p_raw]));
    return html`
      <div aria-hidden="true">
        <p class="facts">
          <span>${t('distribution.kept')} <b>${number(trace.kept)}</b>
            ${t('distribution.kept.of', { n: trace.vocab_size })}</span>
          <span>${t('distribution.entropy')} <b>${measure(trace.entropy)}</b></span>
        </p>
        <div class="columns">
          ${tokens.map((token) => this.#renderColumn(token, most))}
        </div>
      </div>
    `;
  }

  /**
   * @param {import('../../plots/trace.js').TraceToken} token
   * @param {number} most
   */
  #renderColumn(token, most) {
    const kind = `${token.removed_by ? 'removed' : ''} ${token.id === this.hit ? 'hit' : ''}`;
    const name = token.id === this.eos ? t('text.end') : visible(token).replace(/^␣/, '');
    return html`
      <div class="column ${kind}">
        <div class="well">
          <i class="ghost" ${cssom({ '--share': token.p_raw / most })}></i>
          <i class="final" ${cssom({ '--share': token.p / most })}></i>
        </div>
        <span class="name">${name}</span>
        <span class="share">${percent(token.p)}</span>
      </div>
    `;
  }
}

define('logit-glance', LogitGlance);
