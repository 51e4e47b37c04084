/**
 * <logit-send>: a panel for sharing the present state: link and QR code, picture, a short film, code for other
 * websites.
 */
import { html, nothing, svg } from 'lit';
import { locales } from '#locales/send';
import { copyImage, copyText } from '../base/copy.js';
import { download } from '../base/download.js';
import { LogitElement, define, elementWith } from '../base/element.js';
import { toPng } from '../base/svg-file.js';
import { addMessages, hasMessage, list, t } from '../locale/locale.js';
import { cssom } from '../plots/cssom.js';
import { field } from '../state/fields.js';
import { MODELS } from '../state/models.js';
import dialogStyles from '../style/dialog.css';
import { Embed } from './embed.js';
import { MOST_BYTES, QUIET, codeOf } from './qr.js';
import sendStyles from './send.css';

addMessages(locales);

/** @import { Shot } from '../base/svg-file.js' */

/**
 * @typedef {{ canvas: HTMLCanvasElement, stop: () => void,
 *   ended: Promise<{ name: string, blob: Blob } | null> }} Loop
 *   `canvas` shows the present frame; the result of `ended` is null if the loop was stopped
 *
 * A view with a picture.
 * @typedef {object} Pictured
 * @property {() => Promise<Shot | null>} picture null while there is no picture
 * @property {() => Promise<Loop | null>} [record] null if this browser cannot record
 */

/** Icons of the buttons, as paths in a square of 20 by 20. */
const ICONS = {
  copy: 'M7 6.5V3h10v10h-3.5M3 7h10v10H3z',
  loop: 'M4 8.5A6.5 6.5 0 0 1 15.5 6M16 2.5V6.5H12M16 11.5A6.5 6.5 0 0 1 4.5 14M4 17.5v-4h4',
  save: 'M10 3v9.5M6.5 9.5 10 13l3.5-3.5M3.5 16.5h13',
  present: 'M2.5 4h15v9.5h-15zM10 13.5V17M6.5 17h7',
  share: 'M10 12V2.5M6.5 6 10 2.5 13.5 6M5 9H3.5v8.5h13V9H15',
};

/** @param {keyof typeof ICONS} name */
const renderIcon = (name) =>
  html`<svg viewBox="0 0 20 20" aria-hidden="true">${svg`<path d=${ICONS[name]}></path>`}</svg>`;

export class LogitSend extends elementWith(LogitElement, () => ({
  /** The page's address with its state; '' while the panel is closed. */
  href: '',
  /** Names of the parts of the state that do not fit into a link. @type {string[]} */
  left: [],
  /** @type {Shot | null} */
  shot: null,
  /** The canvas of the film that is being recorded; null if none. @type {HTMLCanvasElement | null} */
  recording: null,
  /** True if the QR code fills the panel. */
  large: false,
  /** For each part of the panel: a sentence about the last action. @type {Record<string, string>} */
  said: {},
})) {
  static properties = { href: {} };

  static styles = [...LogitElement.styles, dialogStyles, sendStyles];

  #embed = new Embed(this);
  /** @type {Pictured | null} */
  #pictured = null;
  /** The picture as PNG; null until it is made. @type {Promise<Blob> | null} */
  #png = null;
  /** Stops the recording of the film. */
  #stop = () => {};
  /** Address of the picture in this document; '' for none. */
  #shown = '';
  /** Position of the panel in a wide window. @type {Record<string, string>} */
  #place = {};

  /**
   * Opens the panel.
   * @param {{ href: string, left: string[] }} address
   * @param {Pictured | null} pictured the view, if it has a picture
   * @param {Element | null} opener the button below which the panel opens
   */
  async show({ href, left }, pictured, opener) {
    this.#place = placeBelow(opener);
    Object.assign(this, { href, left, large: false, said: {} });
    this.#pictured = pictured;
    await this.updateComplete;
    this.#dialogElement.showModal();
    /** @type {HTMLElement} */ (this.renderRoot.querySelector('[data-copy=link]')).focus();
    await this.#takePicture();
  }

  /** @returns {HTMLDialogElement} */
  get #dialogElement() {
    return /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector('dialog'));
  }

  async #takePicture() {
    const shot = (await this.#pictured?.picture()) ?? null;
    if (!this.href) return;
    if (!shot) {
      this.#pictured = null;
      return this.requestUpdate(); // removes the room that waits for a picture
    }
    this.shot = shot;
    this.#shown = URL.createObjectURL(new Blob([shot.svg], { type: 'image/svg+xml' }));
    this.#png = toPng(shot.svg);
  }

  get link() {
    return this.#embed.link(this.href);
  }

  render() {
    if (!this.href) return nothing;
    return html`
      <dialog class=${this.large ? 'large' : ''} aria-labelledby="title" ${cssom(this.#place)}
        @close=${this.#onClose} @click=${this.#onBackdrop}>
        <div class="sheet">
          <div class="top">
            <h2 id="title">${t('send.title')}</h2>
            <button class="close" @click=${() => this.#dialogElement.close()}>
              <span class="visually-hidden">${t('send.close')}</span><span aria-hidden="true">✕</span></button>
          </div>
          <div class="link">${this.#renderCode()} ${this.#renderLink()}</div>
          ${this.#pictured ? this.#renderPicture() : nothing}
          ${this.#embed.render(this.href, (name, code) => this.#renderField(name, code))}
        </div>
      </dialog>`;
  }

  #renderCode() {
    const { link, large } = this;
    const code = codeOf(link);
    if (!code) return html`<p class="about">${t('send.code.long', { n: MOST_BYTES })}</p>`;
    const { size, path } = code;
    const wide = size + 2 * QUIET;
    return html`
      <button class="code" aria-pressed=${large} aria-label=${t('send.code')}
        @click=${() => (this.large = !large)}>
        <svg viewBox="${-QUIET} ${-QUIET} ${wide} ${wide}" aria-hidden="true">${svg`<path d=${path}></path>`}</svg>
      </button>`;
  }

  #renderLink() {
    return html`
      <div class="side">
        <label class="visually-hidden" for="link">${t('send.link')}</label>
        <textarea id="link" rows="3" readonly spellcheck="false" .value=${this.link}></textarea>
        <div class="go">
          <button class="primary" data-copy="link" @click=${() => this.#copy('link', this.link)}>
            ${renderIcon('copy')}${t('send.copy.link')}</button>
          ${
            'share' in navigator
              ? html`<button class="quiet" data-do="share" @click=${this.#share}>${renderIcon('share')}${t('send.share')}</button>`
              : nothing
          }
          <button class="quiet" data-do="present" title=${t('send.present.about')} @click=${this.#present}>${renderIcon('present')}${t('send.present')}</button>
          ${this.#renderSaid('link')}
        </div>
        ${isLocal(this.link) ? html`<p class="about left">${t('send.code.local')}</p>` : nothing}
        <p class="about">${t('send.about')}</p>
        ${this.#renderLeft()}
      </div>`;
  }

  /** Renders the picture, or its room while the picture is being made. */
  #renderPicture() {
    const busy = this.recording !== null;
    const canLoop = typeof this.#pictured?.record === 'function' && 'MediaRecorder' in globalThis;
    return html`
      <div class="picture ${this.shot ? '' : 'coming'}">
        <div class="thumb">${this.recording ?? (this.shot ? html`<img src=${this.#shown} alt=${this.shot.title}>` : nothing)}</div>
        <div class="side">
          <div class="deeds">
            <button class="quiet" data-do="copy" @click=${this.#copyPicture}>${renderIcon('copy')}${t('send.copy.picture')}</button>
            <button class="quiet" data-do="png" @click=${this.#savePng}>${renderIcon('save')}PNG</button>
            <button class="quiet" data-do="svg" @click=${this.#saveSvg}>${renderIcon('save')}SVG</button>
            ${
              canLoop
                ? html`<button class="quiet" data-do="loop" aria-disabled=${busy} title=${t('send.loop.about')}
                    @click=${this.#saveLoop}>${renderIcon('loop')}${t('send.loop')}</button>`
                : nothing
            }
          </div>
          ${this.#renderSaid('picture')}
        </div>
      </div>`;
  }

  /** @param {string} name of a part */
  #renderSaid(name) {
    return html`<p class="about" role="status">${this.said[name] ?? ''}</p>`;
  }

  #renderLeft() {
    const long = this.left.filter((name) => name !== 'model').map(nameLeft);
    const sentences = [
      ...(this.left.includes('model')
        ? [t('send.left.model', { model: t(`model.${MODELS[0].name}`) })]
        : []),
      ...(long.length > 0 ? [t('send.left', { parts: list(long) })] : []),
    ];
    return sentences.map((sentence) => html`<p class="about left" role="alert">${sentence}</p>`);
  }

  /** @param {string} name @param {string} code */
  #renderField(name, code) {
    return html`
      <div class="field">
        <label class="label" for=${name}>${t(`send.${name}`)}</label>
        ${this.#renderSaid(name)}
        <button data-copy=${name} @click=${() => this.#copy(name, code)}>${t('send.copy')}
          <span class="visually-hidden">${t(`send.${name}`)}</span></button>
        <textarea id=${name} rows="5" readonly spellcheck="false" .value=${code}></textarea>
      </div>`;
  }

  /** @param {string} name @param {string} code */
  async #copy(name, code) {
    const box = /** @type {HTMLTextAreaElement} */ (this.renderRoot.querySelector(`#${name}`));
    box.select();
    const copied = await copyText(code);
    this.said = { [name]: t(copied ? 'send.copied' : 'send.select') }; // either way, the text is selected
  }

  /** Opens the device's share dialog, with the picture if the dialog accepts files. */
  async #share() {
    const data = { title: document.title, url: this.link };
    const blob = await this.#png;
    const files =
      blob && this.shot ? [new File([blob], `${this.shot.name}.png`, { type: blob.type })] : [];
    const whole = { ...data, files };
    const takes = files.length > 0 && navigator.canShare?.(whole);
    try {
      await navigator.share(takes ? whole : data);
    } catch {
      // The user has closed the dialog.
    }
  }

  async #copyPicture() {
    const blob = await this.#png;
    if (!blob) return;
    if (await copyImage(blob)) this.said = { picture: t('send.copied') };
    else this.#save(blob, 'png', 'send.saved.instead');
  }

  async #savePng() {
    const blob = await this.#png;
    if (blob) this.#save(blob, 'png');
  }

  #saveSvg() {
    const { svg: text } = /** @type {Shot} */ (this.shot);
    this.#save(new Blob([text], { type: 'image/svg+xml' }), 'svg');
  }

  async #saveLoop() {
    const { recording } = this;
    if (recording) return;
    const loop = await this.#pictured?.record?.();
    if (!loop) return;
    this.#stop = loop.stop;
    this.recording = loop.canvas;
    this.said = { picture: t('send.recording') };
    const made = await loop.ended;
    this.recording = null;
    if (!made) this.said = {};
    else this.#save(made.blob, made.blob.type.split('/')[1], 'send.saved', made.name);
  }

  /**
   * @param {Blob} blob
   * @param {string} extension
   * @param {string} [sentence]
   * @param {string} [name]
   */
  #save(blob, extension, sentence = 'send.saved', name = this.shot?.name) {
    const file = `${name}.${extension}`;
    download(file, blob, blob.type);
    this.said = { picture: t(sentence, { name: file }) };
  }

  #present() {
    this.#dialogElement.close();
    this.emit('logit-present');
  }

  /** Closes the panel if the user presses beside it. @param {Event} event */
  #onBackdrop({ target }) {
    if (target === this.#dialogElement) this.#dialogElement.close();
  }

  #onClose() {
    if (this.recording) this.#stop();
    URL.revokeObjectURL(this.#shown);
    this.#png = null;
    this.href = this.#shown = '';
    this.shot = null;
  }
}

/** Returns true if no other device can open the address. @param {string} link */
function isLocal(link) {
  const { protocol, hostname } = new URL(link);
  return protocol === 'file:' || /^(localhost|127\..*|\[::1\])$/.test(hostname);
}

/**
 * Returns the position of a panel below its button, as CSS properties.
 * @param {Element | null} opener
 * @returns {Record<string, string>}
 */
function placeBelow(opener) {
  if (!opener) return {};
  const { left, right, bottom } = opener.getBoundingClientRect();
  const { clientWidth } = document.documentElement;
  const end = getComputedStyle(opener).direction === 'rtl' ? left : clientWidth - right;
  return { '--top': `${Math.max(8, bottom + 6)}px`, '--end': `${Math.max(8, end)}px` };
}

/** @param {string} name of a part that is too long for a link */
function nameLeft(name) {
  const key = `send.left.${name}`;
  return hasMessage(key) ? t(key, { n: field(name).maximum ?? 0 }) : name;
}

define('logit-send', LogitSend);
