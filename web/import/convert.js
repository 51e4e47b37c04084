/**
 * Makes a GGUF file from a checkpoint, its configuration and its vocabulary, given in any order. The contents of a
 * file decide its use; its name only tells JSON files and texts apart.
 */
import { LogitscopeError, phrase, show } from '../engine/errors.js';
import { textOf } from './byte-file.js';
import { formatOf, readCheckpoint } from './checkpoint.js';
import { writeGguf } from './gguf-writer.js';
import { recogniseLayout } from './layouts.js';
import { FORMATS } from './quantise.js';
import { parseJson, readBytes } from './read-text.js';
import { isVocabulary, readVocabulary } from './vocabulary.js';

/** @import { ByteFile } from './byte-file.js' */
/** @import { Phrase } from '../engine/errors.js' */

/**
 * @typedef {keyof typeof FORMATS} Type
 * @typedef {object} Options
 * @property {string} [type] the format of the matrices, in any case; F32 if left out
 * @property {Record<string, unknown>} [assume] values that no file states otherwise: n_head, activation, attention_scale
 * @property {string} [name] of the model, if the checkpoint's file does not have it
 * @property {ByteFile[]} [vocabulary] the files of the vocabulary; their names do not matter
 *
 * @typedef {object} Converted
 * @property {string} name of the checkpoint, without its ending
 * @property {string} layout
 * @property {string} architecture in the file
 * @property {Type} type
 * @property {number} parameters
 * @property {string} tokenizer the kind of the vocabulary
 * @property {Phrase[]} notes assumptions, and parts that are missing
 * @property {number} size bytes of the file
 * @property {AsyncIterable<Uint8Array>} chunks the file; one tensor is in memory at a time
 */

/** The first bytes of a file of torch.save before PyTorch 1.6: the pickled magic number. */
const TORCH = [0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];
const CHECKPOINTS = ['zip', 'safetensors', 'npy', 'llama2c'];
/** Keys by which a JSON file is known as a configuration (one is enough), with the type of their value. */
const SIZES = {
  n_head: 'number',
  n_heads: 'number',
  num_attention_heads: 'number',
  model_type: 'string',
  model: 'object',
  model_config: 'object',
  activation: 'string',
  attention_scale: 'string',
};
/** JSON files of the Hugging Face hub that have neither sizes nor tokens; they are skipped. */
const OTHER_JSON = /^(training_args|trainer_state|preprocessor_config)\.json$/;
const MAY_HAVE_TOKENS = /\.(json|txt|pkl|bin|model|bpe|tiktoken|jinja)$/i;

/** @param {string} name */
const baseOf = (name) => name.replace(/^.*[/\\]/, '');

/** @param {any} json @returns {'checkpoint' | 'config' | 'vocabulary'} */
function kindOfJson(json) {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return 'vocabulary';
  if (json.weight_map) return 'checkpoint';
  if (json.model?.vocab || 'added_tokens' in json || 'tokenizer_class' in json) return 'vocabulary';
  return Object.entries(SIZES).some(([key, type]) => typeof json[key] === type)
    ? 'config'
    : 'vocabulary';
}

/** Returns true for a file of torch.save before PyTorch 1.6. @param {ByteFile} file */
async function isTorchPickle(file) {
  const bytes = await file.read(2, Math.min(file.size, 2 + TORCH.length));
  return TORCH.every((byte, i) => bytes[i] === byte);
}

/**
 * Groups files by their use: checkpoint, configuration, vocabulary, pickles of plain values.
 * @param {ByteFile[]} files
 */
async function sortFiles(files) {
  /** @type {{ checkpoint: ByteFile[], pickle: ByteFile[], vocabulary: ByteFile[], config: any, json?: string }} */
  const sorted = { checkpoint: [], pickle: [], vocabulary: [], config: null };
  for (const file of files) {
    const format = await formatOf(file);
    if (format === 'gguf')
      throw new LogitscopeError('unsupported', 'layout_gguf', { file: file.name });
    if (format === 'pickle' && !(await isTorchPickle(file))) sorted.pickle.push(file);
    else if (format === 'pickle' || CHECKPOINTS.includes(String(format)))
      sorted.checkpoint.push(file);
    else if (OTHER_JSON.test(baseOf(file.name))) continue;
    else if (format === 'json' && /\.json$/i.test(file.name)) {
      const json = parseJson(textOf(await readBytes(file)) ?? '', file.name);
      const kind = kindOfJson(json);
      if (kind !== 'config') sorted[kind].push(file);
      else {
        sorted.config = { ...sorted.config, .../** @type {any} */ (json) };
        sorted.json = baseOf(file.name);
      }
    } else if (MAY_HAVE_TOKENS.test(file.name)) sorted.vocabulary.push(file);
  }
  // If there is a checkpoint, a pickle of plain values is nanoGPT's vocabulary (meta.pkl).
  sorted[sorted.checkpoint.length ? 'vocabulary' : 'checkpoint'].push(...sorted.pickle);
  return sorted;
}

/** Returns true if one of the files has weights. @param {ByteFile[]} files */
export async function hasWeights(files) {
  const { checkpoint, pickle } = await sortFiles(files);
  return checkpoint.some((file) => !pickle.includes(file));
}

/**
 * Refuses files that have a vocabulary but no checkpoint.
 * @param {ByteFile[]} files
 */
export async function checkNotVocabulary(files) {
  const { checkpoint, pickle, vocabulary } = await sortFiles(files);
  if (checkpoint.some((file) => !pickle.includes(file))) return;
  for (const file of [...pickle, ...vocabulary])
    if (await isVocabulary(file))
      throw new LogitscopeError('incomplete', 'layout_vocabulary', { file: baseOf(file.name) });
}

/** @param {string} type @returns {Type} */
function typeOf(type) {
  const name = /** @type {Type} */ (type.toUpperCase());
  if (Object.hasOwn(FORMATS, name)) return name;
  const names = Object.keys(FORMATS).join(', ').toLowerCase();
  throw new LogitscopeError('invalid_argument', 'must_be_one_of', {
    setting: 'type',
    names,
    value: show(type),
  });
}

/**
 * Converts files to one GGUF file. Weights are read while the caller reads `chunks`.
 * @param {ByteFile[]} files
 * @param {Options} [options]
 * @returns {Promise<Converted>}
 */
export async function convert(files, { type = 'F32', assume = {}, vocabulary = [], name } = {}) {
  const format = typeOf(type);
  const sorted = await sortFiles(files);
  if (sorted.checkpoint.length === 0) {
    await checkNotVocabulary(files);
    const names = files.map(({ name }) => name).join(', ');
    throw new LogitscopeError('incomplete', 'layout_no_checkpoint', { names });
  }
  const checkpoint = await readCheckpoint(sorted.checkpoint).catch(async (error) => {
    await checkNotVocabulary(files);
    throw error;
  });
  const model = await recogniseLayout(checkpoint, {
    json: sorted.config,
    assume,
    files: { checkpoint: baseOf(sorted.checkpoint[0].name), json: sorted.json },
  });
  const words = vocabulary.length ? vocabulary : sorted.vocabulary;
  const tokens = await readVocabulary(words, { size: model.rows });
  const { name: layout, vocabulary: where } = model.layout;
  const notes = [...model.notes, ...tokens.notes];
  if (tokens.notes.some(({ key }) => key === 'vocab_note_ids'))
    notes.push(phrase('layout_note_vocabulary', { layout, where }));
  const title = name ?? baseOf(sorted.checkpoint[0].name).replace(/\.\w+$/, '');
  /** @type {import('./gguf-writer.js').Metadata} */
  const metadata = {
    'general.name': title,
    ...model.metadata,
    .../** @type {any} */ (tokens.metadata),
  };
  const { size, chunks } = writeGguf({ metadata, tensors: model.tensors, type: format });
  return {
    name: title,
    layout,
    architecture: model.architecture,
    type: format,
    parameters: model.tensors.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0),
    tokenizer: String(tokens.metadata['tokenizer.ggml.model']),
    notes,
    size,
    chunks,
  };
}
