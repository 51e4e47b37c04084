/** The ticks of the axis under the picture, and the short names of knobs. */
import { html } from 'lit';
import { settingName } from '../../base/setting-words.js';
import { plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';

/** @typedef {{ share: number, value: string, word: string }} Tick */

/** An evenly spaced tick is left out if it is nearer to the neutral value's tick than this share of the axis. */
const APART = 1 / 8;

/** The settings that have a one-letter symbol. @type {Record<string, string>} */
export const SYMBOLS = { temperature: 'T', repetition_penalty: 'r' };

/** @param {string} name of a setting */
export function symbolOf(name) {
  return SYMBOLS[name] ?? settingName(name);
}

/** Rounds to 3 digits, so that 0.1 + 0.2 shows as 0.3. @param {number} value */
export function round(value) {
  return Number(value.toFixed(3));
}

/**
 * @param {import('../../engine/types.js').TableRow} row
 * @returns {Tick[]}
 */
export function ticksOf({ name, low, high, neutral, kind }) {
  const tick = (/** @type {number} */ value, word = '') => ({
    share: (value - low) / (high - low),
    value: plain(round(value)),
    word,
  });
  if (name === 'temperature')
    return [
      tick(0, t('landscape.greedy')),
      tick(1, t('landscape.model')),
      tick(2),
      tick(3, t('landscape.noise')),
    ];
  const even = [0, 1, 2, 3, 4].map((i) => low + ((high - low) * i) / 4);
  const far = even.filter((value) => Math.abs(value - neutral) > (high - low) * APART);
  const ticks = far.map((value) => tick(kind === 'integer' ? Math.round(value) : value));
  const off = neutral >= low && neutral <= high ? [tick(neutral, t('landscape.off'))] : [];
  return [...ticks, ...off];
}

/** @param {Tick} tick */
export function renderTick({ share, value, word }) {
  const atRight = share === 1 ? 'high' : '';
  return html`<span class=${share === 0 ? 'low' : atRight} ${cssom({ left: `${share * 100}%` })}>${value}<small>${word}</small></span>`;
}
