/** Numbers of a template: an int is a bigint, a float is a number. Both are printed as in Python. */
import { refuse } from './fault.js';

/** Limits: digits of an int that Python converts to text, and bits of a power. */
const DIGITS_MAX = 4300;
const BITS_MAX = 1 << 16;

/** @param {bigint} value */
export function intText(value) {
  const text = value.toString();
  if (text.length > DIGITS_MAX + (value < 0n ? 1 : 0))
    refuse(`an integer has more than ${DIGITS_MAX} digits`);
  return text;
}

/** The shortest text that parses to this float. @param {number} value */
export function floatText(value) {
  if (Number.isNaN(value)) return 'nan';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return `${sign}inf`;
  const [mantissa, power] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const exponent = Number(power);
  if (exponent < -4 || exponent > 15) {
    const tail = String(Math.abs(exponent)).padStart(2, '0');
    const point = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]}${point}e${exponent < 0 ? '-' : '+'}${tail}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

/** A float with n digits after the point, ties to even. @param {number} value @param {number} n */
export function fixedText(value, n) {
  if (!Number.isFinite(value)) return floatText(value);
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const field = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & 0xfffffffffffffn) | (field ? 1n << 52n : 0n);
  const exponent = BigInt(Math.max(field, 1) - 1075);
  const scaled = mantissa * 10n ** BigInt(n);
  let rounded = scaled << exponent;
  if (exponent < 0n) {
    rounded = scaled >> -exponent;
    const rest = (scaled - (rounded << -exponent)) * 2n - (1n << -exponent);
    if (rest > 0n || (rest === 0n && rounded & 1n)) rounded += 1n;
  }
  const digits = rounded.toString().padStart(n + 1, '0');
  const whole = digits.slice(0, digits.length - n);
  return `${bits >> 63n ? '-' : ''}${whole}${n ? `.${digits.slice(-n)}` : ''}`;
}

/** @param {bigint | number} value */
export function toFloat(value) {
  const float = Number(value);
  if (typeof value === 'bigint' && !Number.isFinite(float)) refuse('int too large to be a float');
  return float;
}

/** @param {number} value */
export function toInt(value) {
  if (!Number.isFinite(value)) refuse(`cannot convert float ${floatText(value)} to integer`);
  return BigInt(Math.trunc(value));
}

/** @param {bigint} a @param {bigint} b */
function floorInt(a, b) {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** @param {number} a @param {number} b */
function modFloat(a, b) {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}

/** @param {number} a @param {number} b */
function floorFloat(a, b) {
  const rest = a % b;
  const quotient = (a - rest) / b - (rest !== 0 && rest < 0 !== b < 0 ? 1 : 0);
  if (quotient === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

const EXACT = 1n << 53n;
/** @param {bigint} value */
const isExact = (value) => value >= -EXACT && value <= EXACT;

/** @param {bigint} base @param {bigint} exponent */
function power(base, exponent) {
  if (exponent < 0n) return refuse('a negative power is not supported');
  const size = base < 0n ? -base : base;
  if (size > 1n && exponent * BigInt(size.toString(2).length) > BITS_MAX)
    return refuse(`a power has more than ${BITS_MAX} bits`);
  return base ** exponent;
}

/** @type {Record<string, (a: bigint, b: bigint) => bigint | number>} */
const INTS = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '//': floorInt,
  '%': (a, b) => a - floorInt(a, b) * b,
  '/': (a, b) => {
    if (!isExact(a) || !isExact(b)) refuse('dividing integers beyond 2^53 is not supported');
    return Number(a) / Number(b);
  },
  '**': power,
};
/** @type {Record<string, (a: number, b: number) => number>} */
const FLOATS = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '//': floorFloat,
  '%': modFloat,
  '**': () => refuse('a power of floats is not supported'),
};

/** @param {string} operator @param {bigint | number} a @param {bigint | number} b */
export function calculate(operator, a, b) {
  if (operator[0] === '/' || operator === '%') if (Number(b) === 0) refuse('division by zero');
  if (typeof a === 'bigint' && typeof b === 'bigint') return INTS[operator](a, b);
  return FLOATS[operator](toFloat(a), toFloat(b));
}

const INT = /^[+-]?\d+(?:_\d+)*$/;
const FLOAT =
  /^[+-]?(?:(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?|inf(?:inity)?|nan)$/i;
const RADIX = /** @type {Record<number, [RegExp, string]>} */ ({
  2: [/^(?:0b_?)?([01]+(?:_[01]+)*)$/i, '0b'],
  8: [/^(?:0o_?)?([0-7]+(?:_[0-7]+)*)$/i, '0o'],
  16: [/^(?:0x_?)?([\da-f]+(?:_[\da-f]+)*)$/i, '0x'],
});

/** @param {string} text without white space around it */
function needAscii(text) {
  return /(?!\d)\p{Nd}/u.test(text) ? refuse('digits beyond ASCII are not supported') : text;
}

/** Parses an int; null if the text is not an int. @param {string} text @param {number} base */
export function parseInteger(text, base) {
  needAscii(text);
  if (text.length > DIGITS_MAX) refuse(`an integer has more than ${DIGITS_MAX} digits`);
  if (base === 10) return INT.test(text) ? BigInt(text.replace('+', '').replaceAll('_', '')) : null;
  if (!RADIX[base]) return refuse(`integers of base ${base} are not supported`);
  const [pattern, prefix] = RADIX[base];
  const digits = pattern.exec(text.replace(/^[+-]/, ''))?.[1];
  if (digits === undefined) return null;
  const value = BigInt(prefix + digits.replaceAll('_', ''));
  return text[0] === '-' ? -value : value;
}

/** Parses a float; null if the text is not a float. @param {string} text */
export function parseFloating(text) {
  if (!FLOAT.test(needAscii(text))) return null;
  const name = /^([+-]?)(i|n)/i.exec(text);
  if (name) return /i/i.test(name[2]) ? (name[1] === '-' ? -1 : 1) / 0 : Number.NaN;
  return Number(text.replaceAll('_', ''));
}
