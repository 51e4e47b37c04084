/** Finds the program of a text with settings. */
import { isObject, plainKey } from './forms.js';
import { programs } from './programs.js';

/** @typedef {{ program: string, sure: number }} Guess */

/** From 0.5 to 1: the share of the keys of an object that a program knows. @param {import('./read.js').Program} program @param {Record<string, any>} object */
function knownShare({ rows, cannot = {}, ignored = [], other = [], plain = plainKey }, object) {
  const names = rows.flatMap(({ key, also = [] }) => [key, ...also]);
  const known = new Set([...names, ...Object.keys(cannot), ...ignored, ...other].map(plain));
  const keys = Object.keys(object);
  const share = keys.filter((key) => known.has(plain(key))).length / Math.max(keys.length, 1);
  return Math.round(50 + 50 * share) / 100;
}

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
    .map((program) => ({
      program: program.id,
      sure: program.sure(text, object, fileName) * (object ? knownShare(program, object) : 1),
    }))
    .filter(({ sure }) => sure > 0)
    .sort((a, b) => b.sure - a.sure);
}
