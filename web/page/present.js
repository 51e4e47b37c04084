/**
 * A presentation of the page's own instrument, for a screen that others watch: keys turn the beats of the
 * tour, B blanks the screen, Escape leaves.
 */
import { onLanguage, t } from '../locale/locale.js';

/** Elements that use the keys of TURNS, and elements that use letters. */
const MOVED =
  'select, input, textarea, dialog, [role=slider], [role=textbox], [role=radio], [role=menu]';
const TYPED = 'input:not([type=range]), textarea, dialog, [role=textbox], [contenteditable]';
/** The keys that turn the beats; a remote control of slides sends the pages. @type {Record<string, number>} */
const TURNS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };

/** @param {Event} event @param {string} selector */
const comesFrom = (event, selector) =>
  event.composedPath().some((each) => each instanceof Element && each.matches(selector));

/** Takes the focus from a slider that was dragged, so that the keys turn the beats again. */
function releaseSlider() {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (focused?.matches('[role=slider]')) /** @type {HTMLElement} */ (focused).blur();
}

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

  const leave = () => {
    const address = new URL(location.href);
    address.searchParams.delete('present');
    try {
      history.replaceState(history.state, '', address);
    } catch {
      // a page from disk: the address stays
    }
    delete document.documentElement.dataset.present;
    scope.present = false;
    for (const element of [blank, exit]) element.remove();
    removeEventListener('keydown', onKey, true);
    removeEventListener('pointerup', releaseSlider);
    forget();
  };

  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    const { key, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey || event.isComposing) return;
    const letter = key.toLowerCase() === 'b' && !comesFrom(event, TYPED);
    const turn = comesFrom(event, MOVED) ? undefined : TURNS[key];
    const escape = key === 'Escape' && !comesFrom(event, 'dialog, [role=menu], [popover]');
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
}
