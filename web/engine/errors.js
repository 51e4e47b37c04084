/** The one error that the engine throws: `code` for programs, `message` one sentence for people. */
export class LogitscopeError extends Error {
  /**
   * @param {string} code a status name of src/status.c, or busy, superseded, unknown_setting,
   *   load_failed, no_model, closed
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = 'LogitscopeError';
    this.code = code;
  }
}

/**
 * A value as a sentence shows it, cut short: strings in quotes, objects as JSON.
 * @param {unknown} value
 * @returns {string}
 */
export function show(value) {
  let text = String(value);
  if (typeof value === 'function') text = 'a function';
  else if (typeof value === 'string' || (typeof value === 'object' && value !== null)) {
    try {
      text = JSON.stringify(value);
    } catch {
      text = 'an object';
    }
  }
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
