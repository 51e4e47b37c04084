/**
 * <logit-glance>: a small picture of the distribution at the edge of the window. It appears while a knob moves and
 * the chart is outside the window, as on a phone. It lies above the page, so nothing else moves.
 */
import { html, nothing } from 'lit';
import { measure, number, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { GLIDE } from '../../base/reorder.js';
import { visible } from '../../base/visible.js';
import glanceStyles from './glance.css';

/** @import { Trace } from '../../plots/trace.js' */

const COLUMNS = 7;
/** The picture stays for this time after a knob without focus has moved, in ms. */
const LINGER = 2500;
/** Room above the knob that the picture needs, in pixels. */
const ROOM = 150;
/** The chart counts as visible if this share of it, or of a smaller window, is visible. */
const ENOUGH = 0.4;
/** Visible shares at which the observer reports. */
const PARTS = Array.from({ length: 21 }, (_, i) => i / 20);

export class LogitGlance extends elementWith(LogitElement, () => ({
  /** @type {Trace | null} */
  trace: null,
  /** @type {import('../../plots/trace.js').Drawn | null} The next token; null if none. */
  drawn: null,
  eos: -1,
  /** CSS selectors of the knobs and of the chart, in the tree that contains this element. */
  knobs: '',
  chart: '',
  shown: false,
  low: false,
})) {
  static properties = {
    knobs: {},
    chart: {},
    shown: { type: Boolean, reflect: true },
    low: { type: Boolean, reflect: true },
  };

  static styles = [...LogitElement.styles, glanceStyles];

  /** @type {AbortController | null} */
  #listening = null;
  #sight = true;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Time of the last move of a knob, in ms. */
  #turned = -Infinity;

  /** @param {Map<string, unknown>} changed */
  shouldUpdate(changed) {
    return this.shown || changed.has('shown') || !this.hasUpdated;
  }

  firstUpdated() {
    const root = /** @type {ShadowRoot} */ (this.getRootNode());
    const knobs = root.querySelector(this.knobs);
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const place = () => this.#placePicture();
    knobs?.addEventListener('focusin', place, { signal });
    knobs?.addEventListener('focusout', () => setTimeout(place), { signal });
    knobs?.addEventListener('logit-set', () => this.#keepShown(), { signal });
    // Wait until the moved line has arrived.
    knobs?.addEventListener('logit-order', () => setTimeout(place, GLIDE.duration), { signal });
    addEventListener('scroll', place, { signal, passive: true });
    const seen = new IntersectionObserver((entries) => this.#onSight(entries), {
      threshold: PARTS,
    });
    const chart = root.querySelector(this.chart);
    if (chart) seen.observe(chart);
    signal.addEventListener('abort', () => seen.disconnect());
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#listening?.abort();
    clearTimeout(this.#timer);
  }

  /** Keeps the picture for a while after a knob has moved. One timer is enough for all moves. */
  #keepShown() {
    this.#turned = performance.now();
    if (this.#timer !== undefined) return;
    this.#hideAfter(LINGER);
    this.#showOrHide();
  }

  /** @param {number} ms */
  #hideAfter(ms) {
    this.#timer = setTimeout(() => {
      const left = this.#turned + LINGER - performance.now();
      if (left > 0) return this.#hideAfter(left);
      this.#timer = undefined;
      this.#showOrHide();
    }, ms);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #onSight(entries) {
    const { intersectionRect, boundingClientRect } = entries[entries.length - 1];
    const most = Math.min(boundingClientRect.height, innerHeight);
    this.#sight = intersectionRect.height > ENOUGH * most;
    this.#showOrHide();
  }

  /** Shows the picture if a knob is in use and the chart is not visible, else hides it. */
  #showOrHide() {
    const { activeElement } = /** @type {ShadowRoot} */ (this.getRootNode());
    const used = activeElement?.matches(this.knobs) || this.#timer !== undefined;
    this.shown = used && !this.#sight;
  }

  /** Moves the picture to the upper or lower edge, whichever is farther from the knob in use. */
  #placePicture() {
    this.#showOrHide();
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
        <div class="columns" translate="no">
          ${tokens.map((token) => this.#renderColumn(token, most))}
        </div>
      </div>
    `;
  }

  /** @param {import('../../plots/trace.js').TraceToken} token @param {number} most */
  #renderColumn(token, most) {
    const kind = `${token.removed_by ? 'removed' : ''} ${token.id === this.drawn?.id ? 'next' : ''}`;
    const name = token.id === this.eos ? t('text.end') : visible(token).replace(/^␣(?=.)/u, '');
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
