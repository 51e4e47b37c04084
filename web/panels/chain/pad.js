/**
 * <logit-pad>: temperature and top-p as one pad, under a hand or by keys, over shades of what the
 * distribution comes to at each pair of them. It is the same as the two sliders beside it. Asks with
 * "logit-set", and with "logit-map" ({ wanted }) for the shades.
 */
import { html, nothing, svg } from 'lit';
import { locales } from '#locales/pad';
import { addMessages, measure, number, plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { LogitElement, define } from '../../base/element.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import padStyles from './pad.css';

addMessages(locales);

/**
 * @typedef {import('../../plots/trace.js').SettingRow} SettingRow
 * @typedef {import('../../state/pad-map.js').PadMap} PadMap
 */

const MEASURES = /** @type {const} */ (['entropy', 'kept']);
/** How far a key moves, in steps of the slider, and with Shift or Page. */
const FAR = 10;
/** How far a cell reaches below the next one, as a share of the pad: no line shows between them. */
const SEAM = 0.004;

export class LogitPad extends LogitElement {
  static properties = {
    across: { attribute: false },
    up: { attribute: false },
    settings: { attribute: false },
    trace: { attribute: false },
    map: { attribute: false },
    of: { state: true },
  };

  static styles = [...LogitElement.styles, padStyles];

  constructor() {
    super();
    /** The table's row of the setting to the right. @type {SettingRow | null} */
    this.across = null;
    /** And of the one upwards. @type {SettingRow | null} */
    this.up = null;
    /** @type {import('../../plots/trace.js').Settings} */
    this.settings = {};
    /** @type {import('../../plots/trace.js').Trace | null} */
    this.trace = null;
    /** @type {PadMap | null} */
    this.map = null;
    /** @type {typeof MEASURES[number]} */
    this.of = 'entropy';
  }

  connectedCallback() {
    super.connectedCallback();
    this.emit('logit-map', { wanted: true });
  }

  /** The place of the settings, as shares from the left and from below. */
  get #place() {
    const { across, up, settings } = this;
    if (!across || !up) return { x: 0, y: 0 };
    return { x: shareOf(across, settings[across.name]), y: shareOf(up, settings[up.name]) };
  }

  render() {
    const { across, up, map } = this;
    if (!across || !up) return nothing;
    const { x, y } = this.#place;
    const names = [across, up].map(({ name }) => capitalise(settingName(name)));
    const [low, high] = rangeOf(map?.[this.of] ?? []);
    return html`
      <div class="top">
        <p class="now">${this.#sayFigure()}</p>
        <div class="segments" role="group" aria-label=${t('pad.of')}>${MEASURES.map(
          (name) => html`
          <button aria-pressed=${name === this.of} data-of=${name}
            @click=${() => (this.of = name)}>${t(`pad.${name}`)}</button>`,
        )}</div>
      </div>
      <div class="pad" role="slider" tabindex="0" aria-label=${t('pad.label', { x: names[0], y: names[1] })}
        aria-valuemin=${across.low} aria-valuemax=${across.high}
        aria-valuenow=${this.settings[across.name]} aria-valuetext=${this.#say(names)}
        aria-describedby="keys" ${cssom({ '--x': x, '--y': y })}
        @pointerdown=${this.#onDown} @pointermove=${this.#onMove} @keydown=${this.#onKey}>
        <svg preserveAspectRatio="none" viewBox="0 0 1 1" aria-hidden="true">${
          map ? this.#renderShades(map, low, high) : nothing
        }</svg>
        <i class="line up"></i><i class="line across"></i><i class="at"></i>
      </div>
      <p class="axis" aria-hidden="true"><span>${plain(across.low)}</span><span>${names[0]} →
        <span class="second">↑ ${names[1]}</span></span><span>${plain(across.high)}</span></p>
      <p class="axis" aria-hidden="true">${
        high > low
          ? html`<span class="scale">${this.#write(low)} <i></i> ${this.#write(high)}</span>`
          : nothing
      }</p>
      <p class="visually-hidden" id="keys">${t('pad.keys', { x: names[0], y: names[1] })}</p>`;
  }

  /**
   * @param {PadMap} map
   * @param {number} low
   * @param {number} high
   */
  #renderShades({ columns, rows, ...values }, low, high) {
    const { across, up } = this;
    if (!across || !up) return nothing;
    const xs = edges(columns.map((value) => shareOf(across, value)));
    const ys = edges(rows.map((value) => shareOf(up, value)));
    const share = scaleOf(this.of, low, high);
    return values[this.of].map((value, i) => {
      if (value === null) return nothing;
      const [column, row] = [Math.floor(i / rows.length), i % rows.length];
      return svg`<rect x=${xs[column]} y=${1 - ys[row + 1]}
        width=${xs[column + 1] - xs[column] + SEAM} height=${ys[row + 1] - ys[row] + SEAM}
        fill=${`color-mix(in srgb, var(--soft) ${(100 * share(value)).toFixed(1)}%, var(--panel))`}></rect>`;
    });
  }

  /** @param {number} value of the measure */
  #write(value) {
    return this.of === 'kept' ? number(Math.round(value)) : measure(value);
  }

  /** What the distribution on show comes to. */
  #sayFigure() {
    const { trace, of } = this;
    return trace ? t(`pad.${of}.now`, { value: this.#write(trace[of]) }) : '';
  }

  /** @param {string[]} names */
  #say(names) {
    const { across, up, settings } = this;
    const values = [across, up].map((row) => (row ? plain(settings[row.name]) : ''));
    return `${names[0]} ${values[0]}, ${names[1]} ${values[1]}. ${this.#sayFigure()}`;
  }

  /** @param {PointerEvent} event */
  #onDown(event) {
    if (event.button !== 0) return;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    this.#onMove(event);
  }

  /** @param {PointerEvent} event */
  #onMove(event) {
    const pad = /** @type {HTMLElement} */ (event.currentTarget);
    if (!pad.hasPointerCapture(event.pointerId)) return;
    const { left, top, width, height } = pad.getBoundingClientRect();
    this.#ask((event.clientX - left) / width, 1 - (event.clientY - top) / height);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { across, up } = this;
    if (!across || !up) return;
    const far = event.shiftKey ? FAR : 1;
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowRight: [far, 0],
      ArrowLeft: [-far, 0],
      ArrowUp: [0, far],
      ArrowDown: [0, -far],
      PageUp: [0, FAR],
      PageDown: [0, -FAR],
      Home: [-Infinity, 0],
      End: [Infinity, 0],
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const { x, y } = this.#place;
    const by = (/** @type {SettingRow} */ { step, low, high }) => step / (high - low);
    this.#ask(x + move[0] * by(across), y + move[1] * by(up));
  }

  /**
   * @param {number} x shares of the pad
   * @param {number} y
   */
  #ask(x, y) {
    const { across, up, settings } = this;
    if (!across || !up) return;
    const asked = { [across.name]: valueAt(across, x), [up.name]: valueAt(up, y) };
    const same = Object.entries(asked).every(([name, value]) => settings[name] === value);
    if (same) return;
    this.settings = { ...settings, ...asked }; // at once; all else shows with the answer
    this.emit('logit-set', asked);
  }
}

/** Where a value stands on its slider. @param {SettingRow} row @param {number} value */
function shareOf({ low, high }, value) {
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

/** The value at a share of the slider, on one of its steps. @param {SettingRow} row @param {number} share */
function valueAt({ low, high, step }, share) {
  const value = low + Math.min(1, Math.max(0, share)) * (high - low);
  return Number((Math.round(value / step) * step).toFixed(6));
}

/** Where cells around these places end. @param {number[]} places */
function edges(places) {
  const between = places.slice(1).map((place, i) => (place + places[i]) / 2);
  return [0, ...between, 1];
}

/** @param {(number | null)[]} values */
function rangeOf(values) {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? [Math.min(...known), Math.max(...known)] : [0, 0];
}

/**
 * How dark a value is: counts by their logarithm.
 * @param {string} of
 * @param {number} low
 * @param {number} high
 */
function scaleOf(of, low, high) {
  const place = (/** @type {number} */ value) => (of === 'kept' ? Math.log(value) : value);
  const span = place(high) - place(low);
  return (/** @type {number} */ value) => (span > 0 ? (place(value) - place(low)) / span : 0);
}

define('logit-pad', LogitPad);
