/** Checks arguments, as far as JavaScript can without the module: types and some limits. */
import { LogitscopeError, mustBe, show, shown } from './errors.js';

/** @import { Phrase } from './errors.js' */

/**
 * True if a value is a plain object; false for a list, a Map, a Date or a Promise.
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
export const isObject = (value) => Object.prototype.toString.call(value) === '[object Object]';

/**
 * Throws unless the options are undefined or an object with known names only.
 * @param {string | Phrase} what the name for errors, for instance 'options of encode'
 * @param {unknown} options
 * @param {readonly string[]} names
 */
export function checkOptions(what, options, names) {
  if (options === undefined) return;
  if (!isObject(options)) throw mustBe(what, 'an_object', options);
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      throw new LogitscopeError('invalid_argument', 'must_be_among', {
        setting: what,
        names: names.join(', '),
        value: show(name),
      });
    }
  }
}

/**
 * Returns an integer option, or throws.
 * @param {string | Phrase} name
 * @param {unknown} value
 * @param {number} minimum
 * @param {number} maximum
 * @returns {number}
 */
export function checkInteger(name, value, minimum, maximum) {
  if (typeof value !== 'number') {
    throw mustBe(name, 'a_number', value);
  }
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new LogitscopeError('out_of_range', 'must_be_integer_between', {
      setting: name,
      minimum,
      maximum,
      value,
    });
  }
  return value;
}

/**
 * Throws unless a value is one of the choices.
 * @param {string} name
 * @param {unknown} value
 * @param {readonly unknown[]} choices
 */
export function checkChoice(name, value, choices) {
  if (choices.includes(value)) return;
  throw new LogitscopeError('invalid_argument', 'must_be_one_of', {
    setting: name,
    names: choices.map(show).join(', '),
    value: shown(value),
  });
}

/** The most levels of a nested setting. Recursion and postMessage fail at a few hundred levels. */
const DEPTH_MAX = 100;
/** depthOf stops after this many levels, since an object may contain itself. */
const COUNTED = 100_000;

/** @param {unknown} value */
const isContainer = (value) =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);

/** The nesting depth of a value; Infinity if the value contains itself. @param {unknown} value */
function depthOf(value) {
  let level = new Set([value].filter(isContainer));
  let depth = 0;
  for (; level.size && depth < COUNTED; depth++) {
    level = new Set(
      [...level].flatMap((it) => Object.values(/** @type {any} */ (it)).filter(isContainer)),
    );
  }
  return level.size ? Infinity : depth;
}

/**
 * Refuses a value that is nested too deeply for recursion.
 * @param {string} name
 * @param {unknown} value
 */
export function checkDepth(name, value) {
  checkInteger(`${name}: depth`, depthOf(value), 0, DEPTH_MAX);
}

/**
 * Checks the depth of each value of an options object. Accepts anything that is not an object.
 * @param {unknown} options
 */
export function checkDepths(options) {
  if (!isObject(options)) return;
  for (const [name, value] of Object.entries(options)) checkDepth(name, value);
}

/** @param {string} name @param {unknown} value */
export function checkBoolean(name, value) {
  if (typeof value !== 'boolean') {
    throw mustBe(name, 'true_or_false', value);
  }
}

/**
 * Throws unless a value is an engine, in this thread or in a worker.
 * @param {any} scope
 * @param {string} [method] a method that the engine must have
 */
export function checkEngine(scope, method = 'session') {
  if (typeof scope?.[method] !== 'function') throw mustBe('scope', 'an_engine', scope);
}

/** @param {unknown} signal */
export function checkSignal(signal) {
  if (signal !== undefined && typeof (/** @type {any} */ (signal)?.aborted) !== 'boolean') {
    throw mustBe('signal', 'an_abort_signal', signal);
  }
}

/** @param {string} name @param {unknown} value */
export function checkFunction(name, value) {
  if (value !== undefined && typeof value !== 'function') throw mustBe(name, 'a_function', value);
}

/**
 * Throws unless a text is a string or a list of ids.
 * @param {string} name
 * @param {unknown} value
 */
export function checkText(name, value) {
  if (typeof value !== 'string' && !Array.isArray(value) && !ArrayBuffer.isView(value)) {
    throw mustBe(name, 'a_string_or_ids', value);
  }
}

/**
 * Throws unless a value is a list of integers from 0 to below `limit`.
 * @param {string} name
 * @param {ArrayLike<number>} ids
 * @param {number} limit
 */
export function checkIds(name, ids, limit) {
  if (!Array.isArray(ids) && !(ArrayBuffer.isView(ids) && !(ids instanceof DataView))) {
    throw mustBe(name, 'a_list_of_ids', ids);
  }
  for (let i = 0; i < ids.length; i++) {
    if (typeof ids[i] !== 'number') {
      throw mustBe(name, 'a_list_of_ids', ids[i], i);
    }
    if (!(Number.isInteger(ids[i]) && ids[i] >= 0 && ids[i] < limit)) {
      throw new LogitscopeError('unknown_token', 'id_between', { limit: limit - 1, id: ids[i] });
    }
  }
}

/** The least number that rounds to Infinity in a float32: 2^128 (1 - 2^-25). */
const BEYOND_FLOAT32 = 2 ** 128 * (1 - 2 ** -25);

/** @param {ArrayLike<number>} logits @returns {number} their number */
export function checkLogits(logits) {
  checkNumbers('logits', logits);
  if (!logits.length) throw new LogitscopeError('empty', 'no_numbers');
  if (logits instanceof Float32Array) return logits.length;
  for (let i = 0; i < logits.length; i++) {
    if (Math.abs(logits[i]) >= BEYOND_FLOAT32 && logits[i] !== -Infinity)
      throw new LogitscopeError('not_finite', 'logit_finite', { id: i, value: logits[i] });
  }
  return logits.length;
}

/** @param {string} name @param {ArrayLike<number>} numbers */
export function checkNumbers(name, numbers) {
  const isTyped = ArrayBuffer.isView(numbers) && !(numbers instanceof DataView);
  if (isTyped && typeof (numbers[0] ?? 0) === 'number') return;
  if (!Array.isArray(numbers)) throw mustBe(name, 'a_list_of_numbers', numbers);
  for (let i = 0; i < numbers.length; i++) {
    if (typeof numbers[i] !== 'number') throw mustBe(name, 'a_list_of_numbers', numbers[i], i);
  }
}

/**
 * Checks the logits of a second distribution. C checks that they are finite.
 * @param {ArrayLike<number>} logits
 * @param {number} size of the vocabulary
 */
export function checkSecond(logits, size) {
  if (checkLogits(logits) === size) return;
  throw new LogitscopeError('invalid_argument', 'second_each', { limit: size, n: logits.length });
}

/**
 * Checks the result of a caller's sampler. C checks that its numbers are finite.
 * @template {ArrayLike<number>} T
 * @param {T} result
 * @param {number} size of the vocabulary
 * @returns {T}
 */
export function checkOwn(result, size) {
  const isList = Array.isArray(result) || ArrayBuffer.isView(result);
  const at = isList ? Array.from(result).findIndex((it) => typeof it !== 'number') : -1;
  if (!isList)
    throw new LogitscopeError('invalid_argument', 'own_numbers', { value: shown(result) });
  if (at >= 0) {
    const value = shown(result[at]);
    throw new LogitscopeError('invalid_argument', 'own_numbers_at', { value, at });
  }
  if (result.length !== size) {
    throw new LogitscopeError('invalid_argument', 'own_each', {
      limit: size,
      n: result.length,
    });
  }
  return result;
}
