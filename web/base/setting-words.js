/** Writes names and values of settings in words, and reads values that the user types. */
import { hasMessage, list, number, parse, percent, plain, t } from '../locale/locale.js';
import { outside } from '../state/fields.js';
import { spoken } from './visible.js';

/** @import { Settings, SettingRow } from '../plots/trace.js' */
/** @import { NumberRange } from '../state/fields.js' */

/** @param {string} name a sampler or parameter */
export function settingName(name) {
  const key = `setting.${name}`;
  return hasMessage(key) ? t(key) : name;
}

/**
 * Returns a string that is fetched later, with the shelf; '' until then.
 * @param {string} key
 * @param {import('../locale/locale.js').Params} [params]
 */
export function later(key, params) {
  return hasMessage(key) ? t(key, params) : '';
}

/** Returns the sentence about a setting's effect. @param {string} name */
export function aboutSetting(name) {
  return later(`about.${name}`);
}

/**
 * Reads the text that the user has typed for a setting. Returns the value, or a sentence about why it is invalid.
 * @param {SettingRow} row
 * @param {string} text
 * @returns {{ value: number } | { error: string }}
 */
export function readSetting(row, text) {
  return readNumber(capitalise(settingName(row.name)), text, row);
}

/**
 * Reads a seed: an integer from 0 to 2^53 - 1.
 * @param {string} text
 * @returns {{ value: number } | { error: string }}
 */
export function readSeed(text) {
  return readWhole(t('draw.seed'), text, 0, Number.MAX_SAFE_INTEGER);
}

/**
 * Reads an integer.
 * @param {string} name the localised name
 * @param {string} text
 * @param {number} minimum
 * @param {number} maximum
 * @returns {{ value: number } | { error: string }}
 */
export function readWhole(name, text, minimum, maximum) {
  return readNumber(name, text, { kind: 'integer', minimum, maximum, both: true });
}

/**
 * Reads a number.
 * @param {string} name the localised name
 * @param {string} text
 * @param {NumberRange & { kind: string, both?: boolean }} range the accepted range; if `both` is
 *   true, the error names the maximum even if it is very large
 * @returns {{ value: number } | { error: string }}
 */
export function readNumber(name, text, range) {
  if (text.trim() === '') return { error: t('error.empty', { name }) };
  const value = parse(text);
  if (!Number.isFinite(value)) return { error: t('error.number', { name, value: text.trim() }) };
  if (range.kind === 'integer' && !Number.isInteger(value))
    return { error: t('error.integer', { name, value }) };
  const refusal = outside(value, range);
  if (!refusal) return { value };
  const rule = t(`state.why.${range.both ? 'between' : refusal.why}`, refusal);
  return { error: t('error.outside', { name, rule, value }) };
}

/** Longest number in a box, in characters, that is written without an exponent. */
const MAX_PLAIN = 12;

/** Returns the exact value as a box shows it: 1000000000, but 1e+30. @param {number} value */
export function inBox(value) {
  const [digits, short] = [plain(value), value.toExponential()];
  return digits.length > MAX_PLAIN && short.length < digits.length ? short : digits;
}

/**
 * Returns the error of a number box, and the value that stays; '' without an error.
 * @param {string} error
 * @param {number} value
 */
export function keptWords(error, value) {
  return error && t('error.kept', { sentence: error, kept: inBox(value) });
}

/**
 * Returns a value in words, as screen readers say it.
 * @param {SettingRow} row
 * @param {number} value
 */
export function valueInWords(row, value) {
  if (row.name === 'temperature' && value === 0) return t('words.greedy');
  if (row.name === 'repetition_window' && value === 0) return t('words.all');
  if (row.sampler && value === row.neutral) return t('words.off', { value: plain(value) });
  return plain(value);
}

/**
 * Returns the settings of a strategy in words, such as "top-p 0.9, penalty 1.2".
 * @param {Settings} settings
 */
export function describeSettings(settings) {
  if (settings.temperature === 0) return t('strategy.greedy');
  const parts = Object.entries(settings).map(([name, value]) =>
    hasMessage(`strategy.${name}`) ? t(`strategy.${name}`, { value }) : `${name} ${number(value)}`,
  );
  return parts.join(', ');
}

/** Keys of the sentences about how the user's order changes the result. */
const ORDER = {
  only: 'order.only',
  lost: 'order.lost',
  shifted: 'order.shifted',
  same: 'order.same',
};

/**
 * Describes how two results differ, in sentences that name tokens.
 * @param {import('../state/order.js').Difference} difference
 * @param {number} eos
 * @param {typeof ORDER} [words] the keys of the sentences
 * @param {Record<string, string>} [params] parameters of the sentences
 */
export function describeDifference({ only, lost, shifted }, eos, words = ORDER, params = {}) {
  /** @param {import('../state/order.js').Token} token */
  const name = (token) => t('order.token', { token: spoken(token, eos) });
  /** @param {import('../state/order.js').Group} group */
  const names = ({ tokens, count }) => {
    const more = count - tokens.length;
    const named = tokens.map(name);
    return list(more > 0 ? [...named, t('order.more', { n: more })] : named);
  };
  const sentences = [];
  if (only.count > 0) sentences.push(t(words.only, { ...params, tokens: names(only) }));
  if (lost.count > 0) sentences.push(t(words.lost, { ...params, tokens: names(lost) }));
  if (shifted) {
    const { token, p, before } = shifted;
    const shares = { token: name(token), p: percent(p), before: percent(before) };
    sentences.push(t(words.shifted, { ...params, ...shares }));
  }
  return sentences.length > 0 ? sentences.join(' ') : t(words.same, params);
}

/** @param {string} text */
export function capitalise(text) {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/** The settings that lists show first. */
const USUAL = ['temperature', 'top_k', 'top_p', 'min_p', 'repetition_penalty'];

/**
 * Returns rows of settings, those of USUAL first.
 * @template {{ name: string }} R
 * @param {readonly R[]} rows
 */
export function usualFirst(rows) {
  const place = (/** @type {R} */ { name }) => USUAL.indexOf(name) + 1 || USUAL.length + 1;
  return [...rows].sort((a, b) => place(a) - place(b));
}

/**
 * Returns a share in words; an interval, if its ends differ in words.
 * @param {number} low
 * @param {number | undefined} high
 * @param {(p: number) => string} say
 */
export function shareWords(low, high, say) {
  const [from, to] = [say(low), say(high ?? low)];
  return from === to ? from : `${from} – ${to}`;
}

/**
 * Returns a number of tokens in words; an interval, if the hidden tail of a recorded distribution leaves it open.
 * @param {number} low
 * @param {number} high Infinity if the size of the vocabulary is unknown
 */
export function rangeWords(low, high) {
  if (low === high) return number(low);
  if (high === Infinity) return later('recorded.more', { low: number(low) });
  return `${number(low)} – ${number(high)}`;
}
