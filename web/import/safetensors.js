/**
 * Reads .safetensors files: 8 bytes with the length of the header, a JSON header, then the tensors without gap or
 * overlap. A sharded model has one more file, an index in JSON that names the file of each tensor.
 */
import { phrase } from '../engine/errors.js';
import { textOf, u64, viewOf } from './byte-file.js';
import { bad, named, unsupported } from './faults.js';
import { SIZES, countOf, shapeText, sourceTensor } from './tensor.js';

/** @import { ByteFile } from './byte-file.js' */
/** @import { Checkpoint } from './checkpoint.js' */

/** Limit for the header in bytes, the same as in the reference implementation. */
const MOST_HEADER = 100_000_000;
const METADATA = '__metadata__';

/** @param {Uint8Array} bytes the first bytes of a file: a length below 2^56 and a brace */
export const isSafetensors = (bytes) => bytes[7] === 0 && bytes[8] === 0x7b;

/** @param {ByteFile} file @returns {Promise<Checkpoint>} */
export async function readSafetensors(file) {
  const length = u64(viewOf(await file.read(0, 8)), 0);
  if (length > MOST_HEADER) throw bad(file.name, 'header_long', { n: length, limit: MOST_HEADER });
  const start = 8 + length;
  const header = parseObject(file.name, await file.read(8, start));
  const rows = Object.entries(header).filter(([name]) => name !== METADATA);
  checkPlaces(file, rows, start);
  const tensors = new Map();
  for (const [
    name,
    {
      dtype: type,
      shape,
      data_offsets: [from],
    },
  ] of rows) {
    const bytes = (/** @type {number} */ a, /** @type {number} */ b) =>
      file.read(start + from + a, start + from + b);
    const place = { file: file.name, name, type, shape, length: countOf(shape), bytes };
    tensors.set(name, sourceTensor(place));
  }
  return { tensors, config: metadataOf(file, header[METADATA]) };
}

/** @param {ByteFile} file @param {any} metadata @returns {Record<string, unknown>} */
function metadataOf(file, metadata = {}) {
  const entries = isObject(metadata) ? Object.entries(metadata) : null;
  if (!entries?.every(([, text]) => typeof text === 'string'))
    throw bad(file.name, 'header_entry', { name: METADATA, trouble: phrase('header_texts') });
  return Object.fromEntries(entries);
}

/** @param {unknown} value @returns {value is Record<string, any>} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses a JSON object and refuses a key that occurs twice. For two tensors of one name, JSON.parse would keep the
 * last and other programs the first.
 * @param {string} file
 * @param {Uint8Array} bytes
 */
function parseObject(file, bytes) {
  const text = textOf(bytes);
  let value;
  try {
    value = JSON.parse(text ?? '');
  } catch {}
  if (text === null || !isObject(value)) throw bad(file, 'header_json');
  const keys = Object.values(value).reduce(
    (sum, inner) => sum + (isObject(inner) ? Object.keys(inner).length : 0),
    Object.keys(value).length,
  );
  if (countKeys(text) !== keys) throw bad(file, 'header_twice');
  return value;
}

/** Counts the keys of all objects in a valid JSON text. @param {string} text */
function countKeys(text) {
  let n = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3a) n++;
    if (code !== 0x22) continue;
    while (text.charCodeAt(++at) !== 0x22) if (text.charCodeAt(at) === 0x5c) at++;
  }
  return n;
}

/**
 * Checks that the tensors fill the file from `start` to its end, and that each has the bytes that its shape needs.
 * @param {ByteFile} file
 * @param {[string, any][]} rows
 * @param {number} start
 */
function checkPlaces(file, rows, start) {
  const fault = (
    /** @type {string} */ name,
    /** @type {import('../engine/errors.js').Phrase} */ trouble,
  ) => bad(file.name, 'header_entry', { name: named(name), trouble });
  for (const [name, row] of rows) {
    const offsets = row?.data_offsets;
    const type = row?.dtype;
    if (
      !isObject(row) ||
      !['data_offsets,dtype,shape'].includes(Object.keys(row).sort().join()) ||
      !Array.isArray(offsets) ||
      offsets.length !== 2 ||
      !offsets.every((n) => Number.isSafeInteger(n) && n >= 0) ||
      typeof type !== 'string'
    )
      throw fault(name, phrase('header_fields'));
    if (!Object.hasOwn(SIZES, type))
      throw unsupported(file.name, 'import_type', { name: named(name), type: named(type) });
    const wanted = countOf(row.shape) * SIZES[type];
    if (Number.isNaN(wanted))
      throw fault(name, phrase('place_shape', { value: shapeText(row.shape) }));
    if (offsets[1] - offsets[0] !== wanted)
      throw fault(name, phrase('header_bytes', { n: offsets[1] - offsets[0], limit: wanted }));
  }
  const places = rows.map(
    ([
      name,
      {
        data_offsets: [from, to],
      },
    ]) => ({ name, from, to }),
  );
  places.sort((a, b) => a.from - b.from || a.to - b.to);
  let at = 0;
  for (const { name, from, to } of places) {
    if (from !== at) throw fault(name, phrase('header_place', { n: from, limit: at }));
    at = to;
  }
  if (start + at !== file.size)
    throw bad(file.name, 'import_length', { n: file.size, limit: start + at });
}

/**
 * Reads the index of a sharded model: the file name of each tensor.
 * @param {ByteFile} file
 * @returns {Promise<Map<string, string>>} the part's file name by tensor
 */
export async function readIndex(file) {
  if (file.size > MOST_HEADER)
    throw bad(file.name, 'header_long', { n: file.size, limit: MOST_HEADER });
  const map = parseIndex(file.name, await file.read(0, file.size));
  return new Map(Object.entries(map));
}

/** @param {string} file @param {Uint8Array} bytes @returns {Record<string, string>} */
function parseIndex(file, bytes) {
  let value;
  try {
    value = JSON.parse(textOf(bytes) ?? '');
  } catch {}
  const map = value?.weight_map;
  if (!isObject(map) || !Object.values(map).every((part) => typeof part === 'string'))
    throw bad(file, 'index_map');
  return map;
}
