/**
 * The language of the page: its messages and its numbers. Every string of the page comes from a JSON
 * file of this folder, so a new language is one new file.
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
/** The fetched messages, by language. @type {Record<string, Messages>} */
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
  if (!languages.some((each) => each.code === code)) return;
  wanted = code;
  await fetchMessages(code);
  if (wanted !== code || current === code) return;
  current = code;
  announceLanguage();
}

/** The requests for strings under way, by language. @type {Map<string, Promise<void>>} */
const fetching = new Map();

/** @param {string} code one on offer */
async function fetchMessages(code) {
  const other = others.find((each) => each.code === code);
  if (!other || messages[code]?.language) return;
  const underway =
    fetching.get(code) ??
    other.load().then(({ default: fetched }) => {
      messages[code] = { ...messages[code], ...fetched };
    });
  fetching.set(code, underway);
  await underway.finally(() => fetching.delete(code));
}

/** @type {(text: string) => string} */
const same = (text) => text;
/**
 * Functions on each text of the page, and on the file of a shipped lesson; a pseudo-locale sets others.
 * Caches of strings depend on t('language'), which a pseudo-locale changes too.
 */
export const disguise = { of: same, lesson: same };

/** Calls the listeners after a change of strings. */
export function announceLanguage() {
  for (const listener of listeners) listener();
}

/**
 * Runs `work`, a synchronous function, with the strings of another language. If they are not loaded
 * yet, it runs with the page's language; the listeners are called when they arrive.
 * @template T
 * @param {string | null} code null is the page's
 * @param {() => T} work
 * @returns {T}
 */
export function speaking(code, work) {
  if (code === null || code === current) return work();
  if (code !== 'en' && !messages[code]?.language) {
    if (!fetching.has(code)) fetchMessages(code).then(announceLanguage, () => {}); // without strings the page's language stays
    return work();
  }
  const page = current;
  current = code;
  try {
    return work();
  } finally {
    current = page;
  }
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
  const text = typeof entry === 'string' ? entry : (entry[plural(Number(params.n))] ?? entry.other);
  return disguise.of(text).replace(/\{(\w+)\}/g, (whole, name) => {
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

/**
 * A function that writes numbers; its format is made once for each language.
 * @param {Intl.NumberFormatOptions} options
 */
function writer(options) {
  /** @type {Map<string, Intl.NumberFormat>} */
  const made = new Map();
  return (/** @type {number} */ value) => {
    let format = made.get(current);
    if (!format) made.set(current, (format = new Intl.NumberFormat(current, options)));
    return format.format(value);
  };
}

/**
 * A writer for each count of digits.
 * @param {(digits: number) => Intl.NumberFormatOptions} options
 */
function writers(options) {
  /** @type {ReturnType<typeof writer>[]} */
  const made = [];
  return (/** @type {number} */ digits, /** @type {number} */ value) =>
    (made[digits] ??= writer(options(digits)))(value);
}

const inFull = writers((maximumSignificantDigits) => ({ maximumSignificantDigits }));
const ungrouped = writers((digits) => ({ maximumSignificantDigits: digits, useGrouping: false }));
const exactly = writers((digits) => ({
  minimumFractionDigits: digits,
  maximumFractionDigits: digits,
}));
const atMost = writers((maximumFractionDigits) => ({ maximumFractionDigits }));
const percentExactly = writers((digits) => ({
  style: 'percent',
  minimumFractionDigits: digits,
  maximumFractionDigits: digits,
}));
const percentAtMost = writers((maximumSignificantDigits) => ({
  style: 'percent',
  maximumSignificantDigits,
}));
const percentOfThree = writer({
  style: 'percent',
  minimumSignificantDigits: 3,
  maximumSignificantDigits: 3,
});

/** @param {number} value */
const digitsOf = (value) => (Number.isInteger(value) ? 21 : 15);

/**
 * A number in full, grouped as the language does: whole numbers exactly, others to 15 digits.
 * @param {number} value
 */
export function number(value) {
  return inFull(digitsOf(value), value);
}

/** Words as a list in a sentence, such as "a, b and c". @param {string[]} items */
export function list(items) {
  return new Intl.ListFormat(current).format(items);
}

/**
 * A number with a fixed count of decimals; never minus zero.
 * @param {number} value
 * @param {number} decimals
 */
export function fixed(value, decimals) {
  return exactly(decimals, value + 0);
}

/** The rounding of float32 logits can make an entropy of this size. */
const LEAST = 1e-6;

/**
 * An entropy or a perplexity with two decimals; a small one gets up to six, so that it is not 0.
 * @param {number} value
 */
export function measure(value) {
  if (value > 0 && value < LEAST) return `<${inFull(2, LEAST)}`;
  return value >= 0.1 || value <= 0 ? fixed(value, 2) : inFull(2, value);
}

/** Writes a number with at most `decimals` decimals. @param {number} value @param {number} decimals */
export function rounded(value, decimals) {
  return atMost(decimals, value);
}

/** A number for an input box, without grouping. @param {number} value */
export function plain(value) {
  return ungrouped(digitsOf(value), value);
}

/**
 * Reads a typed number; NaN if the text is none. A point separates decimals, and a comma too if the
 * language writes one.
 * @param {string} text
 */
export function parse(text) {
  const comma = atMost(1, 1.5).includes(',');
  const cleaned = comma ? text.trim().replace(',', '.') : text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cleaned) ? Number(cleaned) : NaN;
}

/**
 * A share of 1 as a percentage that never hides a small or nearly full share: only 0 is written as 0 %,
 * only 1 as 100 %, and 0.000003 is 0.0003 %.
 * @param {number} p
 */
export function percent(p) {
  if (p > 0 && p < 1e-6) return scientificPercent(p);
  if (p >= 0.1 && p < 1) return nearlyFull(p);
  if (p === 1) return percentExactly(0, p);
  return p < 0.001 ? percentAtMost(2, p) : percentOfThree(p);
}

/**
 * A percentage at the end of a bar: a share below 0.01 % is written as < 0.01 %.
 * @param {number} p
 */
export function briefPercent(p) {
  return p > 0 && p < 1e-4 ? `<\u2009${tick(1e-4)}` : percent(p);
}

/**
 * The label of a tick: a share with its own digits only, a small one with a power of ten.
 * @param {number} p
 */
export function tick(p) {
  if (!(p > 0 && p < 1e-6)) return percentAtMost(6, p);
  const [mantissa, exponent] = Number((p * 100).toPrecision(6))
    .toExponential()
    .split('e');
  const times = mantissa === '1' ? '' : `${plain(Number(mantissa))} × `;
  return `${times}${tenTo(exponent)}${percentSign()}`;
}

/** @param {number} p */
function nearlyFull(p) {
  const full = percentExactly(0, 1);
  for (let digits = 1; digits <= 14; digits += digits === 1 ? 1 : 2) {
    const text = percentExactly(digits, p);
    if (!text.startsWith(full.slice(0, 3))) return text;
  }
  return `< ${full}`;
}

/** @param {number} p */
function scientificPercent(p) {
  const [mantissa, exponent] = (p * 100).toExponential(1).split('e');
  return `${fixed(Number(mantissa), 1)} × ${tenTo(exponent)}${percentSign()}`;
}

/** @param {string} exponent */
function tenTo(exponent) {
  const digits = [...String(Number(exponent))].map((c) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]);
  return `10${digits.join('')}`;
}

/** The percent sign of the language, with a space before it if the language writes one. */
const percentSign = () => percentExactly(0, 1).slice(3);
