/** <logit-measured-value>: what the engine computes of a state just now, such as a question's right answer. */
import { html } from 'lit';
import { LogitElement, define } from '../../base/element.js';
import { sentence } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import { inWords } from '../../lessons/answer-words.js';
import { LESSON_MEASURES } from '../../lessons/measures.js';
import { t } from '../../locale/locale.js';
import measuredValueStyles from './measured-value.css';

export class LogitMeasuredValue extends LogitElement {
  static properties = {
    reader: { attribute: false },
    shown: { attribute: false },
    asked: { attribute: false },
    value: { state: true },
    fault: { state: true },
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
    /** @type {import('../../engine/errors.js').Fault | null} */
    this.fault = null;
  }

  #asking = 0;

  get busy() {
    return this.#asking > 0;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('shown') || changed.has('asked')) this.#measure();
  }

  async #measure() {
    const { reader, shown, asked } = this;
    if (!reader || !shown || !asked || !LESSON_MEASURES[asked.measure]) return;
    this.#asking++;
    try {
      const value = await reader.measure(shown, asked);
      if (shown === this.shown && asked === this.asked) [this.value, this.fault] = [value, null];
    } catch (error) {
      this.fault = toFault(error);
    }
    this.#asking--;
  }

  render() {
    const { asked, value, fault } = this;
    if (fault) return html`<p class="error" role="status">${sentence(fault, this)}</p>`;
    const words = asked ? inWords(asked.measure, value) : '';
    return html`<p role="status"><span>${t('editor.computed')}</span> <strong>${words}</strong></p>`;
  }
}

define('logit-measured-value', LogitMeasuredValue);
