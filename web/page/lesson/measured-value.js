/** <logit-measured-value>: the value of one measure, for example the right answer of a question. */
import { html } from 'lit';
import { LogitElement, define } from '../../base/element.js';
import { sentence } from '../../base/faults.js';
import { inWords } from '../../lessons/answer-words.js';
import { LESSON_MEASURES } from '../../lessons/measures.js';
import { t } from '../../locale/locale.js';
import { Asking } from './asking.js';
import measuredValueStyles from './measured-value.css';

export class LogitMeasuredValue extends LogitElement {
  static properties = {
    reader: { attribute: false },
    shown: { attribute: false },
    asked: { attribute: false },
    value: { state: true },
  };

  static styles = [...LogitElement.styles, measuredValueStyles];

  constructor() {
    super();
    /** @type {import('./reader.js').LessonReader | null} */
    this.reader = null;
    /** @type {import('../../lessons/measures.js').LessonState | null} */
    this.shown = null;
    /** @type {import('../../lessons/measures.js').Asked | null} */
    this.asked = null;
    /** @type {number | string | undefined} */
    this.value = undefined;
  }

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
