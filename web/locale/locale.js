/**
 * The language of the page: its messages and the format of its numbers. The strings are in JSON files of
 * this folder, one for each language.
 */
/// <reference path="./locales.d.ts" />
import { english, others } from '#locales';

/**
 * The messages of a language by key. A message is a string, or an object with its plural forms: the
 * parameter `n` chooses the form by its Intl.PluralRules category.
 * @typedef {Record<string, string | Record<string, string>>} Messages
 * @typedef {Record<string, string | number>} Params
 */

/** @type {Set<() => void>} */
const listeners = new Set();
/** The fetched messages; the key is the language's code. @type {Record<string, Messages>} */
const messages = { en: english };
let current = 'en';
let wanted = 'en';

/** The available languages: [{ code, name }], English first. */
export const languages = [{ code: 'en', name: String(english.language) }, ...others];

export function language() {
  return current;
}

/**
 * Fetches the strings of a language, then switches to it. Ignores an unknown code.
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

/** The requests for strings in flight; the key is the language's code. @type {Map<string, Promise<void>>} */
const fetching = new Map();

/** @param {string} code of an available language */
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
 * Functions that change each text of the page (`of`) and the file of a shipped lesson (`lesson`). Only a
 * pseudo-locale replaces them. A cache of strings uses t('language') as its key, since a pseudo-locale
 * changes that text too.
 */
export const disguise = { of: same, lesson: same };

/** Calls the listeners; used after a change of strings. */
export function announceLanguage() {
  for (const listener of listeners) listener();
}

/**
 * Runs `work`, a synchronous function, with the strings of another language. If these strings are not
 * loaded yet, `work` runs with the page's language; the listeners are called when the strings arrive.
 * @template T
 * @param {string | null} code null for the page's language
 * @param {() => T} work
 * @returns {T}
 */
export function speaking(code, work) {
  if (code === null || code === current) return work();
  if (code !== 'en' && !messages[code]?.language) {
    if (!fetching.has(code)) fetchMessages(code).then(announceLanguage, () => {}); // if the fetch fails, the page's language stays
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
 * Returns the best available language for a list of preferences such as navigator.languages.
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
 * Calls `listener` after each change of strings; returns a function that removes the listener.
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
 * Returns the message `key` with its {placeholders} filled; numbers get the format of the language.
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
 * Returns a function that writes numbers; it creates one Intl.NumberFormat for each language.
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
 * Returns a function that writes numbers with a given number of digits.
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
 * Returns a number in full, with the grouping of the language: integers exactly, others to 15 digits.
 * @param {number} value
 */
export function number(value) {
  return inFull(digitsOf(value), value);
}

/** Returns words as a list for a sentence, such as "a, b and c". @param {string[]} items */
export function list(items) {
  return new Intl.ListFormat(current).format(items);
}

/**
 * Returns a number with a fixed number of decimals; never minus zero.
 * @param {number} value
 * @param {number} decimals
 */
export function fixed(value, decimals) {
  return exactly(decimals, value + 0);
}

/** @param {number} bytes */
export function megabytes(bytes) {
  return `${fixed(bytes / 1e6, 2)} MB`;
}

/** A smaller entropy, in bits, can be an error of the rounding of float32 logits. */
const LEAST = 1e-6;

/**
 * Returns an entropy or a perplexity with two decimals. A small value gets up to six decimals, so that it
 * does not become 0.
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

/** Returns a number for an input box, without grouping. @param {number} value */
export function plain(value) {
  return ungrouped(digitsOf(value), value);
}

/**
 * Parses a typed number; returns NaN for other text. The decimal separator is a point; a comma is also
 * accepted if the language uses it.
 * @param {string} text
 */
export function parse(text) {
  const comma = atMost(1, 1.5).includes(',');
  const cleaned = comma ? text.trim().replace(',', '.') : text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cleaned) ? Number(cleaned) : NaN;
}

/**
 * Returns a probability as a percentage with enough digits for small and nearly full values: only 0 is
 * 0 %, only 1 is 100 %, and 0.000003 is 0.0003 %.
 * @param {number} p from 0 to 1
 */
export function percent(p) {
  if (p > 0 && p < 1e-6) return scientificPercent(p);
  if (p >= 0.1 && p < 1) return nearlyFull(p);
  if (p === 1) return percentExactly(0, p);
  return p < 0.001 ? percentAtMost(2, p) : percentOfThree(p);
}

/**
 * Returns the percentage at the end of a bar: "< 0.01 %" for a smaller probability.
 * @param {number} p from 0 to 1
 */
export function briefPercent(p) {
  return p > 0 && p < 1e-4 ? `<\u2009${tick(1e-4)}` : percent(p);
}

/**
 * Returns the label of a tick: a percentage without extra zeros; a small one with a power of ten.
 * @param {number} p from 0 to 1
 */
export function tick(p) {
  if (!(p > 0 && p < 1e-6)) return percentAtMost(6, p);
  const [mantissa, exponent] = Number((p * 100).toPrecision(6))
    .toExponential()
    .split('e');
  const times = mantissa === '1' ? '' : `${plain(Number(mantissa))} × `;
  return `${times}${tenTo(exponent)}${percentSign()}`;
}

/** Most decimals of a percentage; a fuller one is "< 100 %". */
const MOST_DIGITS = 6;

/** @param {number} p */
function nearlyFull(p) {
  const full = percentExactly(0, 1);
  for (let digits = 1; digits <= MOST_DIGITS; digits += digits === 1 ? 1 : 2) {
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

/** Returns the language's percent sign, with a space before it if the language uses a space. */
const percentSign = () => percentExactly(0, 1).slice(3);
