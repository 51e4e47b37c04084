/** The operators of a template. */
import { checkItems, needInt } from './arguments.js';
import { refuse } from './fault.js';
import { formatByPercent } from './format.js';
import { calculate } from './numbers.js';
import { Markup, Str } from './text.js';
import {
  Tuple,
  asNumber,
  contains,
  equal,
  isNumber,
  less,
  lessOrEqual,
  needDefined,
  typeName,
} from './values.js';

/** @import { Value } from './values.js' */

/** @param {Value} all @param {Value} times @returns {Value} JavaScript's undefined for other types */
function repeat(all, times) {
  const items = all instanceof Tuple ? all.items : all;
  if (!(items instanceof Str || Array.isArray(items))) return undefined;
  if (!isNumber(times) || typeof times === 'number') return undefined;
  const n = Math.max(0, needInt(times, 'repeating'));
  if (items instanceof Str) return items.repeat(n);
  checkItems(n * items.length);
  const repeated = Array.from({ length: n }, () => items).flat();
  return all instanceof Tuple ? new Tuple(repeated) : repeated;
}

/** @param {Value[]} a @param {Value[]} b */
function joined(a, b) {
  checkItems(a.length + b.length);
  return [...a, ...b];
}

/** @param {Value} a @param {Value} b @returns {Value} JavaScript's undefined for other types */
function add(a, b) {
  if (a instanceof Str && b instanceof Str) return a.plus(b);
  if (Array.isArray(a) && Array.isArray(b)) return joined(a, b);
  if (a instanceof Tuple && b instanceof Tuple) return new Tuple(joined(a.items, b.items));
  return undefined;
}

/** @param {string} operator @param {Value} a @param {Value} b @returns {Value} */
export function operate(operator, a, b) {
  needDefined(a);
  // Only this operator accepts an undefined value.
  if (operator === '%' && a instanceof Str) return formatByPercent(a, b);
  needDefined(b);
  if (isNumber(a) && isNumber(b)) return calculate(operator, asNumber(a), asNumber(b));
  if (a instanceof Markup || b instanceof Markup)
    refuse(`${operator} of a string that is marked safe is not supported`);
  let result;
  if (operator === '+') result = add(a, b);
  if (operator === '*') result = repeat(a, b) ?? repeat(b, a);
  return result === undefined
    ? refuse(`unsupported operand types for ${operator}: '${typeName(a)}' and '${typeName(b)}'`)
    : result;
}

/** @param {string} sign @param {Value} value */
export function negate(sign, value) {
  needDefined(value);
  if (!isNumber(value)) return refuse(`bad operand type for unary ${sign}: '${typeName(value)}'`);
  const number = asNumber(value);
  return sign === '-' ? -number : number;
}

/** @type {Record<string, (a: Value, b: Value) => boolean>} */
export const COMPARE = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': less,
  '<=': lessOrEqual,
  '>': (a, b) => less(b, a),
  '>=': (a, b) => lessOrEqual(b, a),
  in: (a, b) => contains(b, a),
  'not in': (a, b) => !contains(b, a),
};
