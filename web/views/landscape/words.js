/** What stands at the knob and under it. */
import { plain, t } from '../../locale/locale.js';
import { settingName } from '../../base/setting-words.js';

/** @typedef {{ share: number, value: string, word: string }} Mark */

/** How near an even mark may stand to that of the neutral value, as a share of the whole. */
const APART = 1 / 8;

/** Settings with a letter of their own. @type {Record<string, string>} */
export const SYMBOLS = { temperature: 'T', repetition_penalty: 'r' };

/** @param {string} name of a setting */
export function symbolOf(name) {
  return SYMBOLS[name] ?? settingName(name);
}

/** Without what binary fractions add. @param {number} value */
export function round(value) {
  return Number(value.toFixed(3));
}

/**
 * The marks under the picture.
 * @param {import('../../engine/types.js').TableRow} row
 * @returns {Mark[]}
 */
export function axisOf({ name, low, high, neutral, kind }) {
  const mark = (/** @type {number} */ value, word = '') => ({
    share: (value - low) / (high - low),
    value: plain(round(value)),
    word,
  });
  if (name === 'temperature')
    return [
      mark(0, t('landscape.greedy')),
      mark(1, t('landscape.model')),
      mark(2),
      mark(3, t('landscape.noise')),
    ];
  const even = [0, 1, 2, 3, 4].map((i) => low + ((high - low) * i) / 4);
  const far = even.filter((value) => Math.abs(value - neutral) > (high - low) * APART);
  const marks = far.map((value) => mark(kind === 'integer' ? Math.round(value) : value));
  const off = neutral >= low && neutral <= high ? [mark(neutral, t('landscape.off'))] : [];
  return [...marks, ...off];
}
