/** Binds the arguments of a call to parameters, by position or by name, as Python does. */
import { refuse } from './fault.js';
import { asNumber, isNumber, needDefined, typeName } from './values.js';
import { Markup, Str } from './text.js';

/** @import { Value, Named } from './values.js' */

/**
 * The values of the parameters, in order; JavaScript's undefined for a parameter that is not given.
 * @param {string} name the function's name, for errors
 * @param {string} parameters names separated by blanks; a required one ends with `!`, a positional-only one begins with `/`
 * @param {Value[]} args
 * @param {Named} named
 * @returns {Value[]}
 */
export function bind(name, parameters, args, named) {
  const all = parameters ? parameters.split(' ') : [];
  if (args.length > all.length) refuse(`${name} takes at most ${all.length} arguments`);
  const taken = new Set();
  const values = all.map((parameter, i) => {
    const key = parameter.replace(/[!/]/g, '');
    if (!parameter.startsWith('/') && named.has(key)) {
      if (i < args.length) refuse(`${name} got multiple values for argument '${key}'`);
      taken.add(key);
      return named.get(key);
    }
    if (i >= args.length && parameter.endsWith('!')) refuse(`${name} needs the argument '${key}'`);
    return args[i];
  });
  for (const key of named.keys())
    if (!taken.has(key)) refuse(`${name} takes no argument named '${key}'`);
  return values;
}

/** @param {Value} value @param {string} where @returns {Str} */
export function needStr(value, where) {
  needDefined(value);
  if (!(value instanceof Str)) refuse(`${where} needs a string, got '${typeName(value)}'`);
  if (value instanceof Markup) refuse(`${where} of a string that is marked safe is not supported`);
  return value;
}

/** Maximum number of items of a list, since a template may build a longer list than it prints. */
const ITEMS_MAX = 1 << 20;

/** Refuses to make a list that is too long. @param {number} n number of its items */
export function checkItems(n) {
  if (n > ITEMS_MAX) refuse(`a list has more than ${ITEMS_MAX} items`);
}

/** Larger ints count as this one; no template needs more. */
const INT_MAX = 2 ** 40;

/** Returns an int as a number, or throws; JavaScript's undefined gives the fallback. @param {Value} value @param {string} where @param {number} [fallback] */
export function needInt(value, where, fallback) {
  if (value === undefined && fallback !== undefined) return fallback;
  needDefined(value);
  const number = isNumber(value) ? asNumber(value) : null;
  if (typeof number !== 'bigint')
    return refuse(`${where} needs an integer, got '${typeName(value)}'`);
  return Math.max(-INT_MAX, Math.min(INT_MAX, Number(number)));
}

/** The bounds of a slice, by Python's rules. @param {number} length @param {Value} start @param {Value} stop @param {number} step */
export function sliceBounds(length, start, stop, step) {
  const clip = (/** @type {Value} */ value, /** @type {number} */ otherwise) => {
    if (value === null || value === undefined) return otherwise;
    const at = needInt(value, 'a slice');
    const from = at < 0 ? at + length : at;
    return step > 0
      ? Math.min(Math.max(from, 0), length)
      : Math.min(Math.max(from, -1), length - 1);
  };
  return step > 0
    ? [clip(start, 0), clip(stop, length)]
    : [clip(start, length - 1), clip(stop, -1)];
}
