/** The bytes of a text file as text. */

/**
 * UTF-8, or UTF-16 where a byte order mark says so; the mark is not part of the text. null: neither.
 * @param {Uint8Array} bytes
 * @param {boolean} [cut] whether more would follow, so that the last character may be incomplete
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
