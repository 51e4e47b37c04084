/**
 * A Lit directive for the text of a textarea. It works as `live`, but a text that takes a browser long
 * to lay out stays out of the box: the box shows its beginning, read-only, and a button empties it.
 */
import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';
import { number, t } from '../locale/locale.js';

/** A box lays out a text of this weight in some 50 ms. */
const HEAVIEST = 80_000;
/** Line breaks, and runs outside Latin script: each counts beside the weight of its characters. */
const BREAK = /\n|[^\n -~\u00a0-\u024f\u2010-\u2027]+/g;
const BREAK_WEIGHT = 24;
const OUTSIDE_WEIGHT = 4;
/** Characters that a box shows of a heavy text. */
const SHOWN = 1000;

/** The whole texts of boxes that show a beginning. @type {WeakMap<EventTarget, string>} */
const wholes = new WeakMap();

/** The whole text of the box that an event comes from. @param {Event} event */
export function boxedText({ target }) {
  const box = /** @type {HTMLTextAreaElement} */ (target);
  return wholes.get(box) ?? box.value;
}

/** @param {string} text */
function isHeavy(text) {
  if (text.length > HEAVIEST) return true;
  let weight = text.length;
  for (const [found] of text.matchAll(BREAK))
    weight += BREAK_WEIGHT + OUTSIDE_WEIGHT * found.length;
  return weight > HEAVIEST;
}

class Boxed extends Directive {
  /** The note below the box of a heavy text. @type {HTMLElement | null} */
  #note = null;
  #listens = false;
  /** Whether its reader may not write in the box; null while its text is light. @type {boolean | null} */
  #fixed = null;

  /** @param {string} text */
  render(text) {
    return text;
  }

  /** @param {import('lit/directive.js').ElementPart} part @param {[string]} values */
  update({ element }, [text]) {
    const box = /** @type {HTMLTextAreaElement} */ (element);
    if (!this.#listens) box.addEventListener('beforeinput', (event) => this.#onBefore(box, event));
    this.#listens = true;
    if ((wholes.get(box) ?? box.value) !== text) this.#show(box, text);
    else if (this.#note) this.#say(box, text);
    return noChange;
  }

  /** A paste that would make the text heavy goes past the box. @param {HTMLTextAreaElement} box @param {InputEvent} event */
  #onBefore(box, event) {
    const { data } = event;
    if (!data || data.length < SHOWN || box.readOnly) return;
    const { value, selectionStart, selectionEnd } = box;
    const pasted = data.replace(/\r\n?/g, '\n');
    const text = value.slice(0, selectionStart) + pasted + value.slice(selectionEnd);
    if (!isHeavy(text)) return;
    event.preventDefault();
    this.#give(box, text);
  }

  /** @param {HTMLTextAreaElement} box @param {string} text */
  #give(box, text) {
    this.#show(box, text);
    box.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /** @param {HTMLTextAreaElement} box @param {string} text */
  #show(box, text) {
    const heavy = isHeavy(text);
    if (heavy) wholes.set(box, text);
    else wholes.delete(box);
    const fixed = this.#fixed ?? box.readOnly;
    box.readOnly = heavy || fixed;
    this.#fixed = heavy ? fixed : null;
    box.value = heavy ? text.slice(0, SHOWN) : text;
    this.#note?.remove();
    this.#note = null;
    if (heavy) this.#say(box, text);
  }

  /** @param {HTMLTextAreaElement} box @param {string} text */
  #say(box, text) {
    if (!this.#note) {
      this.#note = document.createElement('p');
      this.#note.className = 'about';
      this.#note.setAttribute('role', 'status');
      const button = document.createElement('button');
      button.onclick = () => {
        this.#give(box, '');
        box.focus();
      };
      this.#note.append('', button);
      button.hidden = this.#fixed === true;
      (box.closest('label') ?? box).after(this.#note);
    }
    const [words, button] = this.#note.childNodes;
    words.textContent = `${t('box.long', { n: number(text.length), shown: number(SHOWN) })} `;
    button.textContent = t('box.empty');
  }
}

export const boxed = directive(Boxed);
