/**
 * <logit-written-text>: the text of a state with its check sum. With a constraint, it also says if the text is JSON
 * and which symbols may come next.
 */
import { html, nothing } from 'lit';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { unturned } from '../../base/visible.js';
import { crc32 } from '../../lessons/crc32.js';
import { number, t } from '../../locale/locale.js';
import '../../panels/text/verdict.js';
import '../../panels/chain/constraint.js';
import { Asking } from './asking.js';
import writtenTextStyles from './written-text.css';

/** @import { LessonState } from '../../lessons/measures.js' */

const bytesOf = (/** @type {string} */ text) => new TextEncoder().encode(text).length;

export class LogitWrittenText extends elementWith(LogitElement, () => ({
  /** @type {import('./reader.js').LessonReader | null} */
  reader: null,
  /** @type {LessonState} */
  state: { prompt: '' },
  /** True if the learner can choose a constraint. */
  constrained: false,
  /** @type {import('../../lessons/measures.js').Written | undefined} */
  written: undefined,
})) {
  static properties = { constrained: { type: Boolean } };

  static styles = [...LogitElement.styles, writtenTextStyles];

  #asking = new Asking(this);

  get busy() {
    return this.#asking.busy;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const { reader, state } = this;
    if (!reader || !(changed.has('state') || changed.has('reader'))) return;
    this.#asking.ask(
      () => reader.write(state),
      (written) => (this.written = written),
      () => state === this.state,
    );
  }

  render() {
    const { state, written, constrained } = this;
    const unable = this.#asking.sentence;
    const { constraint } = state.settings ?? {};
    const { text = '', finish = '', next = null, stages = [] } = written ?? {};
    return html`
      <div class="text ${constraint ? '' : 'free'}" lang="en" translate="no" dir="auto"><span class="given">${unturned(state.prompt ?? '')}</span>${
        written && !constraint ? html`<span class="new">${unturned(text)}</span>` : nothing
      }${finish === 'eos' ? html`<span class="end">${t('text.end')}</span>` : nothing}</div>
      ${unable ? html`<p class="fault" role="alert">${unable}</p>` : nothing}
      ${written && constraint ? html`<logit-verdict .json=${text}></logit-verdict>` : nothing}
      <p class="sum"><span class="label">${t('lesson.sum')}</span> <code>${written ? crc32(text) : ''}</code>
        <span class="bytes">${t('lesson.bytes', { n: number(bytesOf(text)) })}</span></p>
      ${
        constrained
          ? html`<logit-constraint bare .gates=${{ constraint: constraint ?? null }} .state=${next} .stages=${stages}></logit-constraint>`
          : nothing
      }`;
  }
}

define('logit-written-text', LogitWrittenText);
