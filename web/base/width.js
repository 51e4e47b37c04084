/**
 * A Lit controller that measures the width of a part of its element, and 1/16 rem, both in pixels. Charts are drawn
 * at this size, so their text is never scaled.
 */
export class Width {
  width = 0;
  unit = 1;
  #host;
  #selector;
  /** @type {ResizeObserver | null} */
  #observer = null;
  /** @type {Element | null} */
  #watched = null;

  /**
   * @param {import('lit').LitElement} host
   * @param {string} selector
   */
  constructor(host, selector) {
    this.#host = host;
    this.#selector = selector;
    host.addController(this);
  }

  hostConnected() {
    this.#observer = new ResizeObserver(([entry]) => this.#set(entry.contentRect.width));
    if (this.#watched) this.#observer.observe(this.#watched);
  }

  hostDisconnected() {
    this.#observer?.disconnect();
  }

  hostUpdated() {
    const element = this.#host.renderRoot.querySelector(this.#selector);
    if (!element || element === this.#watched) return;
    this.#watched = element;
    this.#observer?.observe(element);
    this.#set(element.clientWidth);
  }

  /** @param {number} width */
  #set(width) {
    const unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    if (width === this.width && unit === this.unit) return;
    this.width = width;
    this.unit = unit;
    this.#host.requestUpdate();
  }
}
