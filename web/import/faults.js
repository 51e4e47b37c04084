/** Errors of imported files: every sentence names the file. */
import { LogitscopeError } from '../engine/errors.js';

/** @typedef {import('../engine/errors.js').Values} Values */

/**
 * The error for a file that breaks the rules of its format.
 * @param {string} file
 * @param {string} key
 * @param {Values} [values]
 */
export const bad = (file, key, values = {}) =>
  new LogitscopeError('bad_file', key, { file, ...values });

/**
 * The error for a file that may be correct, but has a part that no reader here understands.
 * @param {string} file
 * @param {string} key
 * @param {Values} [values]
 */
export const unsupported = (file, key, values = {}) =>
  new LogitscopeError('unsupported', key, { file, ...values });

/** Shortens a name from a file for a sentence. @param {unknown} name */
export function named(name) {
  const text = (typeof name === 'object' ? `(${typeof name})` : String(name)).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    '\ufffd',
  );
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
