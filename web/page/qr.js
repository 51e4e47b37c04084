/** The QR code of a text, as the path of an SVG. */
import { generate } from 'lean-qr';

/** Longest text for a QR code, in bytes of UTF-8. */
export const MOST_BYTES = 2953;
/** Width of the white border that scanners need, in modules (the squares of the code). */
export const QUIET = 4;

/**
 * Returns the path and the size in modules; null if the text is too long.
 * @param {string} text
 */
export function codeOf(text) {
  if (new TextEncoder().encode(text).length > MOST_BYTES) return null;
  const code = generate(text);
  const { size } = code;
  const runs = [];
  for (let y = 0; y < size; y++)
    for (let x = 0, wide; x < size; x += wide) {
      wide = 1;
      if (!code.get(x, y)) continue;
      while (code.get(x + wide, y)) wide++;
      runs.push(`M${x} ${y}h${wide}v1h${-wide}z`);
    }
  return { size, path: runs.join('') };
}
