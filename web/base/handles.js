/**
 * The lines of top-k and top-p in a chart. Pointer and arrow keys move them. The chart says where a line is and which
 * value belongs to a position. A move emits "logit-set".
 */
import { html, nothing } from 'lit';
import { plain, t } from '../locale/locale.js';
import { cssom } from '../plots/cssom.js';
import { settingName } from './setting-words.js';
import { counts, takePointer } from './touch.js';

/** Number of steps for PageUp and PageDown. */
const LEAP = 10;

/** @import { Handle } from '../plots/cuts.js' */

/**
 * The position of a line that can be moved, and functions that turn positions and steps into values.
 * @typedef {object} Grip
 * @property {Handle} handle
 * @property {boolean} across true if the line is horizontal and moves up and down
 * @property {number} at the line's position in the direction of its moves, in pixels
 * @property {number} from the beginning of the line, in pixels
 * @property {number} length in pixels
 * @property {(x: number, y: number) => number} valueAt
 * @property {(steps: number) => number} more returns the value after a number of steps; ±Infinity
 *   returns the last or first value
 * @property {boolean} downIsMore true if a move down increases the value
 */

/** @param {Handle} handle @param {boolean} [fixed] */
export function handleWords({ name, value, kept, before, cuts, active }, fixed = false) {
  const stage = `${settingName(name)} ${plain(value)}`;
  if (!active) return t(fixed ? 'cut.fixed' : 'cut.off', { stage: settingName(name) });
  return cuts ? t('cut.keeps', { stage, n: kept, of: before }) : t('cut.idle', { stage });
}

/**
 * Returns the reason why the line of top-k or top-p cannot move farther; '' if it can.
 * @param {Handle} handle
 * @param {number} value
 */
function limitReason({ name, before, limit }, value) {
  if (!limit || value !== (name === 'top_k' ? 0 : 1)) return '';
  const stage = `${settingName(limit.name)} ${plain(limit.value)}`;
  return t('cut.stop', { stage, n: before, line: settingName(name) });
}

/**
 * Returns the number of steps for a key, ±Infinity for Home and End; undefined for other keys.
 * @param {string} key @param {number} down the step of ArrowDown
 */
function stepsOf(key, down) {
  return {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: down,
    ArrowUp: -down,
    PageDown: LEAP * down,
    PageUp: -LEAP * down,
    Home: -Infinity,
    End: Infinity,
  }[key];
}

/**
 * @param {Grip} grip
 * @param {import('./element.js').LogitElement & { fixed: boolean }} host with `fixed`
 *   true there are no handles
 */
export function renderHandle(grip, host) {
  if (host.fixed) return nothing;
  const { handle, across, at, from, length } = grip;
  const move = across ? `translate(${from}px, ${at}px)` : `translate(${at}px, ${from}px)`;
  const size = { [across ? 'width' : 'height']: `${length}px` };
  /** @param {Event} event @param {number} [value] */
  const say = ({ currentTarget }, value = NaN) => {
    const line = /** @type {HTMLElement} */ (currentTarget);
    const stop = /** @type {HTMLElement} */ (line.querySelector('.stop'));
    stop.textContent = limitReason(handle, value);
  };
  /** @param {Event} event @param {number} value */
  const ask = (event, value) => {
    say(event, value);
    if (value !== handle.value) host.emit('logit-set', { [handle.name]: value });
  };

  /** @param {PointerEvent} event */
  const onDown = (event) => {
    if (event.button !== 0) return;
    const target = /** @type {HTMLElement} */ (event.currentTarget);
    takePointer(event);
    target.focus();
    event.preventDefault();
  };
  /** @param {PointerEvent} event */
  const onMove = (event) => {
    const target = /** @type {HTMLElement} */ (event.currentTarget);
    if (across ? !target.hasPointerCapture(event.pointerId) : !counts(event)) return;
    const box = /** @type {HTMLElement} */ (target.offsetParent).getBoundingClientRect();
    ask(event, grip.valueAt(event.clientX - box.left, event.clientY - box.top));
  };
  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    const steps = stepsOf(event.key, grip.downIsMore ? 1 : -1);
    if (steps === undefined) return;
    event.preventDefault();
    ask(event, grip.more(steps));
  };
  return html`
    <div class="handle by-${handle.name} ${across ? 'across' : 'upright'}" role="separator"
      tabindex="0" data-handle=${handle.name} aria-orientation=${across ? 'horizontal' : 'vertical'}
      aria-label=${t('cut.handle', { stage: settingName(handle.name) })}
      aria-valuemin="0" aria-valuemax=${handle.name === 'top_k' ? handle.before : 1}
      aria-valuenow=${handle.value} aria-valuetext=${handleWords(handle)}
      title=${t('cut.drag')}
      ${cssom({ transform: move, ...size })}
      @pointerdown=${onDown} @pointermove=${onMove} @keydown=${onKey}
      @lostpointercapture=${say} @blur=${say}>
      <span class="grip"></span><span class="stop" role="status"></span>
    </div>`;
}

/**
 * Returns the index of the data point that a key chooses; undefined for other keys. All charts use the same keys as a
 * slider.
 * @param {KeyboardEvent} event its default action is prevented if the key moves
 * @param {number} at
 * @param {number} last
 */
export function walkTo(event, at, last) {
  const to = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    PageUp: at + LEAP,
    PageDown: at - LEAP,
    Home: 0,
    End: last,
  }[event.key];
  if (to === undefined) return undefined;
  event.preventDefault();
  return Math.max(0, Math.min(last, to));
}
