/**
 * A Lit controller for toolbars. Each element with role=toolbar has one Tab stop. Arrow keys, Home and End move the
 * focus inside it, which also chooses radio buttons and tabs.
 */

const ITEMS = ':is(button, select, a[href], logit-help):not(:disabled, [aria-disabled=true])';
const CHOICES = '[role=radio], [role=tab]';
/** The Tab stop is at the chosen item. */
const CHOSEN = '[aria-checked=true], [aria-selected=true], .chosen';

/** @typedef {HTMLElement} Item */

/** @param {Element} bar @returns {Item[]} */
const itemsOf = (bar) => [.../** @type {NodeListOf<Item>} */ (bar.querySelectorAll(ITEMS))];

/** Gives the Tab stop to one item. @param {Element} bar */
function setStop(bar) {
  const items = itemsOf(bar);
  const stop =
    items.find((item) => item.matches(':focus-within')) ??
    items.find((item) => item.matches(CHOSEN)) ??
    items.find((item) => item.tabIndex === 0) ??
    items[0];
  for (const item of items) {
    const index = item === stop ? 0 : -1;
    if (item.tabIndex !== index) item.tabIndex = index;
  }
}

/**
 * Returns the index of the item that a key chooses; null for other keys.
 * @param {KeyboardEvent} event
 * @param {Element} bar
 * @param {Item[]} items
 */
function nextOf({ key, target }, bar, items) {
  const from = items.indexOf(/** @type {Item} */ (target));
  const { localName, role } = items[from] ?? {};
  const along = getComputedStyle(bar).direction === 'rtl' ? -1 : 1;
  /** @type {Record<string, number>} */
  const steps = { ArrowRight: along, ArrowLeft: -along };
  if (role === 'radio') Object.assign(steps, { ArrowDown: 1, ArrowUp: -1 });
  if (key in steps) return (from + steps[key] + items.length) % items.length;
  // In a <select>, Home and End choose an option.
  if (localName === 'select' || !['Home', 'End'].includes(key)) return null;
  return key === 'Home' ? 0 : items.length - 1;
}

/** @param {Event} event */
const barOf = ({ target }) => /** @type {Element} */ (target).closest('[role=toolbar]');

/** @param {any} event */
function onFocus(event) {
  const bar = barOf(event);
  if (bar) setStop(bar);
}

/** @param {any} event */
function onKey(event) {
  const bar = barOf(event);
  if (!bar || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const items = itemsOf(bar);
  const to = nextOf(event, bar, items);
  if (to === null) return;
  event.preventDefault();
  items[to].focus();
  if (items[to].matches(CHOICES)) items[to].click();
}

export class Toolbars {
  #host;

  /** @param {import('lit').ReactiveElement} host */
  constructor(host) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected() {
    const { renderRoot } = this.#host;
    renderRoot.addEventListener('keydown', onKey);
    renderRoot.addEventListener('focusin', onFocus);
  }

  hostUpdated() {
    this.#host.renderRoot.querySelectorAll('[role=toolbar]').forEach(setStop);
  }
}
