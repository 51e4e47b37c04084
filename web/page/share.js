/**
 * <logit-share>: a dialog with a link, an <iframe> and an element for the current state. The user chooses
 * the visible parts and sees a live preview.
 */
import { html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { locales } from '#locales/share';
import { addMessages, hasMessage, language, languages, list, t } from '../locale/locale.js';
import { copyText } from '../base/copy.js';
import { LogitElement, define } from '../base/element.js';
import { assets } from '../state/assets.js';
import { FIELDS, THEMES, field } from '../state/fields.js';
import { MODELS } from '../state/models.js';
import { PARTS } from '../state/page-state.js';
import { settingName } from '../base/setting-words.js';
import { BASICS, SHARED } from '../state/settings.js';
import dialogStyles from '../style/dialog.css';
import shareStyles from './share.css';

addMessages(locales);

const CHOICES = [...PARTS.filter((part) => part !== 'masthead'), ...BASICS, ...SHARED];

export class LogitShare extends LogitElement {
  static properties = {
    href: {},
    left: { attribute: false },
    chosen: { state: true },
    lang_: { state: true },
    theme: { state: true },
    fixed: { state: true },
    said: { state: true },
  };

  static styles = [...LogitElement.styles, dialogStyles, shareStyles];

  constructor() {
    super();
    /** The page's address with its state; '' while the dialog is closed. */
    this.href = '';
    /** @type {string[]} The parts of the state that a link cannot contain. */
    this.left = [];
    /** @type {string[]} The visible parts and knobs; empty for all. */
    this.chosen = [];
    this.lang_ = language();
    this.theme = 'auto';
    this.fixed = false;
    /** A sentence about the last copy; the key is the name of the copied code. @type {Record<string, string>} */
    this.said = {};
  }

  /** Opens the dialog. @param {{ href: string, left: string[] }} address */
  async show({ href, left }) {
    this.href = href;
    this.left = left;
    this.said = {};
    await this.updateComplete;
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector('dialog')).showModal();
  }

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

  /** The address of the lesson editor, with the current state in it. */
  get #lesson() {
    const link = new URL(this.href);
    link.searchParams.set('lesson', 'new');
    link.searchParams.set('lang', this.lang_);
    return link.href;
  }

  /** True if the frame shows the landscape: the user has chosen no parts and the link names no view. */
  get #turned() {
    return this.chosen.length === 0 && !new URL(this.link).searchParams.has('view');
  }

  /** The address for a frame; without chosen parts it shows the landscape in place of the bench. */
  get #framed() {
    const link = new URL(this.link);
    if (this.#turned) link.searchParams.set('view', 'landscape');
    return link.href.replaceAll('readonly=&', 'readonly&');
  }

  get #frame() {
    const title = t('share.frame.title');
    return `<iframe src="${quote(this.#framed)}" title="${quote(title)}" width="100%" height="640" loading="lazy"></iframe>`;
  }

  get #element() {
    const link = new URL(this.link);
    const script = new URL(
      'logitscope.js',
      link.origin === 'null' ? link.href : link.origin + link.pathname,
    );
    const query = FIELDS.filter(({ address, attribute }) => address === 'query' && attribute);
    const named = query.map(({ name }) => [name, link.searchParams.get(name) ?? '']);
    const state = link.hash
      .slice(1)
      .split('&')
      .filter(Boolean)
      .map((part) => {
        const at = part.indexOf('=');
        return [part.slice(0, at), decodeURIComponent(part.slice(at + 1))];
      });
    const attributes = [...named, ...state]
      .filter(([, value]) => value !== '')
      .map(([name, value]) => ` ${name}="${quote(value)}"`);
    const fixed = this.fixed ? ' readonly' : '';
    const theme =
      this.theme === 'auto' ? '' : `<style>logit-scope { color-scheme: ${this.theme}; }</style>\n`;
    return `<script type="module" src="${quote(script.href)}"></${'script'}>\n${theme}<logit-scope lang="${this.lang_}"${attributes.join('')}${fixed}></logit-scope>`;
  }

  render() {
    if (!this.href) return nothing;
    // The single-file page offers no element and no <iframe>. The preview is a new <iframe> for each
    // address, since a navigation in an <iframe> adds an entry to the history.
    const alone = assets.inside.size > 0;
    return html`
      <dialog aria-labelledby="title" @close=${() => (this.href = '')}>
        <div class="top">
          <h2 id="title">${t('share.title')}</h2>
          <button @click=${this.#close}>${t('share.close')}</button>
        </div>
        <p class="about">${t('share.about')} <a href=${this.#lesson}>${t('share.lesson')}</a></p>
        ${this.#renderLeft()}
        <div class="columns">
          <div>
            ${this.#renderChoices()}
            ${this.#renderCode('link', this.link)}
            ${this.#renderCode('frame', this.#frame)}
            ${this.#turned ? html`<p class="about frames">${t('share.frame.landscape')}</p>` : nothing}
            ${alone ? nothing : this.#renderCode('element', this.#element)}
          </div>
          ${
            alone
              ? nothing
              : html`<div>
                <p class="label">${t('share.preview')}</p>
                ${keyed(this.#framed, html`<iframe title=${t('share.preview')} src=${this.#framed}></iframe>`)}
              </div>`
          }
        </div>
      </dialog>
    `;
  }

  #renderLeft() {
    const long = this.left.filter((name) => name !== 'model').map(nameLeft);
    const sentences = [
      ...(this.left.includes('model')
        ? [t('share.left.model', { model: t(`model.${MODELS[0].name}`) })]
        : []),
      ...(long.length > 0 ? [t('share.left', { parts: list(long) })] : []),
    ];
    return sentences.map((sentence) => html`<p class="about left" role="alert">${sentence}</p>`);
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
            ({ code, name }) =>
              html`<option value=${code} ?selected=${code === this.lang_}>${name}</option>`,
          )}</select></label>
        <label class="label">${t('page.theme')}
          <select @change=${(/** @type {any} */ event) => (this.theme = event.target.value)}>${THEMES.map(
            (name) =>
              html`<option value=${name} ?selected=${name === this.theme}>${t(`page.theme.${name}`)}</option>`,
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
        <p class="about" role="status">${this.said[name] ?? ''}</p>
        <button data-copy=${name} @click=${() => this.#copy(name, code)}>${t('share.copy')}
          <span class="visually-hidden">${t(`share.${name}`)}</span></button>
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
    const copied = await copyText(code);
    this.said = { [name]: t(copied ? 'share.copied' : 'share.select') }; // `box.select()` has selected the text
  }

  #close() {
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector('dialog')).close();
  }
}

/** @param {string} name of a part that is too long for a link */
function nameLeft(name) {
  const key = `share.left.${name}`;
  return hasMessage(key) ? t(key, { n: field(name).maximum ?? 0 }) : name;
}

/** @param {string} text */
function quote(text) {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

define('logit-share', LogitShare);
