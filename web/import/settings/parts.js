/** Values that many programs write in the same way: biases of tokens, sequence breakers, clamps. */
import { phrase, show } from '../../engine/errors.js';
import { isObject, refused } from './forms.js';

/** @import { Phrase } from './read.js' */
/** @typedef {(note: Phrase) => void} Note */

/** A count that no text reaches: the end of the text stays banned. */
export const FOREVER = 2 ** 31 - 1;

export const atLeast0 = (/** @type {number} */ value) => Math.max(value, 0);
export const from0To1 = (/** @type {number} */ value) => Math.min(Math.max(value, 0), 1);

/**
 * Splits biases into tokens and values: { id: bias }, [[id, bias]], or flags "ID+BIAS".
 * @param {unknown} value
 * @returns {[unknown, unknown][]}
 */
function biasPairs(value) {
  if (isObject(value)) return Object.entries(value);
  return (Array.isArray(value) ? value : [value]).map((one) => {
    if (Array.isArray(one)) return [one[0], one[1]];
    const [, id, bias] = /^\s*(\d+)\s*([+-].*)$/.exec(String(one)) ?? [];
    return id === undefined ? [one, undefined] : [id, Number(bias.replace(/inf$/i, 'Infinity'))];
  });
}

/**
 * Returns logit_bias. Biases of one token add up, false bans. A bias of a text needs a tokenizer, so a note names it.
 * @param {unknown} value
 * @param {Record<string, any>} _all
 * @param {Note} note
 * @param {number} [most] the program clamps biases to ± this
 */
export function biasesFrom(value, _all, note, most = Number.MAX_VALUE) {
  /** @type {Record<string, number | false>} */
  const biases = {};
  for (const [token, bias] of biasPairs(value)) {
    const id = String(token);
    if (bias === undefined) throw refused('settings_biases', { value: show(token ?? []) });
    if (bias !== false && (typeof bias !== 'number' || Number.isNaN(bias)))
      throw refused('settings_bias', { token: show(token), value: show(bias) });
    if (!/^(0|[1-9]\d{0,9})$/.test(id) || Number(id) >= 2 ** 32) {
      note(phrase('settings_bias_text', { token: show(token), value: show(bias) }));
      continue;
    }
    const sum = biases[id] ?? 0;
    if (bias === false || sum === false || bias < -Number.MAX_VALUE) biases[id] = false;
    else biases[id] = sum + Math.min(Math.max(bias, -most), most);
  }
  return biases;
}

/**
 * Writes logit_bias for a program without bans: a ban becomes the strongest bias.
 * @param {number} least
 */
export const biasesTo =
  (least) =>
  (/** @type {Record<string, number | false>} */ value = {}) =>
    Object.fromEntries(
      Object.entries(value).map(([id, bias]) => [id, bias === false ? least : bias]),
    );

/** @type {Record<string, string>} */
const ESCAPES = { n: '\n', t: '\t', r: '\r' };

/** Reads escapes of flags: \n, \t, \r, \", \', \\. @param {string} text */
export const unescaped = (text) =>
  text.replace(/\\([ntr"'\\])/g, (_, letter) => ESCAPES[letter] ?? letter);

/** @param {string} text */
export const escaped = (text) =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r');

/**
 * Checks that a value is a list of texts; one text is a list too.
 * @param {string} key
 * @param {unknown} value
 * @returns {string[]}
 */
export function texts(key, value) {
  const list = [value].flat();
  const odd = list.find((one) => typeof one !== 'string');
  if (odd !== undefined || list.includes(undefined))
    throw refused('settings_text', { key, value: show(odd) });
  return /** @type {string[]} */ (list);
}
