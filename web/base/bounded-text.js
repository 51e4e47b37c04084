/**
 * A Lit directive for the text of a textarea. It works like `live`, except for a heavy text: a text
 * whose layout takes the browser long. Then the box shows only the beginning, is read-only, and gets a
 * button that empties it.
 */
import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';
import { number, t } from '../locale/locale.js';

/** A text with a larger weight is heavy. The layout of a text with this weight takes about 50 ms. */
const MAX_WEIGHT = 80_000;
/**
 * Matches a line break or a run of non-Latin characters. The weight of a text is its length, plus
 * BREAK_WEIGHT for each match, plus OUTSIDE_WEIGHT for each matched character.
 */
const BREAK = /\n|[^\n -~\u00a0-\u024f\u2010-\u2027]+/g;
const BREAK_WEIGHT = 24;
const OUTSIDE_WEIGHT = 4;
/** The length of the beginning of a heavy text that a box shows, in characters. */
const SHOWN = 1000;

/** The full texts of the boxes that show only a beginning. @type {WeakMap<EventTarget, string>} */
const fullTexts = new WeakMap();

/** Returns the full text of an event's textarea. @param {Event} event */
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
  /** The note below the box of a heavy text. @type {HTMLElement | null} */
  #note = null;
  #listens = false;
  /** True if the box was read-only before its text became heavy; null for a light text. @type {boolean | null} */
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
    else if (this.#note) this.#say(box, text);
    return noChange;
  }

  /** Handles a paste that makes the text heavy, so that the browser never lays the text out. @param {HTMLTextAreaElement} box @param {InputEvent} event */
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
    if (heavy) fullTexts.set(box, text);
    else fullTexts.delete(box);
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

export const boundedText = directive(BoundedText);
