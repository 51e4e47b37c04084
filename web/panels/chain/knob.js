/**
 * <logit-knob>: one setting as a slider and a number field. The slider has valid values only. The field checks
 * typed text and shows an error beside it. Emits "logit-set".
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { locales } from '#locales/chain';
import { addMessages, plain, t } from '../../locale/locale.js';
import { cssom, setProperties } from '../../plots/cssom.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { UpdateThrottle } from '../../base/update-throttle.js';
import {
  aboutSetting,
  capitalise,
  inBox,
  keptWords,
  readSetting,
  settingName,
  valueInWords,
} from '../../base/setting-words.js';
import { NumberInput } from '../../base/number-input.js';
import knobStyles from './knob.css';

addMessages(locales);

/** @import { SettingRow } from '../../plots/trace.js' */

export class LogitKnob extends elementWith(LogitElement, () => ({
  /** @type {SettingRow | null} */
  row: null,
  value: 0,
  /** Limit of the slider if it is below the table's, such as the size of the vocabulary for top-k. */
  most: Infinity,
  /** True if the description is visible. */
  open: false,
  fixed: false,
  /** True if a button beside the knob removes it, so that it needs no button to reset. */
  removable: false,
  /** True if another element shows the name, so that the slider has the whole width. */
  large: false,
})) {
  static properties = {
    open: { type: Boolean },
    fixed: { type: Boolean },
    removable: { type: Boolean, reflect: true },
    large: { type: Boolean, reflect: true },
  };

  static styles = [...LogitElement.styles, knobStyles];

  /** @type {UpdateThrottle} */
  #throttle = new UpdateThrottle(this, ['value']);
  #typed = new NumberInput(
    this,
    (text) => this.#readValue(text),
    (value) => this.#emitValue(value),
    () => this.value,
  );

  focus() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('[type=range]'))?.focus();
  }

  /** Moves the focus to the number and selects its text, so that typing replaces it. */
  edit() {
    const box = /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector('#box'));
    box?.focus();
    box?.select();
  }

  /** @param {Map<string, unknown>} changes */
  shouldUpdate(changes) {
    if (this.#throttle.classify(changes) !== 'motion' || !this.row) return true;
    const part = (/** @type {string} */ name) =>
      /** @type {HTMLInputElement} */ (this.renderRoot.querySelector(`.slide ${name}`));
    setProperties(part('.fill'), reachOf(this.row, this.value, this.#highest));
    const [slider, text] = [part('input'), String(this.value)];
    if (slider.value !== text) slider.value = text; // a write causes a layout, even of an equal value
    return false;
  }

  get #highest() {
    return Math.min(this.row?.high ?? 0, this.most);
  }

  render() {
    const { row, value } = this;
    if (!row) return nothing;
    const name = capitalise(settingName(row.name));
    const high = this.#highest;
    const { error, text } = this.#typed;
    const reset = t('chain.reset', { name, value: plain(row.neutral) });
    const written = inBox(value);
    const digits = Math.max(String(high).length, written.length);
    return html`
      <div class="line" ${cssom({ '--digits': digits })}>
        <label class="name" for="box">${name}</label>
        <div class="slide">
          <span class="fill" ${cssom(reachOf(row, value, high))}></span>
          <span class="neutral" ${cssom({ '--at': shareOf(row, row.neutral, high) })}></span>
          <input type="range" ?disabled=${this.fixed} min=${row.low} max=${high} step=${row.step}
            .value=${live(String(value))}
            aria-label=${t('chain.slider', { name })} aria-valuetext=${valueInWords(row, value)}
            @input=${this.#onSlide} @change=${() => this.#throttle.release()}>
        </div>
        <input id="box" class="box" type="text" inputmode="decimal" autocomplete="off"
          spellcheck="false" ?readonly=${this.fixed}
          aria-invalid=${error ? 'true' : 'false'} aria-describedby="about error"
          .value=${live(text ?? written)}
          @input=${this.#typed.onInput} @change=${this.#typed.onChange}
          @keydown=${this.#onKey}>
        <div class="effect"><slot name="did"></slot></div>
        <div class="end">
          <button class="off" ?hidden=${this.fixed || this.removable} aria-disabled=${value === row.neutral}
            title=${reset} aria-label=${reset} @click=${() => this.#neutralise(row)}>
            <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3.5 6.5a5 5 0 1 1-.3 3M3 2.5v4h4"></path></svg></button>
          <slot name="end"></slot>
        </div>
      </div>
      <p id="error" class="error" role="alert">${keptWords(error, value)}</p>
      <p id="about" class="about" ?hidden=${!this.open}>${aboutSetting(row.name)}</p>
    `;
  }

  /** @param {string} text */
  #readValue(text) {
    return this.row ? readSetting(this.row, text) : { error: '' };
  }

  /** @param {number} value */
  #emitValue(value) {
    const { row, value: last } = this;
    if (!row || value === last) return;
    this.value = value; // shown before the engine's answer
    this.emit('logit-set', { [row.name]: value });
  }

  /** @param {SettingRow} row */
  #neutralise(row) {
    this.#typed.clear();
    this.focus(); // takes the focus of a button that disappears
    this.#emitValue(row.neutral);
  }

  /** @param {Event} event */
  #onSlide(event) {
    const text = /** @type {HTMLInputElement} */ (event.target).value;
    this.#typed.clear();
    this.#emitValue(Number(text));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { row } = this;
    if (event.key === 'Escape' && (this.#typed.text !== null || this.#typed.error)) {
      event.preventDefault();
      this.#typed.clear();
    }
    if (event.key === 'Enter') this.#typed.onChange();
    if (!row || this.fixed || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    const moved = this.value + (event.key === 'ArrowUp' ? row.step : -row.step);
    const read = readSetting(row, String(Number(moved.toFixed(6))));
    this.#typed.clear();
    if ('value' in read) this.#emitValue(read.value);
  }
}

/**
 * Returns the position of a value on the slider, 0 to 1.
 * @param {SettingRow} row
 * @param {number} value
 * @param {number} high
 */
function shareOf({ low }, value, high) {
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

/**
 * Returns the bar between the neutral value and the value, as a CSS transform: a change of it needs no layout.
 * @param {SettingRow} row
 * @param {number} value
 * @param {number} high
 */
function reachOf(row, value, high) {
  const [at, to] = [row.neutral, value].map((each) => shareOf(row, each, high));
  const from = 100 * Math.min(at, to);
  return { transform: `translateX(${from}%) scaleX(${Math.abs(to - at)})` };
}

define('logit-knob', LogitKnob);
