/**
 * Reads a number, or a simple expression, that a learner has typed: "2/3", "ln 9.37", "e^-1". The text is never run
 * as code. An ambiguous text such as "ln 2/3" is refused.
 */
import { parse } from '../locale/locale.js';

/** Most characters of an answer. */
const LONGEST = 100;

/** Matches a number whose comma must be a decimal comma, because it cannot group thousands. */
const DECIMAL_COMMA = /^(0,\d+|\d+,(\d{1,2}|\d{4,}))$/;
/** Matches a number with its thousands in groups, with any usual separator. */
const GROUPED = /^\d{1,3}([.,' \u00a0\u202f]\d{3})+$/;

/** Characters that stand for an operator. @type {Record<string, string>} */
const SIGNS = { '−': '-', '–': '-', '×': '*', '·': '*', '÷': '/', ':': '/', '²': '^2', '³': '^3' };
const SIGN = new RegExp(`[${Object.keys(SIGNS).join('')}]`, 'g');
/** Matches a word, number or operator, with the spaces before it. */
const WORD =
  /\s*(?:(\d[\d.,]*(?:e[+-]?\d+)?|[.,]\d+(?:e[+-]?\d+)?)|(log2|log10|[a-z]+|√|π)|([-+*/^()%]))/iy;

/** @type {Record<string, number>} */
const CONSTANTS = { e: Math.E, pi: Math.PI, π: Math.PI };
/**
 * `log` is missing: it means base e to some people, base 10 to others.
 * @type {Record<string, (x: number) => number>}
 */
const FUNCTIONS = {
  ln: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  exp: Math.exp,
  sqrt: Math.sqrt,
  '√': Math.sqrt,
};

/** Thrown for a text that is not an expression, and caught in this file. */
class NoNumber extends Error {}

/** @typedef {{ number?: number, name?: string, sign?: string }} Word */

/** @param {string} text @returns {Word[]} */
function wordsOf(text) {
  /** @type {Word[]} */
  const words = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.length) {
    const [, digits, name, sign] = WORD.exec(text) ?? [];
    if (digits !== undefined) words.push({ number: readDecimal(digits) });
    else if (name !== undefined) words.push({ name: name.toLowerCase() });
    else if (sign !== undefined) words.push({ sign });
    else throw new NoNumber();
  }
  return words;
}

/** Evaluates an expression recursively, from the weakest operator to the strongest. */
class Reading {
  #at = 0;
  #words;
  #percents;

  /** @param {Word[]} words @param {boolean} percents true if "%" divides by 100 */
  constructor(words, percents) {
    this.#words = words;
    this.#percents = percents;
  }

  /** Returns the next operator and moves on, if it is one of `signs`. @param {string} signs */
  #takeSign(signs) {
    const { sign } = this.#words[this.#at] ?? {};
    if (sign === undefined || !signs.includes(sign)) return null;
    this.#at++;
    return sign;
  }

  whole() {
    const value = this.#readSum();
    if (this.#at < this.#words.length) throw new NoNumber();
    return value;
  }

  /** @returns {number} */
  #readSum() {
    let value = this.#readProduct();
    for (let sign = this.#takeSign('+-'); sign; sign = this.#takeSign('+-'))
      value += sign === '+' ? this.#readProduct() : -this.#readProduct();
    return value;
  }

  #readProduct() {
    let value = this.#readSigned();
    for (let sign = this.#takeSign('*/'); sign; sign = this.#takeSign('*/'))
      if (sign === '*') value *= this.#readSigned();
      else value /= this.#readSigned();
    return value;
  }

  /** @returns {number} -2^2 is -4, as on paper */
  #readSigned() {
    const sign = this.#takeSign('+-');
    if (sign) return sign === '-' ? -this.#readSigned() : this.#readSigned();
    const base = this.#readPercent();
    return this.#takeSign('^') ? base ** this.#readSigned() : base;
  }

  #readPercent() {
    const value = this.#readOperand();
    return this.#percents && this.#takeSign('%') ? value / 100 : value;
  }

  /** @returns {number} */
  #readOperand() {
    if (this.#takeSign('(')) {
      const value = this.#readSum();
      if (!this.#takeSign(')')) throw new NoNumber();
      return value;
    }
    const { number, name = '' } = this.#words[this.#at++] ?? {};
    if (number !== undefined) return number;
    if (Object.hasOwn(CONSTANTS, name)) return CONSTANTS[name];
    if (!Object.hasOwn(FUNCTIONS, name)) throw new NoNumber();
    const bracketed = this.#words[this.#at]?.sign === '(';
    const value = FUNCTIONS[name](this.#readOperand());
    // "ln 2/3" may mean ln(2)/3 or ln(2/3).
    if (!bracketed && '*/^%'.includes(this.#words[this.#at]?.sign ?? ' ')) throw new NoNumber();
    return value;
  }
}

/** @param {string} text @param {boolean} percents @returns {number} */
function readExpression(text, percents) {
  try {
    const words = wordsOf(text.replace(SIGN, (sign) => SIGNS[sign]));
    return new Reading(words, percents).whole();
  } catch (error) {
    if (error instanceof NoNumber) return Number.NaN;
    throw error;
  }
}

/** Reads a number. A comma may be a decimal comma in every language. @param {string} text */
function readDecimal(text) {
  const value = parse(text);
  if (!Number.isNaN(value) || !DECIMAL_COMMA.test(text.trim())) return value;
  return parse(text.replace(',', '.'));
}

/**
 * Reads a number or an expression; NaN for any other text. A share may be in percent, and a count may have grouped
 * thousands.
 * @param {string} typed
 * @param {string} [unit] of the question's measure
 */
export function readTyped(typed, unit) {
  const text = typed.trim();
  if (text.length > LONGEST) return Number.NaN;
  if (unit === 'count' && GROUPED.test(text)) return Number(text.replace(/\D/g, ''));
  const value = readDecimal(text);
  const read = Number.isNaN(value) ? readExpression(text, unit === 'share') : value;
  return Number.isFinite(read) ? read : Number.NaN;
}
