/** What went wrong, as it is kept until it is told: the same parts as the engine's error. */
import { LogitscopeError, reasonOf } from '../engine/errors.js';

/** @typedef {Pick<LogitscopeError, 'code' | 'key' | 'values'>} Fault */

/**
 * What was thrown, as it is kept and told.
 * @param {unknown} error
 * @returns {Fault}
 */
export function toFault(error) {
  const { code, key, values } =
    error instanceof LogitscopeError
      ? error
      : new LogitscopeError('other', 'internal', { reason: reasonOf(error) });
  return { code, key, values };
}
