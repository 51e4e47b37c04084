/** What the engine refuses, in the language of the page: fetched when the first refusal is told. */
import { locales } from '#locales/fault';
import { addMessages, hasMessage, t } from '../locale/locale.js';
import { reader } from './sentences.js';

/** @typedef {import('./faults.js').Fault} Fault */

addMessages(locales);

const read = reader(locales.en);

/**
 * Its reason, to stand within a sentence.
 * @param {Fault} fault
 */
export function reasonOf({ code, message }) {
  return say(code, message) ?? message;
}

/**
 * A whole sentence.
 * @param {Fault} fault
 */
export function sentenceOf(fault) {
  if (fault.code === 'empty') return t('error.empty');
  const { key = '', values } = read(fault.code, fault.message) ?? {};
  if (key === 'fault.unknown_token.text')
    return t('error.unknown_token', { token: values?.token.trim() ?? '' });
  const reason = reasonOf(fault);
  return t('error.other', { message: reason[0].toUpperCase() + reason.slice(1) });
}

/**
 * @param {string} code
 * @param {string} text
 * @returns {string | null}
 */
function say(code, text) {
  const found = read(code, text);
  if (!found) return null;
  const values = Object.entries(found.values).map(([name, value]) => [name, sayValue(value)]);
  return t(found.key, Object.fromEntries(values));
}

/** A number, the name of a setting, a phrase, or what was given. @param {string} value */
function sayValue(value) {
  if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(value)) return Number(value);
  if (hasMessage(`warper.${value}`)) return t(`warper.${value}`);
  return say('phrase', value) ?? value;
}
