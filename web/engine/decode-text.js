/** Decodes the bytes of a text file. */

/** UTF-16 by its byte order mark, read as a big-endian number. @type {Record<number, string>} */
const UTF_16 = { 65534: 'utf-16le', 65279: 'utf-16be' };

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, and removes the mark. Returns null for other bytes.
 * @param {Uint8Array} bytes
 * @param {boolean} [cut] true if more bytes follow, so that the last character may be incomplete
 */
export function decodeText(bytes, cut = false) {
  const mark = bytes[0] * 256 + bytes[1];
  const encoding = UTF_16[mark] ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return null;
  }
}
