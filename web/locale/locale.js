/**
 * The language of the page: one current language, its messages, and its numbers. Every string that
 * a reader meets comes from a JSON file of this folder, so a new language is one new file.
 */
/// <reference path="./locales.d.ts" />
import { english, others } from '#locales';

/**
 * A message, or its plural forms by Intl.PluralRules category, chosen by the parameter `n`.
 * @typedef {Record<string, string | Record<string, string>>} Messages
 * @typedef {Record<string, string | number>} Params
 */

/** @type {Set<() => void>} */
const listeners = new Set();
/** What has been fetched, by language. @type {Record<string, Messages>} */
const messages = { en: english };
let current = 'en';
let wanted = 'en';

/** The languages on offer: [{ code, name }], English first. */
export const languages = [{ code: 'en', name: String(english.language) }, ...others];

export function language() {
  return current;
}

/**
 * Switches the language as soon as its strings are there; an unknown code changes nothing.
 * @param {string} code
 */
export async function setLanguage(code) {
  const other = others.find((each) => each.code === code);
  if (!other && code !== 'en') return;
  wanted = code;
  if (other && !messages[code]?.language) {
    const { default: fetched } = await other.load();
    messages[code] = { ...messages[code], ...fetched };
  }
  if (wanted !== code || current === code) return;
  current = code;
  for (const listener of listeners) listener();
}

/**
 * The best language on offer for a list of preferences such as navigator.languages.
 * @param {readonly string[]} preferences
 */
export function matchLanguage(preferences) {
  for (const preference of preferences) {
    const code = preference.toLowerCase().split('-')[0];
    if (languages.some((each) => each.code === code)) return code;
  }
  return 'en';
}

/**
 * Calls `listener` after each switch; returns the function that stops it.
 * @param {() => void} listener
 */
export function onLanguage(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Adds the strings of a view that is fetched when it is first shown.
 * @param {Record<string, Messages>} more by language
 */
export function addMessages(more) {
  for (const [code, added] of Object.entries(more))
    messages[code] = { ...messages[code], ...added };
}

/**
 * The message `key` with its {placeholders} filled; numbers are written as the language does.
 * @param {string} key
 * @param {Params} [params]
 */
export function t(key, params = {}) {
  const entry = messages[current]?.[key] ?? messages.en[key];
  if (entry === undefined) throw new Error(`no message ${key}`);
  const text =
    typeof entry === 'string' ? entry : (entry[plural(Number(params.n))] ?? entry.other);
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = params[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? number(value) : value;
  });
}

/** @param {string} key */
export function hasMessage(key) {
  return messages.en[key] !== undefined;
}

/** @type {Map<string, Intl.PluralRules>} */
const rules = new Map();

/** @param {number} n */
function plural(n) {
  let made = rules.get(current);
  if (!made) rules.set(current, (made = new Intl.PluralRules(current)));
  return made.select(n);
}

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/** @param {Intl.NumberFormatOptions} options */
function format(options) {
  const key = current + JSON.stringify(options);
  let made = formats.get(key);
  if (!made) formats.set(key, (made = new Intl.NumberFormat(current, options)));
  return made;
}

/**
 * A number in full, grouped as the language does: whole numbers exactly, others to 15 digits.
 * @param {number} value
 */
export function number(value) {
  return format({ maximumSignificantDigits: Number.isInteger(value) ? 21 : 15 }).format(value);
}

/**
 * Words as a list in a sentence, such as "a, b and c".
 * @param {string[]} items
 */
export function list(items) {
  return new Intl.ListFormat(current).format(items);
}

/**
 * A number with a fixed count of decimals; never minus zero.
 * @param {number} value
 * @param {number} decimals
 */
export function fixed(value, decimals) {
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return format(options).format(value + 0);
}

/**
 * An entropy or a perplexity: two decimals, more where only they show that it is not zero.
 * @param {number} value
 */
export function measure(value) {
  return value >= 0.1 || value <= 0
    ? fixed(value, 2)
    : format({ maximumSignificantDigits: 2 }).format(value);
}

/**
 * A number with at most so many decimals.
 * @param {number} value
 * @param {number} decimals
 */
export function rounded(value, decimals) {
  return format({ maximumFractionDigits: decimals }).format(value);
}

/**
 * A number as it stands in a box to be edited: no grouping.
 * @param {number} value
 */
export function plain(value) {
  return format({
    maximumSignificantDigits: Number.isInteger(value) ? 21 : 15,
    useGrouping: false,
  }).format(value);
}

/**
 * Reads what a person typed; NaN where it is no number. A point always separates decimals; a comma
 * does where the language writes one.
 * @param {string} text
 */
export function parse(text) {
  const comma = format({}).format(1.5).includes(',');
  const cleaned = comma ? text.trim().replace(',', '.') : text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cleaned) ? Number(cleaned) : NaN;
}

/**
 * A share of 1 as a percentage that never lies about a small or a nearly full one: nothing but 0 is
 * written as 0 %, nothing but 1 as 100 %, and 0.000003 is 0.0003 %.
 * @param {number} p
 */
export function percent(p) {
  if (p > 0 && p < 1e-6) return scientificPercent(p);
  if (p >= 0.1 && p < 1) return nearlyFull(p);
  const [minimum, maximum] = p < 0.001 ? [1, 2] : p === 1 ? [1, 1] : [3, 3];
  const options = { minimumSignificantDigits: minimum, maximumSignificantDigits: maximum };
  return format({ style: 'percent', ...options }).format(p);
}

/**
 * A mark on an axis: the share in as few digits as it has.
 * @param {number} p
 */
export function tick(p) {
  return format({ style: 'percent', maximumSignificantDigits: 6 }).format(p);
}

/** @param {number} p */
function nearlyFull(p) {
  const full = format({ style: 'percent', maximumFractionDigits: 0 }).format(1);
  for (let digits = 1; digits <= 14; digits += digits === 1 ? 1 : 2) {
    const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    const text = format({ style: 'percent', ...options }).format(p);
    if (!text.startsWith(full.slice(0, 3))) return text;
  }
  return `< ${full}`;
}

/** @param {number} p */
function scientificPercent(p) {
  const [mantissa, exponent] = (p * 100).toExponential(1).split('e');
  const digits = [...String(Number(exponent))].map((c) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]);
  const sign = format({ style: 'percent', maximumFractionDigits: 0 }).format(1).slice(3);
  return `${fixed(Number(mantissa), 1)} × 10${digits.join('')}${sign}`;
}
