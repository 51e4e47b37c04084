/**
 * Reads arrays of NumPy: .npy files, and .npz, a ZIP archive of them. The header of an array is a Python dict. Only
 * the spelling that NumPy writes is accepted; no Python code is evaluated.
 */
import { phrase } from '../engine/errors.js';
import { viewOf } from './byte-file.js';
import { bad, named, unsupported } from './faults.js';
import { DType, scalarOf, textOfUtf32 } from './pickle-globals.js';
import { SIZES, countOf, shapeText, sourceTensor, strideOf } from './tensor.js';

/** @import { ByteFile } from './byte-file.js' */
/** @import { Checkpoint } from './checkpoint.js' */
/** @import { ZipEntry } from './zip.js' */

/**
 * @typedef {object} Source an .npy file, or an entry of an archive
 * @property {string} name of the array
 * @property {string} file for sentences
 * @property {number} size
 * @property {(from: number, to: number) => Promise<Uint8Array>} read
 *
 * @typedef {object} NumpyPlace an array within its file
 * @property {DType} dtype
 * @property {boolean} fortran
 * @property {unknown} shape
 * @property {number} start position of the data
 */

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
const FIRST_READ = 256;
const MOST_HEADER = 1 << 16;
/** Most elements of an array of texts. Such an array is a vocabulary. */
const MOST_TEXTS = 1 << 20;
const HEADER =
  /^\{'descr': '([<>|=])([a-zA-Z]\d{1,9})', 'fortran_order': (True|False), 'shape': \(((?:\d{1,16}L?(?:, ?\d{1,16}L?)*)?),?\),? *\}\s*$/;

/** @param {Uint8Array} bytes the first bytes of a file */
export const isNpy = (bytes) => MAGIC.every((byte, i) => bytes[i] === byte);

/** @param {Map<string, ZipEntry>} entries */
export const isNpz = (entries) =>
  entries.size > 0 && [...entries.keys()].every((name) => name.endsWith('.npy'));

/** @param {ByteFile} file @returns {Promise<Checkpoint>} one array, named as the file without .npy */
export const readNpy = (file) =>
  readArrays([
    {
      name: file.name.replace(/^.*[/\\]/, '').replace(/\.npy$/, ''),
      file: file.name,
      size: file.size,
      read: file.read,
    },
  ]);

/**
 * Reads an archive of arrays. A single number, a single text or a list of texts goes to the configuration; every
 * other array becomes a tensor.
 * @param {ByteFile} file
 * @param {Map<string, ZipEntry>} entries
 */
export const readNpz = (file, entries) =>
  readArrays(
    [...entries.values()].map(({ name, size, read }) => ({
      name: name.slice(0, -'.npy'.length),
      file: file.name,
      size,
      read,
    })),
  );

/** @param {Source[]} sources @returns {Promise<Checkpoint>} */
async function readArrays(sources) {
  /** @type {Checkpoint} */
  const found = { tensors: new Map(), config: {} };
  /** @type {[string, unknown][]} */
  const values = [];
  for (const source of sources) {
    const place = await readHeader(source);
    const value = await valueOf(source, place);
    if (value === undefined) found.tensors.set(source.name, arrayOf(source, place));
    else values.push([source.name, value]);
  }
  found.config = Object.fromEntries(values);
  return found;
}

/** @param {Source} source @returns {Promise<NumpyPlace>} */
async function readHeader(source) {
  const { file, size, name } = source;
  const head = await source.read(0, Math.min(size, FIRST_READ));
  if (!isNpy(head) || head.length < 12) throw bad(file, 'npy_magic', { name: named(name) });
  const version = head[6];
  if (version < 1 || version > 3)
    throw unsupported(file, 'npy_version', { name: named(name), version });
  const view = viewOf(head);
  const from = version === 1 ? 10 : 12;
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > MOST_HEADER || from + length > size)
    throw bad(file, 'header_long', { n: length, limit: Math.min(MOST_HEADER, size - from) });
  const start = from + length;
  const bytes = start <= head.length ? head : await source.read(0, start);
  const text = new TextDecoder('latin1').decode(bytes.subarray(from, start));
  const found = HEADER.exec(text);
  if (!found)
    throw unsupported(file, 'npy_header', { name: named(name), value: named(text.trim()) });
  const dtype = new DType(found[2]);
  dtype.order = found[1];
  const shape = found[4] ? found[4].split(',').map((n) => Number.parseInt(n, 10)) : [];
  return { dtype, fortran: found[3] === 'True', shape, start };
}

/**
 * Reads an array that belongs to the configuration: a number, a text or a list of texts. Returns undefined for a
 * tensor.
 * @param {Source} source
 * @param {NumpyPlace} place
 */
async function valueOf(source, { dtype, shape, start }) {
  const n = countOf(shape);
  const isText = dtype.code[0] === 'U';
  if (Array.isArray(shape) && shape.length > (isText ? 1 : 0)) return undefined;
  const each = isText ? 4 * Number(dtype.code.slice(1)) : SIZES[dtype.type];
  if (each === undefined) throw typeFault(source, dtype);
  const fault = (/** @type {import('../engine/errors.js').Phrase} */ trouble) =>
    bad(source.file, 'import_tensor', { name: named(source.name), trouble });
  if (!(n <= MOST_TEXTS)) throw fault(phrase('place_shape', { value: shapeText(shape) }));
  if (start + n * each !== source.size)
    throw fault(phrase('place_bytes', { n: source.size - start, limit: n * each }));
  const bytes = (await source.read(0, source.size)).subarray(start);
  const little = dtype.order !== '>';
  const value =
    isText && Array.isArray(shape) && shape.length === 1
      ? Array.from({ length: n }, (_, i) =>
          textOfUtf32(bytes.subarray(i * each, (i + 1) * each), little),
        )
      : scalarOf(dtype, bytes);
  if (value === undefined || (Array.isArray(value) && value.includes(undefined)))
    throw typeFault(source, dtype);
  return value;
}

/** @param {Source} source @param {DType} dtype */
const typeFault = ({ file, name }, { code }) =>
  unsupported(file, 'import_type', { name: named(name), type: code });

/** @param {Source} source @param {NumpyPlace} place */
function arrayOf({ file, name, size, read }, { dtype, fortran, shape, start }) {
  const bytes = (/** @type {number} */ from, /** @type {number} */ to) =>
    read(start + from, start + to);
  return tensorOfNumpy(file, name, { dtype, fortran, shape, size: size - start, bytes });
}

/**
 * Returns an array of NumPy as a tensor, after a check that its shape fits its bytes.
 * @param {string} file
 * @param {string} name
 * @param {{ dtype: DType, fortran: boolean, shape: unknown, size: number,
 *   bytes: (from: number, to: number) => Promise<Uint8Array> }} array size: in bytes
 */
export function tensorOfNumpy(file, name, { dtype, fortran, shape, size, bytes }) {
  const type = dtype.type;
  if (!Object.hasOwn(SIZES, type))
    throw unsupported(file, 'import_type', { name: named(name), type });
  const length = size / SIZES[type];
  const strides =
    fortran && Array.isArray(shape) && shape.length <= 8
      ? strideOf([...shape].reverse()).reverse()
      : undefined;
  const bigEndian = dtype.order === '>';
  const tensor = sourceTensor({ file, name, type, shape, strides, length, bytes, bigEndian });
  const wanted = countOf(shape) * SIZES[type];
  if (wanted === size) return tensor;
  const trouble = phrase('place_bytes', { n: size, limit: wanted });
  throw bad(file, 'import_tensor', { name: named(name), trouble });
}
