/** Large boxes for the knob's value and for u, and a line about the distribution. */
import { html } from 'lit';
import { later, readSetting, settingName } from '../../base/setting-words.js';
import { NumberInput } from '../../base/number-input.js';
import { fixed, measure, percent, plain, t } from '../../locale/locale.js';
import { U_MAX } from './input.js';
import { SYMBOLS, round } from './axis.js';

/** @typedef {import('../../engine/types.js').TableRow} TableRow */

/** A row for u, so that the box of u checks its input like a setting. */
const U_ROW = /** @type {any} */ ({
  name: 'u',
  kind: 'real',
  minimum: 0,
  maximum: 1,
  minimum_included: true,
});

/** Returns the knob's value as text; during Play its width is fixed. @param {TableRow} row @param {number} value @param {boolean} running */
export function shownValue({ kind }, value, running) {
  return running && kind === 'real' ? fixed(value, 2) : plain(round(value));
}

/**
 * @typedef {object} Shown
 * @property {TableRow} row
 * @property {number} value
 * @property {boolean} running true during Play
 * @property {number | null} u null if the draw is Gumbel-max
 * @property {boolean} gumbel
 * @property {number | null} unlike the share of u that draws another token than the compared landscape;
 *   null without a comparison
 * @property {number | undefined} entropy
 * @property {boolean} beside true if rings show a second distribution
 */

export class Headline {
  #value;
  #u;

  /** @param {import('lit').ReactiveControllerHost & { lines: import('./lines.js').Lines }} host */
  constructor(host) {
    const { lines } = host;
    this.#value = new NumberInput(
      host,
      (text) => readSetting(/** @type {TableRow} */ (lines.knob.row), text),
      (value) => lines.move({ value }),
    );
    this.#u = new NumberInput(
      host,
      (text) => readSetting(U_ROW, text),
      (u) => lines.move({ u: Math.min(u, U_MAX) }),
    );
  }

  /** @param {Shown} shown */
  render({ row, value, running, u, gumbel, unlike, entropy, beside }) {
    const [box, die] = [this.#value, this.#u];
    const error = box.error || die.error;
    const about =
      unlike !== null
        ? t('landscape.unlike', { p: percent(Math.max(0, unlike)) })
        : gumbel
          ? t('landscape.gumbel')
          : entropy === undefined
            ? ''
            : t('landscape.about', { bits: measure(entropy) }) +
              (beside ? ` · ○ ${later('shelf.second')}` : '');
    const symbol = SYMBOLS[row.name];
    return html`
      <label class="big ${symbol ? '' : 'long'}"><span>${symbol ? `${symbol} =` : settingName(row.name)}</span>
        <input inputmode="decimal" autocomplete="off" size="4" aria-label=${settingName(row.name)}
          aria-invalid=${box.error !== ''} .value=${box.text ?? shownValue(row, value, running)}
          @input=${box.onInput} @change=${box.onChange}></label>
      <label class="die" ?hidden=${gumbel}><span>u =</span>
        <input inputmode="decimal" autocomplete="off" size="6" aria-label=${t('landscape.u')}
          aria-invalid=${die.error !== ''} .value=${die.text ?? (u === null ? '' : fixed(u, 4))}
          @input=${die.onInput} @change=${die.onChange}></label>
      <p class="about ${error ? 'error' : ''}">${error || about}</p>`;
  }
}
