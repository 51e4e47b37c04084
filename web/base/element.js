/** The base class of all elements: shared styles, events, and a new render when the language changes. */
import { LitElement } from 'lit';
import { announceLanguage, matchLanguage, onLanguage, speaking } from '../locale/locale.js';
import shared from '../style/shared.css';
import tokens from '../style/tokens.css';
import { keepSliders, selectNumbers } from './touch.js';
import { undoTranslated } from './translated.js';

/** Longest wait for an idle moment of the browser, in ms. */
const PATIENCE = 250;

/** Waits until the browser is idle. WebKit has no idle callbacks, so there it waits for a timeout. */
function spareTime() {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: PATIENCE });
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}

/**
 * Returns the language of the nearest `lang` attribute around an element. Returns null if only the document has one:
 * then the page's own language counts.
 * @param {Element} element
 */
function languageOf(element) {
  for (let place = element, root; place; place = root) {
    const { host } = /** @type {ShadowRoot} */ (place.getRootNode());
    root = host;
    if (host instanceof LogitElement) continue; // skips to `host`: its parts have its language
    const named = place.closest('[lang]');
    if (named && named !== document.documentElement)
      return matchLanguage([named.getAttribute('lang') ?? '']);
  }
  return null;
}

export class LogitElement extends LitElement {
  static styles = [tokens, shared];

  /**
   * Called with each element that is connected; null to call nothing. Only standalone.js sets it.
   * @type {((element: LogitElement) => void) | null}
   */
  static joined = null;

  /** True to wait with updates until the browser is idle, so that the bars are rendered first. */
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
    this.speak(() => super.performUpdate());
  }

  /** @param {Map<string, unknown>} changed */
  update(changed) {
    undoTranslated(this.renderRoot);
    super.update(changed);
  }

  /**
   * Calls `work` in the language of this element.
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
   * Emits an event that listeners outside all shadow roots can hear.
   * @param {string} type
   * @param {object} [detail]
   */
  emit(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** Changes properties that are choices of the user, and emits them as "logit-choose". @param {object} patch */
  keepChoice(patch) {
    Object.assign(this, patch);
    this.emit('logit-choose', patch);
  }
}

/**
 * Defines an element, unless it is defined already: a page may load this code twice.
 * @param {string} name
 * @param {CustomElementConstructor} element
 */
export function define(name, element) {
  if (!customElements.get(name)) customElements.define(name, element);
}

/** Returns the value of the field in which an event happened. @param {Event} event */
export function valueOf(event) {
  return /** @type {HTMLInputElement} */ (event.target).value;
}

/**
 * Makes the base class of an element: another class with these properties. They have no attribute, unless the element's
 * own `static properties` give them one. A method that reads and assigns such a property reads it by destructuring,
 * `const { open } = this`, because the type checker takes the assignment for the declaration.
 * @template {new () => LogitElement} Base
 * @template {object} Properties
 * @param {Base} Parent
 * @param {() => Properties} initial the first values, called for each new element
 * @returns {Omit<Base, 'prototype'> & (new () => InstanceType<Base> & Properties)}
 */
export function elementWith(Parent, initial) {
  /** @type {any} */
  const made = class extends /** @type {any} */ (Parent) {
    static get properties() {
      return Object.fromEntries(Object.keys(initial()).map((name) => [name, { attribute: false }]));
    }

    constructor() {
      super();
      Object.assign(this, initial());
    }
  };
  return made;
}
