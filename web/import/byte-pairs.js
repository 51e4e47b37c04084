/** Byte-level BPE from GPT-2's two files (tokens with ids, merges) and from tiktoken's ranks. */
import { LogitscopeError, phrase, show } from '../engine/errors.js';
import { CONTROL, NORMAL, idsByName, looksSpecial, tokensById } from './token-list.js';

/** @typedef {import('./token-list.js').Vocabulary} Vocabulary */

/** GPT-2's printable letter of each byte. */
export const LETTERS = Array.from({ length: 256 }, (_, byte) => {
  if ((byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad))
    return String.fromCharCode(byte);
  if (byte <= 0x20) return String.fromCharCode(0x100 + byte);
  return String.fromCharCode(byte === 0xad ? 0x143 : 0x121 + byte - 0x7f);
});

/** Spells bytes in GPT-2's letters. @param {Uint8Array} bytes */
export const spell = (bytes) => Array.from(bytes, (byte) => LETTERS[byte]).join('');

/** A text for a sentence that has quotes around it. @param {string} text */
const quoted = (text) => show(text).replace(/^"|"$/g, '');

/**
 * Checks that each merge joins two tokens to a third one.
 * @param {[string, string][]} pairs @param {(token: string) => boolean} has
 * @returns {string[]} the merges as GGUF writes them
 */
export function checkedMerges(pairs, has) {
  return pairs.map(([left, right], n) => {
    const name = `${left} ${right}`;
    const missing = !has(left) || !has(right);
    if (missing || !has(left + right)) {
      const trouble = phrase(missing ? 'joins_missing_token' : 'makes_missing_token');
      throw new LogitscopeError('bad_file', 'merge', { n, name: quoted(name), trouble });
    }
    return name;
  });
}

/**
 * Reads the lines of merges.txt. The first may be a comment "#version: 0.2".
 * @param {string} text @returns {[string, string][]}
 */
function pairsOf(text) {
  const lines = text.replace(/\r/g, '').split('\n');
  if (lines[0].startsWith('#version')) lines.shift();
  return lines.filter(Boolean).map((line, n) => {
    const parts = line.split(' ');
    if (parts.length !== 2) {
      const trouble = phrase('must_be_two_tokens');
      throw new LogitscopeError('bad_file', 'merge', { n, name: quoted(line), trouble });
    }
    return [parts[0], parts[1]];
  });
}

/**
 * Makes a vocabulary of vocab.json and merges.txt. Tokens that no merge makes and that look special become special. The
 * two files do not say how a text is split; GPT-2's rule is assumed unless the settings of the tokenizer name another.
 * @param {{ name: string, entries: [string, unknown][] }} list @param {string} merges @param {string} [pre]
 * @returns {Vocabulary}
 */
export function fromMerges({ name, entries }, merges, pre) {
  const { tokens, types } = tokensById(entries, name);
  const known = new Set(tokens);
  const pairs = pairsOf(merges);
  const lines = checkedMerges(pairs, (token) => known.has(token));
  const made = new Set(pairs.map(([left, right]) => left + right));
  for (const [id, token] of tokens.entries())
    if (types[id] === NORMAL && !made.has(token) && looksSpecial(token)) types[id] = CONTROL;
  return {
    model: 'gpt2',
    pre: pre ?? 'gpt-2',
    tokens,
    types,
    merges: lines,
    ids: idsByName({ tokens, types }),
    flags: {},
    notes: pre ? [] : [phrase('vocab_note_split', { file: name })],
  };
}
