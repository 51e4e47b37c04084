/** Reads text files for `eval` and `compare --held-out`, as a whole or divided into documents. */
import { UsageError } from './flags.js';
import { readTextFile } from './read-text.js';

const END_OF_TEXT = '<|endoftext|>';

/**
 * Returns the documents of a file: the texts between <|endoftext|> marks. Several line breaks in a row become one. A
 * file without a mark is one document.
 * @param {string} flag the flag to name in an error
 * @param {string} path
 * @returns {string[]}
 */
export function readDocuments(flag, path) {
  let text;
  try {
    text = readTextFile(path);
  } catch (error) {
    throw new UsageError(`${flag} could not be read: ${/** @type {Error} */ (error).message}`);
  }
  if (!text.trim()) throw new UsageError(`${flag} is empty: ${JSON.stringify(path)}`);
  if (!text.includes(END_OF_TEXT)) return [text];
  return text
    .split(END_OF_TEXT)
    .map((document) => document.trim().replace(/\s*\n\s*/g, '\n'))
    .filter((document) => document);
}

/**
 * @param {string} name
 * @param {number | undefined} value
 * @param {number} fallback
 */
export function wholeNumber(name, value, fallback) {
  if (value === undefined) return fallback;
  if (!Number.isInteger(value) || value < 1) {
    throw new UsageError(`${name} must be a whole number of at least 1, got ${value}`);
  }
  return value;
}
