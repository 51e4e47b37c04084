/** Makes the error for a source that could not be loaded. The page loads this module on failure. */
import { LogitscopeError, reasonOf, show } from './errors.js';

/**
 * @param {string} setting 'model' or 'wasm'
 * @param {unknown} source
 * @param {unknown} cause
 */
export function loadFault(setting, source, cause) {
  if (/** @type {any} */ (cause)?.name === 'AbortError')
    return new LogitscopeError('cancelled', 'load_cancelled');
  if (cause instanceof LogitscopeError && cause.key === 'must_be') return cause;
  if (cause instanceof TypeError && String(source).startsWith(`${globalThis.origin}/`))
    return new LogitscopeError('load_failed', 'load_unreached', {}, { cause });
  const reason = reasonOf(cause);
  if (typeof source !== 'string' && !(source instanceof URL))
    return new LogitscopeError('load_failed', 'load_failed', { setting, reason }, { cause });
  const address = show(String(source));
  return new LogitscopeError(
    'load_failed',
    'load_failed_from',
    { setting, reason, address },
    { cause },
  );
}
