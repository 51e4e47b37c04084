/** Sentences about the crossing of the lines. */
import { settingName, valueInWords } from '../../base/setting-words.js';
import { fixed, percent, t } from '../../locale/locale.js';
import { symbolOf } from './axis.js';
import { shownValue } from './headline.js';

/**
 * @typedef {import('./content.js').Content} Content
 * @typedef {import('./lines.js').Lines} Lines
 */

/**
 * Returns the knob's value and u as text.
 * @param {Lines} lines
 * @param {number} [digits] of u; u is left out if undefined
 */
export function crossingWords({ knob, u, playing }, digits) {
  const row = /** @type {import('../../engine/types.js').TableRow} */ (knob.row);
  const value = `${symbolOf(row.name)} = ${shownValue(row, knob.value, playing)}`;
  return digits === undefined || u === null ? value : `${value}, u = ${fixed(u, digits)}`;
}

/** Returns the name of the drawn token; '' before a reading. @param {Content} content */
export function drawnWords({ shown, names }) {
  if (!shown?.reading) return '';
  const { id, p, rank } = shown.reading.drawn;
  return t('landscape.drawn', { token: names.of(id), p: percent(p), rank });
}

/** Returns the status for a screen reader; '' before a reading. @param {Lines} lines @param {Content} content */
export function statusWords({ knob }, content) {
  const { reader } = content;
  const { row } = knob;
  if (!row || !reader?.reading) return '';
  const value = `${settingName(row.name)} ${valueInWords(row, knob.value)}`;
  return `${value}. ${drawnWords(content)} ${reader.written?.text ?? ''}`;
}
