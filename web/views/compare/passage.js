/**
 * <logit-passage>: one text of a comparison, coloured by surprisal. It marks the first difference from another text,
 * and loops. Pointer or arrow keys show a token's numbers. Emits "logit-at" to its host with the chosen step.
 */
import { html, nothing } from 'lit';
import { fixed, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { spoken, unturned } from '../../base/visible.js';
import passageStyles from './passage.css';

/** @import { MeasuredStep } from '../../engine/compare.js' */

/** The surprisal in bits that has the strongest colour, the same as in the bench. */
const FULL = 6;

export class LogitPassage extends elementWith(LogitElement, () => ({
  /** The prompt. */
  given: '',
  /** @type {MeasuredStep[]} */
  steps: [],
  /** The name of the text for a screen reader. */
  label: '',
  eos: -1,
  /**
   * Colour of the tokens: surprisal after the chain, before the chain, or none.
   * @type {'after' | 'before' | 'none'}
   */
  colour: 'after',
  /**
   * Index of the first step that differs from the other text; null if none.
   * @type {number | null}
   */
  parts: null,
  /** Index of the step that the strips show; -1 without strips. */
  at: -1,
  /** @type {import('../../engine/text-loops.js').Loop | null} */
  loop: null,
  /** True to show the text alone, without a box and numbers. */
  plain: false,
  /** Index of the token under the pointer; -1 for none. */
  active: -1,
})) {
  static properties = { plain: { type: Boolean } };

  static styles = [...LogitElement.styles, passageStyles];

  /** @param {Map<string, unknown>} changes */
  willUpdate(changes) {
    const { active } = this;
    if (changes.has('steps') && active >= this.steps.length) this.active = -1;
  }

  render() {
    const { plain, steps } = this;
    const words = html`<span class="given">${unturned(this.given)}</span>${steps.map((step, i) => this.#renderStep(step, i))}`;
    if (plain) return html`<div class="box" lang="en" translate="no" dir="auto">${words}</div>`;
    return html`
      <div class="box" role="group" tabindex="0" lang="en" translate="no" dir="auto" aria-label=${this.label}
        aria-describedby="keys" @keydown=${this.#onKey} @pointerover=${this.#onPoint} @click=${this.#onClick}
        @pointerleave=${() => (this.active = -1)} @blur=${() => (this.active = -1)}>${words}</div>
      <span class="visually-hidden" id="keys">${t('compare.keys')}</span>
      <p class="numbers"><slot ?hidden=${this.active >= 0}></slot><span
        aria-live="polite">${this.#describe()}</span></p>
    `;
  }

  /**
   * @param {MeasuredStep} step
   * @param {number} i
   */
  #renderStep(step, i) {
    const { loop, colour } = this;
    const end = step.id === this.eos;
    const looped = loop !== null && i >= loop.start && i < loop.end;
    const again = looped && (i - loop.start) % loop.period === 0;
    const bits = { after: step.bits, before: step.bits_raw, none: 0 }[colour];
    const kinds = [
      't',
      end && 'end',
      looped && 'looped',
      i === this.at && 'at',
      i === this.active && 'active',
    ];
    const heat = Math.min(1, bits / FULL).toFixed(2);
    return html`${
      i === this.parts
        ? html`<span class="parts" role="img" aria-label=${t('compare.parts.mark')}>≠</span>`
        : nothing
    }${again ? html`<span class="again" aria-hidden="true">↻</span>` : nothing}<span
      class=${kinds.filter(Boolean).join(' ')} data-i=${i} data-id=${step.id}
      ${cssom({ '--heat': heat })}>${end ? t('text.end') : unturned(step.text)}</span>`;
  }

  #describe() {
    const step = this.steps[this.active];
    if (!step) return '';
    return t('compare.token', {
      n: this.active + 1,
      token: spoken({ ...step, special: false }, this.eos),
      p: percent(step.p),
      raw: percent(step.p_raw),
      bits: fixed(this.colour === 'before' ? step.bits_raw : step.bits, 2),
    });
  }

  /** @param {PointerEvent} event */
  #onPoint = ({ target }) => {
    const { i } = /** @type {HTMLElement} */ (target).dataset;
    if (i !== undefined) this.active = Number(i);
  };

  #onClick = () => this.#emitStep();

  /** Asks the host to show the token under the pointer in the strips. */
  #emitStep() {
    if (this.active >= 0)
      this.dispatchEvent(new CustomEvent('logit-at', { detail: { at: this.active } }));
  }

  /** @param {KeyboardEvent} event */
  #onKey = (event) => {
    const last = this.steps.length - 1;
    const to = {
      ArrowRight: Math.min(last, this.active + 1),
      ArrowLeft: Math.max(0, this.active - 1),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.active = to;
    this.#emitStep();
    this.renderRoot.querySelector(`[data-i="${to}"]`)?.scrollIntoView({ block: 'nearest' });
  };
}

define('logit-passage', LogitPassage);
