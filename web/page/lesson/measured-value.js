/** <logit-measured-value>: the value of one measure, for example the right answer of a question. */
import { html } from 'lit';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { sentence } from '../../base/faults.js';
import { inWords } from '../../lessons/answer-words.js';
import { LESSON_MEASURES } from '../../lessons/measures.js';
import { t } from '../../locale/locale.js';
import { Asking } from './asking.js';
import measuredValueStyles from './measured-value.css';

export class LogitMeasuredValue extends elementWith(LogitElement, () => ({
  /** @type {import('./reader.js').LessonReader | null} */
  reader: null,
  /** @type {import('../../lessons/measures.js').LessonState | null} */
  shown: null,
  /** @type {import('../../lessons/measures.js').Asked | null} */
  asked: null,
  /** @type {number | string | undefined} */
  value: undefined,
})) {
  static styles = [...LogitElement.styles, measuredValueStyles];

  #asking = new Asking(this);

  get busy() {
    return this.#asking.busy;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('shown') || changed.has('asked')) this.#measure();
  }

  #measure() {
    const { reader, shown, asked } = this;
    if (!reader || !shown || !asked || !LESSON_MEASURES[asked.measure]) return;
    this.#asking.ask(
      () => reader.measure(shown, asked),
      (value) => (this.value = value),
      () => shown === this.shown && asked === this.asked,
    );
  }

  render() {
    const { fault } = this.#asking;
    if (fault) return html`<p class="error" role="status">${sentence(fault, this)}</p>`;
    const words = this.asked ? inWords(this.asked.measure, this.value) : '';
    return html`<p role="status"><span>${t('editor.computed')}</span> <strong>${words}</strong></p>`;
  }
}

define('logit-measured-value', LogitMeasuredValue);
