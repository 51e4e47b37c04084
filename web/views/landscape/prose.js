/** The sentence of a picture or film, broken into lines. */
import { tailOf } from './sentence.js';

/**
 * @typedef {{ text: string, lit: boolean }} Part `lit`: true for the drawn token
 */

/**
 * Returns the sentence in parts.
 * @param {string} prompt
 * @param {string[]} words the text after the prompt; the first one is the drawn token
 * @returns {Part[]}
 */
export function partsOf(prompt, words) {
  return [
    { text: tailOf(prompt), lit: false },
    ...words.map((text, i) => ({ text, lit: i === 0 })),
  ];
}

/**
 * Breaks parts into lines; the last line ends with "…" if the sentence is longer.
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
  const pieces = parts.flatMap(({ text, lit }) =>
    text
      .replaceAll(/\s+/g, ' ')
      .split(/(?= )/)
      .map((piece) => ({ text: piece, lit })),
  );
  for (const { text, lit } of pieces) {
    const last = /** @type {Part[]} */ (lines.at(-1));
    const room = lines.length === most ? width - measure(' …') : width;
    const turns = last.length > 0 && text.startsWith(' ') && at + measure(text) > room;
    if (turns && lines.length === most) {
      last.push({ text: ' …', lit: false });
      return lines;
    }
    const shown = turns ? text.trimStart() : text;
    if (turns) lines.push([{ text: shown, lit }]);
    else last.push({ text: shown, lit });
    at = (turns ? 0 : at) + measure(shown);
  }
  return lines;
}
