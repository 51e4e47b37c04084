/**
 * <logit-masthead>: the page's name, its one sentence, and the switches for language and colours.
 * Both switches are remembered where the browser allows it; the address (?lang=, ?theme=) wins.
 */
import { css, html, svg } from 'lit';
import { language, languages, matchLanguage, setLanguage, t } from '../locale/locale.js';
import { define } from '../base/define.js';
import { LogitElement } from '../base/element.js';
import { recall, remember } from '../state/memory.js';
import { THEMES } from '../state/page-state.js';

export class LogitMasthead extends LogitElement {
  static properties = { theme: { state: true } };

  static styles = [
    ...LogitElement.styles,
    css`
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.75rem 2rem;
      }

      .name {
        display: flex;
        align-items: center;
        gap: 0.875rem;
        flex: 1 1 22rem;
        min-width: 0;
      }

      svg {
        flex: none;
        width: 2.75rem;
        height: 2.75rem;
      }

      h1 {
        margin: 0;
        font-size: 1.375rem;
        font-weight: 680;
        letter-spacing: -0.018em;
        line-height: 1.25;
      }

      .name p {
        color: var(--soft);
        font-size: 0.9375rem;
        line-height: 1.4;
        text-wrap: pretty;
      }

      .switches {
        display: flex;
        flex-wrap: wrap;
        gap: 0.625rem 1rem;
      }

      fieldset {
        display: flex;
        margin: 0;
        padding: 0.1875rem;
        border: 1px solid var(--line);
        border-radius: 0.5rem;
        background: var(--panel);
      }

      legend {
        position: absolute;
        width: 1px;
        height: 1px;
        overflow: hidden;
        clip-path: inset(50%);
      }

      fieldset label {
        position: relative;
        display: block;
        padding: 0.1875rem 0.625rem;
        border-radius: 0.3125rem;
        color: var(--soft);
        font-size: 0.8125rem;
        line-height: 1.375rem;
        cursor: pointer;
      }

      /* Both in one line of a phone. */
      @media (max-width: 26rem) {
        .switches {
          gap: 0.5rem;
        }

        fieldset label {
          padding: 0.1875rem 0.3125rem;
          font-size: 0.75rem;
        }
      }

      fieldset input {
        position: absolute;
        inset: 0;
        margin: 0;
        opacity: 0;
        cursor: pointer;
      }

      fieldset label:has(:checked) {
        background: var(--trace-wash);
        color: var(--ink);
        font-weight: 600;
        box-shadow: inset 0 0 0 1px var(--ghost-line);
      }

      fieldset label:hover {
        color: var(--ink);
      }

      fieldset label:has(:focus-visible) {
        outline: 2px solid var(--trace);
        outline-offset: 1px;
      }

      .plate {
        fill: var(--trace);
      }

      .bars {
        fill: var(--trace-ink);
      }

      .cut {
        stroke: var(--mark);
        stroke-width: 2;
        stroke-dasharray: 3 2;
      }

      @media (max-width: 30rem) {
        svg {
          align-self: start;
          width: 2.25rem;
          height: 2.25rem;
        }

        .name p {
          font-size: 0.875rem;
        }
      }
    `,
  ];

  constructor() {
    super();
    const query = new URLSearchParams(location.search);
    const remembered = recall('logitscope-lang');
    const preferences = [query.get('lang'), remembered, ...navigator.languages];
    setLanguage(matchLanguage(preferences.filter((value) => value !== null)));
    const theme = query.get('theme') ?? recall('logitscope-theme') ?? 'auto';
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
    remember('logitscope-lang', code);
    setLanguage(code);
  }

  /** @param {string} theme */
  #setTheme(theme) {
    remember('logitscope-theme', theme);
    this.theme = theme;
  }
}

define('logit-masthead', LogitMasthead);
