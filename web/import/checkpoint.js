/**
 * Reads checkpoints of any format as named tensors and plain values. The first bytes of a file decide its format,
 * never its name. No code in a file runs. Weights are read only when a caller asks for their values.
 */
import { bad, named, unsupported } from './faults.js';
import { HEADER_BYTES, isLlama2c, readLlama2c } from './llama2c.js';
import { isNpy, isNpz, readNpy, readNpz, tensorOfNumpy } from './npy.js';
import { NumpyArray, OwnRecord, TorchTensor } from './pickle-globals.js';
import { isSafetensors, readIndex, readSafetensors } from './safetensors.js';
import { readTorchPickles, readTorchZip, tensorOfTorch } from './torch.js';
import { isZip, readZip } from './zip.js';

/** @import { ByteFile } from './byte-file.js' */
/** @import { SourceTensor } from './tensor.js' */

/**
 * @typedef {object} Checkpoint
 * @property {Map<string, SourceTensor>} tensors
 * @property {Record<string, unknown>} config plain values that the file carries; {} if none
 *
 * @typedef {'zip' | 'pickle' | 'safetensors' | 'npy' | 'llama2c' | 'json' | 'gguf'} Format
 */

/** Keys under which training scripts save the weights in a dict with other values; the most common key first. */
const WEIGHTS = ['model', 'state_dict', 'model_state_dict', 'module', 'weights', 'params', 'net'];
const MOST_TENSORS = 1 << 16;
/** Limits for the plain values of a file: how many values in all, and how many levels of nesting. */
const MOST_VALUES = 1 << 18;
const DEEPEST = 64;

/**
 * Returns the format that the first bytes of a file show; null if the format is unknown.
 * @param {ByteFile} file
 * @returns {Promise<Format | null>}
 */
export async function formatOf(file) {
  const bytes = await file.read(0, Math.min(file.size, HEADER_BYTES));
  if (isZip(bytes)) return 'zip';
  if (isNpy(bytes)) return 'npy';
  if (bytes[0] === 0x80 && bytes[1] >= 2 && bytes[1] <= 5) return 'pickle';
  if (String.fromCharCode(...bytes.subarray(0, 4)) === 'GGUF') return 'gguf';
  if (isSafetensors(bytes)) return 'safetensors';
  if (isLlama2c(bytes, file.size)) return 'llama2c';
  return /^\s*[{[]/.test(String.fromCharCode(...bytes)) ? 'json' : null;
}

/**
 * Reads the tensors of one file, or of all parts of a sharded model. The index of a sharded model may be absent.
 * @param {ByteFile[]} files
 * @returns {Promise<Checkpoint>}
 */
export async function readCheckpoint(files) {
  /** @type {Checkpoint} */
  const all = { tensors: new Map(), config: {} };
  /** @type {Map<string, string>} */
  const fileOf = new Map();
  const parts = [];
  for (const file of files)
    parts.push({ file, index: (await formatOf(file)) === 'json' ? await readIndex(file) : null });
  for (const { file, index } of parts) {
    if (index) continue;
    const { tensors, config } = await readOne(file);
    all.config = { ...config, ...all.config };
    for (const [name, tensor] of tensors) {
      const other = fileOf.get(name);
      if (other !== undefined)
        throw bad(file.name, 'import_twice', { name: named(name), other: named(other) });
      fileOf.set(name, file.name);
      all.tensors.set(name, tensor);
    }
  }
  for (const { file, index } of parts) if (index) checkIndex(file, index, files, fileOf);
  return all;
}

/**
 * Checks that each tensor of a sharded model's index lies in the file that the index names.
 * @param {ByteFile} file of the index
 * @param {Map<string, string>} index
 * @param {ByteFile[]} files
 * @param {Map<string, string>} fileOf
 */
function checkIndex(file, index, files, fileOf) {
  const last = (/** @type {string} */ path) => path.replace(/^.*[/\\]/, '');
  const given = new Set(files.map(({ name }) => last(name)));
  for (const part of index.values())
    if (!given.has(last(part))) throw bad(file.name, 'index_part', { name: named(part) });
  for (const [name, part] of index)
    if (last(fileOf.get(name) ?? '') !== last(part))
      throw bad(file.name, 'index_tensor', { name: named(name), part: named(part) });
}

/** @param {ByteFile} file @returns {Promise<Checkpoint>} */
async function readOne(file) {
  const format = await formatOf(file);
  if (format === 'safetensors') return readSafetensors(file);
  if (format === 'npy') return readNpy(file);
  if (format === 'llama2c') return readLlama2c(file);
  if (format === 'pickle') return weightsOf(file.name, await readTorchPickles(file));
  if (format !== 'zip') throw unsupported(file.name, 'import_format');
  const entries = await readZip(file);
  if (isNpz(entries)) return readNpz(file, entries);
  return weightsOf(file.name, await readTorchZip(file, entries));
}

/** @param {any} value */
const isTensor = (value) => value instanceof TorchTensor || value instanceof NumpyArray;
/**
 * Returns a function that tells if a value is a dict with tensors. It remembers its answers: a small pickle may
 * contain the same large dict many times.
 */
function stateFinder() {
  /** @type {Map<any, boolean>} */
  const known = new Map();
  return (/** @type {any} */ value) => {
    if (!(value instanceof Map)) return false;
    if (!known.has(value)) known.set(value, [...value.values()].some(isTensor));
    return known.get(value) === true;
  };
}

/**
 * Finds the weights in an unpickled dict; the plain values beside them become the configuration.
 * @param {string} file
 * @param {any} value
 * @returns {Checkpoint}
 */
function weightsOf(file, value) {
  if (value instanceof OwnRecord) throw unsupported(file, 'pickle_global', { name: value.name });
  if (!(value instanceof Map)) throw unsupported(file, 'import_no_dict');
  const state = findState(file, value);
  if (state.size > MOST_TENSORS)
    throw bad(file, 'import_many', { n: state.size, limit: MOST_TENSORS });
  const tensors = new Map();
  for (const [name, tensor] of state)
    if (isTensor(tensor)) tensors.set(String(name), tensorOf(file, String(name), tensor));
  const plain = new Plain(file);
  const config = [...value]
    .filter(([, part]) => part !== state && !isTensor(part))
    .map(([name, part]) => [String(name), plain.of(part)])
    .filter(([, part]) => part !== undefined);
  return { tensors, config: Object.fromEntries(config) };
}

/**
 * @param {string} file
 * @param {Map<any, any>} value
 * @returns {Map<any, any>}
 */
function findState(file, value) {
  const isState = stateFinder();
  for (const name of WEIGHTS) {
    const part = value.get(name);
    if (isState(part)) return part;
  }
  const inner = [...value].filter(([, part]) => isState(part));
  if (inner.length === 1 && !isState(value)) return inner[0][1];
  if (isState(value)) return value;
  const names = [...value.keys()].slice(0, 8).map(named).join(', ');
  throw unsupported(file, 'import_no_weights', { names: named(names), wanted: WEIGHTS.join(', ') });
}

/** @param {string} file @param {string} name @param {TorchTensor | NumpyArray} tensor */
function tensorOf(file, name, tensor) {
  if (tensor instanceof TorchTensor) return tensorOfTorch(file, name, tensor);
  const { dtype, fortran, shape, bytes } = tensor;
  const read = async (/** @type {number} */ from, /** @type {number} */ to) =>
    bytes.subarray(from, to);
  return tensorOfNumpy(file, name, { dtype, fortran, shape, size: bytes.length, bytes: read });
}

/**
 * Turns unpickled values into values that JSON has. An integer beyond 2^53 becomes a text. Values of other types are
 * left out.
 */
class Plain {
  /** Number of values that may still be converted. */
  left = MOST_VALUES;

  /** @param {string} file */
  constructor(file) {
    this.file = file;
  }

  /** @param {any} value @param {number} [depth] @returns {unknown} undefined if it is not plain */
  of(value, depth = 0) {
    this.left -= value?.size ?? (Array.isArray(value) ? value.length : 0);
    if (this.left < 0 || depth > DEEPEST)
      throw bad(this.file, 'import_values', { limit: MOST_VALUES, depth: DEEPEST });
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Map)
      return Object.fromEntries(
        [...value].flatMap(([key, part]) => {
          const plain = this.of(part, depth + 1);
          return plain === undefined ? [] : [[String(key), plain]];
        }),
      );
    if (value instanceof Set) return this.of([...value], depth);
    if (!Array.isArray(value)) return undefined;
    const parts = value.map((part) => this.of(part, depth + 1));
    // If one item of a list is not plain, leave out the whole list: shifted items would be wrong values.
    return parts.includes(undefined) ? undefined : parts;
  }
}
