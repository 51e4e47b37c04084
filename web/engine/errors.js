/** Every `code`, first the names of src/status.c. */
export const CODES = [
  'invalid_argument',
  'out_of_range',
  'not_finite',
  'nothing_left',
  'bad_file',
  'unsupported',
  'unknown_token',
  'empty',
  'too_long',
  'out_of_memory',
  'incomplete',
  'busy',
  'closed',
  'load_failed',
  'no_model',
  'superseded',
  'unknown_setting',
];

/** The one error that the engine throws: `code` for programs, `message` one sentence for people. */
export class LogitscopeError extends Error {
  /**
   * @param {string} code one of CODES
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
