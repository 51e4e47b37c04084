/** Decodes the bytes of a text file. */

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, and removes the mark. Returns null for other bytes.
 * @param {Uint8Array} bytes
 * @param {boolean} [cut] true if more bytes follow, so that the last character may be incomplete
 */
export function decodeText(bytes, cut = false) {
  const mark = bytes[0] * 256 + bytes[1];
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return null;
  }
}
