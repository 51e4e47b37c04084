/** Errors about a file that is imported. Every error names the file. */
import { LogitscopeError } from '../engine/errors.js';

/** @import { Values } from '../engine/errors.js' */

/**
 * The error for a file that breaks the rules of its format.
 * @param {string} file
 * @param {string} key
 * @param {Values} [values]
 */
export const bad = (file, key, values = {}) =>
  new LogitscopeError('bad_file', key, { file, ...values });

/**
 * The error for a file with a part that is not supported; the file itself may be correct.
 * @param {string} file
 * @param {string} key
 * @param {Values} [values]
 */
export const unsupported = (file, key, values = {}) =>
  new LogitscopeError('unsupported', key, { file, ...values });

/** Makes a name from a file safe and short enough for an error sentence. @param {unknown} name */
export function named(name) {
  const text = (typeof name === 'object' ? `(${typeof name})` : String(name)).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    '\ufffd',
  );
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
