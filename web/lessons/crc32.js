/**
 * Returns the check sum of a text. Two texts with the same eight digits are equal; other programs can compute it too.
 */
import { crc32 as sumOf } from '../import/crc32.js';

/** @param {string} text @returns {string} of its UTF-8 bytes, in hexadecimal digits */
export const crc32 = (text) => sumOf(new TextEncoder().encode(text)).toString(16).padStart(8, '0');
