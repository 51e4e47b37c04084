/** The sentence in a saved picture or film. */
import { tailOf } from './sentence.js';

/** @typedef {import('../../base/svg-lines.js').Part} Part */

/**
 * Returns the parts of the sentence; `lit` marks the drawn token.
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
