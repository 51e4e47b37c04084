/** Writes errors of the engine in the page's language. This module is fetched at the first error. */
import { locales } from '#locales/fault';
import { sentences } from '../engine/sentences.js';
import { addMessages, hasMessage, t } from '../locale/locale.js';
import { spokenText } from './visible.js';

/** @import { Fault, Values } from '../engine/errors.js' */

const english = Object.entries(sentences).map(([key, text]) => [`fault.${key}`, text]);
addMessages({ en: Object.fromEntries(english) });
addMessages(locales);

/**
 * Returns the reason of an error, to be used inside a sentence. Phrases in it may use the values of the error.
 * @param {Pick<Fault, 'key' | 'values'>} fault
 * @returns {string}
 */
export function reasonOf({ key, values }) {
  const entries = Object.entries(values);
  const about = Object.fromEntries(entries.filter(([, value]) => typeof value !== 'object'));
  const said = entries.map(([name, value]) => [name, sayValue(name, value, about)]);
  return t(`fault.${key}`, Object.fromEntries(said));
}

/** Returns the error as a whole sentence. @param {Fault} fault */
export function sentenceOf(fault) {
  if (fault.code === 'empty') return t('fault.said.empty');
  if (fault.key === 'vocabulary_lacks')
    return t('fault.said.unknown_token', { token: spokenText(String(fault.values.token)) });
  const reason = reasonOf(fault);
  return t('fault.said.other', { message: reason[0].toUpperCase() + reason.slice(1) });
}

/**
 * Returns a value as text: a number, a phrase, the name of a setting, or the value itself.
 * @param {string} name
 * @param {Values[string]} value
 * @param {Values} about all values of the fault
 */
function sayValue(name, value, about) {
  if (typeof value === 'object')
    return reasonOf({ key: value.key, values: { ...about, ...value.values } });
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : String(value);
  const key = [`setting.${value}`, `fault.setting.${value}`].find(hasMessage);
  return name === 'setting' && key ? t(key) : value;
}
