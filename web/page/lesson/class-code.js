/** <logit-class-code>: a learner's marks as a short code, which the learner sends to the teacher. */
import { html } from 'lit';
import { copyText } from '../../base/copy.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { t } from '../../locale/locale.js';
import classCodeStyles from './class-code.css';

export class LogitClassCode extends elementWith(LogitElement, () => ({
  code: '',
  said: '',
})) {
  static properties = { code: {} };
  static styles = [...LogitElement.styles, classCodeStyles];

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('code')) this.said = '';
  }

  async #copy() {
    const copied = await copyText(this.code);
    this.said = this.speak(() => t(copied ? 'lesson.code.copied' : 'lesson.code.select'));
  }

  render() {
    return html`
      <p id="name">${t('lesson.code')}</p>
      <p class="row"><code>${this.code}</code>
        <button data-command="copy" aria-describedby="name" @click=${this.#copy}>${t('lesson.code.copy')}</button>
        <span role="status">${this.said}</span></p>
      <p class="about">${t('lesson.code.about')}</p>`;
  }
}

define('logit-class-code', LogitClassCode);
