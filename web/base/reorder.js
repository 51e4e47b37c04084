/**
 * A Lit controller for changing the order of cards in a list. The user drags a card's handle, or grabs the card with
 * Space and moves it with arrow keys. `said` describes the last move for screen readers.
 */
import { html, nothing } from 'lit';
import { t } from '../locale/locale.js';

/**
 * @typedef {object} Options
 * @property {() => string[]} names the visible cards, in order
 * @property {(name: string) => string} label
 * @property {(name: string, to: number) => void} move moves a card to another index
 * @property {boolean} [across] true for a list from left to right; its host handles the pointer and animates cards
 *
 * The layout of the list at the beginning of a drag, in pixels: top of the first card, gap between cards,
 * height of the grabbed card, heights of the other cards.
 * @typedef {{ top: number, gap: number, own: number, others: number[] }} Layout
 */

const calm = matchMedia('(prefers-reduced-motion: reduce)');
/** Animation of a card that moves; the duration is in ms. */
export const GLIDE = { duration: 200, easing: 'cubic-bezier(0.2, 0.7, 0.2, 1)' };

export class Reorder {
  /** Name of the card that the user holds; null for none. @type {string | null} */
  grabbed = null;
  said = '';
  #host;
  #options;
  /** Index of this card at the start, and now. */
  #origin = 0;
  #to = 0;
  #byKey = false;
  /** @type {Layout} */
  #layout = { top: 0, gap: 0, own: 0, others: [] };
  /**
   * Position of each card's upper edge in pixels, before an update that changes the order.
   * @type {Map<string, number>}
   */
  #tops = new Map();
  #order = '';

  /**
   * @param {import('lit').LitElement} host
   * @param {Options} options
   */
  constructor(host, options) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  /** Measure only if the order changes: a measurement makes the browser compute the layout. */
  hostUpdate() {
    const order = this.#options.names().join();
    const changes = this.#order !== '' && order !== this.#order;
    const glides = changes && !this.#options.across && !calm.matches;
    const cards = glides ? this.#cardElements() : [];
    this.#tops = new Map(cards.map((card) => [card.dataset.stage ?? '', card.offsetTop]));
    this.#order = order;
  }

  hostUpdated() {
    for (const card of this.#tops.size > 0 ? this.#cardElements() : []) {
      const before = this.#tops.get(card.dataset.stage ?? '');
      if (before === undefined || before === card.offsetTop) continue;
      card.animate(
        [{ transform: `translateY(${before - card.offsetTop}px)` }, { transform: 'none' }],
        GLIDE,
      );
    }
    // When an element is moved, the browser removes its focus.
    if (this.grabbed && this.#byKey) this.#plugOf(this.grabbed)?.focus();
  }

  /** True while a pointer drags a card. Meanwhile no card may change its height. */
  get dragging() {
    return this.grabbed !== null && !this.#byKey;
  }

  /**
   * @param {string} name
   * @param {unknown} [face] the content; by default the style sheet's sign
   * @param {0 | -1} [tab] the tabindex
   */
  renderPlug(name, face = nothing, tab = 0) {
    const label = t('order.move', { name: this.#options.label(name) });
    const { across } = this.#options;
    return html`
      <button class="plug" tabindex=${tab} aria-label=${label} aria-pressed=${this.grabbed === name}
        aria-describedby="plug-keys" title=${across ? label : `${label}. ${t('order.keys')}`}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKey(event, name)}
        @blur=${this.#onBlur}
        @pointerdown=${across ? nothing : (/** @type {PointerEvent} */ event) => this.#onDown(event, name)}>${face}</button>`;
  }

  #cardElements() {
    return /** @type {HTMLElement[]} */ ([...this.#host.renderRoot.querySelectorAll('.card')]);
  }

  /** @param {string} name */
  #plugOf(name) {
    return /** @type {HTMLElement | null} */ (
      this.#host.renderRoot.querySelector(`.card[data-stage="${name}"] .plug`)
    );
  }

  /** Grabs a card, for an element that handles the pointer itself. @param {string} name */
  take(name) {
    this.#grab(name, false);
  }

  /** Moves the card that the user holds to another index. @param {number} to */
  place(to) {
    this.#moveTo(to);
  }

  drop() {
    this.#drop();
  }

  /** Moves the card back to its first place and releases it. */
  putBack() {
    this.#moveTo(this.#origin);
    this.#drop();
  }

  /** @param {string} name @param {boolean} byKey */
  #grab(name, byKey) {
    this.grabbed = name;
    this.#byKey = byKey;
    this.#origin = this.#to = this.#options.names().indexOf(name);
    this.#announce('order.grabbed', name, this.#origin);
  }

  #drop() {
    if (!this.grabbed) return;
    this.#announce('order.dropped', this.grabbed, this.#to);
    const [name, byKey] = [this.grabbed, this.#byKey];
    this.grabbed = null;
    this.#host.requestUpdate();
    // The card's text may have changed its height, so scroll it into view.
    if (!byKey) setTimeout(() => this.#show(name), GLIDE.duration);
  }

  /** @param {string} name */
  #show(name) {
    this.#plugOf(name)?.closest('.card')?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {number} to */
  #moveTo(to) {
    const { length } = this.#options.names();
    if (!this.grabbed || to < 0 || to >= length || to === this.#to) return;
    this.#to = to;
    this.#say('order.moved', this.grabbed, to);
    // The host of a list from left to right renders the new order when it has arrived; a render before is wasted.
    if (!this.#options.across || this.#byKey) this.#host.requestUpdate();
    this.#options.move(this.grabbed, to);
  }

  /**
   * @param {string} key
   * @param {string} name
   * @param {number} at
   */
  #announce(key, name, at) {
    this.#say(key, name, at);
    this.#host.requestUpdate();
  }

  /** @param {string} key @param {string} name @param {number} at */
  #say(key, name, at) {
    const of = this.#options.names().length;
    this.said = t(key, { name: this.#options.label(name), at: at + 1, of });
  }

  /**
   * @param {KeyboardEvent} event
   * @param {string} name
   */
  #onKey(event, name) {
    const at = this.#to;
    const held = this.grabbed === name;
    const [back, on] = this.#options.across
      ? ['ArrowLeft', 'ArrowRight']
      : ['ArrowUp', 'ArrowDown'];
    if (event.key === ' ' || event.key === 'Enter') {
      if (held) this.#drop();
      else this.#grab(name, true);
    } else if (held && event.key === back) this.#moveTo(at - 1);
    else if (held && event.key === on) this.#moveTo(at + 1);
    else if (held && event.key === 'Escape') this.putBack();
    else return;
    event.preventDefault();
  }

  /** Without the focus, a card is released, unless the move itself has removed the focus. */
  #onBlur = () => {
    requestAnimationFrame(() => {
      const { grabbed } = this;
      if (!grabbed || !this.#byKey) return;
      const root = /** @type {ShadowRoot} */ (this.#host.renderRoot);
      if (root.activeElement !== this.#plugOf(grabbed)) this.#drop();
    });
  };

  /**
   * @param {PointerEvent} event
   * @param {string} name
   */
  #onDown(event, name) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.#plugOf(name)?.focus();
    this.#grab(name, false);
    this.#measure();
    const { pointerId } = event;
    // Cards move, so the list captures the pointer.
    const list = /** @type {HTMLElement} */ (this.#host.renderRoot.querySelector('ol'));
    list.setPointerCapture(pointerId);
    const control = new AbortController();
    const { signal } = control;
    const end = () => {
      control.abort();
      this.#drop();
    };
    const follow = (/** @type {PointerEvent} */ { clientY }) => this.#followPointer(clientY);
    list.addEventListener('pointermove', follow, { signal });
    list.addEventListener('pointerup', follow, { signal });
    list.addEventListener('pointerup', end, { signal });
    list.addEventListener('pointercancel', end, { signal });
  }

  #measure() {
    const cards = this.#cardElements();
    const heights = cards.map(({ offsetHeight }) => offsetHeight);
    const top = cards[0].offsetTop;
    const gap = (cards[1]?.offsetTop ?? top) - top - heights[0];
    const [own] = heights.splice(this.#origin, 1);
    this.#layout = { top, gap, own, others: heights };
  }

  /**
   * Moves the card to the place under the pointer. It uses the layout at the start of the drag, because the page may
   * still show an older order.
   * @param {number} y the pointer's clientY, in pixels
   */
  #followPointer(y) {
    const list = /** @type {HTMLElement} */ (this.#host.renderRoot.querySelector('ol'));
    const { top, gap, own, others } = this.#layout;
    const place = y - list.getBoundingClientRect().top - top;
    const starts = [0];
    for (const height of others) starts.push(Number(starts.at(-1)) + height + gap);
    const upper = (/** @type {number} */ i) => starts[i] + Math.min(own, others[i]);
    const lower = (/** @type {number} */ i) => starts[i] + Math.max(own, others[i]) + gap;
    let to = this.#to;
    while (to > 0 && place < upper(to - 1)) to--;
    while (to < others.length && place > lower(to)) to++;
    this.#moveTo(to);
  }
}
