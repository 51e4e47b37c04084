/**
 * <logit-masthead>: the page's name, its one sentence, and the switches for language and colours.
 * Both switches are remembered where the browser allows it; the address (?lang=, ?theme=) wins.
 */
import { html, svg } from 'lit';
import { language, languages, matchLanguage, setLanguage, t } from '../locale/locale.js';
import { LogitElement, define } from '../base/element.js';
import { recall, remember } from '../state/memory.js';
import { THEMES } from '../state/fields.js';
import mastheadStyles from './masthead.css';

export class LogitMasthead extends LogitElement {
  static properties = { theme: { state: true } };

  static styles = [...LogitElement.styles, mastheadStyles];

  constructor() {
    super();
    const query = new URLSearchParams(location.search);
    const remembered = recall('lang');
    const preferences = [query.get('lang'), remembered, ...navigator.languages];
    setLanguage(matchLanguage(preferences.filter((value) => value !== null)));
    const theme = query.get('theme') ?? recall('theme') ?? 'auto';
    this.theme = THEMES.includes(theme) ? theme : 'auto';
  }

  render() {
    return html`
      <div class="bar">
        <div class="name">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            ${svg`<rect class="plate" width="32" height="32" rx="7"></rect>
              <path class="bars" d="M7 25V7h3.5v18zM13.5 25V13H17v12zM20 25v-7h3.5v7z"></path>
              <path class="cut" d="M4.5 10h23"></path>`}
          </svg>
          <div>
            <h1>${t('page.name')}</h1>
            <p>${t('page.tagline')}</p>
          </div>
        </div>
        <div class="switches">
          <fieldset>
            <legend>${t('page.language')}</legend>
            ${languages.map(
              ({ code, name }) => html`
              <label lang=${code}><input type="radio" name="lang" value=${code} .checked=${code === language()}
                @change=${() => this.#setLanguage(code)}>${name}</label>`,
            )}
          </fieldset>
          <fieldset>
            <legend>${t('page.theme')}</legend>
            ${THEMES.map(
              (theme) => html`
              <label><input type="radio" name="theme" value=${theme} .checked=${theme === this.theme}
                @change=${() => this.#setTheme(theme)}>${t(`page.theme.${theme}`)}</label>`,
            )}
          </fieldset>
        </div>
      </div>
    `;
  }

  updated() {
    const root = document.documentElement;
    root.lang = language();
    if (this.theme === 'auto') delete root.dataset.theme;
    else root.dataset.theme = this.theme;
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

define('logit-masthead', LogitMasthead);
