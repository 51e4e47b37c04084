/**
 * A Lit controller for an input of a number. It accepts the number after a pause in typing, at Enter or
 * when the input loses focus; so "1", typed on the way to "1.5", is not accepted. Invalid text changes
 * no value.
 */
import { Debounce } from './debounce.js';

/** The pause in typing after which the number is accepted, in ms. */
const PAUSE_MS = 350;

export class NumberInput {
  /** The typed text; null after it is accepted. @type {string | null} */
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

  /** A sentence with the reason why the text is invalid; '' if it is valid. */
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

  /** Drops the typed text, so that the input shows the current value. */
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
