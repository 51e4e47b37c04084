/** Breaks texts of an SVG image into lines. */
import { textOf } from './svg-file.js';

/**
 * @typedef {{ text: string, lit: boolean }} Part `lit`: true for the drawn token
 */

/**
 * Returns a function that measures the width of a text.
 * @param {string} font
 */
export function measureIn(font) {
  const context = /** @type {CanvasRenderingContext2D} */ (
    document.createElement('canvas').getContext('2d')
  );
  context.font = font;
  return (/** @type {string} */ text) => context.measureText(text).width;
}

/**
 * Returns a line of text whose parts may have different attributes.
 * @param {{ text: string, [attribute: string]: string | number | undefined }[]} parts
 * @param {Record<string, string | number>} attributes
 */
export function lineOf(parts, attributes) {
  const spans = parts.map(({ text, ...own }) => textOf(text, /** @type {any} */ (own)));
  const inner = spans.join('').replaceAll('<text', '<tspan').replaceAll('</text>', '</tspan>');
  return textOf('', { 'xml:space': 'preserve', ...attributes }).replace(
    '></text>',
    () => `>${inner}</text>`,
  );
}

/**
 * Breaks a text into lines. If it needs more than `most` lines, the last one ends with "…".
 * @param {Part[]} parts
 * @param {(text: string) => number} measure returns the width of a text
 * @param {number} width of a line
 * @param {number} most the number of lines
 * @returns {Part[][]}
 */
export function breakLines(parts, measure, width, most) {
  /** @type {Part[][]} */
  const lines = [[]];
  let at = 0;
  for (const word of wordsOf(parts)) {
    const last = /** @type {Part[]} */ (lines.at(-1));
    const full = lines.length === most;
    const wide = word.reduce((sum, { text }) => sum + measure(text), 0);
    const turns = last.length > 0 && at + wide > width - (full ? measure(' …') : 0);
    if (turns && full) {
      last.push({ text: ' …', lit: false });
      return lines;
    }
    const [first, ...others] = word;
    const shown = turns ? [{ ...first, text: first.text.trimStart() }, ...others] : word;
    if (turns) lines.push(shown);
    else last.push(...shown);
    at = (turns ? 0 : at) + shown.reduce((sum, { text }) => sum + measure(text), 0);
  }
  return lines;
}

/**
 * Splits a text at spaces into words. A word may have several tokens.
 * @param {Part[]} parts
 * @returns {Part[][]}
 */
function wordsOf(parts) {
  /** @type {Part[][]} */
  const words = [];
  for (const { text, lit } of parts)
    for (const piece of text.replaceAll(/\s+/g, ' ').split(/(?= )/)) {
      if (piece === '') continue;
      if (piece.startsWith(' ') || words.length === 0) words.push([]);
      words[words.length - 1].push({ text: piece, lit });
    }
  return words;
}
