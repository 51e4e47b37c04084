/**
 * A Lit controller for a box that is typed in: a number counts once typing rests, at Enter, or when
 * the box is left, so that "1.5" is never taken for "1" on the way. What is refused changes
 * nothing.
 */
import { Rest } from './rest.js';

/** How long typing rests before it counts, in ms. */
const REST = 350;

export class Typed {
  /** @type {string | null} What stands in the box, until it is accepted. */
  text = null;
  #host;
  #read;
  #accept;
  /** @type {string | null} */
  #refused = null;
  #rest = new Rest();

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
    this.#rest.stop();
  }

  /** The sentence that says why the box is not accepted, or ''. */
  get error() {
    if (this.#refused === null) return '';
    const read = this.#read(this.#refused);
    return 'error' in read ? read.error : '';
  }

  /** @param {Event} event */
  onInput = (event) => {
    this.text = /** @type {HTMLInputElement} */ (event.target).value;
    this.#rest.after(REST, () => this.#settle());
    this.#host.requestUpdate();
  };

  /** The box is left or Enter pressed. */
  onChange = () => {
    this.#settle();
    if (this.#refused === null) this.clear();
  };

  /** Back to the value in use. */
  clear() {
    this.#rest.stop();
    this.text = null;
    this.#refused = null;
    this.#host.requestUpdate();
  }

  #settle() {
    this.#rest.stop();
    if (this.text === null) return;
    const read = this.#read(this.text);
    this.#refused = 'error' in read ? this.text : null;
    if ('value' in read) this.#accept(read.value);
    this.#host.requestUpdate();
  }
}
