/**
 * Models that may become a GGUF file first: files of the user and models of the hub. GGUF files are opened as they are.
 * A checkpoint with its configuration and vocabulary is converted to GGUF, by code that is fetched only then.
 */
import { modelOf } from './files.js';

/** @import { Phrase } from '../engine/errors.js' */

/**
 * @typedef {object} Converted
 * @property {File} file the GGUF file
 * @property {Phrase[]} notes assumptions, and parts that are missing
 */

/**
 * The GGUF file that was made from a checkpoint, by the first of the checkpoint's files.
 * @type {WeakMap<File, Converted>}
 */
const converted = new WeakMap();
/** The model of the hub that was converted last. @type {{ model: unknown, made?: Converted }} */
let fetched = { model: null };
/** All files of the checkpoint that was opened last. @type {File[]} */
let last = [];
/** Vocabularies that were chosen without a checkpoint and that no model has used: the next checkpoint gets them. @type {File[]} */
let waiting = [];

/**
 * Returns the GGUF file that was made from a checkpoint; undefined for other models.
 * @param {unknown} model as in engines.js
 */
export const convertedOf = (model) =>
  model === fetched.model ? fetched.made : converted.get(/** @type {File} */ ([model].flat()[0]));

/** @param {File} file */
const isGguf = async (file) => (await file.slice(0, 4).text()) === 'GGUF';

/** @param {File[]} files */
async function bytesOf(files) {
  const { ofBlob } = await import('../import/byte-file.js');
  return files.map((file) => ofBlob(file, file.name));
}

/** @param {File[]} files */
async function vocabulariesOf(files) {
  const { isVocabulary } = await import('../import/vocabulary.js');
  const bytes = await bytesOf(files);
  const has = await Promise.all(bytes.map(isVocabulary));
  return files.filter((_, i) => has[i]);
}

/** @param {File[]} files @param {File[]} by files that replace those of the same name */
function without(files, by) {
  const names = by.map(({ name }) => name);
  return files.filter(({ name }) => !names.includes(name));
}

/**
 * Completes a checkpoint of which the user chooses one file after the other. Files without weights get those of the
 * last checkpoint. A checkpoint without vocabulary gets the one that was chosen before it.
 * @param {import('./engines.js').Model} model a file or several
 */
export async function joinCheckpoint(model) {
  if (typeof model === 'string') return model;
  const files = /** @type {File[]} */ ([model].flat());
  if (await isGguf(files[0])) return model;
  const { hasWeights } = await import('../import/convert.js');
  const whole = await hasWeights(await bytesOf(files));
  const vocabularies = await vocabulariesOf(files);
  if (!whole) waiting = [...without(waiting, vocabularies), ...vocabularies];
  if (!whole && last.length === 0) return model;
  const earlier = whole && vocabularies.length === 0 ? waiting : [];
  if (whole) waiting = [];
  last = [...without(whole ? earlier : last, files), ...files];
  // The model gets the name of the first file, so put files with weights first.
  const heavy = new Set();
  for (const file of last) if (await hasWeights(await bytesOf([file]))) heavy.add(file);
  last.sort((one, other) => Number(heavy.has(other)) - Number(heavy.has(one)));
  return modelOf(last);
}

/**
 * Returns a model that the engine can read. A file of unknown format is returned as it is; the engine refuses it.
 * @param {import('./engines.js').Model} model a file or several, or a name of the hub
 * @param {Pick<Parameters<typeof import('../import/repository.js').fetchRepository>[1] & {}, 'signal' | 'onprogress'>} [options]
 */
export async function readable(model, options) {
  if (typeof model === 'string') return fetchModel(model, options);
  const files = /** @type {File[]} */ ([model].flat());
  if (await isGguf(files[0])) return model;
  const { checkNotVocabulary, convert, hasWeights } = await import('../import/convert.js');
  const parts = await bytesOf(files);
  if (!(await hasWeights(parts))) {
    await checkNotVocabulary(parts);
    return model;
  }
  const made = await collect(await convert(parts));
  waiting = [];
  converted.set(files[0], made);
  return made.file;
}

/**
 * @param {import('../import/convert.js').Converted} model
 * @returns {Promise<Converted>}
 */
async function collect({ name, notes, chunks }) {
  const pieces = [];
  // A Blob for each chunk lets the browser move the data out of memory.
  for await (const chunk of chunks) pieces.push(new Blob([/** @type {BlobPart} */ (chunk)]));
  return { file: new File(pieces, `${name}.gguf`), notes };
}

/**
 * Fetches a model of the hub that is no GGUF file; returns any other name unchanged.
 * @param {string} model
 * @param {Parameters<typeof readable>[1]} options
 */
async function fetchModel(model, options) {
  const { wholeName } = await import('../engine/model-names.js');
  const name = wholeName(model);
  if (name === null) return model;
  const { fetchRepository } = await import('../import/repository.js');
  const { convert } = await import('../import/convert.js');
  const { name: title, files } = await fetchRepository(name, options);
  const made = await collect(await convert(files, { name: title }));
  fetched = { model, made };
  return made.file;
}
