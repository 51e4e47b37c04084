/**
 * The part of <logit-send> for authors of other pages: choices of visible parts, language and colours; the code to
 * paste; and a preview.
 */
import { html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { settingName } from '../base/setting-words.js';
import { language, languages, t } from '../locale/locale.js';
import { assets } from '../state/assets.js';
import { FIELDS, THEMES } from '../state/fields.js';
import { PARTS } from '../state/page-state.js';
import { BASICS, SHARED } from '../state/settings.js';

const CHOICES = [...PARTS.filter((part) => part !== 'masthead'), ...BASICS, ...SHARED];
/** The CSS declaration that sets each theme of <logit-scope>; none for `auto`. */
const LOOKS = /** @type {Record<string, string>} */ ({
  light: 'color-scheme: light',
  dark: 'color-scheme: dark',
  contrast: '--logit-more: ', // tokens.css explains the empty value
});

export class Embed {
  /** True while the code is visible. The preview loads only then. */
  open = false;
  /** Names of the chosen parts and knobs; empty for all. @type {string[]} */
  #chosen = [];
  #language = language();
  #theme = 'auto';
  #fixed = false;
  #host;

  /** @param {import('lit').ReactiveControllerHost} host */
  constructor(host) {
    this.#host = host;
  }

  /** Returns the address with the user's choices. @param {string} href */
  link(href) {
    const link = new URL(href);
    const query = { lang: this.#language, theme: this.#theme, controls: this.#chosen.join() };
    for (const [name, value] of Object.entries(query)) {
      if (value && value !== 'auto') link.searchParams.set(name, value);
      else link.searchParams.delete(name);
    }
    link.searchParams.delete('readonly');
    if (this.#fixed) link.searchParams.set('readonly', '');
    link.search = link.search.replaceAll('%2C', ',').replace(/readonly=$/, 'readonly');
    return link.href;
  }

  /**
   * @param {string} href the page's address
   * @param {(name: string, code: string) => unknown} renderCode
   */
  render(href, renderCode) {
    // A single-file page has no element and no <iframe> to offer. A new <iframe> is made for each address, because a
    // navigation inside one would add an entry to the history.
    const alone = assets.inside.size > 0;
    const link = this.link(href);
    const framed = framedLink(link, this.#chosen);
    return html`
      <details class="embed" ?open=${this.open} @toggle=${this.#onToggle}>
        <summary>${t('send.embed')}</summary>
        ${this.#renderChoices()}
        <div class="columns">
          <div>
            ${renderCode('frame', frameCode(framed))}
            ${framed === link ? nothing : html`<p class="about frames">${t('send.frame.landscape')}</p>`}
            ${alone ? nothing : renderCode('element', elementCode(link, this.#look))}
            <p class="about"><a href=${this.#lessonLink(href)}>${t('send.lesson')}</a></p>
          </div>
          ${
            alone || !this.open
              ? nothing
              : html`<div>
                <p class="label">${t('send.preview')}</p>
                ${keyed(framed, html`<iframe title=${t('send.preview')} src=${framed}></iframe>`)}
              </div>`
          }
        </div>
      </details>`;
  }

  get #look() {
    return { lang: this.#language, theme: this.#theme, fixed: this.#fixed };
  }

  /** Returns the address of the lesson editor with the present state. @param {string} href */
  #lessonLink(href) {
    const link = new URL(href);
    link.searchParams.set('lesson', 'new');
    link.searchParams.set('lang', this.#language);
    return link.href;
  }

  #renderChoices() {
    return html`
      <fieldset>
        <legend>${t('send.controls')}</legend>
        <div class="choices">${CHOICES.map(
          (name) => html`
          <label><input type="checkbox" name=${name} .checked=${this.#chosen.includes(name)}
            @change=${() => this.#toggle(name)}>${PARTS.includes(name) ? t(`send.part.${name}`) : settingName(name)}</label>`,
        )}</div>
      </fieldset>
      <div class="row">
        <label class="label">${t('page.language')}
          <select @change=${(/** @type {any} */ event) => this.#applyChange(() => (this.#language = event.target.value))}>${languages.map(
            ({ code, name }) =>
              html`<option value=${code} ?selected=${code === this.#language}>${name}</option>`,
          )}</select></label>
        <label class="label">${t('page.theme')}
          <select @change=${(/** @type {any} */ event) => this.#applyChange(() => (this.#theme = event.target.value))}>${THEMES.map(
            (name) =>
              html`<option value=${name} ?selected=${name === this.#theme}>${t(`page.theme.${name}`)}</option>`,
          )}</select></label>
        <label class="check"><input type="checkbox" name="readonly" .checked=${this.#fixed}
          @change=${() => this.#applyChange(() => (this.#fixed = !this.#fixed))}>${t('send.readonly')}</label>
      </div>`;
  }

  /** @param {string} name */
  #toggle(name) {
    const on = this.#chosen.includes(name);
    this.#applyChange(() => {
      this.#chosen = CHOICES.filter((other) =>
        other === name ? !on : this.#chosen.includes(other),
      );
    });
  }

  /** @param {() => void} change */
  #applyChange(change) {
    change();
    this.#host.requestUpdate();
  }

  /** @param {Event} event */
  #onToggle = ({ target }) =>
    this.#applyChange(() => (this.open = /** @type {HTMLDetailsElement} */ (target).open));
}

/**
 * Returns the address for a frame. If no parts are chosen, it shows the landscape instead of the bench.
 * @param {string} href
 * @param {string[]} chosen
 */
function framedLink(href, chosen) {
  const link = new URL(href);
  if (chosen.length > 0 || link.searchParams.has('view')) return href;
  link.searchParams.set('view', 'landscape');
  return link.href.replaceAll('readonly=&', 'readonly&');
}

/** @param {string} href */
function frameCode(href) {
  const title = t('send.frame.title');
  return `<iframe src="${quoteAttribute(href)}" title="${quoteAttribute(title)}" width="100%" height="640" loading="lazy"></iframe>`;
}

/**
 * @param {string} href
 * @param {{ lang: string, theme: string, fixed: boolean }} look
 */
function elementCode(href, { lang, theme, fixed }) {
  const link = new URL(href);
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
    .map(([name, value]) => ` ${name}="${quoteAttribute(value)}"`);
  const style = LOOKS[theme] ? `<style>logit-scope { ${LOOKS[theme]}; }</style>\n` : '';
  return `<script type="module" src="${quoteAttribute(script.href)}"></${'script'}>\n${style}<logit-scope lang="${lang}"${attributes.join('')}${fixed ? ' readonly' : ''}></logit-scope>`;
}

/** @param {string} text */
function quoteAttribute(text) {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
