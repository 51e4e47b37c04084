/**
 * Vocabularies of other programs as the metadata `tokenizer.ggml.*` of GGUF. Each file is recognised by its content; only
 * the settings files of a tokenizer are recognised by their names.
 */
import { LogitscopeError, phrase } from '../engine/errors.js';
import { fromMerges } from './byte-pairs.js';
import { textOf } from './byte-file.js';
import { unsupported } from './faults.js';
import { readPickle } from './pickle.js';
import { parseJson, readBytes } from './read-text.js';
import { UNUSED, charactersOf, idsAsTokens, plainVocabulary, unusedName } from './token-list.js';

/**
 * @typedef {import('./byte-file.js').ByteFile} ByteFile
 * @typedef {import('./token-list.js').Vocabulary} Vocabulary
 * @typedef {import('../engine/errors.js').Phrase} Phrase
 * @typedef {{ type: 'uint32', value: number } | { type: 'array', of: string, value: ArrayLike<any> } | string | boolean} Value
 *   a value of GGUF's metadata
 * @typedef {{ size?: number }} Wanted `size` is the number of rows of the embedding
 * @typedef {{ name: string, text?: string, bytes?: Uint8Array, json?: any }} Part a file that was read
 * @typedef {'list' | 'text'} Source a kind of file that has the tokens
 * @typedef {Source | 'merges'} Kind
 * @typedef {Partial<Record<Kind, Part>>} Parts
 */

/** True for an object of JSON. @param {any} value @returns {value is Record<string, any>} */
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * Returns the entries of a list of tokens, a map from tokens to ids or from ids to tokens, or an object that has one of
 * them under a usual name; null for anything else. Dictionaries of a pickle are a Map.
 * @param {any} value @returns {[string, any][] | null}
 */
export function entriesOf(value) {
  if (Array.isArray(value)) return value.map((token, id) => [token, id]);
  if (!(value instanceof Map) && !isObject(value)) return null;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  if (entries.length === 0) return null;
  if (entries.every(([, id]) => typeof id === 'number')) return entries;
  if (entries.every(([id, token]) => /^\d+$/.test(String(id)) && typeof token === 'string'))
    return entries.map(([id, token]) => [token, Number(id)]);
  const names = new Map(entries);
  for (const name of ['itos', 'stoi', 'vocab', 'tokens', 'chars']) {
    const inner = names.get(name);
    const found = typeof inner === 'string' ? entriesOf([...inner]) : entriesOf(inner);
    if (found) return found;
  }
  return null;
}

/** Returns the entries of a file, or refuses it. @param {Part} part */
function listOf({ name, json }) {
  const entries = entriesOf(json);
  if (!entries) throw unsupported(name, 'vocab_no_vocabulary');
  return { name, entries };
}

/**
 * The readers by kind of file, best first: a folder often has several vocabularies of the same model.
 * @type {Record<Source, (part: Part, parts: Parts) => Vocabulary | Promise<Vocabulary>>}
 */
const READERS = {
  list: (part, { merges }) => {
    const list = listOf(part);
    if (merges) return fromMerges(list, String(merges.text));
    return plainVocabulary(list.entries, list.name);
  },
  text: ({ name, text }) => charactersOf(String(text), name),
};

/** Names of files that only add to another vocabulary. */
const MERGES = /^#version|^\S+ \S+\n/;

/** @param {ByteFile} file @returns {Promise<[Kind, Part]>} */
async function recognise(file) {
  const { name } = file;
  const bytes = await readBytes(file);
  if (bytes[0] === 0x80 && bytes[1] < 6)
    return ['list', { name, json: readPickle(bytes, { name }) }];
  const text = textOf(bytes);
  if (text === null) throw unsupported(name, 'vocab_no_vocabulary');
  if (/\.json$/i.test(name)) return ['list', { name, json: parseJson(text, name) }];
  if (/merges|\.bpe$/i.test(name) && MERGES.test(text)) return ['merges', { name, text }];
  return ['text', { name, text }];
}

/**
 * Compares the vocabulary with the embedding: a longer embedding gets unused tokens.
 * @param {Vocabulary} vocabulary @param {number | undefined} size
 */
function fit({ tokens, types, strips, exact, notes }, size) {
  const n = tokens.length;
  if (size === undefined || n === size) return;
  if (n > size || exact)
    throw new LogitscopeError('bad_file', exact ? 'vocab_other_text' : 'vocab_larger', {
      n,
      limit: size,
    });
  while (tokens.length < size) {
    tokens.push(unusedName(tokens.length));
    types.push(UNUSED);
    strips?.push(0);
  }
  notes.push(phrase('vocab_note_padded', { n, limit: size }));
}

/** @param {string} of @param {ArrayLike<any>} value @returns {Value} */
const array = (of, value) => ({ type: 'array', of, value });

/** @param {Vocabulary} vocabulary */
function metadataOf({ model, pre, tokens, types, merges, scores, ids, flags, strips }) {
  /** @type {Record<string, Value>} */
  const metadata = {
    'tokenizer.ggml.model': model,
    'tokenizer.ggml.tokens': array('string', tokens),
    'tokenizer.ggml.token_type': array('int32', types),
  };
  if (pre) metadata['tokenizer.ggml.pre'] = pre;
  if (merges) metadata['tokenizer.ggml.merges'] = array('string', merges);
  if (scores) metadata['tokenizer.ggml.scores'] = array('float32', scores);
  if (strips?.some(Boolean)) metadata['tokenizer.logitscope.strips'] = array('int32', strips);
  for (const [key, value] of Object.entries(ids))
    metadata[`tokenizer.ggml.${key}_token_id`] = { type: 'uint32', value };
  for (const [key, value] of Object.entries(flags)) metadata[`tokenizer.${key}`] = value;
  return metadata;
}

/**
 * Makes the metadata of a vocabulary out of its files. Without files every token is its own id.
 * @param {ByteFile[]} files
 * @param {Wanted} wanted
 * @returns {Promise<{ metadata: Record<string, Value>, size: number, notes: Phrase[] }>}
 */
export async function readVocabulary(files, wanted = {}) {
  /** @type {Parts} */
  const parts = {};
  for (const file of files) {
    const [kind, part] = await recognise(file);
    parts[kind] ??= part;
  }
  const kind = /** @type {Source[]} */ (Object.keys(READERS)).find((k) => parts[k]);
  const vocabulary = kind
    ? await READERS[kind](/** @type {Part} */ (parts[kind]), parts)
    : idsAsTokens(wanted.size ?? 0);
  fit(vocabulary, wanted.size);
  const { tokens, notes } = vocabulary;
  return { metadata: metadataOf(vocabulary), size: tokens.length, notes };
}
