/**
 * Random input for tests (?fuzz=SEED): pointer, touch and keys on visible elements. After each action it waits until
 * the page has settled. globalThis.fuzz has a log and stop(). It never saves a file, prints or follows a link.
 */
import { settled } from '../base/settled.js';
import { Random } from '../grade/inputs.js';

/** CSS selector of the elements that get input. File fields, links and the dialog that fetches models get none. */
const TARGETS =
  'button, select, textarea, summary, input:not([type=file]), [tabindex], [role=button], canvas';
const LEFT_ALONE = 'a, logit-open, [inert], [data-command=print], iframe';

const KEYS = (
  'ArrowLeft ArrowRight ArrowUp ArrowDown Home End PageUp PageDown Enter Escape Tab Delete ' +
  's r b x n d t e 1 2 3 4 5 ?'
).split(' ');

/** Texts to type: numbers, nonsense, several scripts. */
const TEXTS = [
  ...['', '0', '1', '0.5', '-1', '1e9', 'NaN', '2,5', '42', '0.30000000000000004'],
  ...['Today she', 'cat', '<b>x</b>', 'שלום', 'سلام', '猫', '🙂', '\u202Eabc', '"', '{', 'a\nb'],
  'word '.repeat(200),
];

/** Number of pointer moves in one drag. */
const POINTS = 4;
/** Longest time to wait until the page has settled, in ms. */
const PATIENCE = 4000;

/** @param {Element} element @returns {Element | null} */
const parentOf = (element) =>
  element.parentElement ?? /** @type {ShadowRoot} */ (element.getRootNode()).host ?? null;

/** @param {Element | null} element @param {string} selector */
function isWithin(element, selector) {
  for (let at = element; at; at = parentOf(at)) if (at.matches(selector)) return true;
  return false;
}

/**
 * Yields all elements of the page in document order, also in shadow trees.
 * @param {ParentNode} root @returns {Generator<Element>}
 */
function* elementsOf(root) {
  for (const element of root.querySelectorAll('*')) {
    yield element;
    if (element.shadowRoot) yield* elementsOf(element.shadowRoot);
  }
}

/** @param {number} x @param {number} y */
function elementAt(x, y) {
  let found = document.elementFromPoint(x, y);
  for (let root = found?.shadowRoot; root; root = found?.shadowRoot) {
    const inner = root.elementFromPoint(x, y);
    if (inner?.getRootNode() !== root) break;
    found = inner;
  }
  return found;
}

/** Returns the focused element, in any shadow tree. */
function focusedElement() {
  let found = document.activeElement ?? document.body;
  while (found.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found;
}

class Fuzz {
  /** @type {string[]} */
  log = [];
  #stopped = false;
  #random;
  /** The element that has captured the pointer. @type {Element | null} */
  #captor = null;
  /** @type {Promise<void>} */
  #done;

  /** @param {number} seed */
  constructor(seed) {
    this.#random = new Random(seed);
    this.#replaceGlobals();
    this.#done = this.#play();
  }

  /** Ends the input, removes the focus and waits until the page has settled. */
  async stop() {
    this.#stopped = true;
    await this.#done;
    /** @type {HTMLElement} */ (focusedElement()).blur();
    await settled();
    return this.log;
  }

  /** Switches printing and links off. Replaces pointer capture, which does not work with synthetic events. */
  #replaceGlobals() {
    window.print = () => {};
    HTMLAnchorElement.prototype.click = () => {};
    const fuzz = this;
    Element.prototype.setPointerCapture = function () {
      fuzz.#captor = this;
    };
    Element.prototype.hasPointerCapture = function () {
      return fuzz.#captor === this;
    };
    Element.prototype.releasePointerCapture = () => this.#release();
  }

  #release() {
    const captor = this.#captor;
    this.#captor = null;
    captor?.dispatchEvent(new PointerEvent('lostpointercapture', { pointerId: 1, bubbles: true }));
  }

  async #play() {
    while (!this.#stopped) {
      await Promise.race([settled(), new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
      if (!this.#stopped) this.#actOnce();
    }
  }

  /** @param {Element | undefined} modal */
  #targetsIn(modal) {
    return [...elementsOf(document)].filter(
      (each) =>
        each.matches(TARGETS) &&
        each.checkVisibility({ visibilityProperty: true }) &&
        !isWithin(each, LEFT_ALONE) &&
        (!modal || isWithin(each, 'dialog:modal')),
    );
  }

  #actOnce() {
    const modal = [...elementsOf(document)].find((each) => each.matches('dialog:modal'));
    const targets = this.#targetsIn(modal);
    if (modal && (targets.length === 0 || this.#random.next() < 0.1)) return this.#close(modal);
    if (targets.length === 0) return;
    const target = /** @type {HTMLElement} */ (this.#random.of(targets));
    target.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    const lot = this.#random.next();
    if (lot < 0.15) this.#pressKey(target);
    else if (lot < 0.35) this.#drag(target);
    else if (lot < 0.38) scrollBy(0, (this.#random.next() - 0.5) * 2 * innerHeight);
    else if (target.matches('select, input, textarea')) this.#fill(target);
    else this.#press(target);
  }

  /** Closes a dialog as the Escape key does. @param {Element} modal */
  #close(modal) {
    this.#note('close', modal);
    const dialog = /** @type {HTMLDialogElement} */ (modal);
    if (dialog.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close();
  }

  /** @param {string} what @param {Element} target @param {string} [how] */
  #note(what, target, how = '') {
    const { host } = /** @type {ShadowRoot} */ (target.getRootNode());
    const name = [target.localName, target.id && `#${target.id}`].join('');
    const said =
      target.getAttribute('data-command') ?? target.textContent?.trim().slice(0, 20) ?? '';
    this.log.push(
      `${what} ${host?.localName ?? 'page'} ${name} ${JSON.stringify(said)} ${how}`.trim(),
    );
  }

  /** Returns a random point of an element that is inside the window. @param {Element} target */
  #pointOf(target) {
    const { left, top, width, height } = target.getBoundingClientRect();
    const across = left + this.#random.next() * width;
    const down = top + this.#random.next() * height;
    return {
      x: Math.min(Math.max(across, 0), innerWidth - 1),
      y: Math.min(Math.max(down, 0), innerHeight - 1),
    };
  }

  /**
   * @param {string} type
   * @param {Element} target
   * @param {{ x: number, y: number }} at
   * @param {string} pointerType
   */
  #sendPointer(type, target, { x, y }, pointerType) {
    const taken = this.#captor ?? target;
    const down = !/up|click|over/.test(type);
    const options = {
      bubbles: true,
      cancelable: true,
      composed: true,
      clientX: x,
      clientY: y,
      button: /down|up|click/.test(type) ? 0 : -1,
      buttons: down ? 1 : 0,
      pointerId: 1,
      isPrimary: true,
      pointerType,
    };
    const Kind = type.startsWith('pointer') ? PointerEvent : MouseEvent;
    return taken.dispatchEvent(new Kind(type, options));
  }

  /**
   * Presses a mouse or a finger on the element at a point of the target. Returns null if this element gets no input.
   * @param {string} act
   * @param {HTMLElement} target
   */
  #pressAt(act, target) {
    const at = this.#pointOf(target);
    const found = elementAt(at.x, at.y);
    if (!found || isWithin(found, LEFT_ALONE)) return null;
    const kind = this.#random.of(['mouse', 'touch']);
    this.#note(act, found, kind);
    this.#sendPointer('pointerover', found, at, kind);
    this.#sendPointer('pointerdown', found, at, kind);
    this.#focus(found);
    return { at, found, kind };
  }

  /** @param {HTMLElement} target */
  #press(target) {
    const down = this.#pressAt('press', target);
    if (!down) return;
    const { at, found, kind } = down;
    this.#sendPointer('pointerup', found, at, kind);
    this.#release();
    this.#sendPointer('click', found, at, kind);
  }

  /** @param {HTMLElement} target */
  #drag(target) {
    const down = this.#pressAt('drag', target);
    if (!down) return;
    const { at, found, kind } = down;
    for (let i = 0; i < POINTS; i++) {
      at.x += (this.#random.next() - 0.5) * 200;
      at.y += (this.#random.next() - 0.5) * 200;
      this.#sendPointer('pointermove', elementAt(at.x, at.y) ?? found, at, kind);
    }
    this.#sendPointer(this.#random.next() < 0.1 ? 'pointercancel' : 'pointerup', found, at, kind);
    this.#release();
  }

  /** Moves the focus to the nearest focusable ancestor of `from`, as a press does. @param {Element} from */
  #focus(from) {
    for (let at = /** @type {Element | null} */ (from); at; at = parentOf(at))
      if (at.matches(TARGETS)) return /** @type {HTMLElement} */ (at).focus();
  }

  /** @param {HTMLElement} target */
  #pressKey(target) {
    const key = this.#random.of(KEYS);
    if (key === 'Tab' || this.#random.next() < 0.5) target.focus();
    const on = focusedElement();
    this.#note('key', on, key);
    const options = { key, bubbles: true, cancelable: true, composed: true };
    const free = on.dispatchEvent(new KeyboardEvent('keydown', options));
    on.dispatchEvent(new KeyboardEvent('keyup', options));
    // A synthetic Enter does not press a button, so this click does.
    if (free && key === 'Enter' && on.matches('button, summary') && !isWithin(on, LEFT_ALONE))
      /** @type {HTMLElement} */ (on).click();
  }

  /** @param {any} target an input, a slider or a list */
  #fill(target) {
    if (target.disabled || target.readOnly) return;
    if (target.matches('[type=checkbox], [type=radio]')) return this.#press(target);
    target.focus();
    if (target.matches('select'))
      target.selectedIndex = this.#random.whole(0, target.options.length - 1);
    else if (target.type === 'range') {
      const [low, high] = [Number(target.min), Number(target.max || 100)];
      target.value = String(low + this.#random.next() * (high - low));
    } else target.value = this.#random.of(TEXTS);
    this.#note('fill', target, JSON.stringify(target.value.slice(0, 30)));
    target.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
    if (this.#random.next() < 0.7) target.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

/** @param {number} seed */
export function beginFuzz(seed) {
  /** @type {any} */ (globalThis).fuzz = new Fuzz(seed);
}
