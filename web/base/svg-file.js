/**
 * Writes the text of an SVG image, and makes a PNG file of it.
 *
 * A picture to send or to save. `name`: of its file, without an extension; `title`: its content in words.
 * @typedef {{ name: string, title: string, svg: string }} Shot
 */

/** Matches characters that XML does not allow, even escaped. */
export const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Escapes a text for XML. @param {string} text */
export function escaped(text) {
  const entities = /** @type {Record<string, string>} */ ({
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  });
  return text.replace(NOT_XML, '\ufffd').replace(/[&<>"]/g, (character) => entities[character]);
}

/** Rounds a coordinate to 1/100 pixel. @param {number} value */
export const round = (value) => Number(value.toFixed(2));

/**
 * Returns a <text> element.
 * @param {string} words
 * @param {Record<string, string | number>} attributes
 */
export function textOf(words, attributes) {
  const list = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${escaped(String(value))}"`,
  );
  return `<text${list.join('')}>${escaped(words)}</text>`;
}

/** Pixels of the PNG for each CSS pixel. */
const SHARPNESS = 2;

/** @param {string} svg with width and height @returns {Promise<Blob>} */
export async function toPng(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = SHARPNESS * image.width;
  canvas.height = SHARPNESS * image.height;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) =>
    canvas.toBlob((blob) => resolve(/** @type {Blob} */ (blob)), 'image/png'),
  );
}
