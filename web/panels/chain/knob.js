/**
 * <logit-knob>: one setting as a slider and a number box. It checks what is typed against the row
 * of the table, says what is wrong beside the box, and asks with "logit-set" only for good values.
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { LogitElement, define } from '../../base/element.js';
import { capitalise, readSetting, settingName, valueInWords } from '../../base/setting-words.js';
import { Typed } from '../../base/typed.js';
import knobStyles from './knob.css';

/** @typedef {import('../../plots/trace.js').SettingRow} SettingRow */

export class LogitKnob extends LogitElement {
  static properties = {
    row: { attribute: false },
    value: { attribute: false },
    most: { attribute: false },
    slim: { type: Boolean, reflect: true },
    fixed: { type: Boolean },
  };

  static styles = [...LogitElement.styles, knobStyles];

  #typed = new Typed(
    this,
    (text) => this.#read(text),
    (value) => this.#ask(value),
  );

  constructor() {
    super();
    /** @type {SettingRow | null} */
    this.row = null;
    this.value = 0;
    /** The most that the slider offers, when less than the table's (a vocabulary's size). */
    this.most = Infinity;
    /** Whether it is a parameter beside a warper's own knob. */
    this.slim = false;
    /** Whether the value only shows. */
    this.fixed = false;
  }

  focus() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('[type=range]'))?.focus();
  }

  render() {
    const { row, value } = this;
    if (!row) return nothing;
    const name = capitalise(settingName(row.name));
    const high = Math.min(row.high, this.most);
    const { error, text } = this.#typed;
    const sentence = error && t('error.kept', { sentence: error, kept: plain(value) });
    return html`
      <div class="head">
        <label class="name" for="box">${name}</label>
        <button class="off" ?hidden=${this.fixed} aria-disabled=${value === row.neutral}
          title=${t('chain.reset', { name, value: plain(row.neutral) })}
          @click=${() => this.#neutralise(row)}>${t(neutralWord(row, value))}
          <span class="visually-hidden">${name}</span></button>
        <input id="box" class="box" type="text" inputmode="decimal" autocomplete="off"
          spellcheck="false" ?readonly=${this.fixed}
          aria-invalid=${error ? 'true' : 'false'} aria-describedby="about error"
          .value=${live(text ?? plain(value))}
          @input=${this.#typed.onInput} @change=${this.#typed.onChange}
          @keydown=${this.#onKey}>
        <slot name="end"></slot>
      </div>
      <div class="said">
        <div>
          <p id="about" class="about" ?hidden=${error !== ''}>${t(`about.${row.name}`)}</p>
          <p id="error" class="error" role="alert">${sentence}</p>
        </div>
        <slot></slot>
      </div>
      <div class="slide" ${cssom(place(row, value, high))}>
        <span class="neutral"></span>
        <input type="range" ?disabled=${this.fixed} min=${row.low} max=${high} step=${row.step}
          .value=${live(String(value))}
          aria-label=${t('chain.slider', { name })} aria-valuetext=${valueInWords(row, value)}
          @input=${this.#onSlide}>
      </div>
    `;
  }

  /** @param {string} text */
  #read(text) {
    return this.row ? readSetting(this.row, text) : { error: '' };
  }

  /** @param {number} value */
  #ask(value) {
    if (!this.row || value === this.value) return;
    this.value = value; // at once; all else shows with the answer
    this.emit('logit-set', { [this.row.name]: value });
  }

  /** @param {SettingRow} row */
  #neutralise(row) {
    this.#typed.clear();
    this.#ask(row.neutral);
  }

  /** @param {Event} event */
  #onSlide(event) {
    const text = /** @type {HTMLInputElement} */ (event.target).value;
    this.#typed.clear();
    this.#ask(Number(text));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { row } = this;
    if (event.key === 'Escape') this.#typed.clear();
    if (event.key === 'Enter') this.#typed.onChange();
    if (!row || this.fixed || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    const moved = this.value + (event.key === 'ArrowUp' ? row.step : -row.step);
    const read = readSetting(row, String(Number(moved.toFixed(6))));
    this.#typed.clear();
    if ('value' in read) this.#ask(read.value);
  }
}

/**
 * What the button says: a warper is off or can be turned off, another parameter has a default.
 * @param {SettingRow} row
 * @param {number} value
 */
function neutralWord(row, value) {
  if (!row.warper) return value === row.neutral ? 'chain.is-default' : 'chain.to-default';
  return value === row.neutral ? 'chain.is-off' : 'chain.turn-off';
}

/**
 * Where the slider's filled part and its neutral mark lie, as shares of the track.
 * @param {SettingRow} row
 * @param {number} value
 * @param {number} high
 */
function place(row, value, high) {
  /** @param {number} x */
  const share = (x) => Math.min(1, Math.max(0, (x - row.low) / (high - row.low)));
  const [at, to] = [share(row.neutral), share(value)];
  return { '--at': at, '--from': Math.min(at, to), '--to': Math.max(at, to) };
}

define('logit-knob', LogitKnob);
