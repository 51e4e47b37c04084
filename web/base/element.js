/** The base of all elements: shared styles, events, and a new render when the language changes. */
import { LitElement } from 'lit';
import { announceLanguage, matchLanguage, onLanguage, speaking } from '../locale/locale.js';
import shared from '../style/shared.css';
import tokens from '../style/tokens.css';
import { keepSliders, selectNumbers } from './touch.js';
import { undoTranslated } from './translated.js';

/** The longest wait for an idle callback, in ms. */
const PATIENCE = 250;

/** Waits for idle time, or for a timeout in WebKit, which has no idle callbacks. */
function spareTime() {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: PATIENCE });
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}

/**
 * Returns the language from the nearest `lang` attribute on or around an element. Returns null if only
 * the document has the attribute: the element then uses the page's language.
 * @param {Element} element
 */
function languageOf(element) {
  for (let place = element, root; place; place = root) {
    const { host } = /** @type {ShadowRoot} */ (place.getRootNode());
    root = host;
    if (host instanceof LogitElement) continue; // this element is part of `host` and has its language
    const named = place.closest('[lang]');
    if (named && named !== document.documentElement)
      return matchLanguage([named.getAttribute('lang') ?? '']);
  }
  return null;
}

export class LogitElement extends LitElement {
  static styles = [tokens, shared];

  /**
   * Called with each connected element; null for no call. Only standalone.js sets it, for elements that
   * an author places in a page.
   * @type {((element: LogitElement) => void) | null}
   */
  static joined = null;

  /** True if updates wait for idle time, so that the bars are rendered first. */
  deferUpdates = false;
  /** @type {(() => void) | null} */
  #unfollow = null;

  createRenderRoot() {
    const root = super.createRenderRoot();
    keepSliders(root);
    selectNumbers(root);
    return root;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#unfollow = onLanguage(() => this.requestUpdate());
    LogitElement.joined?.(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#unfollow?.();
  }

  static get observedAttributes() {
    return [...super.observedAttributes, 'lang'];
  }

  /** @param {string} name @param {string | null} before @param {string | null} value */
  attributeChangedCallback(name, before, value) {
    super.attributeChangedCallback(name, before, value);
    if (name === 'lang' && this.isConnected && before !== value) announceLanguage();
  }

  performUpdate() {
    undoTranslated(this.renderRoot);
    this.speak(() => super.performUpdate());
  }

  /**
   * Calls `work` in the language of the element.
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  speak(work) {
    return speaking(languageOf(this), work);
  }

  async scheduleUpdate() {
    if (this.deferUpdates && this.hasUpdated) await spareTime();
    super.scheduleUpdate();
  }

  /**
   * Dispatches an event that bubbles and crosses shadow roots.
   * @param {string} type
   * @param {object} [detail]
   */
  emit(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** Sets properties of a view's state and emits "logit-choose" to the page. @param {object} patch */
  keepChoice(patch) {
    Object.assign(this, patch);
    this.emit('logit-choose', patch);
  }
}

/**
 * Defines a custom element, unless it is defined: a page may load this code twice.
 * @param {string} name
 * @param {CustomElementConstructor} element
 */
export function define(name, element) {
  if (!customElements.get(name)) customElements.define(name, element);
}

/**
 * Declares reactive properties that no attribute sets.
 * @param {string} names separated by spaces
 */
export function withoutAttribute(names) {
  return Object.fromEntries(names.split(' ').map((name) => [name, { attribute: false }]));
}

/** Returns the value of an event's input. @param {Event} event */
export function valueOf(event) {
  return /** @type {HTMLInputElement} */ (event.target).value;
}
