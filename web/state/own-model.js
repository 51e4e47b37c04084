/**
 * The user's own files. GGUF files open as they are. A checkpoint with its configuration and its vocabulary
 * becomes a GGUF file first; the code for it is fetched only then.
 */
import { modelOf } from './files.js';

/**
 * @typedef {import('../engine/errors.js').Phrase} Phrase
 * @typedef {object} Converted
 * @property {File} file the GGUF file
 * @property {Phrase[]} notes assumptions, and parts that are missing
 */

/** The converted models by the first of their files. @type {WeakMap<File, Converted>} */
const converted = new WeakMap();
/** The files of the last checkpoint that was opened. @type {File[]} */
let last = [];

/** Returns the GGUF file of a checkpoint; undefined for other models. @param {unknown} model as in engines.js */
export const convertedOf = (model) => converted.get(/** @type {File} */ ([model].flat()[0]));

/** @param {File} file */
const isGguf = async (file) => (await file.slice(0, 4).text()) === 'GGUF';

/** @param {File[]} files */
async function bytesOf(files) {
  const { ofBlob } = await import('../import/byte-file.js');
  return files.map((file) => ofBlob(file, file.name));
}

/**
 * Adds the files of the last checkpoint to files without weights: a vocabulary that the user chooses later
 * completes the model.
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
  // The first file gives the model its name, so the files with weights come first.
  const heavy = new Set();
  for (const file of last) if (await hasWeights(await bytesOf([file]))) heavy.add(file);
  last.sort((one, other) => Number(heavy.has(other)) - Number(heavy.has(one)));
  return modelOf(last);
}

/**
 * Returns files that the engine reads. Files of no known format stay as they are: the engine refuses them.
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
  // A Blob of each chunk, so that the browser may keep them outside of the page's memory.
  for await (const chunk of chunks) pieces.push(new Blob([/** @type {BlobPart} */ (chunk)]));
  const file = new File(pieces, `${name}.gguf`);
  converted.set(files[0], { file, notes });
  return file;
}
