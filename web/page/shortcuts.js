/** <logit-shortcuts>: a dialog with all keyboard shortcuts, and a switch to turn them off. */
import { html } from 'lit';
import { locales } from '#locales/shortcut';
import { addMessages, t } from '../locale/locale.js';
import { LogitElement, define } from '../base/element.js';
import { KEYS, keysAreOn, switchKeys } from './keys.js';
import dialogStyles from '../style/dialog.css';
import shortcutsStyles from './shortcuts.css';

addMessages(locales);

export class LogitShortcuts extends LogitElement {
  static styles = [...LogitElement.styles, dialogStyles, shortcutsStyles];

  async show() {
    await this.updateComplete;
    const dialog = /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector('dialog'));
    if (!dialog.open) dialog.showModal();
  }

  render() {
    return html`
      <dialog aria-labelledby="title">
        <div class="top">
          <h2 id="title">${t('shortcut.title')}</h2>
          <button data-command="close" @click=${this.#close}>${t('shortcut.close')}</button>
        </div>
        <p class="about">${t('shortcut.about')}</p>
        <dl>${KEYS.map(
          (key) => html`
          <div><dt><kbd>${key === '1' ? '1 – 4' : key}</kbd></dt><dd>${t(`shortcut.${NAMES[key] ?? key}`)}</dd></div>`,
        )}
          <div><dt><kbd>${COMMAND} Z</kbd></dt><dd>${t('shortcut.undo')}</dd></div>
          <div><dt><kbd>${COMMAND} ⇧ Z</kbd></dt><dd>${t('shortcut.redo')}</dd></div></dl>
        <p class="about">${t('shortcut.present')}</p>
        <label class="choice"><input type="checkbox" id="on" .checked=${keysAreOn()}
          @change=${this.#onSwitch}>${t('shortcut.on')}</label>
        <p class="about">${t('shortcut.off.about')}</p>
      </dialog>
    `;
  }

  /** @param {Event} event */
  #onSwitch({ target }) {
    switchKeys(/** @type {HTMLInputElement} */ (target).checked);
  }

  #close() {
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector('dialog')).close();
  }
}

/** Name of the modifier key for commands. */
const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

/** Names of the keys that are not letters, as used in message keys. */
const NAMES = /** @type {Record<string, string>} */ ({ 1: 'views', '?': 'list' });

define('logit-shortcuts', LogitShortcuts);

export async function showShortcuts() {
  const list = /** @type {LogitShortcuts} */ (
    document.querySelector('logit-shortcuts') ??
      document.body.appendChild(document.createElement('logit-shortcuts'))
  );
  await list.show();
}
