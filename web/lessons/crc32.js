/** The CRC-32 sum of a text. Its eight digits show whether two texts are equal, also in other programs. */
import { crc32 as sumOf } from '../import/crc32.js';

/** @param {string} text @returns {string} of its UTF-8 bytes, in hexadecimal digits */
export const crc32 = (text) => sumOf(new TextEncoder().encode(text)).toString(16).padStart(8, '0');
