/**
 * A tensor of a file. Its position is checked when the file is opened; its values are read on demand. The readers of
 * all formats make their tensors here.
 */
import { phrase } from '../engine/errors.js';
import { bad, named, unsupported } from './faults.js';

/**
 * @typedef {object} SourceTensor
 * @property {string} name
 * @property {number[]} shape as in PyTorch, slowest dimension first
 * @property {string} type as safetensors names it, such as F32
 * @property {() => Promise<Float32Array>} read returns the values in C order. They may share memory with
 *   the file, so a caller does not change them
 *
 * @typedef {object} Place a tensor within a row of elements
 * @property {string} file
 * @property {string} name
 * @property {string} type
 * @property {unknown} shape
 * @property {unknown} [strides] in elements; C order if absent
 * @property {unknown} [offset] in elements; 0 if absent
 * @property {number} length elements of the row
 * @property {(from: number, to: number) => Promise<Uint8Array>} bytes reads the row; positions in bytes
 * @property {boolean} [bigEndian]
 */

/** Number of bytes of one element. @type {Record<string, number>} */
export const SIZES = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
  // Formats whose tensors are checked but never read. They are listed so that a file which also has such a tensor can
  // be opened.
  U64: 8,
  U32: 4,
  U16: 2,
  C128: 16,
  C64: 8,
  F8_E4M3: 1,
  F8_E5M2: 1,
  F8_E8M0: 1,
};

const MOST_DIMENSIONS = 8;

/** Returns the strides of a shape in C order. @param {number[]} shape */
export function strideOf(shape) {
  const strides = new Array(shape.length);
  let step = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

/** @param {unknown} list @returns {list is number[]} */
const areCounts = (list) =>
  Array.isArray(list) &&
  list.length <= MOST_DIMENSIONS &&
  list.every((n) => Number.isSafeInteger(n) && n >= 0);

/** Returns the number of elements; NaN if the value is not a valid shape. @param {unknown} shape */
export const countOf = (shape) =>
  areCounts(shape) ? shape.reduce((product, n) => product * n, 1) : Number.NaN;

/**
 * Returns a tensor after a check that it lies within its row of elements.
 * @param {Place} place
 * @returns {SourceTensor}
 */
export function sourceTensor(place) {
  const { file, name, type, shape, offset = 0, length, bytes } = place;
  const fault = (/** @type {import('../engine/errors.js').Phrase} */ trouble) =>
    bad(file, 'import_tensor', { name: named(name), trouble });
  const count = countOf(shape);
  if (!areCounts(shape) || Number.isNaN(count))
    throw fault(phrase('place_shape', { value: shapeText(shape) }));
  const strides = place.strides === undefined ? strideOf(shape) : place.strides;
  if (!areCounts(strides) || strides.length !== shape.length || !areCounts([offset]))
    throw fault(phrase('place_strides', { value: shapeText(strides) }));
  const from = Number(offset);
  const end = count === 0 ? from : shape.reduce((at, n, i) => at + (n - 1) * strides[i], from + 1);
  if (count > length || end > length)
    throw fault(phrase('place_beyond', { n: Math.max(count, end), limit: length }));
  return {
    name,
    shape: [...shape],
    type,
    async read() {
      const size = SIZES[type];
      const part = size && (await bytes(from * size, end * size));
      const values = part && valuesOf(type, part, place.bigEndian);
      if (!values) throw unsupported(file, 'import_type', { name: named(name), type: named(type) });
      return isInOrder(shape, strides) ? values : inCOrder(values, shape, strides, count);
    },
  };
}

/** Writes a shape for an error sentence. @param {unknown} shape */
export const shapeText = (shape) =>
  named(Array.isArray(shape) ? `(${shape.slice(0, 10).map(named).join(', ')})` : typeof shape);

/** @param {number[]} shape @param {number[]} strides */
function isInOrder(shape, strides) {
  const usual = strideOf(shape);
  return shape.includes(0) || shape.every((n, i) => n === 1 || strides[i] === usual[i]);
}

/**
 * Copies values that lie in memory with any strides into C order.
 * @param {Float32Array} values
 * @param {number[]} shape
 * @param {number[]} strides
 * @param {number} count
 */
function inCOrder(values, shape, strides, count) {
  const out = new Float32Array(count);
  const last = shape.length - 1;
  const index = new Array(shape.length).fill(0);
  const [n, step] = [shape[last], strides[last]];
  for (let filled = 0, at = 0; filled < count; filled += n) {
    for (let i = 0, from = at; i < n; i++, from += step) out[filled + i] = values[from];
    for (let d = last - 1; d >= 0; d--) {
      at += strides[d];
      if (++index[d] < shape[d]) break;
      at -= shape[d] * strides[d];
      index[d] = 0;
    }
  }
  return out;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} size of an element
 * @param {boolean} [bigEndian]
 */
function inHostOrder(bytes, size, bigEndian) {
  if (!bigEndian || size === 1)
    return bytes.byteOffset % size === 0 ? bytes : Uint8Array.from(bytes);
  const turned = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += size)
    for (let i = 0; i < size; i++) turned[at + i] = bytes[at + size - 1 - i];
  return turned;
}

/**
 * Converts the bytes of a tensor to float32, rounding half to even. Returns null for a type that is not supported.
 * @param {string} type
 * @param {Uint8Array} bytes
 * @param {boolean} [bigEndian]
 */
export function valuesOf(type, bytes, bigEndian) {
  const convert = VALUES[type];
  if (!convert) return null;
  const { buffer, byteOffset, length } = inHostOrder(bytes, SIZES[type], bigEndian);
  return convert(/** @type {ArrayBuffer} */ (buffer), byteOffset, length / SIZES[type]);
}

/** @type {Record<string, (buffer: ArrayBuffer, at: number, n: number) => Float32Array>} */
const VALUES = {
  F32: (buffer, at, n) => new Float32Array(buffer, at, n),
  F64: (buffer, at, n) => new Float32Array(new Float64Array(buffer, at, n)),
  F16(buffer, at, n) {
    halves ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => halfValue(bits));
    const bits = new Uint16Array(buffer, at, n);
    const out = new Float32Array(n);
    for (let i = 0; i < n; i++) out[i] = halves[bits[i]];
    return out;
  },
  BF16(buffer, at, n) {
    const bits = new Uint32Array(new Uint16Array(buffer, at, n));
    for (let i = 0; i < n; i++) bits[i] <<= 16;
    return new Float32Array(bits.buffer);
  },
  I64(buffer, at, n) {
    const values = new BigInt64Array(buffer, at, n);
    const out = new Float32Array(n);
    for (let i = 0; i < n; i++) out[i] = Number(values[i]);
    return out;
  },
  I32: (buffer, at, n) => new Float32Array(new Int32Array(buffer, at, n)),
  I16: (buffer, at, n) => new Float32Array(new Int16Array(buffer, at, n)),
  I8: (buffer, at, n) => new Float32Array(new Int8Array(buffer, at, n)),
  U8: (buffer, at, n) => new Float32Array(new Uint8Array(buffer, at, n)),
  BOOL: (buffer, at, n) =>
    Float32Array.from(new Uint8Array(buffer, at, n), (byte) => +(byte !== 0)),
};

/** A table of the value of each 16-bit float; made at first use. @type {Float32Array | undefined} */
let halves;

/** Returns the value of a 16-bit float. @param {number} bits */
function halfValue(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
