/** Reads small files as a whole (bytes, UTF-8 text or JSON), each kind with a limit. */
import { LogitscopeError } from '../engine/errors.js';
import { bad } from './faults.js';

/** @import { ByteFile } from './byte-file.js' */

/** Limit for a file of a vocabulary: 64 MiB, twice the largest known file. */
export const TEXT_BYTES = 64 << 20;
/** Limit for nested lists and objects in JSON. */
const DEPTH = 64;
/** Limit for the number of values in JSON: 2^21. The largest known tokenizer.json has 1.4 million. */
const VALUES = 1 << 21;

/** @param {ByteFile} file @returns {Promise<Uint8Array>} */
export async function readBytes(file) {
  const { name, size } = file;
  if (size > TEXT_BYTES)
    throw new LogitscopeError('too_long', 'vocab_bytes', {
      file: name,
      n: size,
      limit: TEXT_BYTES,
    });
  return file.read(0, size);
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = new TextEncoder().encode(
  '"\\,[]{}',
);

/**
 * Checks depth and number of values before parsing: the time and memory of JSON.parse grow with both.
 * @param {string} text @param {string} name @param {number} most values
 */
function checkSize(text, name, most) {
  let depth = 0;
  let values = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted && code === BACKSLASH) i++;
    else if (code === QUOTE) quoted = !quoted;
    else if (quoted) continue;
    else if (code === COMMA) values++;
    else if (code === OPEN || code === OPEN_LIST) {
      if (++depth > DEPTH) throw bad(name, 'vocab_json_deep', { limit: DEPTH });
    } else if (code === CLOSE || code === CLOSE_LIST) depth--;
  }
  if (values > most)
    throw new LogitscopeError('too_long', 'vocab_json_values', {
      file: name,
      n: values,
      limit: most,
    });
}

/**
 * Parses JSON; ignores a byte order mark.
 * @param {string} text @param {string} name the file's name, for the refusal
 * @param {number} [most] values
 * @returns {unknown}
 */
export function parseJson(text, name, most = VALUES) {
  checkSize(text, name, most);
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw bad(name, 'vocab_json');
  }
}
