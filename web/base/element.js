/** The base of every element here: shared looks, strings that follow the language, typed events. */
import { LitElement } from 'lit';
import { onLanguage } from '../locale/locale.js';
import shared from '../style/shared.css';
import tokens from '../style/tokens.css';

/** How long time to spare is waited for, in ms. */
const PATIENCE = 250;

/** Time to spare between frames; WebKit does not tell of it. */
function spareTime() {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: PATIENCE });
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}

export class LogitElement extends LitElement {
  static styles = [tokens, shared];

  /**
   * What a lesson's elements do when they come to stand in it.
   * @type {((element: LogitElement) => void) | null}
   */
  static joined = null;

  /** Whether it leaves the frame to what must follow a knob at once, and follows in time to spare. */
  patient = false;
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

  async scheduleUpdate() {
    if (this.patient && this.hasUpdated) await spareTime();
    super.scheduleUpdate();
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
