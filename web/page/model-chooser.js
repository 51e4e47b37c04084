/**
 * <logit-model>: which model is open, and another one by choice, by picker or dropped on the page.
 * Asks with "logit-model".
 */
import { css, html, nothing } from 'lit';
import { fixed, t } from '../locale/locale.js';
import { define } from '../base/define.js';
import { LogitElement } from '../base/element.js';
import { MODELS } from '../state/models.js';

export class LogitModel extends LogitElement {
  static properties = {
    name: {},
    progress: { attribute: false },
    fault: {},
    over: { state: true },
  };

  static styles = [
    ...LogitElement.styles,
    css`
      :host {
        position: relative;
        min-width: 0;
        max-width: 100%;
      }

      .row {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem;
      }

      select {
        flex: 1 1 8rem;
        min-width: 0;
        max-width: 15rem;
      }

      input[type='file'] {
        position: absolute;
        width: 1px;
        height: 1px;
        padding: 0;
        overflow: hidden;
        clip-path: inset(50%);
      }

      label.open {
        flex: none;
        padding: 0 0.875rem;
        border: 1px solid var(--control-line);
        border-radius: 0.375rem;
        background: var(--panel);
        font-size: 0.875rem;
        line-height: 2.125rem;
        cursor: pointer;
      }

      label.open:hover {
        border-color: var(--ink);
      }

      input:focus-visible + label.open {
        outline: 2px solid var(--trace);
        outline-offset: 2px;
      }

      progress {
        position: absolute;
        inset: auto 0 -0.375rem;
        width: 100%;
        height: 0.25rem;
        accent-color: var(--trace);
      }

      .drop {
        position: fixed;
        z-index: 9;
        inset: 0.75rem;
        display: grid;
        place-items: center;
        border: 0.1875rem dashed var(--trace);
        border-radius: 0.75rem;
        background: var(--trace-wash);
        font-size: 1.25rem;
        font-weight: 600;
        opacity: 0.94;
        pointer-events: none;
      }
    `,
  ];

  constructor() {
    super();
    /** That of an offered model, or of a file. */
    this.name = '';
    /** @type {{ loaded: number, total: number } | null} Of a model on its way. */
    this.progress = null;
    /** Why the last one asked for was refused. */
    this.fault = '';
    /** Whether a file hangs over the page. */
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

  /** @param {Event} event one of a file over the page */
  handleEvent(event) {
    const { type, dataTransfer, relatedTarget } = /** @type {DragEvent} */ (event);
    if (!dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.over = type === 'dragover' || (type === 'dragleave' && relatedTarget !== null);
    if (type === 'drop' && dataTransfer.files[0]) this.#open(dataTransfer.files[0]);
  }

  render() {
    const known = MODELS.some(({ name }) => name === this.name);
    const { loaded = 0, total = 0 } = this.progress ?? {};
    const words = t('load.progress', { done: megabytes(loaded), total: megabytes(total) });
    return html`
      <div class="row">
        <label class="label" for="model">${t('model.label')}</label>
        <select id="model" @change=${this.#onChoose}>
          ${MODELS.map(
            ({ name }) =>
              html`<option value=${name} ?selected=${name === this.name}>${t(`model.${name}`)}</option>`,
          )}
          ${known ? nothing : html`<option value="" selected>${this.name}</option>`}
        </select>
        <input type="file" id="file" accept=".gguf" @change=${this.#onPick}>
        <label class="open" for="file">${t('model.open')}</label>
      </div>
      ${
        this.progress
          ? html`<progress aria-label=${words} max=${total || 1} .value=${loaded}></progress>`
          : nothing
      }
      ${this.fault ? html`<p class="error" role="alert">${t('model.refused', { reason: this.fault })}</p>` : nothing}
      ${this.over ? html`<div class="drop">${t('model.drop')}</div>` : nothing}
    `;
  }

  /** @param {Event} event */
  #onChoose({ target }) {
    const { value } = /** @type {HTMLSelectElement} */ (target);
    if (value) this.#open(value);
  }

  /** @param {Event} event */
  #onPick({ target }) {
    const input = /** @type {HTMLInputElement} */ (target);
    if (input.files?.[0]) this.#open(input.files[0]);
    input.value = '';
  }

  /** @param {string | File} model */
  #open(model) {
    this.emit('logit-model', { model });
  }
}

/** @param {number} bytes */
export function megabytes(bytes) {
  return `${fixed(bytes / 1e6, 2)} MB`;
}

define('logit-model', LogitModel);
