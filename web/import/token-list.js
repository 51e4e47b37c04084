/**
 * The form that all readers of vocabularies return, and the simplest vocabularies: lists of characters, or of words
 * with their leading space.
 */
import { phrase, show, shown } from '../engine/errors.js';
import { bad, unsupported } from './faults.js';

/** The types of tokens, with their numbers in GGUF (tokenizer.ggml.token_type). */
export const NORMAL = 1;
export const UNKNOWN = 2;
export const CONTROL = 3;
export const USER_DEFINED = 4;
export const UNUSED = 5;
export const BYTE = 6;

/** Upper limit of ids, 2^19: the engine reads no larger embedding. */
export const ID_LIMIT = 1 << 19;

/** @import { Phrase } from '../engine/errors.js' */

/**
 * @typedef {object} Vocabulary
 * @property {'gpt2' | 'llama' | 'logitscope-char' | 'logitscope-word'} model
 * @property {string[]} tokens by id
 * @property {number[]} types by id
 * @property {string} [pre] gpt2: the name of the pre-tokenizer
 * @property {string[]} [merges] gpt2: "LEFT RIGHT" by rank
 * @property {ArrayLike<number>} [scores] llama: by id
 * @property {Record<string, number>} ids of special tokens, by the middle of their key: bos, eos, unknown …
 * @property {Record<string, boolean | number>} flags further keys after "tokenizer.", such as ggml.add_bos_token
 * @property {Record<'lstrip' | 'rstrip', number[]>} [strips] ids of the tokens that strip white space before or after them
 * @property {boolean} [exact] true if every model with this vocabulary has exactly these tokens
 * @property {Phrase[]} notes for the user
 */

/** The name of an id for which the file has no token. @param {number} id */
export const unusedName = (id) => `[PAD${id}]`;

/**
 * Returns the tokens sorted by id. An id without a token gets an unused token.
 * @param {Iterable<[string, unknown]>} entries tokens with their ids
 * @param {string} name of the file, for refusals
 * @returns {{ tokens: string[], types: number[] }}
 */
export function tokensById(entries, name) {
  /** @type {(string | undefined)[]} */
  const tokens = [];
  for (const [token, id] of entries) {
    if (typeof token !== 'string') throw bad(name, 'vocab_token', { value: shown(token) });
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= ID_LIMIT) {
      const values = { token: show(token), value: shown(id), limit: ID_LIMIT };
      throw bad(name, 'vocab_id', values);
    }
    const other = tokens[id];
    if (other !== undefined && other !== token) {
      const values = { id, token: show(token), other: show(other) };
      throw bad(name, 'vocab_same_id', values);
    }
    while (tokens.length < id) tokens.push(undefined);
    tokens[id] = token;
  }
  if (tokens.length === 0) throw bad(name, 'vocab_empty');
  return {
    tokens: tokens.map((token, id) => token ?? unusedName(id)),
    types: tokens.map((token) => (token === undefined ? UNUSED : NORMAL)),
  };
}

/**
 * Sets the types of added tokens (special ones become CONTROL). Returns the ids of the tokens that strip white space.
 * @param {Pick<Vocabulary, 'tokens' | 'types'>} vocabulary @param {any[]} added @param {string} name
 * @returns {Record<'lstrip' | 'rstrip', number[]>}
 */
export function markAdded({ tokens, types }, added, name) {
  for (const each of added) {
    if (each.single_word)
      throw unsupported(name, 'vocab_single_word', { token: show(each.content) });
    types[each.id] = each.special ? CONTROL : USER_DEFINED;
    tokens[each.id] = each.content;
  }
  const idsWith = (/** @type {string} */ flag) =>
    added.filter((each) => each[flag]).map(({ id }) => id);
  return { lstrip: idsWith('lstrip'), rstrip: idsWith('rstrip') };
}

const isOneCharacter = (/** @type {string} */ text) =>
  text.length > 0 && text.length === String.fromCodePoint(text.codePointAt(0) ?? 0).length;

/** Returns true if a token is spelt as a special token: <eos>, <|endoftext|>, [PAD]. @param {string} token */
export const looksSpecial = (token) => /^(<[^<>\s]+>|\[[A-Z_]+\])$/.test(token);

/** Usual names of the tokens that begin or end a text, the most specific first. */
const BEGINS = ['<bos>', '<BOS>', '[BOS]', '<|bos|>', '<s>', '<sos>', '<start>', '<|endoftext|>'];
const ENDS = ['<eos>', '<EOS>', '[EOS]', '<|eos|>', '</s>', '<end>', '<|endoftext|>'];

/**
 * Finds the tokens that begin and end a text by their usual names.
 * @param {{ tokens: string[], types: number[] }} vocabulary
 */
export function idsByName({ tokens, types }) {
  /** @type {Record<string, number>} */
  const ids = {};
  for (const [key, names] of Object.entries({ bos: BEGINS, eos: ENDS })) {
    const found = names.map((name) => tokens.indexOf(name)).find((id) => types[id] === CONTROL);
    if (found !== undefined) ids[key] = found;
  }
  return ids;
}

/**
 * Makes a vocabulary of characters or of words with their leading space. In both, tokens such as <eos> are special.
 * @param {Iterable<[string, unknown]>} entries tokens with their ids
 * @param {string} name of the file
 * @returns {Vocabulary}
 */
export function plainVocabulary(entries, name) {
  const { tokens, types } = tokensById(entries, name);
  const seen = new Map();
  let longer = -1; // id of a token with several characters
  let wrong = -1; // id of a token that is neither a character nor a word
  let spaced = false;
  for (const [id, token] of tokens.entries()) {
    if (types[id] === UNUSED) continue;
    const other = seen.get(token);
    if (other !== undefined) {
      const values = { id, other, token: show(token) };
      throw bad(name, 'vocab_same_token', values);
    }
    seen.set(token, id);
    if (isOneCharacter(token)) continue;
    if (looksSpecial(token)) types[id] = CONTROL;
    else if (token === '' || token.indexOf(' ', 1) > 0) wrong = id;
    else longer = id;
    spaced ||= token[0] === ' ' && token.length > 1;
  }
  if (wrong < 0 && !spaced) wrong = longer;
  const wanted = tokens.some((token) => /^\u0120./.test(token)) ? 'merges.txt' : 'tokenizer.json';
  if (wrong >= 0 && tokens.some((token) => /^[\u0120\u2581]./.test(token)))
    throw bad(name, 'vocab_needs', { wanted });
  if (wrong >= 0) {
    const values = { id: wrong, token: show(tokens[wrong]) };
    throw unsupported(name, 'vocab_neither', values);
  }
  const special = tokens.filter((_, id) => types[id] === CONTROL);
  return {
    model: longer < 0 ? 'logitscope-char' : 'logitscope-word',
    tokens,
    types,
    ids: idsByName({ tokens, types }),
    flags: {},
    notes: special.length
      ? [phrase('vocab_note_special', { file: name, tokens: special.slice(0, 8).join(' ') })]
      : [],
  };
}

/**
 * Makes the vocabulary of a training text as courses do: `sorted(set(text))`. Line ends become \n, as when Python
 * reads a text file.
 * @param {string} text @param {string} name of the file
 * @returns {Vocabulary}
 */
export function charactersOf(text, name) {
  const seen = new Uint8Array(0x110000);
  for (let i = 0; i < text.length; i++) {
    const code = /** @type {number} */ (text.codePointAt(i));
    seen[code] = 1;
    if (code > 0xffff) i++;
  }
  if (seen[13]) {
    seen[10] = 1;
    seen[13] = 0;
  }
  const characters = [];
  for (let code = seen.indexOf(1); code >= 0; code = seen.indexOf(1, code + 1))
    characters.push(String.fromCodePoint(code));
  const entries = characters.map((token, id) => /** @type {[string, number]} */ ([token, id]));
  return {
    ...plainVocabulary(entries, name),
    exact: true,
    notes: [phrase('vocab_note_text', { file: name, n: characters.length })],
  };
}

/**
 * Makes tokens for a model without a vocabulary. Each token is its id, such as ⟨17⟩, so a user can type ids as a
 * prompt.
 * @param {number} size @returns {Vocabulary}
 */
export function idsAsTokens(size) {
  return {
    model: 'logitscope-char',
    tokens: Array.from({ length: size }, (_, id) => `\u27e8${id}\u27e9`),
    types: new Array(size).fill(USER_DEFINED),
    ids: {},
    flags: {},
    notes: [phrase('vocab_note_ids', { token: '\u27e817\u27e9' })],
  };
}
