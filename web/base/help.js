/** <logit-help>: a button with a question mark that opens an explanation. */
import { html, nothing } from 'lit';
import { t } from '../locale/locale.js';
import { LogitElement, define, elementWith } from './element.js';
import helpStyles from './help.css';

export class LogitHelp extends elementWith(LogitElement, () => ({
  label: '',
  text: '',
  /** Value of the button's tabindex, which a toolbar sets. */
  stop: 0,
})) {
  static properties = { label: {}, text: {} };

  static styles = [...LogitElement.styles, helpStyles];

  get tabIndex() {
    return this.stop;
  }

  set tabIndex(stop) {
    this.stop = stop;
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.renderRoot.querySelector('button')?.focus(options);
  }

  render() {
    return this.renderPress('?', this.text, t('help.about', { name: this.label }));
  }

  /**
   * @param {string} face the visible text of the button
   * @param {string} text
   * @param {string | undefined} name the accessible name; undefined to use `face`
   */
  renderPress(face, text, name = undefined) {
    return html`<button type="button" class=${name ? 'ring' : nothing} popovertarget="about"
        tabindex=${this.stop} aria-label=${name ?? face}>${face}</button><p id="about" popover role="note"
        @toggle=${this.#placeText}>${text}</p>`;
  }

  /** Finds a place for the explanation below the button and inside the window. */
  #placeText() {
    const word = /** @type {HTMLElement} */ (this.renderRoot.querySelector('button'));
    const about = /** @type {HTMLElement} */ (this.renderRoot.querySelector('p'));
    const from = word.getBoundingClientRect();
    const { width, height } = about.getBoundingClientRect();
    const edge = 8;
    const left = Math.max(edge, Math.min(from.left, innerWidth - width - edge));
    const below = from.bottom + edge;
    const top = below + height > innerHeight ? Math.max(edge, from.top - height - edge) : below;
    about.style.left = `${left}px`;
    about.style.top = `${top}px`;
  }
}

/** @param {string} label @param {string} text */
export function help(label, text) {
  return html`<logit-help .label=${label} .text=${text}></logit-help>`;
}

define('logit-help', LogitHelp);
