/** Checks of what a caller hands over: types and limits that JavaScript can see by itself. */
import { LogitscopeError, show } from './errors.js';

/**
 * Checks an options bag: an object (or nothing) with known names only.
 * @param {string} what for instance 'options of encode'
 * @param {unknown} options
 * @param {readonly string[]} names
 */
export function checkOptions(what, options, names) {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new LogitscopeError(
      'invalid_argument',
      `${what} must be an object, got ${show(options)}`,
    );
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      throw new LogitscopeError(
        'invalid_argument',
        `${what} must be among ${names.join(', ')}, got ${show(name)}`,
      );
    }
  }
}

/**
 * Checks an integer option and returns it.
 * @param {string} name
 * @param {unknown} value
 * @param {number} minimum
 * @param {number} maximum
 * @returns {number}
 */
export function checkInteger(name, value, minimum, maximum) {
  if (typeof value !== 'number') {
    throw new LogitscopeError('invalid_argument', `${name} must be a number, got ${show(value)}`);
  }
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new LogitscopeError(
      'out_of_range',
      `${name} must be an integer between ${minimum} and ${maximum}, got ${value}`,
    );
  }
  return value;
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function checkBoolean(name, value) {
  if (typeof value !== 'boolean') {
    throw new LogitscopeError(
      'invalid_argument',
      `${name} must be true or false, got ${show(value)}`,
    );
  }
}

/**
 * A list of integers below `limit`.
 * @param {string} name
 * @param {ArrayLike<number>} ids
 * @param {number} limit
 */
export function checkIds(name, ids, limit) {
  if (!Array.isArray(ids) && !(ArrayBuffer.isView(ids) && !(ids instanceof DataView))) {
    throw new LogitscopeError(
      'invalid_argument',
      `${name} must be a list of token ids, got ${show(ids)}`,
    );
  }
  for (let i = 0; i < ids.length; i++) {
    if (typeof ids[i] !== 'number') {
      throw new LogitscopeError(
        'invalid_argument',
        `${name} must be a list of token ids, got ${show(ids[i])} at ${i}`,
      );
    }
    if (!(Number.isInteger(ids[i]) && ids[i] >= 0 && ids[i] < limit)) {
      throw new LogitscopeError(
        'unknown_token',
        `a token id must be an integer between 0 and ${limit - 1}, got ${ids[i]}`,
      );
    }
  }
}

/**
 * @param {ArrayLike<number>} logits
 * @returns {number} how many
 */
export function checkLogits(logits) {
  if (
    !Array.isArray(logits) &&
    !(logits instanceof Float32Array) &&
    !(logits instanceof Float64Array)
  ) {
    throw new LogitscopeError(
      'invalid_argument',
      `logits must be a list of numbers, got ${show(logits)}`,
    );
  }
  if (!logits.length) {
    throw new LogitscopeError('empty', 'logits must hold at least one number, got none');
  }
  if (Array.isArray(logits)) {
    for (let i = 0; i < logits.length; i++) {
      if (typeof logits[i] !== 'number') {
        throw new LogitscopeError(
          'invalid_argument',
          `logits must be a list of numbers, got ${show(logits[i])} at ${i}`,
        );
      }
    }
  }
  return logits.length;
}

/**
 * What a sampler of the caller's own gave; whether its numbers are finite is C's business.
 * @template {ArrayLike<number>} T
 * @param {T} result
 * @param {number} size of the vocabulary
 * @returns {T}
 */
export function checkOwn(result, size) {
  const isList = Array.isArray(result) || ArrayBuffer.isView(result);
  const at = isList ? Array.from(result).findIndex((it) => typeof it !== 'number') : -1;
  if (!isList || at >= 0) {
    const odd = isList ? `${show(result[at])} at ${at}` : show(result);
    throw new LogitscopeError('invalid_argument', `own must give a list of numbers, got ${odd}`);
  }
  if (result.length !== size) {
    throw new LogitscopeError(
      'invalid_argument',
      `own must give a logit for each of the ${size} tokens, got ${result.length}`,
    );
  }
  return result;
}
