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
 * Splits parts at spaces into words; a word may consist of several tokens.
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
