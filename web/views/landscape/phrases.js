/** Sentences about the chosen value of the knob, u and the drawn token. */
import { settingName, valueInWords } from '../../base/setting-words.js';
import { fixed, list, number, percent, t } from '../../locale/locale.js';
import { symbolOf } from './axis.js';
import { shownValue } from './headline.js';
import { DRAWS } from './rain.js';

/**
 * @typedef {import('./content.js').Content} Content
 * @typedef {import('./lines.js').Lines} Lines
 * @typedef {import('../../state/tally.js').Tally} Tally
 */

/**
 * Returns the knob's value and u as one text.
 * @param {Lines} lines
 * @param {number} [digits] of u; u is left out if undefined
 */
export function crossingWords({ knob, u, playing }, digits) {
  const row = /** @type {import('../../engine/types.js').TableRow} */ (knob.row);
  const value = `${symbolOf(row.name)} = ${shownValue(row, knob.value, playing)}`;
  return digits === undefined || u === null ? value : `${value}, u = ${fixed(u, digits)}`;
}

/** Returns the name of the drawn token; '' before the engine has answered. @param {Content} content */
export function drawnWords({ shown, names }) {
  if (!shown?.reading) return '';
  const { id, p, rank } = shown.reading.drawn;
  return t('landscape.drawn', { token: names.of(id), p: percent(p), rank });
}

/** Number of tokens that the status text names with their counts. */
const TOLD = 3;

/**
 * Returns the result of many draws in words; '' until all are drawn.
 * @param {Content} content @param {Tally | null} tally
 */
function tallyWords({ reader, names }, tally) {
  if (tally?.total !== DRAWS || !reader?.reading) return '';
  const told = reader.reading.trace.tokens.slice(0, TOLD).map(({ id, p }) =>
    t('landscape.tallied.said', {
      token: names.of(id),
      n: number(tally.counts.get(id)?.n ?? 0),
      expected: fixed(DRAWS * p, 1),
    }),
  );
  return t('landscape.tallied.all', { of: number(DRAWS), tokens: list(told) });
}

/**
 * Returns the status text for screen readers; '' before the engine has answered.
 * @param {Lines} lines
 * @param {Content} content
 * @param {Tally | null} tally many draws; null without them
 */
export function statusWords({ knob }, content, tally) {
  const { reader } = content;
  const { row } = knob;
  if (!row || !reader?.reading) return '';
  const value = `${settingName(row.name)} ${valueInWords(row, knob.value)}`;
  const told = tallyWords(content, tally);
  return told || `${value}. ${drawnWords(content)} ${reader.written?.text ?? ''}`;
}
