/**
 * Model files of the user. GGUF files are opened as they are. A checkpoint with its configuration and vocabulary is
 * converted to GGUF first, by code that is fetched only then.
 */
import { modelOf } from './files.js';

/**
 * @typedef {import('../engine/errors.js').Phrase} Phrase
 * @typedef {object} Converted
 * @property {File} file the GGUF file
 * @property {Phrase[]} notes assumptions, and parts that are missing
 */

/**
 * The GGUF file that was made from a checkpoint, by the first of the checkpoint's files.
 * @type {WeakMap<File, Converted>}
 */
const converted = new WeakMap();
/** All files of the checkpoint that was opened last. @type {File[]} */
let last = [];

/**
 * Returns the GGUF file that was made from a checkpoint; undefined for other models.
 * @param {unknown} model as in engines.js
 */
export const convertedOf = (model) => converted.get(/** @type {File} */ ([model].flat()[0]));

/** @param {File} file */
const isGguf = async (file) => (await file.slice(0, 4).text()) === 'GGUF';

/** @param {File[]} files */
async function bytesOf(files) {
  const { ofBlob } = await import('../import/byte-file.js');
  return files.map((file) => ofBlob(file, file.name));
}

/**
 * If the files have no weights, adds those of the last checkpoint: the user has chosen its vocabulary now.
 * @param {import('./engines.js').Model} model a file or several
 */
export async function joinCheckpoint(model) {
  const files = /** @type {File[]} */ ([model].flat());
  if (await isGguf(files[0])) return model;
  const { hasWeights } = await import('../import/convert.js');
  const whole = await hasWeights(await bytesOf(files));
  if (!whole && last.length === 0) return model;
  const names = files.map(({ name }) => name);
  const others = whole ? [] : last.filter(({ name }) => !names.includes(name));
  last = [...others, ...files];
  // The model gets the name of the first file, so put files with weights first.
  const heavy = new Set();
  for (const file of last) if (await hasWeights(await bytesOf([file]))) heavy.add(file);
  last.sort((one, other) => Number(heavy.has(other)) - Number(heavy.has(one)));
  return modelOf(last);
}

/**
 * Returns files that the engine can read. A file of unknown format is returned as it is; the engine refuses it.
 * @param {import('./engines.js').Model} model a file or several
 */
export async function readable(model) {
  const files = /** @type {File[]} */ ([model].flat());
  if (await isGguf(files[0])) return model;
  const { checkNotVocabulary, convert, hasWeights } = await import('../import/convert.js');
  const parts = await bytesOf(files);
  if (!(await hasWeights(parts))) {
    await checkNotVocabulary(parts);
    return model;
  }
  const { name, notes, chunks } = await convert(parts);
  const pieces = [];
  // A Blob for each chunk lets the browser move the data out of memory.
  for await (const chunk of chunks) pieces.push(new Blob([/** @type {BlobPart} */ (chunk)]));
  const file = new File(pieces, `${name}.gguf`);
  converted.set(files[0], { file, notes });
  return file;
}
