/**
 * <logit-share>: writes the link, the frame and the element for what the page shows, with a choice
 * of what the embedded instrument offers and a live preview.
 */
import { css, html, nothing } from 'lit';
import { locales } from '#locales/share';
import { addMessages, language, languages, t } from '../locale/locale.js';
import { define } from '../base/define.js';
import { LogitElement } from '../base/element.js';
import { PARTS, THEMES } from '../state/page-state.js';
import { BASICS, SHARED, settingName } from '../state/settings.js';

addMessages(locales);

const CHOICES = [...PARTS.filter((part) => part !== 'masthead'), ...BASICS, ...SHARED];

export class LogitShare extends LogitElement {
  static properties = {
    href: {},
    chosen: { state: true },
    lang_: { state: true },
    theme: { state: true },
    fixed: { state: true },
    said: { state: true },
  };

  static styles = [
    ...LogitElement.styles,
    css`
      dialog {
        box-sizing: border-box;
        width: min(72rem, calc(100vw - 1.5rem));
        max-height: calc(100vh - 1.5rem);
        padding: 1.25rem clamp(0.875rem, 2vw, 1.75rem) 1.5rem;
        border: 1px solid var(--line);
        border-radius: 0.75rem;
        background: var(--panel);
        color: var(--ink);
      }

      dialog::backdrop {
        background: rgb(0 0 0 / 0.45);
      }

      .top {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: 1rem;
        position: sticky;
        z-index: 1;
        top: -1.25rem;
        margin: -1.25rem 0 0;
        padding: 1rem 0 0.5rem;
        background: var(--panel);
      }

      .columns {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
        gap: 1rem 2rem;
        margin-top: 0.875rem;
      }

      fieldset {
        margin: 0 0 0.75rem;
        padding: 0;
        border: 0;
      }

      legend {
        padding: 0 0 0.25rem;
        font-size: 0.875rem;
        font-weight: 600;
      }

      .choices {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr));
        gap: 0.125rem 0.75rem;
      }

      .choices label {
        display: flex;
        align-items: center;
        gap: 0.375rem;
        min-height: 1.75rem;
        font-size: 0.875rem;
      }

      .row {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        gap: 0.75rem 1rem;
        margin-bottom: 0.75rem;
      }

      .row > label {
        display: grid;
        gap: 0.125rem;
      }

      .row > label.check {
        display: flex;
        align-items: center;
        gap: 0.375rem;
        min-height: 2.25rem;
        color: var(--ink);
        font-size: 0.875rem;
      }

      .code {
        display: grid;
        grid-template-columns: 1fr auto;
        align-items: end;
        gap: 0.25rem 0.5rem;
        margin-bottom: 0.75rem;
      }

      textarea {
        grid-column: 1 / -1;
        width: 100%;
        padding: 0.5rem;
        max-height: 14rem;
        field-sizing: content;
        font: 0.75rem/1.45 var(--mono);
        resize: vertical;
        word-break: break-all;
      }

      .code button {
        min-height: 1.875rem;
        font-size: 0.8125rem;
      }

      iframe {
        width: 100%;
        height: min(34rem, 60vh);
        border: 1px solid var(--line);
        border-radius: 0.5rem;
        background: var(--paper);
      }
    `,
  ];

  constructor() {
    super();
    /** The page's own address with its state. */
    this.href = '';
    /** @type {string[]} The parts and knobs that show; none means all. */
    this.chosen = [];
    this.lang_ = language();
    this.theme = 'auto';
    this.fixed = false;
    this.said = '';
  }

  /** Shows the panel for an address. @param {string} href */
  async show(href) {
    this.href = href;
    this.said = '';
    await this.updateComplete;
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector('dialog')).showModal();
  }

  /** The address of what was chosen. */
  get link() {
    const link = new URL(this.href);
    const query = { lang: this.lang_, theme: this.theme, controls: this.chosen.join() };
    for (const [name, value] of Object.entries(query)) {
      if (value && value !== 'auto') link.searchParams.set(name, value);
      else link.searchParams.delete(name);
    }
    link.searchParams.delete('readonly');
    if (this.fixed) link.searchParams.set('readonly', '');
    link.search = link.search.replaceAll('%2C', ',').replace(/readonly=$/, 'readonly');
    return link.href;
  }

  get #frame() {
    const title = t('share.frame.title');
    return `<iframe src="${quote(this.link)}" title="${quote(title)}" width="100%" height="640" loading="lazy"></iframe>`;
  }

  get #element() {
    const link = new URL(this.link);
    const script = new URL('logitscope.js', link.origin === 'null' ? link.href : link.origin + link.pathname);
    const named = ['model', 'view', 'controls'].map((name) => [name, link.searchParams.get(name) ?? '']);
    const state = link.hash.slice(1).split('&').filter(Boolean).map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, at), decodeURIComponent(part.slice(at + 1))];
    });
    const attributes = [...named, ...state]
      .filter(([, value]) => value !== '')
      .map(([name, value]) => ` ${name}="${quote(value)}"`);
    const fixed = this.fixed ? ' readonly' : '';
    return `<script type="module" src="${quote(script.href)}"></${'script'}>\n<logit-scope${attributes.join('')}${fixed}></logit-scope>`;
  }

  render() {
    if (!this.href) return nothing;
    return html`
      <dialog aria-labelledby="title">
        <div class="top">
          <h2 id="title">${t('share.title')}</h2>
          <button @click=${this.#close}>${t('share.close')}</button>
        </div>
        <p class="about">${t('share.about')}</p>
        <div class="columns">
          <div>
            ${this.#renderChoices()}
            ${this.#renderCode('link', this.link)}
            ${this.#renderCode('frame', this.#frame)}
            ${this.#renderCode('element', this.#element)}
            <p class="about" role="status">${this.said}</p>
          </div>
          <div>
            <p class="label">${t('share.preview')}</p>
            <iframe title=${t('share.preview')} src=${this.link}></iframe>
          </div>
        </div>
      </dialog>
    `;
  }

  #renderChoices() {
    return html`
      <fieldset>
        <legend>${t('share.controls')}</legend>
        <div class="choices">${CHOICES.map(
          (name) => html`
          <label><input type="checkbox" name=${name} .checked=${this.chosen.includes(name)}
            @change=${() => this.#toggle(name)}>${PARTS.includes(name) ? t(`share.part.${name}`) : settingName(name)}</label>`,
        )}</div>
      </fieldset>
      <div class="row">
        <label class="label">${t('page.language')}
          <select @change=${(/** @type {any} */ event) => (this.lang_ = event.target.value)}>${languages.map(
            ({ code, name }) => html`<option value=${code} ?selected=${code === this.lang_}>${name}</option>`,
          )}</select></label>
        <label class="label">${t('page.theme')}
          <select @change=${(/** @type {any} */ event) => (this.theme = event.target.value)}>${THEMES.map(
            (name) => html`<option value=${name} ?selected=${name === this.theme}>${t(`page.theme.${name}`)}</option>`,
          )}</select></label>
        <label class="check"><input type="checkbox" name="readonly" .checked=${this.fixed}
          @change=${() => (this.fixed = !this.fixed)}>${t('share.readonly')}</label>
      </div>`;
  }

  /** @param {string} name @param {string} code */
  #renderCode(name, code) {
    return html`
      <div class="code">
        <label class="label" for=${name}>${t(`share.${name}`)}</label>
        <button data-copy=${name} @click=${() => this.#copy(name, code)}>${t('share.copy')}
          <span class="heard">${t(`share.${name}`)}</span></button>
        <textarea id=${name} rows="5" readonly spellcheck="false" .value=${code}></textarea>
      </div>`;
  }

  /** @param {string} name */
  #toggle(name) {
    const on = this.chosen.includes(name);
    this.chosen = CHOICES.filter((other) => (other === name ? !on : this.chosen.includes(other)));
  }

  /** @param {string} name @param {string} code */
  async #copy(name, code) {
    const box = /** @type {HTMLTextAreaElement} */ (this.renderRoot.querySelector(`#${name}`));
    box.select();
    try {
      await navigator.clipboard.writeText(code);
      this.said = t('share.copied');
    } catch {
      this.said = t('share.select'); // no clipboard in this frame: the text is selected
    }
  }

  #close() {
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector('dialog')).close();
  }
}

/** @param {string} text */
function quote(text) {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

define('logit-share', LogitShare);
