/**
 * A Lit controller for a number field. It accepts a number after a pause in typing, at Enter, or when the field loses
 * the focus. Therefore "1" is not accepted while the user types "1.5". Invalid text changes nothing: it stays in the
 * field while the field has the focus, and the sentence about it stays until the next input or the next value.
 */
import { Debounce } from './debounce.js';

/** After this pause in typing, the number is accepted. In ms. */
const PAUSE_MS = 350;

export class NumberInput {
  /** The text while the user types; null after it is accepted. @type {string | null} */
  text = null;
  #host;
  #read;
  #accept;
  #value;
  /** The invalid text, and the field's value beside it. @type {{ text: string, value: unknown } | null} */
  #refused = null;
  #debounce = new Debounce();

  /**
   * @param {import('lit').ReactiveControllerHost} host
   * @param {(text: string) => { value: number } | { error: string }} read
   * @param {(value: number) => void} accept
   * @param {() => unknown} [value] the field's value, which a link can change too
   */
  constructor(host, read, accept, value) {
    this.#host = host;
    this.#read = read;
    this.#accept = accept;
    this.#value = value;
    host.addController(this);
  }

  hostDisconnected() {
    this.#debounce.cancel();
  }

  /** A sentence about why the text is invalid; '' if it is valid. */
  get error() {
    if (this.#refused?.value !== this.#value?.()) this.#refused = null;
    if (!this.#refused) return '';
    const read = this.#read(this.#refused.text);
    return 'error' in read ? read.error : '';
  }

  /** @param {Event} event */
  onInput = (event) => {
    const box = /** @type {HTMLInputElement} */ (event.target);
    this.text = box.value;
    box.addEventListener('blur', this.#onBlur, { once: true });
    this.#debounce.schedule(PAUSE_MS, () => this.#settle());
    this.#host.requestUpdate();
  };

  /** Accepts the number, at Enter or when the field loses the focus. */
  onChange = () => {
    this.#settle();
    if (this.#refused === null) this.clear();
  };

  /** Shows the current value again; a sentence about an invalid text stays. */
  #onBlur = () => {
    this.#settle();
    this.text = null;
    this.#host.requestUpdate();
  };

  /** Drops the text, so that the field shows the current value. */
  clear() {
    this.#debounce.cancel();
    this.text = null;
    this.#refused = null;
    this.#host.requestUpdate();
  }

  #settle() {
    this.#debounce.cancel();
    if (this.text === null) return;
    const read = this.#read(this.text);
    this.#refused = 'error' in read ? { text: this.text, value: this.#value?.() } : null;
    if ('value' in read) this.#accept(read.value);
    this.#host.requestUpdate();
  }
}
