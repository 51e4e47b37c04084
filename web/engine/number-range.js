/**
 * Writes the grammar of a range of numbers, exactly, digit by digit, without an exponent. A decimal
 * fraction is stored as an integer number of units of 10^-scale, so no bound is rounded.
 */

/** @typedef {{ units: bigint, scale: number }} Decimal */
/** @typedef {{ value: Decimal, open: boolean }} Bound open: true if the range excludes the value itself */

/** Maximum number of digits of a bound before the decimal point, and also after it. */
export const DIGITS_MAX = 40;
const LARGEST = 10n ** BigInt(DIGITS_MAX);

/** @param {string} text a number as JSON writes it @returns {Decimal} */
export function decimalOf(text) {
  const [, sign, whole, part = '', exponent = '0'] = /** @type {RegExpExecArray} */ (
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text)
  );
  const scale = part.length - Number(exponent);
  const units = BigInt(`${sign}${whole}${part}`);
  if (units === 0n) return { units, scale: 0 };
  if (scale < 0)
    return { units: scale < -400 ? units * LARGEST : units * 10n ** BigInt(-scale), scale: 0 };
  return withoutTrailingZeros({ units, scale });
}

/** @param {Decimal} decimal @returns {Decimal} without trailing zeros */
function withoutTrailingZeros({ units, scale }) {
  let [left, oneDigit] = [units, scale];
  while (oneDigit > 0 && left % 10n === 0n) [left, oneDigit] = [left / 10n, oneDigit - 1];
  return { units: left, scale: oneDigit };
}

/** @param {Decimal} decimal @param {number} scale at least the decimal's scale */
export const unitsAt = ({ units, scale: own }, scale) => units * 10n ** BigInt(scale - own);

/** A decimal as JSON writes it, without an exponent. @param {Decimal} decimal */
export function writeDecimal(decimal) {
  const { units, scale } = withoutTrailingZeros(decimal);
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const at = digits.length - scale;
  return `${units < 0n ? '-' : ''}${digits.slice(0, at)}${scale ? `.${digits.slice(at)}` : ''}`;
}

/** @param {Decimal} a @param {Decimal} b */
export function compareDecimals(a, b) {
  const scale = Math.max(a.scale, b.scale);
  const difference = unitsAt(a, scale) - unitsAt(b, scale);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** a / b, rounded down. @param {bigint} a @param {bigint} b positive */
export const floorOf = (a, b) => a / b - (a % b < 0n ? 1n : 0n);

/**
 * The nearest number with at most `places` decimals that the bound allows, as an included bound.
 * @param {Bound} bound
 * @param {number} places
 * @param {1 | -1} side 1: a lower bound
 * @returns {Bound}
 */
function nearestAllowed({ value, open }, places, side) {
  const { units, scale } = value;
  const extra = Math.max(scale - places, 0);
  const step = 10n ** BigInt(extra);
  const at = Math.min(scale, places);
  const down = floorOf(units, step);
  const exact = down * step === units;
  if (exact && !open) return { value: { units: down, scale: at }, open: false };
  // The value itself is not allowed, so take the next number inside the range: one unit of the last decimal further.
  const fine = places > at ? 10n ** BigInt(places - at) : 1n;
  const below = exact ? -1n : 0n;
  const next = down * fine + (side > 0 ? 1n : below);
  return { value: { units: next, scale: places > at ? places : at }, open: false };
}

/** The grammar of one digit from low to high. @param {number} low @param {number} high */
function digits(low, high) {
  if (low > high) return null;
  return low === high ? `"${low}"` : `[${low}-${high}]`;
}

/** The grammar of any n digits. @param {number} n */
function anyDigits(n) {
  if (n === 0) return '';
  return n === 1 ? '[0-9]' : `[0-9]{${n}}`;
}

/** @param {string} text */
const literal = (text) => (text ? `"${text}"` : '');

/** @param {(string | null)[]} parts */
const sequence = (parts) => parts.filter(Boolean).join(' ');

/**
 * The alternatives for all digit texts from `low` to `high`, which have equal length.
 * @param {string} low @param {string} high
 * @returns {string[]}
 */
function digitTextsBetween(low, high) {
  const n = low.length;
  if (low === high) return [literal(low)];
  if (/^10*$/.test(low) && /^9*$/.test(high)) return [sequence(['[1-9]', anyDigits(n - 1)])];
  let at = 0;
  while (low[at] === high[at]) at++;
  const out = [];
  const add = (
    /** @type {string} */ head,
    /** @type {number} */ from,
    /** @type {number} */ to,
  ) => {
    const set = digits(from, to);
    if (set) out.push(sequence([literal(head), set, anyDigits(n - head.length - 1)]));
  };
  out.push(literal(low));
  for (let i = n - 1; i > at; i--) add(low.slice(0, i), Number(low[i]) + 1, 9);
  add(low.slice(0, at), Number(low[at]) + 1, Number(high[at]) - 1);
  for (let i = at + 1; i < n; i++) add(high.slice(0, i), 0, Number(high[i]) - 1);
  out.push(literal(high));
  return out;
}

/**
 * The grammar of the integers from low to high; both are 0 or more.
 * @param {bigint} low @param {bigint | null} high null: no upper bound
 * @returns {string[]}
 */
function integersBetween(low, high) {
  if (high !== null && low > high) return [];
  const [from, to] = [String(low).length, high === null ? Infinity : String(high).length];
  if (from === to) return digitTextsBetween(String(low), String(high));
  const first = digitTextsBetween(String(low), '9'.repeat(from));
  if (high === null) return [...first, `[1-9] ${anyDigits(from)} [0-9]*`];
  const middle = to - from > 1 ? [`[1-9] [0-9]{${from},${to - 2}}`] : [];
  return [...first, ...middle, ...digitTextsBetween(`1${'0'.repeat(to - 1)}`, String(high))];
}

/** The grammar of further decimals after `used` decimals. @param {number} places most decimals @param {number} used */
function moreDecimals(places, used) {
  if (places === Infinity) return '[0-9]*';
  return places > used ? `[0-9]{0,${places - used}}` : '';
}

/**
 * The alternatives for the point and the digits after it, between two bounds. An alternative '' means
 * that they may be absent. Bounds are digits after the point, without trailing zeros.
 * @param {string} low @param {boolean} lowOpen
 * @param {string | null} high null: below 1
 * @param {boolean} highOpen
 * @param {number} places
 * @returns {string[]}
 */
function fractionsBetween(low, lowOpen, high, highOpen, places) {
  /** @type {string[]} */
  const out = [];
  const put = (/** @type {string} */ head, /** @type {string} */ rest) =>
    out.push(sequence([literal(`.${head}`), rest]));
  /** @type {(head: string, tightLow: boolean, tightHigh: boolean) => void} */
  const walk = (head, atLow, atHigh) => {
    const at = head.length;
    const tightLow = atLow && !(at >= low.length && !lowOpen);
    const tightHigh = atHigh && high !== null;
    const reached = tightHigh && at >= /** @type {string} */ (high).length;
    const stops = !tightLow && !(reached && highOpen);
    if (!tightLow && !tightHigh) {
      if (at) put(head, moreDecimals(places, at));
      else {
        out.push('');
        if (places) put('', places === Infinity ? '[0-9] [0-9]*' : `[0-9]{1,${places}}`);
      }
      return;
    }
    if (stops) {
      if (at) put(head, '');
      else out.push('');
    }
    if (at === places) return;
    if (reached) {
      if (stops) put(`${head}0`, moreDecimals(places, at + 1).replace('[0-9]', '"0"'));
      return;
    }
    if (tightLow && !tightHigh && at >= low.length) {
      put(head, '"0"* [1-9] [0-9]*');
      return;
    }
    const from = tightLow ? Number(low[at] ?? 0) : 0;
    const to = tightHigh ? Number(/** @type {string} */ (high)[at]) : 9;
    if (from === to) {
      walk(head + from, tightLow, tightHigh);
      return;
    }
    const set = digits(from + Number(tightLow), to - Number(tightHigh));
    if (set) put(head, sequence([set, moreDecimals(places, at + 1)]));
    if (tightLow) walk(head + from, true, false);
    if (tightHigh) walk(head + to, false, true);
  };
  walk('', true, true);
  return out;
}

/** Joins alternatives; an empty alternative makes the result optional. @param {string[]} parts @returns {string | null} null without parts */
function alternatives(parts) {
  if (parts.length < 2) return parts[0] ?? null;
  const filled = parts.filter(Boolean);
  const body = filled.length > 1 ? `(${filled.join(' | ')})` : `(${filled[0]})`;
  return filled.length < parts.length ? `${body}?` : body;
}

/**
 * The grammar of the numbers from low to high; both are 0 or more.
 * @param {Bound} low @param {Bound | null} high
 * @param {number} places
 * @returns {string[]}
 */
function numbersFromZero(low, high, places) {
  const cut = ({ value: { units, scale } } = low) => {
    const unit = 10n ** BigInt(scale);
    const digitsOf = String(units % unit)
      .padStart(scale, '0')
      .replace(/0+$/, '');
    return { whole: units / unit, part: scale ? digitsOf : '' };
  };
  const begin = cut(low);
  const end = high && cut(high);
  const any = alternatives(fractionsBetween('', false, null, false, places)) ?? '';
  const of = (/** @type {bigint} */ whole, /** @type {string[]} */ parts) => {
    const tail = alternatives(parts);
    return tail === null ? [] : [sequence([literal(String(whole)), tail])];
  };
  if (end && begin.whole > end.whole) return [];
  if (high && end && begin.whole === end.whole)
    return of(begin.whole, fractionsBetween(begin.part, low.open, end.part, high.open, places));
  const inner = alternatives(integersBetween(begin.whole + 1n, end && end.whole - 1n));
  return [
    ...of(begin.whole, fractionsBetween(begin.part, low.open, null, false, places)),
    ...(inner === null ? [] : [sequence([inner, any])]),
    ...(high && end ? of(end.whole, fractionsBetween('', false, end.part, high.open, places)) : []),
  ];
}

const ZERO = { units: 0n, scale: 0 };

/**
 * The grammar of the numbers in a range; null for an empty range. It never accepts -0.
 * @param {Bound | null} low @param {Bound | null} high
 * @param {number} places most decimals; 0 for integers, Infinity for any number
 * @returns {string | null}
 */
export function rangeOf(low, high, places) {
  const grid = (/** @type {Bound | null} */ bound, /** @type {1 | -1} */ side) =>
    bound && Number.isFinite(places) ? nearestAllowed(bound, places, side) : bound;
  const least = grid(low, 1);
  const most = grid(high, -1);
  if (least && most) {
    const order = compareDecimals(least.value, most.value);
    if (order > 0 || (order === 0 && (least.open || most.open))) return null;
  }
  const negated = ({ value: { units, scale }, open } = { value: ZERO, open: true }) => ({
    value: { units: -units, scale },
    open,
  });
  const isNegative = (/** @type {Bound | null} */ bound) => bound && bound.value.units < 0n;
  const parts = isNegative(most)
    ? []
    : numbersFromZero(
        isNegative(least) || !least ? { value: ZERO, open: false } : least,
        most,
        places,
      );
  if (!least || isNegative(least)) {
    const from = isNegative(most) ? negated(/** @type {Bound} */ (most)) : negated();
    const nearest = Number.isFinite(places) && from.open ? nearestAllowed(from, places, 1) : from;
    const below = alternatives(numbersFromZero(nearest, least && negated(least), places));
    if (below !== null) parts.push(`"-" ${below}`);
  }
  return alternatives(parts);
}

/** True if a bound has more digits than a grammar should contain. @param {Decimal} decimal */
function isLong({ units, scale }) {
  const size = units < 0n ? -units : units;
  return scale > DIGITS_MAX || size >= LARGEST * 10n ** BigInt(scale);
}

/**
 * Replaces a bound that is too long for a grammar by the largest allowed bound; null if that would
 * widen the range. Other bounds do not change.
 * @param {Bound} bound @param {1 | -1} side 1: a lower bound
 * @returns {Bound | null}
 */
export function shortBound(bound, side) {
  if (!isLong(bound.value)) return bound;
  const { units, scale } = bound.value;
  const isFar = side > 0 ? units < 0n : units > 0n;
  if (scale > DIGITS_MAX || !isFar) return null;
  return { value: { units: side > 0 ? -LARGEST : LARGEST, scale: 0 }, open: true };
}
