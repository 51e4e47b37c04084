/** The two sliders over the picture, for the knob and for u: keyboards and screen readers use them. */
import { html } from 'lit';
import { settingName, valueInWords } from '../../base/setting-words.js';
import { fixed, t } from '../../locale/locale.js';

/**
 * @typedef {object} Options
 * @property {import('../../engine/types.js').TableRow | undefined} row the knob; undefined until a model is open
 * @property {number} value
 * @property {number} u
 * @property {string} drawn the drawn token in words
 * @property {(event: KeyboardEvent, which: 'knob' | 'u') => void} onKey
 */

/** @param {Options} options @param {unknown} box the box of u, which moves with its line */
export function renderHandles({ row, value, u, drawn, onKey }, box) {
  return html`
    <div class="handle knob" role="slider" tabindex="0" aria-orientation="horizontal"
      aria-label=${settingName(row?.name ?? 'temperature')} aria-valuemin=${row?.low ?? 0}
      aria-valuemax=${row?.high ?? 0} aria-valuenow=${value}
      aria-valuetext=${row ? `${valueInWords(row, value)}; ${drawn}` : ''}
      @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, 'knob')}><i></i></div>
    <div class="u">
      <div class="handle u" role="slider" tabindex="0" aria-orientation="vertical"
        aria-label=${t('landscape.u')} aria-valuemin="0" aria-valuemax="1" aria-valuenow=${u}
        aria-valuetext=${`u = ${fixed(u, 4)}; ${drawn}`}
        @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, 'u')}><i></i></div>
      ${box}
    </div>`;
}
