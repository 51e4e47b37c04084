/** Numbers typed for a view's own fields. */
import { readNumber, readSeed } from '../base/setting-words.js';
import { t } from '../locale/locale.js';
import { field } from '../state/fields.js';

/**
 * Returns the typed number if the field allows it, otherwise a sentence with the reason.
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
