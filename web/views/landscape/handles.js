/**
 * The two sliders over the picture, one for the knob and one for u, for keyboards and screen readers. Each has a
 * number field. The Tab key skips the field; Enter or a digit at the slider moves the focus into it.
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

/** Characters with which a number can begin. */
const DIGIT = /^[-.,\d]$/;

/** @param {EventTarget | null} from @param {string} selector @returns {any} */
function findVisible(from, selector) {
  const root = /** @type {ParentNode} */ (/** @type {Node} */ (from).getRootNode());
  return [...root.querySelectorAll(selector)].find((each) => each.checkVisibility());
}

/**
 * Moves the focus into a number field; a typed digit becomes the field's text. At a slider, Enter moves the focus too.
 * @param {KeyboardEvent} event
 * @param {'knob' | 'u'} [line] the field's line, if the event is not at its slider
 */
export function openBox(event, line) {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  const enters = key === 'Enter' && !line;
  if (altKey || ctrlKey || metaKey || (!enters && !DIGIT.test(key))) return;
  const name = line ?? /** @type {HTMLElement} */ (target).dataset.line;
  const box = findVisible(target, `[data-box=${name}]`);
  if (enters) event.preventDefault();
  event.stopPropagation(); // a digit is also a keyboard shortcut of the page
  box?.focus();
  box?.select();
}

/**
 * Moves the focus from a number field back to its slider. Enter accepts the number, Escape discards it.
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
