/**
 * A Lit directive for the text of a <textarea>, like `live`. But if a text is so long that the browser would need
 * long to lay it out (a heavy text), the field shows only its beginning, is read-only, and has a button that empties
 * it.
 */
import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';
import { locales } from '#locales/box';
import { addMessages, number, t } from '../locale/locale.js';

addMessages(locales);

/** A text with a larger weight is heavy. Laying out a text of this weight takes about 50 ms. */
const MAX_WEIGHT = 80_000;
/**
 * Matches a line break, or a run of characters that are not Latin. The weight of a text is its length, plus
 * BREAK_WEIGHT for each match, plus OUTSIDE_WEIGHT for each character in a match.
 */
const BREAK = /\n|[^\n -~\u00a0-\u024f\u2010-\u2027]+/g;
const BREAK_WEIGHT = 24;
const OUTSIDE_WEIGHT = 4;
/** Number of characters that the field of a heavy text shows. */
const SHOWN = 1000;

/** The full text of each field that shows only a beginning. @type {WeakMap<EventTarget, string>} */
const fullTexts = new WeakMap();

/** Returns the full text of the field in which an event happened. @param {Event} event */
export function fullTextOf({ target }) {
  const box = /** @type {HTMLTextAreaElement} */ (target);
  return fullTexts.get(box) ?? box.value;
}

/** @param {string} text */
function isHeavy(text) {
  if (text.length > MAX_WEIGHT) return true;
  let weight = text.length;
  for (const [found] of text.matchAll(BREAK))
    weight += BREAK_WEIGHT + OUTSIDE_WEIGHT * found.length;
  return weight > MAX_WEIGHT;
}

class BoundedText extends Directive {
  /** The note below the field of a heavy text; null for a light one. @type {HTMLElement | null} */
  #note = null;
  #listens = false;
  /** True if the field was read-only before its text became heavy; null for a light text. @type {boolean | null} */
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
    if ((fullTexts.get(box) ?? box.value) !== text) this.#show(box, text);
    else if (this.#note) this.#showNote(box, text);
    return noChange;
  }

  /**
   * Stops a paste that would make the text heavy, before the browser lays it out.
   * @param {HTMLTextAreaElement} box @param {InputEvent} event
   */
  #onBefore(box, event) {
    const { data } = event;
    if (!data || data.length < SHOWN || box.readOnly) return;
    const { value, selectionStart, selectionEnd } = box;
    const pasted = data.replace(/\r\n?/g, '\n');
    const text = value.slice(0, selectionStart) + pasted + value.slice(selectionEnd);
    if (!isHeavy(text)) return;
    event.preventDefault();
    this.#showAndEmit(box, text);
  }

  /** @param {HTMLTextAreaElement} box @param {string} text */
  #showAndEmit(box, text) {
    this.#show(box, text);
    box.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /** @param {HTMLTextAreaElement} box @param {string} text */
  #show(box, text) {
    const heavy = isHeavy(text);
    if (heavy) fullTexts.set(box, text);
    else fullTexts.delete(box);
    const fixed = this.#fixed ?? box.readOnly;
    box.readOnly = heavy || fixed;
    this.#fixed = heavy ? fixed : null;
    box.value = heavy ? text.slice(0, SHOWN) : text;
    this.#note?.remove();
    this.#note = null;
    if (heavy) this.#showNote(box, text);
  }

  /** @param {HTMLTextAreaElement} box @param {string} text */
  #showNote(box, text) {
    if (!this.#note) {
      this.#note = document.createElement('p');
      this.#note.className = 'about';
      this.#note.setAttribute('role', 'status');
      const button = document.createElement('button');
      button.onclick = () => {
        this.#showAndEmit(box, '');
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

export const boundedText = directive(BoundedText);
