/**
 * <logit-pad>: sets temperature and top-p together, by pointer or keys. Behind it is a map of the entropy,
 * or of the number of kept tokens, at each pair of values; a table shows the numbers too. The pad and the
 * two sliders set the same values. Asks with "logit-set", and with "logit-map" ({ wanted }) for the map.
 */
import { html, nothing, svg } from 'lit';
import { locales } from '#locales/pad';
import { addMessages, measure, number, plain, t } from '../../locale/locale.js';
import { layoutContours } from '../../plots/contours.js';
import { cssom } from '../../plots/cssom.js';
import { LogitElement, define, withoutAttribute } from '../../base/element.js';
import { listen } from '../../base/props.js';
import { dragging } from '../../base/touch.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import tableStyles from '../../style/table.css';
import padStyles from './pad.css';

addMessages(locales);

/**
 * @typedef {import('../../plots/trace.js').SettingRow} SettingRow
 * @typedef {import('../../state/pad-map.js').PadMap} PadMap
 */

const MEASURES = /** @type {const} */ (['entropy', 'kept']);
/** The steps of the slider per key press with Shift or Page. */
const FAR = 10;
/** The darkness of the highest contour, in percent. */
const DARKEST = 80;

export class LogitPad extends LogitElement {
  static properties = withoutAttribute('across up settings trace map of open');

  static styles = [...LogitElement.styles, tableStyles, padStyles];

  constructor() {
    super();
    /** The table row of the setting on x. @type {SettingRow | null} */
    this.across = null;
    /** The table row of the setting on y. @type {SettingRow | null} */
    this.up = null;
    /** @type {import('../../plots/trace.js').Settings} */
    this.settings = {};
    /** @type {import('../../plots/trace.js').Trace | null} */
    this.trace = null;
    /** @type {PadMap | null} */
    this.map = null;
    /** @type {typeof MEASURES[number]} */
    this.of = 'entropy';
    this.open = false;
  }

  /** The contours of the last render, with the map and measure that they show. @type {{ map: PadMap, of: string, contours: import('../../plots/contours.js').Contour[] } | null} */
  #laid = null;

  connectedCallback() {
    super.connectedCallback();
    this.emit('logit-map', { wanted: true });
  }

  /** The position of the settings, as shares from the left and from the bottom. */
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
    const contours = map ? this.#layContours(map) : [];
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
        ${listen(this.#drag)} @keydown=${this.#onKey}>
        <svg preserveAspectRatio="none" viewBox="0 0 1 1" aria-hidden="true">${contours.map(
          ({ d }, i) =>
            svg`<path d=${d} ${cssom({ '--dark': shadeOf(i, contours.length) })}></path>`,
        )}</svg>
        ${contours.map(
          ({ value, label }) =>
            label &&
            html`<span class="height" aria-hidden="true"
              ${cssom({ '--x': label.x, '--y': 1 - label.y })}>${number(value)}</span>`,
        )}
        <i class="line up"></i><i class="line across"></i><i class="at"></i>
      </div>
      <p class="axis" aria-hidden="true"><span>${plain(across.low)}</span><span>${names[0]} →
        <span class="second">↑ ${names[1]}</span></span><span>${plain(across.high)}</span></p>
      <details ?open=${this.open} @toggle=${(/** @type {any} */ event) => (this.open = event.currentTarget.open)}>
        <summary>${t('pad.table')}</summary>
        ${this.open && map ? this.#renderTable(map, names) : nothing}
      </details>
      <p class="visually-hidden" id="keys">${t('pad.keys', { x: names[0], y: names[1] })}</p>`;
  }

  /** @param {PadMap} map */
  #layContours(map) {
    const { of } = this;
    if (this.#laid?.map !== map || this.#laid.of !== of) {
      const { columns, rows, [of]: values } = map;
      const counts = of === 'kept';
      const grid = { columns: columns.length, rows: rows.length, values, counts };
      this.#laid = { map, of, contours: layoutContours(grid) };
    }
    return this.#laid.contours;
  }

  /** @param {PadMap} map @param {string[]} names */
  #renderTable({ columns, rows, [this.of]: values }, names) {
    const caption = t('pad.caption', {
      value: capitalise(t(`pad.${this.of}`)),
      x: names[0],
      y: names[1],
    });
    return html`<p class="caption" id="caption">${caption}</p>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="caption">
      <table aria-labelledby="caption">
      <thead><tr><td></td>${rows.map((up) => html`<th scope="col">${plain(up)}</th>`)}</tr></thead>
      <tbody translate="no">${columns.map(
        (across, i) =>
          html`<tr><th scope="row">${plain(across)}</th>${rows.map((_, j) => {
            const value = values[i * rows.length + j];
            return html`<td>${value === null ? '' : this.#write(value)}</td>`;
          })}</tr>`,
      )}</tbody>
    </table></div>`;
  }

  /** @param {number} value of the measure */
  #write(value) {
    return this.of === 'kept' ? number(Math.round(value)) : measure(value);
  }

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

  #drag = dragging((x, y) => this.#ask(x, 1 - y));

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

  /** @param {number} x share of the width from the left @param {number} y share of the height from the bottom */
  #ask(x, y) {
    const { across, up, settings } = this;
    if (!across || !up) return;
    const asked = { [across.name]: valueAt(across, x), [up.name]: valueAt(up, y) };
    const same = Object.entries(asked).every(([name, value]) => settings[name] === value);
    if (same) return;
    this.settings = { ...settings, ...asked }; // other values follow with the answer
    this.emit('logit-set', asked);
  }
}

/** Returns the place of a value on its slider, 0 to 1. @param {SettingRow} row @param {number} value */
function shareOf({ low, high }, value) {
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

/** Returns the value at a share of the slider, rounded to a step. @param {SettingRow} row @param {number} share */
function valueAt({ low, high, step }, share) {
  const value = low + Math.min(1, Math.max(0, share)) * (high - low);
  return Number((Math.round(value / step) * step).toFixed(6));
}

/** Returns the darkness of the region above contour i, in percent. @param {number} i @param {number} count */
function shadeOf(i, count) {
  return `${((DARKEST * (i + 1)) / count).toFixed(1)}%`;
}

define('logit-pad', LogitPad);
