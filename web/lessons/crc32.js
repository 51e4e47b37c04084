/** CRC-32 as in zlib. Its eight digits show whether two texts are equal, also in other programs. */

/** @param {string} text @returns {string} of its UTF-8 bytes, in hexadecimal digits */
export function crc32(text) {
  let sum = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}
