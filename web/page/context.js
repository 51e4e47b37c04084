/**
 * <logit-context>: a field for the context length in tokens. Emits "logit-context" to open the model with another
 * length.
 */
import { html } from 'lit';
import { live } from 'lit/directives/live.js';
import { locales } from '#locales/context';
import { LogitElement, define, elementWith } from '../base/element.js';
import { keptWords, readWhole } from '../base/setting-words.js';
import { NumberInput } from '../base/number-input.js';
import { addMessages, plain, t } from '../locale/locale.js';
import contextStyles from './context.css';

addMessages(locales);

export class LogitContext extends elementWith(LogitElement, () => ({
  /** @type {import('../engine/types.js').Info | null} */
  info: null,
})) {
  static styles = [...LogitElement.styles, contextStyles];

  #typed = new NumberInput(
    this,
    (text) => readWhole(t('context.name'), text, 1, this.info?.model_context_length ?? 1),
    (context) => context !== this.info?.context_length && this.emit('logit-context', { context }),
  );

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('info')) this.#typed.clear(); // drops an invalid text for the previous model
  }

  render() {
    if (!this.info) return '';
    const { context_length, model_context_length } = this.info;
    const { error, text } = this.#typed;
    const kept = plain(context_length);
    return html`
      <label><input type="text" inputmode="numeric" autocomplete="off" aria-label=${t('context.name')}
        aria-invalid=${error ? 'true' : 'false'} aria-describedby="error" .value=${live(text ?? kept)}
        @input=${this.#typed.onInput} @change=${this.#typed.onChange}>
        ${t('context.of', { n: model_context_length })}</label>
      <p id="error" class="error" role="alert">${keptWords(error, context_length)}</p>`;
  }
}

define('logit-context', LogitContext);
