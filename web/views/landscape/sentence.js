/** The text that follows, as prose that is written anew while one drags; nothing else moves by it. */
import { t } from '../../locale/locale.js';
import { unturned, visible } from '../../base/visible.js';

/**
 * @typedef {{ id: number, text: string, end: boolean }} Word
 */

/** How much of a long prompt is shown, in characters. */
const TAIL = 90;
const END = '∎';

/** What stands in an element. @type {WeakMap<HTMLElement, string>} */
const written = new WeakMap();

/** The end of a prompt, from a word on. @param {string} prompt */
export function tailOf(prompt) {
  if (prompt.length <= TAIL) return prompt;
  const tail = prompt.slice(-TAIL);
  return `…${tail.slice(Math.max(0, tail.indexOf(' ')))}`;
}

/**
 * Each time of new parts: words that follow each other in the same place are not taken for ones that
 * have moved.
 * @param {HTMLElement} into
 * @param {string} prompt
 * @param {Word[]} words the first one is the drawn token
 * @param {number[] | null} before the ids since which a change is told, null where none is
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
