/** Splits a template into tokens, by the rules of Jinja 3.1 with `trim_blocks` and `lstrip_blocks`. */
import { refuse } from './fault.js';
import { SPACE } from './text.js';

/** @typedef {{ type: string, value: any }} Token */

const WS = `[${SPACE}]`;
const IS_WS = new RegExp(WS);
const ALL_WS = new RegExp(`^${WS}+$`);
const OPERATORS = /\/\/|\*\*|==|!=|<=|>=|[-+*/%~<>=.,:|;()[\]{}]/y;
const CLOSES = /** @type {Record<string, string>} */ ({ '(': ')', '[': ']', '{': '}' });
const SPACES = new RegExp(`${WS}+`, 'y');
const FLOAT = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const INTEGER =
  /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const NAME = /[\p{L}\p{N}\p{M}\p{Pc}·]+/uy;
const IDENTIFIER = /^[\p{ID_Start}_]\p{ID_Continue}*$/u;
const STRING = /'([^'\\]*(?:\\[^][^'\\]*)*)'|"([^"\\]*(?:\\[^][^"\\]*)*)"/y;
const RAW_BEGIN = new RegExp(`\\{%([-+]?)${WS}*raw${WS}*(?:-%\\}${WS}*|%\\})`, 'y');
const RAW_END = new RegExp(`\\{%([-+]?)${WS}*endraw${WS}*(?:\\+%\\}|-%\\}${WS}*|%\\}\\n?)`, 'g');
const COMMENT_END = new RegExp(`\\+#\\}|-#\\}${WS}*|#\\}\\n?`, 'g');
const BLOCK_END = new RegExp(`\\+%\\}|-%\\}${WS}*|%\\}\\n?`, 'y');
const VARIABLE_END = new RegExp(`-\\}\\}${WS}*|\\}\\}`, 'y');
const BEGIN = /\{[{%#]/g;

const ESCAPES = /** @type {Record<string, string>} */ ({
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
});

/** Number of hexadecimal digits after each escape. @type {Record<string, number>} */
const HEX_DIGITS = { x: 2, u: 4, U: 8 };

/**
 * The value of a string literal. Jinja first replaces each non-ASCII character by an escape, so a
 * backslash before such a character applies to the backslash of that escape.
 * @param {string} inside the text between the quotes
 */
function unescape(inside) {
  const ascii = inside.replace(/[^\0-\x7f]/gu, (each) => {
    const code = /** @type {number} */ (each.codePointAt(0));
    if (code < 0x100) return `\\x${code.toString(16)}`;
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return ascii.replace(
    /\\(?:x([^]{0,2})|u([^]{0,4})|U([^]{0,8})|([0-7]{1,3})|([^]))/g,
    (all, x, u, U, octal, one) => {
      const hex = x ?? u ?? U;
      if (hex !== undefined) {
        const digits = HEX_DIGITS[all[1]];
        const code = Number.parseInt(hex, 16);
        if (hex.length < digits || !/^[\da-fA-F]+$/.test(hex) || code > 0x10ffff)
          return refuse(`a string has the broken escape ${all}`);
        return String.fromCodePoint(code);
      }
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      if (one === 'N') return refuse('\\N{...} in a string is not supported');
      return ESCAPES[one] ?? all;
    },
  );
}

class Lexer {
  /** @type {Token[]} */
  tokens = [];
  at = 0;
  /** True if the last token ended with a line end. */
  #lineStarts = true;

  /** @param {string} source */
  constructor(source) {
    this.source = source.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  }

  /** @param {string} type @param {any} value */
  #push(type, value) {
    this.tokens.push({ type, value });
  }

  /** Searches a pattern and moves to the end of the match. @param {RegExp} pattern sticky or global */
  #match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found) {
      this.at = pattern.lastIndex;
      this.#lineStarts = found[0].endsWith('\n');
    }
    return found;
  }

  /** Adds the text before a tag, without the white space that the tag strips. @param {string} text @param {string} sign of the tag: '-', '+' or '' @param {boolean} variable true for a tag {{ @param {boolean} lineStarts true if the text begins a line */
  #data(text, sign, variable, lineStarts) {
    let kept = text;
    if (sign === '-') {
      let end = text.length;
      while (end && IS_WS.test(text[end - 1])) end--;
      kept = text.slice(0, end);
    } else if (sign !== '+' && !variable) {
      const line = text.lastIndexOf('\n') + 1;
      if ((line > 0 || lineStarts) && ALL_WS.test(text.slice(line))) kept = text.slice(0, line);
    }
    if (kept) this.#push('data', kept);
  }

  run() {
    for (;;) {
      BEGIN.lastIndex = this.at;
      const found = BEGIN.exec(this.source);
      const text = this.source.slice(this.at, found?.index);
      if (!found) {
        if (text) this.#push('data', text);
        this.#push('eof', null);
        return this.tokens;
      }
      const lineStarts = this.#lineStarts;
      this.at = found.index;
      const raw = this.#match(RAW_BEGIN);
      if (raw) {
        this.#data(text, raw[1], false, lineStarts);
        const from = this.at;
        const starts = this.#lineStarts;
        const end = this.#match(RAW_END) ?? refuse('Missing end of raw directive');
        this.#data(this.source.slice(from, end.index), end[1], false, starts);
        continue;
      }
      this.at += 2;
      const sign = /[-+]/.test(this.source[this.at] ?? '') ? this.source[this.at++] : '';
      const kind = found[0][1];
      this.#data(text, sign, kind === '{', lineStarts);
      this.#lineStarts = false;
      if (kind === '#') {
        if (!this.#match(COMMENT_END)) refuse('Missing end of comment tag');
      } else if (kind === '%') this.#tag('block', BLOCK_END);
      else this.#tag('variable', VARIABLE_END);
    }
  }

  /** @param {string} name @param {RegExp} end */
  #tag(name, end) {
    this.#push(`${name}_begin`, null);
    /** @type {string[]} */
    const open = [];
    for (;;) {
      if (!open.length && this.#match(end)) {
        this.#push(`${name}_end`, null);
        return;
      }
      if (this.#match(SPACES)) continue;
      let found = this.#match(FLOAT);
      if (found) this.#push('float', Number(found[0].replaceAll('_', '')));
      else if ((found = this.#match(INTEGER))) {
        this.#push('integer', BigInt(found[0].replaceAll('_', '')));
      } else if ((found = this.#match(NAME))) {
        if (!IDENTIFIER.test(found[0])) refuse('Invalid character in identifier');
        this.#push('name', found[0]);
      } else if ((found = this.#match(STRING))) {
        this.#push('string', unescape(found[1] ?? found[2]));
      } else if ((found = this.#match(OPERATORS))) {
        if (CLOSES[found[0]]) open.push(CLOSES[found[0]]);
        else if (')]}'.includes(found[0]) && open.pop() !== found[0])
          refuse(`unexpected '${found[0]}'`);
        this.#push(found[0], null);
      } else if (this.at >= this.source.length) {
        this.#push('eof', null);
        return;
      } else refuse(`unexpected character ${JSON.stringify(this.source[this.at])} in a tag`);
    }
  }
}

/** @param {string} source @returns {Token[]} */
export const tokenize = (source) => new Lexer(source).run();
