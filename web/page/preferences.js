/**
 * <logit-preferences>: a menu for language and theme. The browser stores both; ?lang= and ?theme= in the address come
 * first. Emits "logit-shortcuts" to open the list of shortcuts.
 */
import { html } from 'lit';
import { language, languages, matchLanguage, setLanguage, t } from '../locale/locale.js';
import { LogitElement, define } from '../base/element.js';
import { recall, remember } from '../state/memory.js';
import { THEMES } from '../state/fields.js';
import preferencesStyles from './preferences.css';

export class LogitPreferences extends LogitElement {
  static properties = { theme: { state: true } };

  static styles = [...LogitElement.styles, preferencesStyles];

  constructor() {
    super();
    const query = new URLSearchParams(location.search);
    const remembered = recall('lang');
    // `written` has the language of a page that exists in only one language.
    const written = this.getAttribute('written');
    const preferences = [query.get('lang'), written, remembered, ...navigator.languages];
    setLanguage(matchLanguage(preferences.filter((value) => value !== null)));
    const theme = query.get('theme') ?? recall('theme') ?? 'auto';
    this.theme = THEMES.includes(theme) ? theme : 'auto';
  }

  render() {
    return html`
      <button popovertarget="menu" aria-label=${t('page.preferences')} title=${t('page.preferences')}>
        <svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="7"></circle><path
          d="M10 3a7 7 0 0 1 0 14z"></path></svg></button>
      <div id="menu" popover role="group" aria-label=${t('page.preferences')} @toggle=${this.#placeMenu}>
        <fieldset>
          <legend>${t('page.language')}</legend>
          ${languages.map(
            ({ code, name }) => html`
            <label class="choice" lang=${code}><input type="radio" name="lang" value=${code} .checked=${code === language()}
              @change=${() => this.#setLanguage(code)}>${name}</label>`,
          )}
        </fieldset>
        <fieldset>
          <legend>${t('page.theme')}</legend>
          ${THEMES.map(
            (theme) => html`
            <label class="choice"><input type="radio" name="theme" value=${theme} .checked=${theme === this.theme}
              @change=${() => this.#setTheme(theme)}>${t(`page.theme.${theme}`)}</label>`,
          )}
        </fieldset>
        <button class="plain" data-command="shortcuts" @click=${this.#onShortcuts}>${t('page.shortcuts')}</button>
      </div>
    `;
  }

  updated() {
    const root = document.documentElement;
    root.lang = language();
    if (this.theme === 'auto') delete root.dataset.theme;
    else root.dataset.theme = this.theme;
  }

  /** Finds a place for the menu when it opens. When it closes, moves the focus to its button. */
  #placeMenu(/** @type {ToggleEvent} */ { newState }) {
    const menu = /** @type {HTMLElement} */ (this.renderRoot.querySelector('#menu'));
    const lost = [document.body, this].some((element) => element === document.activeElement);
    if (newState === 'closed' && lost) this.renderRoot.querySelector('button')?.focus();
    if (newState === 'closed') return;
    const { left, right, bottom } = this.getBoundingClientRect();
    const end = Math.min(left, document.documentElement.clientWidth - right);
    menu.style.insetInlineEnd = `${end}px`; // right to left, the inline end is the left edge
    menu.style.top = `${bottom + 6}px`;
  }

  /** Closes the menu first, so that the focus returns to its button and not to the menu. */
  #onShortcuts() {
    /** @type {HTMLElement} */ (this.renderRoot.querySelector('#menu')).hidePopover();
    this.emit('logit-shortcuts');
  }

  /** @param {string} code */
  #setLanguage(code) {
    remember('lang', code);
    setLanguage(code);
  }

  /** @param {string} theme */
  #setTheme(theme) {
    remember('theme', theme);
    this.theme = theme;
  }
}

define('logit-preferences', LogitPreferences);
