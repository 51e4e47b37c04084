/** Reads numbers that the user typed into a view's fields. */
import { readNumber, readSeed } from '../base/setting-words.js';
import { t } from '../locale/locale.js';
import { field } from '../state/fields.js';

/**
 * Returns the typed number if it is valid, otherwise a sentence with the reason.
 * @param {'compare' | 'speculative' | 'sweep'} view
 * @param {string} name
 * @param {string} text
 * @returns {{ value: number } | { error: string }}
 */
export function readField(view, name, text) {
  if (name === 'seed') return readSeed(text);
  const range = /** @type {any} */ (field(`${view}_${name}`));
  return readNumber(t(`${view}.${name}`), text, { ...range, both: true });
}
