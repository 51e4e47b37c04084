/** The prompt and the text after it, in one element. A change of the text does not move other elements. */
import { t } from '../../locale/locale.js';
import { unturned, visible } from '../../base/visible.js';

/**
 * @typedef {{ id: number, text: string, end: boolean }} Word
 */

/** The number of characters shown of a long prompt. */
const TAIL = 90;
const END = '∎';

/** The key of the text that each element shows. @type {WeakMap<HTMLElement, string>} */
const written = new WeakMap();

/** Returns the end of a prompt, from the start of a word. @param {string} prompt */
export function tailOf(prompt) {
  if (prompt.length <= TAIL) return prompt;
  const tail = prompt.slice(-TAIL);
  return `…${tail.slice(Math.max(0, tail.indexOf(' ')))}`;
}

/**
 * Writes a sentence with new child elements. If it moved an old one, the browser would count a layout
 * shift.
 * @param {HTMLElement} into
 * @param {string} prompt
 * @param {Word[]} words the first one is the drawn token
 * @param {number[] | null} before ids of the text before a change; a word with another id is marked
 */
export function writeSentence(into, prompt, words, before) {
  const key = JSON.stringify([prompt, words, before, t('language')]);
  if (written.get(into) === key) return;
  written.set(into, key);
  const parts = words.map(({ id, text, end }, i) => {
    const part = document.createElement(i === 0 ? 'mark' : 'span');
    const shown = i === 0 ? text.trim() || visible({ id, text, special: false }) : text;
    part.textContent = end ? END : unturned(shown);
    if (end) part.title = t('landscape.end');
    part.classList.toggle('end', end);
    part.classList.toggle('changed', before !== null && before[i] !== id);
    return part;
  });
  const said = document.createElement('span');
  said.className = 'prompt';
  said.textContent = unturned(tailOf(prompt));
  const [first] = words;
  const gap = first && !first.end && /^\s/.test(first.text) ? ' ' : '';
  into.replaceChildren(said, gap, ...parts);
}
