/**
 * Reads vocabularies of other programs and returns them as GGUF metadata (`tokenizer.ggml.*`). A file is recognised
 * by its content; only the settings files of a tokenizer are recognised by name.
 */
import { LogitscopeError, phrase } from '../engine/errors.js';
import { MINBPE, fromMerges, fromMinbpe, fromRanks, isRanks } from './byte-pairs.js';
import { textOf } from './byte-file.js';
import { bad, unsupported } from './faults.js';
import { readPickle } from './pickle.js';
import { parseJson, readBytes } from './read-text.js';
import {
  fromSentencePiece,
  fromTokenizerBin,
  isSentencePiece,
  isTokenizerBin,
} from './sentencepiece.js';
import { UNUSED, charactersOf, idsAsTokens, plainVocabulary, unusedName } from './token-list.js';
import {
  SETTINGS_FILES,
  addTokens,
  applySettings,
  chatTemplates,
  preOf,
} from './token-settings.js';
import { fromTokenizerJson } from './tokenizer-json.js';

/** @import { ByteFile } from './byte-file.js' */
/** @import { Vocabulary } from './token-list.js' */
/** @import { Phrase } from '../engine/errors.js' */
/** @import { SettingsKind } from './token-settings.js' */

/**
 * @typedef {{ type: 'uint32', value: number } | { type: 'array', of: string, value: ArrayLike<any> } | string | boolean} Value
 *   a value of GGUF's metadata
 * @typedef {{ size?: number }} Wanted `size` is the number of rows of the embedding
 * @typedef {{ name: string, text?: string, bytes?: Uint8Array, json?: any, entries?: [string, any][] }} Part a file
 *   that was read
 * @typedef {'tokenizer' | 'list' | 'sentencepiece' | 'ranks' | 'minbpe' | 'bin' | 'text'} Source a kind of file that has the tokens
 * @typedef {Source | SettingsKind | 'merges' | 'other'} Kind
 * @typedef {Partial<Record<Kind, Part>>} Parts
 */

/**
 * Returns true for an object of JSON, false for a list.
 * @param {any} value @returns {value is Record<string, any>}
 */
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Usual keys of a list of tokens: itos, char2idx, id_to_token … */
const LISTS = /^(itos|stoi|itoc|ctoi|vocab|tokens|chars|[a-z]+(2|_to_)[a-z]+)$/;

/**
 * Returns tokens with their ids, or null. Accepts a list of tokens, a map from tokens to ids or from ids to tokens,
 * and an object that has one of these under a usual key. Dicts of a pickle arrive as Maps.
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
  for (const [name, inner] of entries) {
    if (!LISTS.test(name)) continue;
    const found = typeof inner === 'string' ? entriesOf([...inner]) : entriesOf(inner);
    if (found) return found;
  }
  return null;
}

/**
 * The reader of each kind of file. If a folder has several vocabularies of one model, the first kind in this table is
 * used.
 * @type {Record<Source, (part: Part, parts: Parts) => Vocabulary | Promise<Vocabulary>>}
 */
const READERS = {
  tokenizer: ({ name, json }) => fromTokenizerJson(json, name),
  list: ({ name, entries = [] }, parts) =>
    parts.merges
      ? fromMerges({ name, entries }, String(parts.merges.text), preOf(parts))
      : plainVocabulary(entries, name),
  sentencepiece: ({ name, bytes }) => fromSentencePiece(bytes ?? new Uint8Array(), name),
  ranks: ({ name, text }) => fromRanks(String(text), name),
  minbpe: ({ name, text }) => fromMinbpe(String(text), name),
  bin: ({ name, bytes }) => fromTokenizerBin(bytes ?? new Uint8Array(), name),
  text: ({ name, text }) => charactersOf(String(text), name),
};

/** Returns true for the file merges.txt. @param {string} name @param {string} text */
const isMerges = (name, text) => /^#version|^\S+ \S+\n/.test(text) && /merges|\.bpe$/i.test(name);

/** Returns the kind of a JSON file or pickle. @param {string} name @param {any} json @returns {[Kind, Part]} */
function kindOfValues(name, json) {
  if (isObject(json) && isObject(json.model)) return ['tokenizer', { name, json }];
  const entries = entriesOf(json);
  return entries ? ['list', { name, entries }] : ['other', { name }];
}

/** @param {ByteFile} file @returns {Promise<[Kind, Part]>} */
async function recognise(file) {
  const { name } = file;
  const bytes = await readBytes(file);
  if (bytes[0] === 0x80 && bytes[1] < 6) return kindOfValues(name, readPickle(bytes, { name }));
  if (isSentencePiece(bytes)) return ['sentencepiece', { name, bytes }];
  if (isTokenizerBin(bytes)) return ['bin', { name, bytes }];
  const text = textOf(bytes);
  if (text === null) return ['other', { name }];
  const settings = new Map(Object.entries(SETTINGS_FILES)).get(name.split('/').at(-1) ?? '');
  if (settings === 'chat_template') return [settings, { name, text }];
  if (settings) return [settings, { name, json: parseJson(text, name) }];
  if (/\.json$/i.test(name)) return kindOfValues(name, parseJson(text, name));
  if (text.startsWith(MINBPE)) return ['minbpe', { name, text }];
  if (isMerges(name, text)) return ['merges', { name, text }];
  return [isRanks(text) ? 'ranks' : 'text', { name, text }];
}

/**
 * Returns true if a file has tokens, even if a second file is needed. A plain text does not count, because any text
 * may be a training text.
 * @param {ByteFile} file
 */
export async function isVocabulary(file) {
  const [kind] = await recognise(file).catch(() => ['other']);
  return kind !== 'text' && (kind === 'merges' || kind in READERS);
}

/**
 * Reads the files and chooses the kind that has the tokens. Two files of this kind are refused, because only one can
 * belong to the model.
 * @param {ByteFile[]} files
 */
async function sortFiles(files) {
  /** @type {Parts} */
  const parts = {};
  /** @type {Partial<Record<Kind, string>>} */
  const seconds = {};
  for (const file of files) {
    const [kind, part] = await recognise(file);
    if (parts[kind]) seconds[kind] = part.name;
    else parts[kind] = part;
  }
  const kind = /** @type {Source[]} */ (Object.keys(READERS)).find((each) => parts[each]);
  if (parts.merges && (!kind || kind === 'text'))
    throw bad(parts.merges.name, 'vocab_needs', { wanted: 'vocab.json' });
  if (parts.other && !kind) throw unsupported(parts.other.name, 'vocab_no_vocabulary');
  const other = kind && seconds[kind];
  if (other) throw bad(parts[kind]?.name ?? '', 'vocab_two', { other });
  return { kind, parts };
}

/**
 * Compares the size of the vocabulary with the rows of the embedding. Additional rows get unused tokens; additional
 * tokens are refused.
 * @param {Vocabulary} vocabulary @param {number | undefined} size
 */
function fitEmbedding({ tokens, types, exact, notes }, size) {
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
  }
  notes.push(phrase('vocab_note_padded', { n, limit: size }));
}

/** @param {string} of @param {ArrayLike<any>} value @returns {Value} */
const arrayValue = (of, value) => ({ type: 'array', of, value });

/** @param {Vocabulary} vocabulary */
function metadataOf({ model, pre, tokens, types, merges, scores, ids, flags, strips }) {
  /** @type {Record<string, Value>} */
  const metadata = {
    'tokenizer.ggml.model': model,
    'tokenizer.ggml.tokens': arrayValue('string', tokens),
    'tokenizer.ggml.token_type': arrayValue('int32', types),
  };
  if (pre) metadata['tokenizer.ggml.pre'] = pre;
  if (merges) metadata['tokenizer.ggml.merges'] = arrayValue('string', merges);
  // The file has no score for added tokens. They are special or unused, so their score does not matter.
  if (scores)
    metadata['tokenizer.ggml.scores'] = arrayValue(
      'float32',
      Array.from(tokens, (_, id) => scores[id] ?? 0),
    );
  for (const [key, value] of Object.entries(strips ?? {}))
    metadata[`tokenizer.logitscope.${key}`] = arrayValue('int32', value);
  for (const [key, value] of Object.entries(ids))
    metadata[`tokenizer.ggml.${key}_token_id`] = { type: 'uint32', value };
  for (const [key, value] of Object.entries(flags))
    metadata[`tokenizer.${key}`] = typeof value === 'number' ? { type: 'uint32', value } : value;
  return metadata;
}

/**
 * Makes the metadata of a vocabulary from its files. Without files, every token is its own id.
 * @param {ByteFile[]} files
 * @param {Wanted} wanted
 * @returns {Promise<{ metadata: Record<string, Value>, size: number, notes: Phrase[] }>}
 */
export async function readVocabulary(files, wanted = {}) {
  const { kind, parts } = await sortFiles(files);
  const vocabulary = kind
    ? await READERS[kind](/** @type {Part} */ (parts[kind]), parts)
    : idsAsTokens(wanted.size ?? 0);
  if (kind !== 'tokenizer') addTokens(vocabulary, parts);
  applySettings(vocabulary, parts);
  fitEmbedding(vocabulary, wanted.size);
  const { tokens, notes } = vocabulary;
  const metadata = { ...metadataOf(vocabulary), ...chatTemplates(parts) };
  return { metadata, size: tokens.length, notes };
}
