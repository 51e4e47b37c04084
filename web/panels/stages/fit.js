/** Measures words, so that titles fit into their columns on the page and in a saved picture. */

/** @type {CanvasRenderingContext2D | null} */
let context = null;

/** Returns the width of a text in pixels. @param {string} text @param {string} font as in CSS */
function widthOf(text, font) {
  context ??= /** @type {CanvasRenderingContext2D} */ (
    document.createElement('canvas').getContext('2d')
  );
  context.font = font;
  return context.measureText(text).width;
}

/**
 * Breaks a text into lines at its spaces. A single word may be wider than the room.
 * @param {string} text @param {number} room in pixels @param {string} font
 */
export function linesOf(text, room, font) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && widthOf(longer, font) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/**
 * Returns true if a text fits into two lines.
 * @param {string} text @param {number} room in pixels @param {string} font
 */
export function fitsTwoLines(text, room, font) {
  const lines = linesOf(text, room, font);
  return lines.length <= 2 && lines.every((line) => widthOf(line, font) <= room);
}
