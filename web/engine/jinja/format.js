/** Python's two formatting operations: `%` and `str.format`. */
import { refuse } from './fault.js';
import { fixedText, intText, toFloat, toInt } from './numbers.js';
import { Markup, Str, concat, str } from './text.js';
import {
  Dict,
  Range,
  Tuple,
  Undefined,
  asNumber,
  isNumber,
  repr,
  text,
  typeName,
} from './values.js';

/** @import { Value, Named } from './values.js' */

const PERCENT = /%(?:\(([^)]*)\))?([-+ #0]*)(\d*)(?:\.(\d*))?([a-zA-Z%])/y;
const WIDTH_MAX = 1 << 16;

/** @param {string | undefined} digits @param {number} fallback */
function parseWidth(digits, fallback) {
  const n = digits ? Number(digits) : fallback;
  return n > WIDTH_MAX ? refuse(`a width of more than ${WIDTH_MAX}`) : n;
}

/** A number's sign and its digits. @param {string} digits a minus before them if negative @param {string} flags */
function signAndDigits(digits, flags) {
  if (digits.startsWith('-')) return ['-', digits.slice(1)];
  if (flags.includes('+')) return ['+', digits];
  return [flags.includes(' ') ? ' ' : '', digits];
}

/** @param {Value} value @param {string} type @param {number} places number of decimals; below 0 for the default */
function digitsOf(value, type, places) {
  if (!isNumber(value)) return refuse(`%${type} needs a number, got '${typeName(value)}'`);
  const number = asNumber(value);
  if (type === 'f') return fixedText(toFloat(number), places < 0 ? 6 : places);
  const int = typeof number === 'bigint' ? number : toInt(number);
  const radix = { x: 16, o: 8, b: 2 }[type] ?? 10;
  const digits = radix === 10 ? intText(int) : int.toString(radix);
  const sign = digits.startsWith('-') ? '-' : '';
  return sign + digits.slice(sign.length).padStart(places, '0');
}

/** `format % given`. @param {Str} format @param {Value} given */
export function formatByPercent(format, given) {
  if (format instanceof Markup) refuse('% of a string that is marked safe is not supported');
  const args = given instanceof Tuple ? given.items : [given];
  const source = format.text;
  const parts = [];
  let used = 0;
  let from = 0;
  for (let at = source.indexOf('%'); at >= 0; at = source.indexOf('%', from)) {
    parts.push(format.slice(from, at));
    PERCENT.lastIndex = at;
    const found = PERCENT.exec(source);
    if (!found) return refuse('a % format is incomplete or not supported');
    from = PERCENT.lastIndex;
    const [all, key, flags, width, precision, type] = found;
    if (type === '%') {
      if (all !== '%%') refuse(`the format ${all} is not supported`);
      parts.push(format.slice(at, at + 1));
      continue;
    }
    if (key !== undefined && !(given instanceof Dict)) refuse('format requires a mapping');
    if (key === undefined && used >= args.length) refuse('not enough arguments for format string');
    const value = key === undefined ? args[used++] : given.get(str(key));
    if (value === undefined) refuse(`a format names '${key}', which is not given`);
    parts.push(formatPercentField(value, all, flags, parseWidth(width, 0), precision, type));
  }
  // Python treats a value with items as a mapping; then a format may leave arguments unused.
  const isMapping =
    Array.isArray(given) || [Dict, Range, Undefined].some((kind) => given instanceof kind);
  const isSpent = used >= args.length || isMapping;
  if (!isSpent) refuse('not all arguments converted during string formatting');
  return concat([...parts, format.slice(from)]);
}

/** @param {Value} value @param {string} all @param {string} flags @param {number} width @param {string | undefined} precision @param {string} type */
function formatPercentField(value, all, flags, width, precision, type) {
  const places = precision === undefined ? -1 : parseWidth(precision, 0);
  const left = flags.includes('-');
  if (type === 's' || type === 'r') {
    const whole = type === 's' ? text(value) : repr(value);
    const cut = places < 0 ? whole : whole.slice(0, whole.unit(Math.min(places, whole.length)));
    const blank = str(' '.repeat(Math.max(0, width - cut.length)));
    return concat(left ? [cut, blank] : [blank, cut]);
  }
  const kind = { d: 'd', i: 'd', u: 'd', f: 'f', F: 'f', x: 'x', X: 'x', o: 'o' }[type];
  if (!kind || flags.includes('#')) return refuse(`the format ${all} is not supported`);
  if ((kind === 'x' || kind === 'o') && typeof value === 'number')
    refuse(`%${type} format: an integer is required`);
  const [sign, digits] = signAndDigits(digitsOf(value, kind, places), flags);
  const shown = type === 'X' ? digits.toUpperCase() : digits;
  if (left) return str((sign + shown).padEnd(width));
  if (!flags.includes('0') || !/^\d/.test(digits)) return str((sign + shown).padStart(width));
  return str(sign + shown.padStart(width - sign.length, '0'));
}

const FIELD = /^([^.[\]!:]*)((?:\.[^.[\]!:]+|\[[^\]]+\])*)(?:!([rsa]))?(?::([^{}]*))?$/;
const SPEC = /^(?:(.)?([<>^=]))?([-+ ]?)(0?)(\d*)(,?)(?:\.(\d+))?([a-zA-Z%]?)$/su;

/** The share of the padding that is left of the text, by alignment. @type {Record<string, number>} */
const LEFT_SHARE = { '>': 1, '^': 1 / 2 };

/** `format(value, spec)`. @param {Value} value @param {string} spec */
function formatBySpec(value, spec) {
  if (!spec) return text(value);
  const found = SPEC.exec(spec);
  const where = `the format '${spec}' of '${typeName(value)}'`;
  if (!found) return refuse(`${where} is not supported`);
  const [, fillGiven, alignGiven, sign, zero, width, comma, precision, type] = found;
  const isText = value instanceof Str;
  if (!isText && !isNumber(value)) return refuse(`${where} is not supported`);
  let shown = text(value);
  if (isText) {
    if (sign || zero || comma || (type && type !== 's') || alignGiven === '=')
      return refuse(`${where} is not supported`);
    if (precision !== undefined)
      shown = shown.slice(0, shown.unit(Math.min(parseWidth(precision, 0), shown.length)));
  } else {
    const isInt = typeof value !== 'number';
    const isFixed = type === 'f' || type === 'F';
    const isPlain = !isInt && !type && precision === undefined;
    const isFit =
      isFixed || isPlain || (isInt && precision === undefined && /^[dxXob]?$/.test(type));
    if (!isFit || (comma && /[xXob]/.test(type))) return refuse(`${where} is not supported`);
    const kind = isFixed ? 'f' : type.toLowerCase() || 'd';
    const places = precision === undefined ? -1 : parseWidth(precision, 0);
    let digits = isPlain ? shown.text : digitsOf(value, kind, places);
    if (type === 'X') digits = digits.toUpperCase();
    if (comma) digits = digits.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
    const [before, after] = signAndDigits(digits, sign);
    const missing = parseWidth(width, 0) - before.length - after.length;
    const inner = alignGiven === '=' || (zero && !alignGiven);
    if (inner && comma) return refuse(`${where} is not supported`);
    const padding = (fillGiven ?? (zero ? '0' : ' ')).repeat(Math.max(0, missing));
    if (inner) return str(before + padding + after);
    shown = str(before + after);
  }
  const missing = Math.max(0, parseWidth(width, 0) - shown.length);
  const align = alignGiven ?? (isText ? '<' : '>');
  const left = Math.floor(missing * (LEFT_SHARE[align] ?? 0));
  const fill = str(fillGiven ?? (zero ? '0' : ' '));
  return concat([fill.repeat(left), shown, fill.repeat(missing - left)]);
}

/**
 * `format.format(...)`.
 * @param {Str} format
 * @param {Value[]} args
 * @param {Named} named
 * @param {(path: string, value: Value) => Value} follow reads a field's path, such as ".a[0]", from a value
 */
export function formatByFields(format, args, named, follow) {
  const source = format.text;
  const parts = [];
  let next = 0;
  let from = 0;
  for (let at = 0; at < source.length; at++) {
    const each = source[at];
    if (each !== '{' && each !== '}') continue;
    parts.push(format.slice(from, at));
    if (source[at + 1] === each) {
      parts.push(format.slice(at, at + 1));
      from = ++at + 1;
      continue;
    }
    const end = source.indexOf('}', at);
    const found = each === '{' && end >= 0 && FIELD.exec(source.slice(at + 1, end));
    if (!found) return refuse('a replacement field of format is broken or not supported');
    const [, name, path, conversion, spec] = found;
    if (conversion === 'a') refuse('the conversion !a is not supported');
    const isNumbered = /^\d*$/.test(name);
    if (name === '' ? next < 0 : isNumbered && next > 0)
      refuse('cannot switch between automatic and manual field numbering');
    const place = name === '' ? next++ : Number(name);
    if (name !== '' && isNumbered) next = -1;
    const value = isNumbered ? args[place] : named.get(name);
    if (value === undefined) refuse(`format has no argument '${name || place}'`);
    const wanted = follow(path, value);
    let shown = wanted;
    if (conversion === 'r') shown = repr(wanted);
    else if (conversion === 's') shown = text(wanted);
    parts.push(formatBySpec(shown, spec ?? ''));
    from = end + 1;
    at = end;
  }
  return concat([...parts, format.slice(from)]);
}
