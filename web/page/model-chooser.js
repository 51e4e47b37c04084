/**
 * <logit-model>: the button with the model's name, which opens the model's sheet. Emits "logit-model" for a file that
 * the user drops on the page.
 */
import { html, nothing } from 'lit';
import { megabytes, t } from '../locale/locale.js';
import { LogitElement, define, elementWith } from '../base/element.js';
import { props } from '../base/props.js';
import { droppedFiles, modelOf } from '../state/files.js';
import modelChooserStyles from './model-chooser.css';

export class LogitModel extends elementWith(LogitElement, () => ({
  /** Name of the open or loading model. */
  name: '',
  /** Progress of a load in bytes; null without one. @type {{ loaded: number, total: number } | null} */
  progress: null,
  /** Properties of the sheet. @type {Record<string, unknown>} */
  sheet: {},
  /** True while the user drags a file over the page. */
  over: false,
})) {
  static properties = { name: {} };

  static styles = [...LogitElement.styles, modelChooserStyles];

  connectedCallback() {
    super.connectedCallback();
    for (const type of ['dragover', 'dragleave', 'drop']) addEventListener(type, this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    for (const type of ['dragover', 'dragleave', 'drop']) removeEventListener(type, this);
  }

  /** @param {Event} event a drag event over the page */
  async handleEvent(event) {
    const { type, dataTransfer, relatedTarget } = /** @type {DragEvent} */ (event);
    if (!dataTransfer?.types.includes('Files')) return;
    event.preventDefault(); // otherwise the browser would leave the page and open the file
    const { fixed } = this.sheet;
    this.over = !fixed && (type === 'dragover' || (type === 'dragleave' && relatedTarget !== null));
    const model = type === 'drop' && !fixed ? modelOf(await droppedFiles(dataTransfer)) : null;
    if (model) this.emit('logit-model', { model });
  }

  render() {
    const { loaded = 0, total = 0 } = this.progress ?? {};
    const words = t('load.progress', { done: megabytes(loaded), total: megabytes(total) });
    return html`
      <button id="model" popovertarget="sheet" aria-haspopup="dialog" aria-label=${t('model.button', { name: this.name })}
        title=${this.name} @click=${() => import('./model-sheet.js')}>
        <bdi>${this.name}</bdi>
        <svg viewBox="0 0 10 10" aria-hidden="true"><path d="m1.5 3 3.5 4 3.5-4z"></path></svg></button>
      ${
        this.progress
          ? html`<progress aria-label=${words} max=${total || 1} .value=${loaded}></progress>`
          : nothing
      }
      <logit-sheet id="sheet" popover .name=${this.name} ${props(this.sheet)}></logit-sheet>
      ${this.over ? html`<div class="drop">${t('model.drop')}</div>` : nothing}
    `;
  }
}

define('logit-model', LogitModel);
