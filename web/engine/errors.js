/** The one error that the engine throws: `code` is for programs, `message` one sentence for people. */
export class LogitscopeError extends Error {
  /**
   * @param {string} code a status name of src/status.c, or one of busy, superseded, unknown_setting,
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

/**
 * Checks an options bag: an object (or nothing) with known names only.
 * @param {string} what for instance 'options of encode'
 * @param {unknown} options
 * @param {readonly string[]} names
 */
export function checkOptions(what, options, names) {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new LogitscopeError('invalid_argument', `${what} must be an object, got ${show(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      throw new LogitscopeError('invalid_argument',
        `${what} must be among ${names.join(', ')}, got ${show(name)}`);
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
    throw new LogitscopeError('out_of_range',
      `${name} must be an integer between ${minimum} and ${maximum}, got ${value}`);
  }
  return value;
}
