/**
 * The text after the prompt, token by token. The drawn token is marked; a press on another token moves the picture to
 * its position.
 */
import { t } from '../../locale/locale.js';
import { unturned, visible } from '../../base/visible.js';

/** @typedef {{ id: number, text: string, end: boolean }} Word */

const END = '∎';
/** Matches a token that continues the previous word. */
const GROWN = /^[\p{L}\p{M}\p{N}'’-]/u;

/** For each element, a key of the text that it shows. @type {WeakMap<HTMLElement, string>} */
const written = new WeakMap();

/**
 * Writes the text with new elements. Moving an existing element would count as a layout shift.
 * @param {HTMLElement} into
 * @param {Word[]} words
 * @param {number} at the index of the drawn token
 * @param {number[] | null} before ids of the text from the drawn token on before a change; a word with
 *   another id is underlined
 * @param {number} last the last index that a press can choose
 */
export function writeWords(into, words, at, before, last) {
  const key = JSON.stringify([words, at, before, t('language')]);
  if (written.get(into) === key) return;
  written.set(into, key);
  const held = into.matches(':focus-within');
  let growing = true;
  const parts = words.flatMap(({ id, text, end }, i) => {
    const part = document.createElement(i === at ? 'mark' : 'span');
    const shown = end ? END : unturned(text.trim()) || visible({ id, text, special: false });
    const gap = end ? '' : (/^\s*/.exec(text)?.[0] ?? '');
    const tail = end || text.trim() === '' ? '' : (/\s*$/.exec(text)?.[0] ?? '');
    growing = growing && i > at ? GROWN.test(text) : i <= at;
    part.textContent = shown;
    if (end) part.title = t('landscape.end');
    part.classList.toggle('end', end);
    part.classList.toggle('past', i < at);
    part.classList.toggle('grown', i > at && growing);
    part.classList.toggle('changed', i >= at && before !== null && before[i - at] !== id);
    if (i <= last) {
      part.role = 'option';
      part.tabIndex = i === at ? 0 : -1;
      part.ariaSelected = String(i === at);
      part.dataset.at = String(i);
      if (i === at) part.ariaCurrent = 'true';
    }
    return [gap, part, tail];
  });
  into.replaceChildren(...parts.filter((part) => part !== ''));
  if (held) into.querySelector('mark')?.focus({ preventScroll: true });
}

/** How many words each key moves; Infinity means to the first or last word. @type {Record<string, number>} */
const KEYS = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

/**
 * Returns the index of the word that a press or a key chooses; null if none.
 * @param {any} event on a word
 * @param {number} at the index of the drawn token
 * @param {number} last
 */
export function chosenWord({ type, key, target, altKey, ctrlKey, metaKey }, at, last) {
  const place = target.closest('[data-at]');
  if (type === 'click') return place ? Number(place.dataset.at) : null;
  if (!(key in KEYS) || altKey || ctrlKey || metaKey) return null;
  const turned = /^Arrow/.test(key) && getComputedStyle(target).direction === 'rtl';
  return Math.min(last, Math.max(0, at + KEYS[key] * (turned ? -1 : 1)));
}
