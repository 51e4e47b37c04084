/**
 * @typedef {Pick<LogitscopeError, 'code' | 'key' | 'values'>} Fault an error's data, kept until
 *   its sentence is shown
 */
/** @typedef {{ key: string, values: Values }} Phrase a part of a sentence */
/** @typedef {{ [name: string]: string | number | Phrase }} Values */

/** Every `code`. The first ones are the names in src/status.c. */
export const CODES = /** @type {const} */ ([
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
  'cancelled',
  'no_model',
  'superseded',
  'unknown_setting',
  'asked',
  'unanswered',
  'settings',
]);
/**
 * @typedef {typeof CODES[number] | 'internal'} Code the kinds of errors; 'internal' is a fault of
 *   the engine
 */

/**
 * Makes a sentence from a key and values; returns the key until `speakWith` is called. The page and
 * its worker show sentences in the user's language, so they load the English ones only when needed.
 * @type {(key: string, values: Values) => string}
 */
let speak = (key) => key;

/** @param {typeof speak} sentenceOf the function of sentences.js */
export function speakWith(sentenceOf) {
  speak = sentenceOf;
}

/** The English sentence if sentences.js is loaded, otherwise its key. @param {Phrase} phrase */
export const inEnglish = ({ key, values }) => speak(key, values);

/**
 * The only class of error that the engine throws. `code` is for programs. `key` and `values` make a
 * sentence in any language. `message` is English if sentences.js is imported, else the key.
 */
export class LogitscopeError extends Error {
  /**
   * @param {Code} code
   * @param {string} key a key of sentences.js
   * @param {Values} [values] a value for each placeholder of the sentence
   * @param {ErrorOptions} [options]
   */
  constructor(code, key, values = {}, options) {
    super(speak(key, values), options);
    this.name = 'LogitscopeError';
    this.code = code;
    this.key = key;
    this.values = values;
  }
}

/**
 * @param {string} key
 * @param {Values} [values]
 * @returns {Phrase}
 */
export const phrase = (key, values = {}) => ({ key, values });

/**
 * The error for a value of the wrong type.
 * @param {string | Phrase} setting
 * @param {string} what the key of a phrase
 * @param {unknown} value
 * @param {number} [at] index of the value, if it is in a list
 */
export function mustBe(setting, what, value, at) {
  const values = { setting, what: phrase(what), value: shown(value) };
  return at === undefined
    ? new LogitscopeError('invalid_argument', 'must_be', values)
    : new LogitscopeError('invalid_argument', 'must_be_at', { ...values, at });
}

/**
 * The reason that a thrown value gives, for use in another error's sentence.
 * @param {unknown} error
 * @returns {string | Phrase}
 */
export function reasonOf(error) {
  if (error instanceof LogitscopeError) return phrase(error.key, error.values);
  if (!(error instanceof Error)) return show(error);
  // Node puts the reason of a failed fetch into `cause`.
  return error instanceof TypeError && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}

/** A value for a sentence: a number unchanged, any other value as text. @param {unknown} value */
export const shown = (value) => (typeof value === 'number' ? value : show(value));

/**
 * The text of a value in a sentence, shortened: strings in quotes, objects as JSON.
 * @param {unknown} value
 * @returns {string}
 */
export function show(value) {
  /** @type {string | undefined} */
  let text = typeof value === 'function' ? 'a function' : undefined;
  try {
    text ??= /string|object/.test(typeof value) ? JSON.stringify(value) : String(value);
  } catch {}
  text ??= 'an object';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/**
 * Returns the code, key and values of a thrown value, to send or store.
 * @param {unknown} error
 * @returns {Fault}
 */
export function toFault(error) {
  const { code, key, values } =
    error instanceof LogitscopeError
      ? error
      : new LogitscopeError('internal', 'internal', { reason: reasonOf(error) });
  return { code, key, values };
}
