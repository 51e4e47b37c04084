/** Finds the program to which a text with settings belongs. */
import { isObject } from './forms.js';
import { programs } from './programs.js';

/** @typedef {{ program: string, sure: number }} Guess */

/**
 * Returns the programs that a text fits, the likeliest first; empty if it fits none.
 * @param {string | Uint8Array} text
 * @param {string} [fileName]
 * @returns {Guess[]}
 */
export function recognise(text, fileName = '') {
  if (typeof text !== 'string')
    return String.fromCharCode(...text.subarray(0, 4)) === 'GGUF'
      ? [{ program: 'gguf', sure: 1 }]
      : [];
  /** @type {Record<string, any> | null} */
  let object = null;
  try {
    const value = JSON.parse(text.replace(/^\ufeff/, ''));
    if (isObject(value)) object = value;
  } catch {}
  return programs
    .map((program) => ({ program: program.id, sure: program.sure(text, object, fileName) }))
    .filter(({ sure }) => sure > 0)
    .sort((a, b) => b.sure - a.sure);
}
