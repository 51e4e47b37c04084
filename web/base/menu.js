/**
 * The base class of menus beside a token. Arrow keys move between the buttons. Escape, Tab or a press elsewhere emits
 * "logit-menu-close".
 */
import { LogitElement, elementWith } from './element.js';
import menuStyles from './menu.css';

export class LogitMenu extends elementWith(LogitElement, () => ({
  /** The wanted left edge of the menu in CSS pixels, from that of its containing block; `y` is the top edge. */
  x: 0,
  y: 0,
})) {
  static styles = [...LogitElement.styles, menuStyles];

  get buttons() {
    return /** @type {HTMLElement[]} */ ([...this.renderRoot.querySelectorAll('button')]);
  }

  /** @param {boolean} refocus true to return the focus to the token */
  close(refocus) {
    this.dispatchEvent(new CustomEvent('logit-menu-close', { detail: { refocus } }));
  }

  /**
   * Emits the request of a button and closes the menu.
   * @param {string} type
   * @param {object} detail
   */
  act(type, detail) {
    this.emit(type, detail);
    this.close(true);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { buttons } = this;
    const at = buttons.indexOf(/** @type {HTMLElement} */ (event.target));
    const last = buttons.length - 1;
    const to = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') this.close(true);
    if (to !== undefined) buttons[to].focus();
    if (to !== undefined || event.key === 'Escape') event.preventDefault();
  }

  /** @param {FocusEvent} event */
  onLeave({ relatedTarget }) {
    const to = /** @type {Node | null} */ (relatedTarget);
    if (!to || !this.renderRoot.contains(to)) this.close(false);
  }
}
