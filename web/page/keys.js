/**
 * The keyboard shortcuts of the page: single keys for frequent actions. They do nothing while a field or a menu has
 * the focus, with a modifier key, or if the user has switched them off.
 */
import { recall, remember } from '../state/memory.js';
import { VIEWS } from './views.js';
import { SHEET_VIEWS } from '../state/fields.js';

/** @import { LogitScope } from './scope.js' */

/**
 * For each key in the bench: a button of a panel to press, or an element to focus.
 * @type {Record<string, { panel: string, press?: string, focus?: string }>}
 */
const BENCH = {
  s: { panel: 'logit-text', press: '[data-command=step]' },
  r: { panel: 'logit-text', press: '[data-command=run], [data-command=stop]' },
  x: { panel: 'logit-text', press: '[data-command=reset]' },
  n: { panel: 'logit-draw', press: '[data-command=seed]' },
  d: { panel: 'logit-draw', press: '[data-command=many]' },
  e: { panel: 'logit-text', focus: '#prompt' },
  t: { panel: 'logit-chain', focus: 'logit-knob[data-name=temperature]' },
};
export const KEYS = ['s', 'r', 'b', 'x', 'n', 'd', 't', 'e', '1', '?'];
/** Keys that repeat while they are held down. */
const HELD = ['s', 'b'];

const BOXES =
  'textarea, select, dialog, [role=menu], [popover], [contenteditable], input:not([type=range], [type=checkbox], [type=radio])';

/** True if shortcuts are on. This variable is needed because the browser may refuse storage. */
let on = recall('shortcuts') !== 'off';

export function keysAreOn() {
  return on;
}

/** @param {boolean} wanted */
export function switchKeys(wanted) {
  on = wanted;
  remember('shortcuts', on ? 'on' : 'off');
}

/** @param {LogitScope} scope */
export function followKeys(scope) {
  document.addEventListener('keydown', (event) => {
    const { key, shiftKey, repeat } = event;
    const name = shiftKey && key !== '?' ? '' : key.toLowerCase();
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.defaultPrevented || (repeat && !HELD.includes(name))) return;
    const typed = event
      .composedPath()
      .some((element) => element instanceof Element && element.matches(BOXES));
    if (!on || typed || !doKey(scope, name)) return;
    event.preventDefault();
  });
}

/**
 * Does the action of a key. Returns false if the key means nothing in this view.
 * @param {LogitScope} scope
 * @param {string} key
 */
function doKey(scope, key) {
  if (key === '?') {
    scope.emit('logit-shortcuts');
    return true;
  }
  const view = VIEWS.filter(({ name }) => !SHEET_VIEWS.includes(name))[Number(key) - 1];
  const tabs = scope.renderRoot.querySelector('.places:not([hidden])');
  if (view && tabs) {
    scope.view = view.name;
    return true;
  }
  if (scope.view !== 'bench') return false;
  const {
    panel,
    press = '',
    focus = '',
  } = BENCH[key] ?? { panel: key === 'b' ? 'logit-text' : '' };
  const bench = scope.renderRoot.querySelector('logit-bench')?.shadowRoot;
  const place = panel && bench?.querySelector(`${panel}:not([hidden])`);
  if (!place) return false;
  const found = /** @type {HTMLElement | null | undefined} */ (
    place.shadowRoot?.querySelector(press || focus || 'logit-tape')
  );
  if (key === 'b') goBack(/** @type {import('../panels/text/text.js').LogitText} */ (place));
  else if (press) found?.click();
  else found?.focus();
  return Boolean(found);
}

/** @param {import('../panels/text/text.js').LogitText} text */
function goBack(text) {
  if (text.steps.length > 0) text.emit('logit-rewind', { n: text.steps.length - 1 });
}
