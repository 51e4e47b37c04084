/**
 * Reads vocabularies of byte-level BPE: GPT-2's two files (tokens with ids, merges), tiktoken's ranks, models of
 * minbpe.
 */
import { LogitscopeError, phrase, show } from '../engine/errors.js';
import { bad, unsupported } from './faults.js';
import { preTokenizerOf } from './pre-tokenizers.js';
import { CONTROL, NORMAL, idsByName, looksSpecial, tokensById } from './token-list.js';

/** @import { Vocabulary } from './token-list.js' */

/** The printable character by which GPT-2's files spell each byte. */
export const LETTERS = Array.from({ length: 256 }, (_, byte) => {
  if ((byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad))
    return String.fromCharCode(byte);
  if (byte <= 0x20) return String.fromCharCode(0x100 + byte);
  return String.fromCharCode(byte === 0xad ? 0x143 : 0x121 + byte - 0x7f);
});

/** Spells bytes in the characters of GPT-2's files. @param {Uint8Array} bytes */
export const spell = (bytes) => Array.from(bytes, (byte) => LETTERS[byte]).join('');

/** Prepares a text for an error sentence that has its own quotation marks. @param {string} text */
const inQuotedSentence = (text) => show(text).replace(/^"|"$/g, '');

/**
 * Checks that the two tokens of each merge and their joined text are tokens of the vocabulary.
 * @param {[string, string][]} pairs @param {(token: string) => boolean} has
 * @returns {string[]} the merges as GGUF writes them
 */
export function checkedMerges(pairs, has) {
  return pairs.map(([left, right], n) => {
    const name = `${left} ${right}`;
    const missing = !has(left) || !has(right);
    if (missing || !has(left + right)) {
      const trouble = phrase(missing ? 'joins_missing_token' : 'makes_missing_token');
      throw new LogitscopeError('bad_file', 'merge', { n, name: inQuotedSentence(name), trouble });
    }
    return name;
  });
}

/**
 * Returns the two tokens of a merge. Files write a merge as a text with a space between the tokens, or as a list.
 * @param {unknown} value @param {number} n the rank of the merge @returns {[string, string]}
 */
export function pairOf(value, n) {
  const parts = Array.isArray(value) ? value : String(value).split(' ');
  const [left, right] = parts;
  if (parts.length === 2 && typeof left === 'string' && typeof right === 'string')
    return [left, right];
  const name = inQuotedSentence(parts.join(' '));
  const trouble = phrase('must_be_two_tokens');
  throw new LogitscopeError('bad_file', 'merge', { n, name, trouble });
}

/** Reads the lines of merges.txt. The first may be a comment "#version: 0.2". @param {string} text */
function pairsOf(text) {
  const lines = text.replace(/\r/g, '').split('\n');
  if (lines[0].startsWith('#version')) lines.shift();
  return lines.filter(Boolean).map(pairOf);
}

/**
 * Makes a vocabulary of vocab.json and merges.txt. A token becomes special if no merge makes it and it looks like
 * <eos>. The files have no rule for splitting a text: `pre`, or else GPT-2's rule.
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

/** One line of a rank file: a token in base64 and its rank. */
const RANK = /^([A-Za-z0-9+/]+={0,2}) (\d+)$/;

/** Returns true if the first three lines of a text are lines of a rank file. @param {string} text */
export const isRanks = (text) =>
  text.split('\n', 3).every((line) => !line || RANK.test(line.trim()));

/** Longest token of a rank file, in bytes: the work for a token grows with the square of its length. */
const RANK_BYTES = 128;

/**
 * Data that rank files do not have, by the number of tokens in the file: the rule for splitting a text and the
 * special tokens. `whole` is true if the engine applies this rule as tiktoken does: a piece of text that is a token
 * becomes this token without merges.
 * @type {Record<number, { pre: string, whole?: boolean, bos?: boolean, special: Record<number, string> }>}
 */
const RANK_FILES = {
  50256: { pre: 'gpt-2', special: { 50256: '<|endoftext|>' } },
  50280: { pre: 'gpt-2', special: { 50256: '<|endoftext|>' } },
  100256: {
    pre: 'llama-bpe',
    whole: true,
    special: {
      100257: '<|endoftext|>',
      100258: '<|fim_prefix|>',
      100259: '<|fim_middle|>',
      100260: '<|fim_suffix|>',
      100276: '<|endofprompt|>',
    },
  },
  128000: {
    pre: 'llama-bpe',
    whole: true,
    bos: true,
    special: {
      128000: '<|begin_of_text|>',
      128001: '<|end_of_text|>',
      128006: '<|start_header_id|>',
      128007: '<|end_header_id|>',
      128009: '<|eot_id|>',
    },
  },
  151643: {
    pre: 'qwen2',
    special: { 151643: '<|endoftext|>', 151644: '<|im_start|>', 151645: '<|im_end|>' },
  },
  199998: { pre: 'gpt-4o', special: { 199999: '<|endoftext|>', 200018: '<|endofprompt|>' } },
};

/**
 * Finds the two tokens from which tiktoken makes a token: joins its bytes by the merges of lower rank. Returns null
 * if more than two parts are left; then no merge makes this token, and tiktoken uses it only for a whole piece of
 * text.
 * @param {string} token @param {Map<string, number>} ranks @returns {[string, string] | null}
 */
function lastMerge(token, ranks) {
  const own = ranks.get(token) ?? 0;
  const parts = [...token];
  const rankAt = (/** @type {number} */ i) =>
    (i + 1 < parts.length ? ranks.get(parts[i] + parts[i + 1]) : undefined) ?? own;
  const pairs = parts.map((_, i) => rankAt(i));
  while (parts.length > 2) {
    let best = 0;
    for (let i = 1; i < pairs.length; i++) if (pairs[i] < pairs[best]) best = i;
    if (pairs[best] >= own) return null;
    parts.splice(best, 2, parts[best] + parts[best + 1]);
    pairs.splice(best, 1);
    pairs[best] = rankAt(best);
    if (best) pairs[best - 1] = rankAt(best - 1);
  }
  return [parts[0], parts[1]];
}

/**
 * Reads tiktoken's ranks. tiktoken always joins the pair of neighbours with the lowest rank, so it makes a token from
 * the same two parts every time: one merge for each token.
 * @param {string} text @param {string} name @returns {Vocabulary}
 */
export function fromRanks(text, name) {
  /** @type {Map<string, number>} */
  const ranks = new Map();
  for (const [n, line] of text.split('\n').entries()) {
    if (!line.trim()) continue;
    const match = RANK.exec(line.trim());
    if (!match) throw bad(name, 'vocab_rank', { n: n + 1, value: show(line) });
    const bytes = Uint8Array.from(atob(match[1]), (letter) => letter.charCodeAt(0));
    const id = Number(match[2]);
    if (bytes.length > RANK_BYTES) {
      const values = { id, limit: RANK_BYTES, n: bytes.length };
      throw new LogitscopeError('bad_file', 'token_bytes', values);
    }
    ranks.set(spell(bytes), id);
  }
  const file = RANK_FILES[ranks.size];
  if (!file) {
    const values = { n: ranks.size, names: Object.keys(RANK_FILES).join(', ') };
    throw unsupported(name, 'vocab_rank_file', values);
  }
  const special = Object.entries(file.special).map(
    ([id, token]) => /** @type {[string, number]} */ ([token, Number(id)]),
  );
  const { tokens, types } = tokensById([...ranks, ...special], name);
  for (const [, id] of special) types[id] = CONTROL;
  const pairs = [...ranks]
    .filter(([token]) => token.length > 1)
    .sort(([, a], [, b]) => a - b)
    .map(([token]) => lastMerge(token, ranks));
  const merges = pairs.flatMap((pair) => (pair ? [pair.join(' ')] : []));
  return {
    model: 'gpt2',
    pre: file.pre,
    tokens,
    types,
    merges,
    ids: { ...idsByName({ tokens, types }), ...(file.bos && { bos: 128000, eos: 128001 }) },
    flags: {
      'ggml.add_bos_token': Boolean(file.bos),
      ...(!file.whole && pairs.includes(null) && { 'logitscope.ignore_merges': true }),
    },
    notes: [],
  };
}

/** First line of a file that minbpe has saved. */
export const MINBPE = 'minbpe v1\n';

/**
 * Reads a file that minbpe has saved. It has a version, the expression that splits a text, the special tokens with
 * their ids, and the ids of the two tokens of each merge. The tokens are the 256 bytes and the results of the merges.
 * @param {string} text @param {string} name @returns {Vocabulary}
 */
export function fromMinbpe(text, name) {
  const [, expression, count, ...lines] = text.replace(/\r/g, '').split('\n');
  const n = Number(count);
  const row = preTokenizerOf(expression ? [expression] : [], { nfc: false, whole: false });
  if (!row) throw unsupported(name, 'vocab_split', { value: show(expression), n: 1 });
  if (!(n >= 0 && n <= lines.length)) throw bad(name, 'vocab_empty');
  const spelled = [...LETTERS];
  const known = new Set(spelled);
  const merges = lines
    .slice(n)
    .filter(Boolean)
    .map((line, rank) => {
      const [left, right] = line.split(' ').map((id) => spelled[Number(id)]);
      if (left === undefined || right === undefined) {
        const trouble = phrase('joins_missing_token');
        throw new LogitscopeError('bad_file', 'merge', {
          n: rank,
          name: inQuotedSentence(line),
          trouble,
        });
      }
      const token = left + right;
      if (known.has(token)) {
        const values = { other: spelled.indexOf(token), id: spelled.length, token: show(token) };
        throw bad(name, 'vocab_same_token', values);
      }
      known.add(token);
      spelled.push(token);
      return `${left} ${right}`;
    });
  const special = lines.slice(0, n).map((line) => {
    const at = line.lastIndexOf(' ');
    return /** @type {[string, number]} */ ([line.slice(0, at), Number(line.slice(at + 1))]);
  });
  const entries = spelled.map((token, id) => /** @type {[string, number]} */ ([token, id]));
  const { tokens, types } = tokensById([...entries, ...special], name);
  for (const [, id] of special) types[id] = CONTROL;
  return {
    model: 'gpt2',
    pre: row.pre,
    tokens,
    types,
    merges,
    ids: idsByName({ tokens, types }),
    flags: {},
    notes: [],
  };
}
