/** The base of every element here: shared looks, strings that follow the language, typed events. */
import { LitElement } from 'lit';
import { onLanguage } from '../locale/locale.js';
import { shared } from '../style/shared.js';
import { tokens } from '../style/tokens.js';

export class LogitElement extends LitElement {
  static styles = [tokens, shared];

  /**
   * What a lesson's elements do when they come to stand in it.
   * @type {((element: LogitElement) => void) | null}
   */
  static joined = null;

  /** @type {(() => void) | null} */
  #unfollow = null;

  connectedCallback() {
    super.connectedCallback();
    this.#unfollow = onLanguage(() => this.requestUpdate());
    LogitElement.joined?.(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#unfollow?.();
  }

  /**
   * Dispatches an event that bubbles and leaves the shadow tree, so that a panel can stand alone.
   * @param {string} type
   * @param {object} [detail]
   */
  emit(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
