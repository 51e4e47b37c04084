/**
 * A Lit controller for an input of a number. The number counts after a pause in typing, at Enter or
 * when the input loses focus, so "1.5" never counts as "1" on the way. Refused text changes nothing.
 */
import { Debounce } from './debounce.js';

/** The pause in typing after which the number counts, in ms. */
const PAUSE_MS = 350;

export class NumberInput {
  /** The typed text; null when it is accepted. @type {string | null} */
  text = null;
  #host;
  #read;
  #accept;
  /** @type {string | null} */
  #refused = null;
  #debounce = new Debounce();

  /**
   * @param {import('lit').ReactiveControllerHost} host
   * @param {(text: string) => { value: number } | { error: string }} read
   * @param {(value: number) => void} accept
   */
  constructor(host, read, accept) {
    this.#host = host;
    this.#read = read;
    this.#accept = accept;
    host.addController(this);
  }

  hostDisconnected() {
    this.#debounce.cancel();
  }

  /** The sentence with the reason of a refusal, or ''. */
  get error() {
    if (this.#refused === null) return '';
    const read = this.#read(this.#refused);
    return 'error' in read ? read.error : '';
  }

  /** @param {Event} event */
  onInput = (event) => {
    this.text = /** @type {HTMLInputElement} */ (event.target).value;
    this.#debounce.schedule(PAUSE_MS, () => this.#settle());
    this.#host.requestUpdate();
  };

  /** Handles Enter and loss of focus. */
  onChange = () => {
    this.#settle();
    if (this.#refused === null) this.clear();
  };

  /** Shows the value in use again. */
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
    this.#refused = 'error' in read ? this.text : null;
    if ('value' in read) this.#accept(read.value);
    this.#host.requestUpdate();
  }
}
