/**
 * <logit-open>: the choice of a model: a name on the hub, an address, a file, a few recommended models, or one that
 * this browser has stored. It fetches a model only after a press of a button that names host and size. Emits
 * "logit-model", and "logit-open-end" when the dialog closes.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/open';
import { live } from 'lit/directives/live.js';
import { LogitElement, define, elementWith } from '../base/element.js';
import { onEnter } from '../base/enter.js';
import { readWhole } from '../base/setting-words.js';
import { NumberInput } from '../base/number-input.js';
import { listKept, removeKept } from '../engine/browser-store.js';
import { addressOf, nameOf, partNames, wholeName } from '../engine/model-names.js';
import { addMessages, megabytes, plain, t } from '../locale/locale.js';
import { ENDINGS, modelOf, onPick } from '../state/files.js';
import { agreeTo, agreements, farAddress } from '../state/hosts.js';
import { GOOD } from './good-models.js';
import dialogStyles from '../style/dialog.css';
import openStyles from './open-model.css';

addMessages(locales);

/** Memory that the engine can use, and memory that a page on a phone can use, in bytes. */
const MEMORY = 4e9;
const PHONE_MEMORY = 1.5e9;
/** The weights need at most this much memory for each byte of the file; SHARE_WHOLE is for a checkpoint of the hub, which may double. */
const SHARE = 1.15;
const SHARE_WHOLE = 2.3;
const CONTEXT_MAX = 2 ** 20;
/** The displayed speed is an average over MARKS samples with MARK_MS milliseconds between them. */
const MARKS = 10;
const MARK_MS = 500;

/** @param {string} name */
const shortName = (name) => name.replace(/^.*\//, '');

export class LogitOpen extends elementWith(LogitElement, () => ({
  /** Name or address of the model that the user is asked about; '' for none. */
  asked: '',
  dialog: false,
  /** Size of this model in bytes; null if unknown. @type {number | null} */
  size: null,
  /** @type {import('../engine/browser-store.js').Listed[]} */
  kept: [],
  fault: '',
  /** True while the size is being requested. */
  asking: false,
  /** Context length in tokens; 0 for the engine's default. */
  context: 0,
})) {
  static properties = { asked: {}, dialog: { type: Boolean } };

  static styles = [...LogitElement.styles, dialogStyles, openStyles];

  #typed = new NumberInput(
    this,
    (text) =>
      text.trim() === '' ? { value: 0 } : readWhole(t('open.context'), text, 1, CONTEXT_MAX),
    (context) => (this.context = context),
  );

  firstUpdated() {
    this.#readKept();
    /** @type {HTMLDialogElement | null} */ (this.renderRoot.querySelector('dialog'))?.showModal();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('asked') && this.asked) this.#confirmFar(this.asked);
  }

  get busy() {
    return this.asking;
  }

  async #readKept() {
    this.kept = await listKept().catch(() => []);
  }

  /** @param {string} name */
  #confirmFar(name) {
    const far = farAddress(name);
    const good = GOOD.find((each) => each.name === name);
    this.size = good?.size ?? null;
    this.fault = '';
    const whole = wholeName(name);
    const address = whole ?? addressOf(name);
    if (address === null || (!far && !URL.canParse(name, document.baseURI)))
      this.fault = t('open.no-name', { name });
    else if (far && !far.allowed) this.fault = t('open.host', { host: far.host });
    this.asked = this.fault ? '' : far ? (whole ?? nameOf(new URL(String(address)).href)) : name;
    if (!far && !this.fault) this.#open(name);
  }

  /** Asks the host for the size. If the model has several files, adds their sizes. */
  async #askSize() {
    this.asking = true;
    const whole = wholeName(this.asked) !== null;
    const names = whole ? [`${this.asked}/model.safetensors`] : partNames(this.asked);
    const sizes = await Promise.all(names.map((name) => askSize(addressOf(name) ?? '')));
    if (whole && sizes[0] === null) sizes[0] = await askIndex(this.asked);
    this.asking = false;
    this.size = sizes.includes(null) ? null : sizes.reduce((a, b) => Number(a) + Number(b), 0);
    if (this.size === null) this.fault = t('open.size.none');
  }

  /** @param {string | File | File[]} model */
  #open(model) {
    const context = this.context || null;
    this.#close();
    agreements.removeEventListener('agreed', this);
    agreeTo(model, context);
    this.emit('logit-model', { model, context });
  }

  connectedCallback() {
    super.connectedCallback();
    agreements.addEventListener('agreed', this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    agreements.removeEventListener('agreed', this);
  }

  /** The user has agreed to this model in another element. @param {Event} event */
  handleEvent(event) {
    const { detail } = /** @type {CustomEvent} */ (event);
    if (detail.model === this.asked) this.emit('logit-model', detail);
  }

  #close() {
    /** @type {HTMLDialogElement | null} */ (this.renderRoot.querySelector('dialog'))?.close();
  }

  render() {
    const parts = html`
      <div class="top">
        <h2 id="title">${t('open.title')}</h2>
        ${this.dialog ? html`<button @click=${this.#close}>${t('open.close')}</button>` : nothing}
      </div>
      ${this.asked ? this.#renderAsked() : nothing}
      <p class="error" role="alert">${this.fault}</p>
      ${this.asked ? nothing : this.#renderChoices()}`;
    if (!this.dialog)
      return html`<section class="panel" aria-labelledby="title">${parts}</section>`;
    return html`<dialog aria-labelledby="title" @close=${() => this.emit('logit-open-end')}>${parts}</dialog>`;
  }

  #renderAsked() {
    const far = farAddress(this.asked);
    if (!far) return nothing;
    const { host } = far;
    const { size } = this;
    const good = GOOD.find(({ name }) => name === this.asked);
    const kept = this.kept.find(({ address }) => address === addressOf(this.asked));
    const need = (size ?? 0) * (wholeName(this.asked) ? SHARE_WHOLE : SHARE);
    const { error, text } = this.#typed;
    const phone = matchMedia('(pointer: coarse) and (max-width: 60rem)').matches;
    return html`
      <p class="name"><bdi>${shortName(this.asked)}</bdi></p>
      <dl>
        <div><dt>${t('open.from')}</dt><dd><bdi>${host}</bdi></dd></div>
        <div><dt>${t('open.size')}</dt><dd>${size === null ? t('open.size.unknown') : megabytes(size)}</dd></div>
        ${good ? html`<div><dt>${t('open.licence')}</dt><dd>${good.licence}${good.open ? '' : ` (${t('open.licence.closed')})`}</dd></div>` : nothing}
        <div><dt><label for="context">${t('open.context')}</label></dt>
          <dd><input id="context" inputmode="numeric" autocomplete="off" placeholder=${t('open.context.auto')}
            aria-invalid=${error ? 'true' : 'false'} aria-describedby="context-error"
            .value=${live(text ?? (this.context ? plain(this.context) : ''))}
            @input=${this.#typed.onInput} @change=${this.#typed.onChange}></dd></div>
      </dl>
      <p id="context-error" class="error" role="alert">${error}</p>
      <p class="about">${t('open.private', { host })}</p>
      ${kept && !kept.whole ? html`<p class="about">${t('open.resume', { done: megabytes(kept.bytes) })}</p>` : nothing}
      ${need > MEMORY ? html`<p class="about warning">${t('open.large', { need: megabytes(need), limit: megabytes(MEMORY) })}</p>` : nothing}
      ${phone && need > PHONE_MEMORY / 2 ? html`<p class="about warning">${t('open.phone', { need: megabytes(need), limit: megabytes(PHONE_MEMORY) })}</p>` : nothing}
      <div class="buttons">
        ${
          size === null && !this.fault
            ? html`<button class="primary" data-command="size" aria-disabled=${this.asking} @click=${() => this.asking || this.#askSize()}>${t('open.ask', { host })}</button>`
            : html`<button class="primary" data-command="fetch" aria-disabled=${error !== ''} @click=${() => this.#typed.error || this.#open(this.asked)}>${
                size === null
                  ? t('open.fetch.unknown', { host })
                  : t('open.fetch', { host, size: megabytes(size) })
              }</button>`
        }
        <button data-command="back" @click=${this.#showChoices}>${t('open.back')}</button>
      </div>`;
  }

  #showChoices() {
    this.asked = '';
    this.fault = '';
  }

  #renderChoices() {
    return html`
      <div class="named">
        <label class="label" for="name">${t('open.name')}</label>
        <div class="row"><input id="name" type="text" spellcheck="false" autocomplete="off" autocapitalize="off"
          placeholder="hub:owner/name" aria-describedby="name-about"
          @keydown=${(/** @type {KeyboardEvent} */ event) => onEnter(event, () => this.#onName())}>
        <button class="primary" data-command="name" @click=${this.#onName}>${t('open.next')}</button></div>
        <p id="name-about" class="about">${t('open.name.about')}</p>
      </div>
      ${this.dialog && !this.fault ? nothing : this.#renderPicker()}
      ${this.kept.length > 0 ? this.#renderKept() : nothing}
      <h3>${t('open.good')}</h3>
      <p class="about">${t('open.good.about')}</p>
      <ul>${GOOD.map(
        ({ name, size, licence, open }) => html`
        <li><div><bdi>${shortName(name)}</bdi>
          <span class="about">${megabytes(size)} · ${licence}${open ? '' : ` (${t('open.licence.closed')})`} · ${t('open.untried')}</span></div>
          <button data-name=${name} @click=${() => (this.asked = name)}>${t('open.next')}<span class="visually-hidden"> ${shortName(name)}</span></button></li>`,
      )}</ul>
      ${this.kept.length === 0 ? this.#renderKept() : nothing}`;
  }

  /** Renders the choice of a file. It is needed only after a refused address: the sheet has its own. */
  #renderPicker() {
    return html`
      <div class="picker">
        <input type="file" id="file" accept=${ENDINGS} multiple
          @change=${(/** @type {any} */ { target }) => this.#openFiles(target.files)}
          @click=${(/** @type {Event} */ event) => onPick(event, (files) => this.#openFiles(files))}>
        <label for="file" class="button">${t('open.pick')}</label>
        <p class="about">${t('open.pick.about')}</p>
      </div>`;
  }

  #renderKept() {
    return html`
      <h3>${t('open.kept')}</h3>
      ${this.kept.length === 0 ? html`<p class="about">${t('open.kept.none')}</p>` : nothing}
      <ul class="kept">${this.kept.map(
        ({ address, bytes, size, whole }) => html`
        <li><div><bdi>${shortName(address)}</bdi>
          <span class="about">${whole ? megabytes(bytes) : t('open.kept.part', { done: megabytes(bytes), total: megabytes(size ?? 0) })}</span></div>
          <span class="both"><button data-open=${address} @click=${() => (whole ? this.#open(nameOf(address)) : this.#confirmFar(nameOf(address)))}>${t('open.next')}<span class="visually-hidden"> ${shortName(address)}</span></button>
          <button data-remove=${address} @click=${() => this.#remove(address)}>${t('open.remove')}<span class="visually-hidden"> ${shortName(address)}</span></button></span></li>`,
      )}</ul>`;
  }

  #onName() {
    const { value } = /** @type {HTMLInputElement} */ (this.renderRoot.querySelector('#name'));
    if (value.trim()) this.#confirmFar(value.trim());
  }

  /** @param {Iterable<File> | null} files */
  #openFiles(files) {
    const model = modelOf(files);
    if (model) this.#open(model);
  }

  /** @param {string} address */
  async #remove(address) {
    const removed = await removeKept(address);
    this.fault = removed ? '' : t('open.kept.busy');
    await this.#readKept();
  }
}

/** @param {string} address @returns {Promise<number | null>} */
async function askSize(address) {
  try {
    const response = await fetch(address, {
      method: 'HEAD',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
    });
    const length = Number(response.headers.get('content-length'));
    return response.ok && length > 0 ? length : null;
  } catch {
    return null;
  }
}

/** The size of a checkpoint in parts, of which the index tells the sum. @param {string} name @returns {Promise<number | null>} */
async function askIndex(name) {
  try {
    const address = String(addressOf(`${name}/model.safetensors.index.json`));
    const response = await fetch(address, { credentials: 'omit', referrerPolicy: 'no-referrer' });
    const { total_size } = (await response.json()).metadata;
    return total_size > 0 ? total_size : null;
  } catch {
    return null;
  }
}

define('logit-open', LogitOpen);

/** <logit-fetching>: bytes, speed and remaining time of a slow load. Its button emits "logit-cancel". */
export class LogitFetching extends elementWith(LogitElement, () => ({
  name: '',
  /** @type {import('../state/engines.js').Progress | null} */
  progress: null,
})) {
  static properties = { name: {} };

  static styles = [...LogitElement.styles, openStyles];

  /** Progress of the last seconds, for computing the speed. @type {{ at: number, loaded: number }[]} */
  #marks = [];

  /** The present speed in bytes per second. */
  get #bytesPerSecond() {
    const { loaded = 0 } = this.progress ?? {};
    const at = performance.now();
    const [first] = this.#marks;
    if (!first || loaded < first.loaded) this.#marks = [{ at, loaded }];
    else if (at - /** @type {any} */ (this.#marks.at(-1)).at > MARK_MS)
      this.#marks = [...this.#marks, { at, loaded }].slice(-MARKS);
    const [from] = this.#marks;
    return at - from.at > MARK_MS ? (1000 * (loaded - from.loaded)) / (at - from.at) : 0;
  }

  render() {
    const { loaded = 0, total = 0, where } = this.progress ?? {};
    const name = shortName(this.name);
    if (total && loaded >= total)
      return html`
        <div class="fetching"><label for="bar">${t('open.reading', { name })}</label>
          <progress id="bar"></progress></div>`;
    const sizes = { name, done: megabytes(loaded), total: megabytes(total) };
    const rate = this.#bytesPerSecond;
    return html`
      <div class="fetching">
        <label for="bar">${t('open.progress', sizes)}</label>
        <button data-command="cancel" @click=${() => this.emit('logit-cancel')}>${t('open.cancel')}</button>
        <progress id="bar" max=${total || 1} .value=${loaded}></progress>
        <p class="about">${rate > 0 ? sayRate(rate, Math.ceil((total - loaded) / rate)) : ''}</p>
        <p class="about" role="status">${where ? t(`open.where.${where}`) : ''}</p>
      </div>`;
  }
}

/** @param {number} bytes per second @param {number} left seconds */
function sayRate(bytes, left) {
  const rate = megabytes(bytes);
  return left < 60
    ? t('open.rate.short', { rate, seconds: left })
    : t('open.rate', { rate, minutes: Math.floor(left / 60), seconds: left % 60 });
}

define('logit-fetching', LogitFetching);
