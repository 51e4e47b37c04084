/**
 * <logit-model>: the name of the model, with three ways to choose another model: a list, a file picker,
 * or a file dropped on the page. Emits "logit-model".
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { fixed, t } from '../locale/locale.js';
import { LogitElement, define } from '../base/element.js';
import { droppedFiles, modelOf, onPick } from '../state/files.js';
import { MODELS } from '../state/models.js';
import modelChooserStyles from './model-chooser.css';

export class LogitModel extends LogitElement {
  static properties = {
    name: {},
    progress: { attribute: false },
    over: { state: true },
  };

  static styles = [...LogitElement.styles, modelChooserStyles];

  constructor() {
    super();
    /** The name of the offered model or file that is open or loading. */
    this.name = '';
    /** @type {{ loaded: number, total: number } | null} The progress of a load in bytes; null for none. */
    this.progress = null;
    /** True while the user drags a file over the page. */
    this.over = false;
  }

  connectedCallback() {
    super.connectedCallback();
    for (const type of ['dragover', 'dragleave', 'drop']) addEventListener(type, this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    for (const type of ['dragover', 'dragleave', 'drop']) removeEventListener(type, this);
  }

  /** @param {Event} event a drag event over the page */
  handleEvent(event) {
    const { type, dataTransfer, relatedTarget } = /** @type {DragEvent} */ (event);
    if (!dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.over = type === 'dragover' || (type === 'dragleave' && relatedTarget !== null);
    if (type === 'drop') this.#openFiles(droppedFiles(dataTransfer));
  }

  render() {
    const known = MODELS.some(({ name }) => name === this.name);
    const { loaded = 0, total = 0 } = this.progress ?? {};
    const words = t('load.progress', { done: megabytes(loaded), total: megabytes(total) });
    return html`
      <div class="row">
        <select id="model" .value=${live(known ? this.name : '')} aria-label=${t('model.label')} @change=${this.#onChoose}>
          ${MODELS.map(
            ({ name }) =>
              html`<option value=${name} ?selected=${name === this.name}>${t(`model.${name}`)}</option>`,
          )}
          <option value="…">${t('model.more')}</option>
          ${known ? nothing : html`<option value="" selected>\u2068${this.name}\u2069</option>`}
        </select>
        <input type="file" id="file" accept=".gguf" multiple @change=${this.#onPick}
          @click=${(/** @type {Event} */ event) => onPick(event, (files) => this.#openFiles(files))}>
        <label class="open" for="file" title=${t('model.open')}>
          <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M2.5 15.5v-11h5l2 2h8v9z"></path></svg>
          <span class="visually-hidden">${t('model.open')}</span></label>
      </div>
      ${
        this.progress
          ? html`<progress aria-label=${words} max=${total || 1} .value=${loaded}></progress>`
          : nothing
      }
      ${this.over ? html`<div class="drop">${t('model.drop')}</div>` : nothing}
    `;
  }

  /** @param {Event} event */
  #onChoose({ target }) {
    const select = /** @type {HTMLSelectElement} */ (target);
    const { value } = select;
    if (value !== '…') return void (value && this.emit('logit-model', { model: value }));
    select.value = MODELS.some(({ name }) => name === this.name) ? this.name : '';
    this.emit('logit-more');
  }

  /** @param {Event} event */
  #onPick({ target }) {
    const input = /** @type {HTMLInputElement} */ (target);
    this.#openFiles(input.files);
    input.value = '';
  }

  /** @param {Iterable<File> | null} files */
  #openFiles(files) {
    const model = modelOf(files);
    if (model) this.emit('logit-model', { model });
  }
}

/** @param {number} bytes */
export function megabytes(bytes) {
  return `${fixed(bytes / 1e6, 2)} MB`;
}

define('logit-model', LogitModel);
