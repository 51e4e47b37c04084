/** The methods of Python's strings. */
import { bind, needInt, needStr, sliceBounds } from './arguments.js';
import { refuse } from './fault.js';
import { SPACE, Str, concat, str } from './text.js';
import { Tuple, listOf, needDefined } from './values.js';

/** @import { Value, Named } from './values.js' */

const WORDS = new RegExp(`[^${SPACE}]+`, 'g');
const ALL_SPACE = new RegExp(`^[${SPACE}]+$`);
const IS_SPACE = new RegExp(`[${SPACE}]`);
const LINE_END = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/g;

/**
 * @param {Str} self
 * @param {Value} chars
 * @param {boolean} left
 * @param {boolean} right
 */
export function strip(self, chars, left, right) {
  const { text } = self;
  const given = chars === undefined || chars === null ? null : needStr(chars, 'strip').text;
  const set = given === null ? null : new Set(given);
  const isOut = (/** @type {string} */ each) => (set ? set.has(each) : IS_SPACE.test(each));
  let from = 0;
  let to = text.length;
  while (left && from < to) {
    const each = String.fromCodePoint(/** @type {number} */ (text.codePointAt(from)));
    if (!isOut(each)) break;
    from += each.length;
  }
  while (right && to > from) {
    const pair = /[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(from, to - 2), to));
    const each = text.slice(to - (pair ? 2 : 1), to);
    if (!isOut(each)) break;
    to -= each.length;
  }
  return self.slice(from, to);
}

/** @param {Str} self @param {number} most @param {boolean} fromRight */
function splitAtSpaces(self, most, fromRight) {
  const words = [...self.text.matchAll(WORDS)].map((it) => [it.index, it.index + it[0].length]);
  const parts = words.map(([from, to]) => self.slice(from, to));
  const over = words.length - most;
  if (over <= 0) return parts;
  if (fromRight) return [self.slice(0, words[over - 1][1]), ...parts.slice(over)];
  return [...parts.slice(0, most), self.slice(words[most][0])];
}

/** @param {Str} self @param {Value} separator @param {number} limit most splits; below 0: no limit @param {boolean} fromRight */
function split(self, separator, limit, fromRight) {
  const most = limit < 0 ? Infinity : limit;
  if (separator === undefined || separator === null) return splitAtSpaces(self, most, fromRight);
  const by = needStr(separator, 'split').text;
  if (!by) refuse('empty separator');
  const parts = [];
  let [from, to] = [0, self.text.length];
  while (parts.length < most) {
    // lastIndexOf treats a negative position as 0.
    const last = to < by.length ? -1 : self.text.lastIndexOf(by, to - by.length);
    const at = fromRight ? last : self.text.indexOf(by, from);
    if (at < 0) break;
    parts.push(fromRight ? self.slice(at + by.length, to) : self.slice(from, at));
    if (fromRight) to = at;
    else from = at + by.length;
  }
  parts.push(self.slice(from, to));
  return fromRight ? parts.reverse() : parts;
}

/** @param {Str} self @param {boolean} keepEnds */
export function splitLines(self, keepEnds = false) {
  /** @type {Str[]} */
  const lines = [];
  let from = 0;
  for (const found of self.text.matchAll(LINE_END)) {
    const next = found.index + found[0].length;
    lines.push(self.slice(from, keepEnds ? next : found.index));
    from = next;
  }
  if (from < self.text.length) lines.push(self.slice(from));
  return lines;
}

/** @param {Str} self @param {Str} old @param {Str} by @param {number} count most replacements; below 0: no limit */
export function replace(self, old, by, count) {
  const { text } = self;
  const most = count < 0 ? Infinity : count;
  const parts = [];
  let from = 0;
  if (!old.text) {
    for (let n = 0; n <= self.length && n < most; n++) {
      parts.push(by, n < self.length ? self.at(n) : str(''));
      from = n < self.length ? self.unit(n + 1) : text.length;
    }
  } else {
    for (let n = 0; n < most; n++) {
      const at = text.indexOf(old.text, from);
      if (at < 0) break;
      parts.push(self.slice(from, at), by);
      from = at + old.text.length;
    }
  }
  return parts.length ? concat([...parts, self.slice(from)]) : self;
}

/** @param {Str} self @param {Value} part @param {Value} start @param {Value} stop @param {boolean} last */
function find(self, part, start, stop, last) {
  const [from, to] = sliceBounds(self.length, start, stop, 1);
  const wanted = needStr(part, 'find').text;
  if (from > self.length || from > to) return -1;
  if (start !== undefined && start !== null && needInt(start, 'find') > self.length) return -1;
  const inside = self.text.slice(self.unit(from), self.unit(to));
  const at = last ? inside.lastIndexOf(wanted) : inside.indexOf(wanted);
  return at < 0 ? -1 : self.point(self.unit(from) + at);
}

/** @param {Str} self @param {Value} part @param {Value} start @param {Value} stop */
function count(self, part, start, stop) {
  const [from, to] = sliceBounds(self.length, start, stop, 1);
  if (from > to || needInt(start, 'count', 0) > self.length) return 0;
  const inside = self.text.slice(self.unit(from), self.unit(to));
  const wanted = needStr(part, 'count').text;
  return wanted ? inside.split(wanted).length - 1 : new Str(inside).length + 1;
}

/** @param {Str} self @param {Value} parts a string or a tuple of strings @param {Value} start @param {Value} stop @param {'startsWith' | 'endsWith'} where */
function startsOrEndsWith(self, parts, start, stop, where) {
  const [from, to] = sliceBounds(self.length, start, stop, 1);
  const all = parts instanceof Tuple ? parts.items : [parts];
  const wanted = all.map((each) => needStr(each, where.toLowerCase()).text);
  if (from > to || needInt(start, where, 0) > self.length) return false;
  const inside = self.text.slice(self.unit(from), self.unit(to));
  return wanted.some((each) => inside[where](each));
}

/** @param {Str} self @param {Value} width @param {Value} fill @param {(missing: number) => number} leftOf */
function pad(self, width, fill, leftOf) {
  const by = fill === undefined ? str(' ') : needStr(fill, 'the fill character');
  if (by.length !== 1) refuse('The fill character must be exactly one character long');
  const missing = needInt(width, 'the width') - self.length;
  if (missing <= 0) return self;
  const left = leftOf(missing);
  return concat([by.repeat(left), self, by.repeat(missing - left)]);
}

/** Returns the left padding of a centred text, by Python's rule. @param {number} width width with padding */
const centreOf = (width) => (/** @type {number} */ missing) =>
  Math.floor(missing / 2) + (missing & width & 1);

/** @param {Str} self @param {Value} width @param {Value} [fill] */
export const centre = (self, width, fill) =>
  pad(self, width, fill, centreOf(needInt(width, 'center')));

/** @param {string} text */
function titleCase(text) {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const upper = first.toUpperCase();
  const isOdd =
    upper.length !== first.length || /[\u01c4-\u01cc\u01f1-\u01f3\u10d0-\u10ff]/.test(first);
  return isOdd ? refuse(`the title case of ${first} is not supported`) : upper;
}

/** @param {Str} self */
export function capitalise(self) {
  if (!self.text) return self;
  const first = self.at(0);
  return concat([
    first.recase(titleCase),
    self.slice(first.text.length).recase((text) => text.toLowerCase()),
  ]);
}

/** @param {string} text */
const titleWords = (text) =>
  text.replace(/[\p{Cased}]+/gu, (word) => {
    const first = String.fromCodePoint(word.codePointAt(0) ?? 0);
    return titleCase(first) + word.slice(first.length).toLowerCase();
  });

/** @param {string} text */
const swapCase = (text) =>
  text.replace(/\p{Lowercase}|\p{Uppercase}/gu, (each) => {
    const lower = each.toLowerCase();
    if (lower === each) return each.toUpperCase();
    return lower;
  });

/** @param {Str} self @param {number} size */
function expandTabs(self, size) {
  let column = 0;
  return self.rewrite(/[\n\r\t]|[^\n\r\t]+/g, (found) => {
    if (found === '\t') {
      const n = size > 0 ? size - (column % size) : 0;
      column += n;
      return str(' ').repeat(n).text;
    }
    column = /[\n\r]/.test(found) ? 0 : column + new Str(found).length;
    return found;
  });
}

/** @param {Str} self @param {Value} by @param {boolean} last @returns {Tuple} */
function partition(self, by, last) {
  const separator = needStr(by, 'partition');
  if (!separator.text) refuse('empty separator');
  const at = last ? self.text.lastIndexOf(separator.text) : self.text.indexOf(separator.text);
  if (at < 0) return new Tuple(last ? [str(''), str(''), self] : [self, str(''), str('')]);
  return new Tuple([self.slice(0, at), separator, self.slice(at + separator.text.length)]);
}

/** @param {Str} self @param {Value} all */
export function join(self, all) {
  const parts = listOf(needDefined(all)).map((each) => needStr(each, 'join'));
  return concat(parts.flatMap((part, i) => (i ? [self, part] : [part])));
}

/** @param {Str} self @param {Value} width */
function zeroFill(self, width) {
  const sign = /^[+-]/.test(self.text) ? 1 : 0;
  const missing = needInt(width, 'zfill') - self.length;
  if (missing <= 0) return self;
  return concat([self.slice(0, sign), str('0').repeat(missing), self.slice(sign)]);
}

/** @param {string} text @param {RegExp} pattern */
const all = (text, pattern) => text !== '' && [...text].every((each) => pattern.test(each));

/** @param {string} text @param {RegExp} unsure */
function knownCase(text, unsure) {
  if (unsure.test(text)) refuse('numerals of other scripts are not supported here');
  return text;
}

export const isLower = (/** @type {string} */ text) =>
  /\p{Lowercase}/u.test(text) && !/\p{Uppercase}|\p{Lt}/u.test(text);
export const isUpper = (/** @type {string} */ text) =>
  /\p{Uppercase}/u.test(text) && !/\p{Lowercase}|\p{Lt}/u.test(text);

/** @param {string} text */
function isTitle(text) {
  if (!/\p{Cased}/u.test(text)) return false;
  const words = text.match(/\p{Cased}+/gu) ?? [];
  return words.every((word) => /^[\p{Uppercase}\p{Lt}]\p{Lowercase}*$/u.test(word));
}

/** Each method: its parameters in the notation of `bind`, and its function. @type {Record<string, [string, (self: Str, ...args: Value[]) => Value]>} */
const METHODS = {
  capitalize: ['', capitalise],
  casefold: [
    '',
    (self) =>
      /[^\0-\x7f]/.test(self.text)
        ? refuse('casefold of characters beyond ASCII is not supported')
        : self.recase((text) => text.toLowerCase()),
  ],
  center: ['/width! /fillchar', centre],
  count: ['/sub! /start /end', (self, part, start, stop) => BigInt(count(self, part, start, stop))],
  endswith: [
    '/suffix! /start /end',
    (self, a, b, c) => startsOrEndsWith(self, a, b, c, 'endsWith'),
  ],
  expandtabs: ['tabsize', (self, size) => expandTabs(self, needInt(size, 'expandtabs', 8))],
  find: ['/sub! /start /end', (self, a, b, c) => BigInt(find(self, a, b, c, false))],
  index: [
    '/sub! /start /end',
    (self, a, b, c) => {
      const at = find(self, a, b, c, false);
      return at < 0 ? refuse('substring not found') : BigInt(at);
    },
  ],
  isalnum: ['', (self) => all(self.text, /[\p{L}\p{N}]/u)],
  isalpha: ['', (self) => all(self.text, /\p{L}/u)],
  isascii: ['', (self) => /^[\0-\x7f]*$/.test(self.text)],
  isdecimal: ['', (self) => all(self.text, /\p{Nd}/u)],
  isdigit: ['', (self) => all(knownCase(self.text, /\p{No}/u), /\p{Nd}/u)],
  isidentifier: ['', (self) => /^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(self.text)],
  islower: ['', (self) => isLower(self.text)],
  isnumeric: ['', (self) => all(knownCase(self.text, /\p{Ideographic}/u), /\p{N}/u)],
  isprintable: ['', (self) => !/[\p{C}\p{Z}]/u.test(self.text.replaceAll(' ', ''))],
  isspace: ['', (self) => ALL_SPACE.test(self.text)],
  istitle: ['', (self) => isTitle(self.text)],
  isupper: ['', (self) => isUpper(self.text)],
  join: ['/iterable!', join],
  ljust: ['/width! /fillchar', (self, width, fill) => pad(self, width, fill, () => 0)],
  lower: ['', (self) => self.recase((text) => text.toLowerCase())],
  lstrip: ['/chars', (self, chars) => strip(self, chars, true, false)],
  partition: ['/sep!', (self, by) => partition(self, by, false)],
  removeprefix: [
    '/prefix!',
    (self, part) => {
      const { text } = needStr(part, 'removeprefix');
      return self.text.startsWith(text) ? self.slice(text.length) : self;
    },
  ],
  removesuffix: [
    '/suffix!',
    (self, part) => {
      const { text } = needStr(part, 'removesuffix');
      return text && self.text.endsWith(text) ? self.slice(0, -text.length) : self;
    },
  ],
  replace: [
    '/old! /new! /count',
    (self, old, by, n) =>
      replace(self, needStr(old, 'replace'), needStr(by, 'replace'), needInt(n, 'replace', -1)),
  ],
  rfind: ['/sub! /start /end', (self, a, b, c) => BigInt(find(self, a, b, c, true))],
  rindex: [
    '/sub! /start /end',
    (self, a, b, c) => {
      const at = find(self, a, b, c, true);
      return at < 0 ? refuse('substring not found') : BigInt(at);
    },
  ],
  rjust: ['/width! /fillchar', (self, width, fill) => pad(self, width, fill, (n) => n)],
  rpartition: ['/sep!', (self, by) => partition(self, by, true)],
  rsplit: ['sep maxsplit', (self, by, n) => split(self, by, needInt(n, 'rsplit', -1), true)],
  rstrip: ['/chars', (self, chars) => strip(self, chars, false, true)],
  split: ['sep maxsplit', (self, by, n) => split(self, by, needInt(n, 'split', -1), false)],
  splitlines: [
    'keepends',
    (self, keep) => splitLines(self, Boolean(needInt(keep, 'splitlines', 0))),
  ],
  startswith: [
    '/prefix! /start /end',
    (self, a, b, c) => startsOrEndsWith(self, a, b, c, 'startsWith'),
  ],
  strip: ['/chars', (self, chars) => strip(self, chars, true, true)],
  swapcase: ['', (self) => self.recase(swapCase)],
  title: ['', (self) => self.recase(titleWords)],
  upper: ['', (self) => self.recase((text) => text.toUpperCase())],
  zfill: ['/width!', zeroFill],
};
const OTHERS = new Set(['encode', 'format_map', 'maketrans', 'translate']);

/**
 * The string's method with this name; null if there is none.
 * @param {Str} self
 * @param {string} name
 * @returns {((args: Value[], named: Named) => Value) | null}
 */
export function stringMethod(self, name) {
  const where = `the method '${name}' of strings`;
  if (OTHERS.has(name)) return () => refuse(`${where} is not supported`);
  if (!Object.hasOwn(METHODS, name)) return null;
  const [parameters, run] = METHODS[name];
  return (args, named) => run(needStr(self, where), ...bind(where, parameters, args, named));
}
