/**
 * <logit-reopen>: asks the user to open the own model file again, because a page may not open it without a press.
 * Emits "logit-model" with the files, or without files to open another model.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/open';
import { LogitElement, define, elementWith } from '../base/element.js';
import { addMessages, megabytes, t } from '../locale/locale.js';
import { ENDINGS, onPick } from '../state/files.js';
import { askFiles, findHandles } from './local-files.js';
import reopenStyles from './open-model.css';

addMessages(locales);

export class LogitReopen extends elementWith(LogitElement, () => ({
  /** @type {import('./local-files.js').FileRecord} */
  file: { key: '', name: '', size: 0, count: 1, context: null },
  /** Name of the model that can be opened instead. */
  other: '',
  /** A sentence about why the last file was refused; '' for none. */
  fault: '',
  /** True if the browser has stored handles of the files. */
  handles: false,
})) {
  static properties = { other: {}, fault: {} };

  static styles = [...LogitElement.styles, reopenStyles];

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('file'))
      findHandles(this.file.key).then((found) => (this.handles = found !== null));
  }

  async #askForFiles() {
    const files = await askFiles(this.file);
    if (files) return this.#emitFiles(files);
    this.handles = false;
    this.fault = this.speak(() => t('open.again.refused', { name: this.file.name }));
  }

  /** @param {Iterable<File> | null} [found] the files; omitted for another model */
  #emitFiles(found) {
    const files = [...(found ?? [])];
    this.emit('logit-model', { files });
  }

  render() {
    const { name, size, count } = this.file;
    const about = { name: `\u2068${name}\u2069`, size: megabytes(size) };
    return html`<div>
      <h2>${t('open.again.title', about)}</h2>
      <p>${t(count > 1 ? 'open.again.parts' : 'open.again', { ...about, n: count })}</p>
      <p class="error" role="alert">${this.fault}</p>
      <div class="buttons">
        ${
          this.handles
            ? html`<button class="primary" data-command="again" @click=${this.#askForFiles}>${t('open.again.open', about)}</button>`
            : nothing
        }
        <span class="picker" ?hidden=${this.handles}>
          <input type="file" id="file" accept=${ENDINGS} ?multiple=${count > 1}
            @change=${(/** @type {Event} */ { target }) => this.#emitFiles(/** @type {HTMLInputElement} */ (target).files)}
            @click=${(/** @type {Event} */ event) => onPick(event, (files) => this.#emitFiles(files))}>
          <label for="file" class="button primary">${t('open.again.open', about)}</label></span>
        <button data-command="other" @click=${() => this.#emitFiles()}>${t('open.again.other', { name: this.other })}</button>
      </div></div>`;
  }
}

define('logit-reopen', LogitReopen);
