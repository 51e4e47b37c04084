/**
 * Stops keys that an element has used, so that they do not also trigger shortcuts of the page around it, such as a
 * slide deck. Listeners in the capture phase still get them.
 */
import { LogitElement } from '../base/element.js';

const BOXES =
  'textarea, select, [role=textbox], input:not([type=range], [type=checkbox], [type=radio], [type=file])';
const PRESSED = 'button, summary, [type=checkbox], [type=radio], [type=file]';
/** Keys that edit a text: TYPED alone, EDITED with Ctrl or Meta. */
const TYPED = /^(.|Arrow.+|Page.+|Home|End|Enter|Backspace|Delete|Insert|Dead|Process)$/u;
const EDITED = /^([acvxyz]|Arrow.+|Home|End|Backspace|Delete|Insert)$/i;
const MOVES = /^(Arrow.+|Page.+|Home|End)$/;

/** Codes of used keys that are still pressed. @type {Set<string>} */
const held = new Set();

/** @param {LogitElement} element */
export function keepKeys(element) {
  for (const type of ['keydown', 'keypress', 'keyup']) element.addEventListener(type, keepKey);
}

/** Stops the events of a key that was used. @param {any} event */
function keepKey(event) {
  const { type, code } = event;
  const around = event.composedPath().filter(isOurs);
  if (around.at(-1) !== event.currentTarget) return; // only the outermost element decides: it gets the key last
  if (type === 'keydown')
    if (isUsed(event)) held.add(code);
    else held.delete(code);
  if (held.has(code)) event.stopPropagation();
  if (type === 'keyup') held.delete(code);
}

/** Returns true if an element or the browser does something with this key. @param {KeyboardEvent} event */
function isUsed(event) {
  const { key, altKey, ctrlKey, metaKey, isComposing, defaultPrevented } = event;
  const path = event.composedPath();
  const target = /** @type {HTMLElement} */ (path[0]);
  if (defaultPrevented || isComposing) return true;
  if (key === 'Escape') return path.some(isDialog) || hasPopover(document);
  const chord = (ctrlKey || metaKey) && !event.getModifierState('AltGraph');
  if (target.matches(BOXES)) return (chord ? EDITED : TYPED).test(key);
  if (chord || altKey) return false;
  if (key === 'Enter') return target.matches(`a, ${PRESSED}`);
  if (key === ' ' && target.matches(PRESSED)) return true;
  if (!MOVES.test(key) && key !== ' ') return false;
  return target.matches('[type=range], [type=radio]') ? key !== ' ' : canScroll(target, key);
}

/** @param {EventTarget} target */
const isOurs = (target) => target instanceof LogitElement;
/** @param {EventTarget} target */
const isDialog = (target) => target instanceof HTMLDialogElement;

/**
 * Returns true if a popover is open, which Escape would close.
 * @param {Document | ShadowRoot} root @returns {boolean}
 */
function hasPopover(root) {
  const within = [...root.querySelectorAll('*')];
  return within.some(
    (each) => each.matches(':popover-open') || (each.shadowRoot && hasPopover(each.shadowRoot)),
  );
}

/** @param {HTMLElement} target @param {string} key */
function canScroll(target, key) {
  const { overflowX, overflowY } = getComputedStyle(target);
  return /Left|Right/.test(key)
    ? overflowX !== 'visible' && target.scrollWidth > target.clientWidth
    : overflowY !== 'visible' && target.scrollHeight > target.clientHeight;
}
