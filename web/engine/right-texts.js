/**
 * The right texts after a prompt: the ends of every sentence of a grammar that begins with it. And the constraint that
 * allows only some texts.
 */
import { LogitscopeError } from './errors.js';
import { endings, pieces } from './grammar.js';
import { exp, log } from './elementary.js';

/** @import { Core } from './core.js' */
/** @import { Grammar } from './grammar.js' */

/**
 * The ids of each right text, with its end token. The grammar's words must be the model's tokens, so that a text has
 * one sequence of ids.
 * @param {Core} core
 * @param {Grammar} grammar
 * @param {number[]} prompt
 * @param {{ most: number, ends: number[] }} bounds
 */
export function rightTexts(core, grammar, prompt, { most, ends }) {
  const texts = [];
  for (const rest of endings(grammar, core.decode(prompt))) {
    const words = pieces(rest);
    /** @type {number[]} */
    const ids = [];
    for (const word of words) {
      const [id, ...more] = core.encode(word, { bos: false });
      if (more.length || core.piece(id).text !== word)
        throw new LogitscopeError('unsupported', 'law_grammar', { word });
      ids.push(id);
    }
    if (ids.length < most) texts.push(...ends.map((end) => ({ ids: [...ids, end] })));
  }
  return texts;
}

/** The constraint that allows only these texts, each after a space. @param {string[]} texts */
export const constraintTo = (texts) => ({
  grammar: `root ::= ${texts.map((text) => JSON.stringify(` ${text.trim()}`)).join(' | ')}`,
});

/** The expected number of distinct texts among `draws` independent ones. @param {number[]} ps @param {number} draws */
export const expectDistinct = (ps, draws) =>
  ps.reduce((sum, p) => sum + 1 - exp(draws * log(1 - p)), 0);
