/**
 * <logit-compare-controls>: the prompt as a sentence, a choice of prepared comparisons, and a button that unfolds the
 * settings (seed, length, number of texts, a passage). Slots take more buttons and settings. Emits "logit-plan" to
 * its host with the changed values.
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { suites } from '../../engine/suites.js';
import { plain, t } from '../../locale/locale.js';
import { Debounce } from '../../base/debounce.js';
import { LogitElement, define, elementWith, valueOf } from '../../base/element.js';
import { keptWords } from '../../base/setting-words.js';
import { unturned } from '../../base/visible.js';
import { readField } from '../read-field.js';
import controlsStyles from './controls.css';

export class LogitCompareControls extends elementWith(LogitElement, () => ({
  /** Name of the chosen comparison; '' if it is the user's own. */
  suite: '',
  /** @type {import('./runner.js').Plan | null} */
  plan: null,
  /**
   * Beginnings of texts by human authors; the models continue them.
   * @type {readonly import('./passages.js').Passage[]}
   */
  passages: [],
  /** A sentence about why there are no texts; '' without an error. */
  fault: '',
  /** The field with a text that was refused; null if none. @type {{ name: string, text: string } | null} */
  refused: null,
  unfolded: false,
})) {
  static styles = [...LogitElement.styles, controlsStyles];

  render() {
    const { plan, unfolded } = this;
    if (!plan) return html``;
    const passage = this.passages.find((each) => each.prompt === plan.prompt);
    return html`
      ${plan.prompt_ids ? this.#renderMade(plan.prompt) : this.#renderPrompt(plan.prompt)}
      <p class="error" role="alert" id="error">${this.fault}</p>
      <div class="row">
        ${this.#renderSuites()}
        <slot></slot>
        <button class="quiet" id="settings" aria-expanded=${unfolded} aria-controls="folded"
          @click=${() => (this.unfolded = !unfolded)}>${t('compare.more-settings')} <span aria-hidden="true">▾</span></button>
        <slot name="end"></slot>
      </div>
      <div class="asked" id="folded" ?hidden=${!unfolded}>
        ${this.#renderBox('seed', plan.seed)}
        ${this.#renderBox('max_new_tokens', plan.max_new_tokens)}
        ${this.#renderBox('samples', plan.samples)}
        ${this.passages.length > 0 ? this.#renderPassages(passage) : nothing}
        <slot name="settings"></slot>
      </div>
      <p class="credit" id="credit">${passage ? t('compare.passage.credit', { credit: passage.credit }) : ''}</p>
    `;
  }

  #renderSuites() {
    const { suite } = this;
    return html`
      <select id="suite" class="quiet" aria-label=${t('compare.suites')} .value=${live(suite)}
        @change=${(/** @type {Event} */ event) => this.#emitPlan({ suite: valueOf(event) })}>
        ${suite === '' ? html`<option value="" selected>${t('compare.suite.own')}</option>` : nothing}
        ${suites.map(
          ({ name }) =>
            html`<option value=${name} ?selected=${name === suite}>${t(`compare.suite.${name}`)}</option>`,
        )}
      </select>`;
  }

  /** @param {string} prompt */
  #renderPrompt(prompt) {
    return html`
      <textarea id="prompt" rows="1" aria-label=${t('text.prompt')} spellcheck="false" autocomplete="off" lang="en" enterkeyhint="go" aria-describedby="error"
        .value=${live(prompt)} @keydown=${onKey}
        @input=${(/** @type {Event} */ event) => this.#emitPlan({ prompt: valueOf(event) })}></textarea>`;
  }

  /** Renders the prompt that the model's template makes from the chat in the bench. @param {string} prompt */
  #renderMade(prompt) {
    return html`
      <span class="label" id="made">${t('compare.chat')}</span>
      <p id="prompt" role="group" tabindex="0" lang="en" translate="no" dir="auto" aria-labelledby="made">${unturned(prompt.trim())}</p>`;
  }

  /** @param {import('./passages.js').Passage} [chosen] */
  #renderPassages(chosen) {
    const take = (/** @type {Event} */ event) => {
      const passage = this.passages.find(({ id }) => id === valueOf(event));
      if (passage) this.#emitPlan({ passage });
    };
    return html`
      <label class="label passage">${t('compare.passage')}
        <select id="passage" aria-describedby="about credit" .value=${live(chosen?.id ?? '')} @change=${take}>
          <option value="" ?selected=${!chosen}>${t('compare.passage.none')}</option>
          ${this.passages.map(({ id, title }) => html`<option value=${id} ?selected=${id === chosen?.id}>${title}</option>`)}
        </select></label>
      <p class="about" id="about">${t('compare.passage.about')}</p>`;
  }

  /**
   * @param {string} name
   * @param {number} value
   */
  #renderBox(name, value) {
    const wrong = this.refused?.name === name;
    const read = wrong ? readField('compare', name, this.refused?.text ?? '') : null;
    const id = `error-${name}`;
    return html`
      <div class="field"><label class="label">${t(`compare.${name}`)}
        <input inputmode="numeric" autocomplete="off" data-name=${name} aria-describedby=${id}
          aria-invalid=${wrong ? 'true' : 'false'}
          .value=${wrong ? (this.refused?.text ?? '') : plain(value)}
          @change=${(/** @type {Event} */ event) => this.#onChange(event, name)}></label>
        <p class="error" role="alert" id=${id}>${read && 'error' in read ? keptWords(read.error, value) : ''}</p></div>`;
  }

  /**
   * @param {Event} event
   * @param {string} name
   */
  #onChange(event, name) {
    const text = valueOf(event);
    const read = readField('compare', name, text);
    this.refused = 'error' in read ? { name, text } : null;
    if ('value' in read) this.#emitPlan({ [name]: read.value });
  }

  /** @param {object} detail */
  #emitPlan(detail) {
    if ('suite' in detail) this.refused = null;
    this.dispatchEvent(new CustomEvent('logit-plan', { detail }));
  }
}

/** Enter starts writing at once; Shift+Enter adds a line break. @param {KeyboardEvent} event */
function onKey(event) {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  Debounce.flush();
}

define('logit-compare-controls', LogitCompareControls);
