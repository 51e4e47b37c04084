/** The number field of u beside its line, the only place where a user can type u. */
import { html, nothing } from 'lit';
import { keptWords, readSetting } from '../../base/setting-words.js';
import { NumberInput } from '../../base/number-input.js';
import { fixed, t } from '../../locale/locale.js';
import { leaveBox } from './handles.js';
import { U_MAX } from './input.js';

/** Describes u like a setting, so that the field can use the same check. */
const U_ROW = /** @type {any} */ ({
  name: 'u',
  kind: 'real',
  minimum: 0,
  maximum: 1,
  minimum_included: true,
});
/** If u is below this, the field is below the line of u, else above it. */
const HIGH = 0.2;
/** In a narrow picture, the field is at the left edge if the knob's line is right of this share of the width. */
const FAR = 0.5;

export class UBox {
  #box;

  /** @param {import('lit').ReactiveControllerHost & { lines: import('./lines.js').Lines }} host */
  constructor(host) {
    this.#box = new NumberInput(
      host,
      (text) => readSetting(U_ROW, text),
      (u) => host.lines.move({ u: Math.min(u, U_MAX) }),
      () => host.lines.u,
    );
  }

  /** @param {number | null} u null without a line of u @param {number} share the knob's place, 0 to 1 */
  render(u, share) {
    const box = this.#box;
    const { text, error } = box;
    return html`<label class="die ${u !== null && u < HIGH ? 'low' : ''} ${share > FAR ? 'away' : ''}" translate="no"><span>u =</span>
      <input inputmode="decimal" autocomplete="off" size="6" data-box="u" tabindex="-1" aria-label=${t('landscape.u')}
        aria-invalid=${error !== ''} .value=${text ?? (u === null ? '' : fixed(u, 4))}
        @input=${box.onInput} @change=${box.onChange}
        @keydown=${(/** @type {KeyboardEvent} */ event) => leaveBox(event, box)}>
      ${error ? html`<small class="error" role="alert">${u === null ? error : keptWords(error, u)}</small>` : nothing}</label>`;
  }
}
