/**
 * Reads the settings files beside a vocabulary: tokenizer_config.json, special_tokens_map.json,
 * generation_config.json, added_tokens.json and chat_template.jinja. They have the ids of special tokens and the chat
 * template.
 */
import { phrase } from '../engine/errors.js';
import { CONTROL, ID_LIMIT, NORMAL, UNUSED, markAdded, unusedName } from './token-list.js';

/** @import { Vocabulary } from './token-list.js' */

/**
 * @typedef {Partial<Record<SettingsKind, { name: string, json?: any, text?: string }>>} SettingsParts
 * @typedef {'tokenizer_config' | 'special_tokens_map' | 'generation_config' | 'added_tokens' | 'chat_template'} SettingsKind
 */

/** The names of the files. @type {Record<string, SettingsKind>} */
export const SETTINGS_FILES = {
  'tokenizer_config.json': 'tokenizer_config',
  'special_tokens_map.json': 'special_tokens_map',
  'generation_config.json': 'generation_config',
  'added_tokens.json': 'added_tokens',
  'chat_template.jinja': 'chat_template',
};

/** The keys of special tokens in the settings, by the middle part of their keys in GGUF. */
const NAMED = { bos: 'bos_token', eos: 'eos_token', unknown: 'unk_token', padding: 'pad_token' };
/** The middle parts of GGUF's keys for up to three tokens that end a text. */
const ENDS = ['eos', 'eot', 'eom'];
/** Rules for splitting a text that no file states, by the class of the tokenizer. */
const PRES = {
  GPT2Tokenizer: 'gpt-2',
  GPT2TokenizerFast: 'gpt-2',
  Qwen2Tokenizer: 'qwen2',
  Qwen2TokenizerFast: 'qwen2',
};

/**
 * Returns the rule for splitting a text, for a vocabulary of vocab.json and merges.txt.
 * @param {SettingsParts} parts
 */
export const preOf = ({ tokenizer_config }) =>
  new Map(Object.entries(PRES)).get(tokenizer_config?.json?.tokenizer_class);

/**
 * Adds tokens that only the settings files have. A tokenizer.json is complete without them.
 * @param {Vocabulary} vocabulary @param {SettingsParts} parts
 */
export function addTokens(vocabulary, { tokenizer_config, added_tokens }) {
  const { tokens, types } = vocabulary;
  const decoder = tokenizer_config?.json?.added_tokens_decoder ?? {};
  const plain = Object.entries(added_tokens?.json ?? {}).map(([content, id]) => ({ content, id }));
  const flagged = Object.entries(decoder).map(([id, each]) => ({ ...each, id: Number(id) }));
  const added = [...plain, ...flagged].filter(
    ({ content, id }) =>
      typeof content === 'string' &&
      Number.isInteger(id) &&
      id >= 0 &&
      id < ID_LIMIT &&
      (id >= tokens.length || types[id] === UNUSED || tokens[id] === content),
  );
  for (const { id } of added) {
    while (tokens.length <= id) {
      tokens.push(unusedName(tokens.length));
      types.push(UNUSED);
    }
  }
  vocabulary.strips = markAdded(vocabulary, added, tokenizer_config?.name ?? '');
}

/**
 * Returns the text of a token in the settings, where a token is a string or an object with flags.
 * @param {any} value
 */
const textOf = (value) => (typeof value === 'object' && value ? value.content : value);

/**
 * Copies the ids of special tokens from the settings to the vocabulary.
 * @param {Vocabulary} vocabulary @param {SettingsParts} parts
 */
export function applySettings(vocabulary, parts) {
  const { tokens, types, ids, notes } = vocabulary;
  const named = { ...parts.special_tokens_map?.json, ...parts.tokenizer_config?.json };
  for (const [key, setting] of Object.entries(NAMED)) {
    const id = tokens.indexOf(textOf(named[setting]));
    if (id < 0 || (key === 'bos' && vocabulary.flags['ggml.add_bos_token'])) continue;
    ids[key] = id;
    if (types[id] === NORMAL) types[id] = CONTROL;
  }
  const given = parts.generation_config?.json?.eos_token_id;
  const ends = [given].flat().filter((id) => Number.isInteger(id) && id >= 0 && id < tokens.length);
  ENDS.forEach((key, i) => {
    if (i < ends.length) ids[key] = ends[i];
  });
  if (ends.length > ENDS.length)
    notes.push(phrase('vocab_note_ends', { n: ends.length, limit: ENDS.length }));
}

/**
 * Returns the chat templates as metadata of GGUF.
 * @param {SettingsParts} parts @returns {Record<string, any>}
 */
export function chatTemplates({ tokenizer_config, chat_template }) {
  const given = chat_template?.text ?? tokenizer_config?.json?.chat_template;
  if (typeof given === 'string') return { 'tokenizer.chat_template': given };
  if (!Array.isArray(given)) return {};
  const known = given.filter(
    (each) => typeof each?.name === 'string' && typeof each?.template === 'string',
  );
  const others = known.filter(({ name }) => name !== 'default');
  return Object.fromEntries([
    ...known.map(({ name, template }) => [
      name === 'default' ? 'tokenizer.chat_template' : `tokenizer.chat_template.${name}`,
      template,
    ]),
    ...(others.length
      ? [
          [
            'tokenizer.chat_templates',
            { type: 'array', of: 'string', value: others.map(({ name }) => name) },
          ],
        ]
      : []),
  ]);
}
