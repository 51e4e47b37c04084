/**
 * <logit-token-menu>: the actions for one token: make it more or less likely, forbid it, or draw it next. Emits
 * "logit-bias", "logit-force" and "logit-menu-close".
 */
import { locales } from '#locales/menu';
import { html, nothing } from 'lit';
import { addMessages, fixed, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { define, elementWith } from '../../base/element.js';
import { LogitMenu } from '../../base/menu.js';
import tokenMenuStyles from './token-menu.css';

addMessages(locales);

export class LogitTokenMenu extends elementWith(LogitMenu, () => ({
  /** @type {unknown} */
  name: '',
  spoken: '',
  token: 0,
  /** @type {number | false} */
  bias: 0,
  /** True if the first action draws the token by moving u, so the text stays. */
  aims: false,
})) {
  static styles = [...LogitMenu.styles, tokenMenuStyles];

  firstUpdated() {
    this.buttons[0]?.focus();
  }

  render() {
    const { bias } = this;
    const added = bias === false ? t('bias.forbidden') : fixed(bias, 1);
    const next = (/** @type {number} */ by) => (bias === false ? 0 : bias) + by;
    return html`
      <div class="menu" role="menu" aria-label=${t('menu.label', { token: this.spoken })}
        ${cssom({ transform: `translate(max(0px, min(${this.x}px, 100cqi - 100%)), ${this.y}px)` })}
        @keydown=${this.onKey} @focusout=${this.onLeave}>
        <div class="head" role="presentation"><span class="token" translate="no">${this.name}</span>
          <span>${t('menu.bias', { bias: added })}</span></div>
        ${this.#renderItem('force', 'M3 8h9M9 4l4 4-4 4', 'logit-force', { id: this.token }, this.aims ? 'menu.aim' : undefined)}
        ${this.#biasItem('likelier', 'M8 13V3M4 7l4-4 4 4', next(1))}
        ${this.#biasItem('unlikelier', 'M8 3v10M4 9l4 4 4-4', next(-1))}
        ${
          bias === false ? nothing : this.#biasItem('forbid', 'M8 2a6 6 0 1 0 .01 0M4 4l8 8', false)
        }
        ${bias === 0 ? nothing : this.#biasItem('plain', 'M4 4l8 8M12 4l-8 8', null)}
      </div>
    `;
  }

  /**
   * @param {string} name
   * @param {string} icon
   * @param {string} type of the event
   * @param {object} detail
   * @param {string} [key] of the label
   */
  #renderItem(name, icon, type, detail, key = `menu.${name}`) {
    return html`
      <button role="menuitem" tabindex="-1" class=${name} data-item=${name}
        @click=${() => this.act(type, detail)}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d=${icon}></path></svg>
        ${t(key)}</button>`;
  }

  /** @param {string} name @param {string} icon @param {number | false | null} bias */
  #biasItem(name, icon, bias) {
    return this.#renderItem(name, icon, 'logit-bias', { id: this.token, bias });
  }
}

define('logit-token-menu', LogitTokenMenu);
