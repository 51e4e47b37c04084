/**
 * A presentation of the page's instrument on a large screen. Keys move through the tour, B makes the screen black,
 * Escape ends the typing in a field, else the presentation.
 */
import { onLanguage, t } from '../locale/locale.js';

/** Elements that need the keys of TURNS, and elements that need letters. */
const MOVED =
  'select, input, textarea, dialog, [role=slider], [role=textbox], [role=radio], [role=menu]';
const TYPED = 'input:not([type=range]), textarea, dialog, [role=textbox], [contenteditable]';
/**
 * Keys that move through the tour; remote controls for slides send PageUp and PageDown.
 * @type {Record<string, number>}
 */
const TURNS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };

/** @param {Event} event @param {string} selector */
const comesFrom = (event, selector) =>
  event.composedPath().some((each) => each instanceof Element && each.matches(selector));

/** Removes the focus from an element that matches the selector. @param {string} selector */
function release(selector) {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (focused?.matches(selector)) /** @type {HTMLElement} */ (focused).blur();
}

/** After a drag, the arrow keys move through the tour again. */
const releaseSlider = () => release('[role=slider]');

/** @param {import('./scope.js').LogitScope} scope */
export function beginPresentation(scope) {
  const blank = document.createElement('div');
  blank.className = 'blank';
  blank.hidden = true;
  const exit = document.createElement('button');
  exit.className = 'leave';
  exit.textContent = '×';
  const name = () => exit.setAttribute('aria-label', t('present.leave'));
  name();
  const forget = onLanguage(name);

  const leave = async () => {
    markPresentation(scope, false);
    for (const element of [blank, exit]) element.remove();
    removeEventListener('keydown', onKey, true);
    removeEventListener('pointerup', releaseSlider);
    forget();
    await scope.updateComplete;
    const button = scope.renderRoot.querySelector('[data-command=share]');
    /** @type {HTMLElement | null} */ (button)?.focus({ preventScroll: true });
  };

  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    const { key, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey || event.isComposing) return;
    const letter = key.toLowerCase() === 'b' && !comesFrom(event, TYPED);
    const turn = comesFrom(event, MOVED) ? undefined : TURNS[key];
    const escape = key === 'Escape' && !comesFrom(event, 'dialog, [role=menu], [popover]');
    if (escape && blank.hidden && comesFrom(event, TYPED)) {
      setTimeout(() => release(TYPED)); // after the field has had the key
      return;
    }
    if (!blank.hidden || letter) blank.hidden = !blank.hidden;
    else if (escape) leave();
    else if (turn) scope.turnBeat(turn);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  exit.addEventListener('click', leave);
  blank.addEventListener('click', () => (blank.hidden = true));
  addEventListener('keydown', onKey, true);
  addEventListener('pointerup', releaseSlider);
  document.body.append(exit, blank);
  markPresentation(scope, true);
}

/**
 * Shows the presentation or the usual page, and names the presentation in the address.
 * @param {import('./scope.js').LogitScope} scope
 * @param {boolean} on
 */
function markPresentation(scope, on) {
  const address = new URL(location.href);
  if (on) address.searchParams.set('present', address.searchParams.get('present') ?? '');
  else address.searchParams.delete('present');
  try {
    history.replaceState(history.state, '', address);
  } catch {
    // In a page from disk, the address cannot change.
  }
  document.documentElement.toggleAttribute('data-present', on);
  scope.present = on;
}
