/**
 * The two sliders over the picture, for the knob and for u: keyboards and screen readers use them. The box of a
 * slider, which shows its number, is no stop of the Tab key: Enter or a digit at the slider opens it.
 */
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

/** The first characters of a number. */
const DIGIT = /^[-.,\d]$/;

/** @param {EventTarget | null} from @param {string} selector @returns {any} */
function findVisible(from, selector) {
  const root = /** @type {ParentNode} */ (/** @type {Node} */ (from).getRootNode());
  return [...root.querySelectorAll(selector)].find((each) => each.checkVisibility());
}

/** Moves the focus from a slider into its box, which gets the typed digit. @param {KeyboardEvent} event */
function openBox(event) {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  if (altKey || ctrlKey || metaKey || (key !== 'Enter' && !DIGIT.test(key))) return;
  const { line } = /** @type {HTMLElement} */ (target).dataset;
  const box = findVisible(target, `[data-box=${line}]`);
  if (key === 'Enter') event.preventDefault();
  event.stopPropagation(); // digits are keys of the page too
  box?.focus();
  box?.select();
}

/**
 * Moves the focus from a box back to its slider: at Enter, which accepts the number, and at Escape.
 * @param {KeyboardEvent} event
 * @param {import('../../base/number-input.js').NumberInput} input
 */
export function leaveBox(event, input) {
  const { key, target, isComposing } = event;
  if (isComposing || !['Enter', 'Escape'].includes(key)) return;
  event.preventDefault();
  if (key === 'Escape') input.clear();
  else input.onChange();
  const { box } = /** @type {HTMLElement} */ (target).dataset;
  if (!input.error) findVisible(target, `[data-line=${box}]`)?.focus();
}

/** @param {Options} options @param {unknown} box the box of u, which moves with its line */
export function renderHandles({ row, value, u, drawn, onKey }, box) {
  const press = (/** @type {KeyboardEvent} */ event, /** @type {'knob' | 'u'} */ which) => {
    openBox(event);
    onKey(event, which);
  };
  return html`
    <div class="handle knob" data-line="knob" role="slider" tabindex="0" aria-describedby="opens" aria-orientation="horizontal"
      aria-label=${settingName(row?.name ?? 'temperature')} aria-valuemin=${row?.low ?? 0}
      aria-valuemax=${row?.high ?? 0} aria-valuenow=${value}
      aria-valuetext=${row ? `${valueInWords(row, value)}; ${drawn}` : ''}
      @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, 'knob')}><i></i></div>
    <div class="u">
      <div class="handle u" data-line="u" role="slider" tabindex="0" aria-describedby="opens" aria-orientation="vertical"
        aria-label=${t('landscape.u')} aria-valuemin="0" aria-valuemax="1" aria-valuenow=${u}
        aria-valuetext=${`u = ${fixed(u, 4)}; ${drawn}`}
        @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, 'u')}><i></i></div>
      ${box}
    </div>`;
}
