/**
 * Writes GGUF files, little endian: metadata and the table of tensors first, then the values of one tensor after
 * another.
 */
import { FORMATS } from './quantise.js';

/**
 * @typedef {'uint8' | 'int8' | 'uint16' | 'int16' | 'uint32' | 'int32' | 'float32' | 'bool' | 'string'
 *   | 'uint64' | 'int64' | 'float64'} ScalarType
 * @typedef {string | Uint8Array | number | bigint | boolean} Scalar  bytes mean a string
 * @typedef {{ type: ScalarType, value: Scalar }} TypedScalar
 * @typedef {{ type: 'array', of: ScalarType, value: ArrayLike<Scalar> }} TypedArray
 * @typedef {{ type: 'array', of: 'array', value: (TypedArray | NestedArray)[] }} NestedArray
 * @typedef {string | boolean | TypedScalar | TypedArray | NestedArray} MetadataValue
 *   a string or boolean needs no type, a number does
 * @typedef {Record<string, MetadataValue>} Metadata
 * @typedef {{ number: number, values: number, bytes: number }} Block  ggml's number of the format; values and bytes of
 *   a block
 * @typedef {{ name: string, shape: number[], format: Block }} TensorHead  shape: fastest-varying dimension first
 * @typedef {{ name: string, shape: number[], values: () => Promise<Float32Array> }} Weights  shape as in PyTorch,
 *   slowest-varying dimension first
 */

const valueTypes = [
  'uint8',
  'int8',
  'uint16',
  'int16',
  'uint32',
  'int32',
  'float32',
  'bool',
  'string',
  'array',
  'uint64',
  'int64',
  'float64',
];
const scalarBytes = {
  uint8: 1,
  int8: 1,
  bool: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
  float32: 4,
  uint64: 8,
  int64: 8,
  float64: 8,
};
/** A byte buffer that grows as values are written. */
class ByteWriter {
  #bytes = new Uint8Array(1 << 16);
  #view = new DataView(this.#bytes.buffer);
  length = 0;

  /** Makes room for `count` more bytes. @param {number} count @returns {number} offset of the new bytes */
  #makeRoom(count) {
    const at = this.length;
    if (at + count > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bytes.length, at + count));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.length = at + count;
    return at;
  }

  /** @param {Uint8Array} bytes */
  bytes(bytes) {
    const at = this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** @param {number} alignment a power of two */
  align(alignment) {
    this.#makeRoom((alignment - (this.length % alignment)) % alignment);
  }

  /** @param {ScalarType} type @param {Scalar} value */
  scalar(type, value) {
    if (type === 'string') {
      const bytes = value instanceof Uint8Array ? value : new TextEncoder().encode(String(value));
      this.scalar('uint64', bytes.length);
      this.bytes(bytes);
      return;
    }
    const at = this.#makeRoom(scalarBytes[type]);
    const n = Number(value);
    switch (type) {
      case 'uint8':
        return this.#view.setUint8(at, n);
      case 'int8':
        return this.#view.setInt8(at, n);
      case 'bool':
        return this.#view.setUint8(at, n);
      case 'uint16':
        return this.#view.setUint16(at, n, true);
      case 'int16':
        return this.#view.setInt16(at, n, true);
      case 'uint32':
        return this.#view.setUint32(at, n, true);
      case 'int32':
        return this.#view.setInt32(at, n, true);
      case 'float32':
        return this.#view.setFloat32(at, n, true);
      case 'float64':
        return this.#view.setFloat64(at, n, true);
      case 'uint64':
        return this.#view.setBigUint64(at, asBigInt(value), true);
      case 'int64':
        return this.#view.setBigInt64(at, asBigInt(value), true);
    }
  }

  /** @returns {Uint8Array} */
  finish() {
    return this.#bytes.slice(0, this.length);
  }
}

/** @param {Scalar} value @returns {bigint} */
const asBigInt = (value) => BigInt(/** @type {number | bigint} */ (value));

/** @param {string} type @returns {number} GGUF's number of a value type */
const valueTypeNumber = (type) => {
  const number = valueTypes.indexOf(type);
  if (number < 0) throw new TypeError(`unknown GGUF type ${type}`);
  return number;
};

/** @param {ByteWriter} out @param {TypedArray | NestedArray} array */
const writeArray = (out, array) => {
  out.scalar('uint32', valueTypeNumber(array.of));
  out.scalar('uint64', array.value.length);
  if (array.of === 'array') {
    for (const inner of array.value) writeArray(out, inner);
  } else {
    for (let i = 0; i < array.value.length; i++) out.scalar(array.of, array.value[i]);
  }
};

/** @param {ByteWriter} out @param {MetadataValue} value */
const writeValue = (out, value) => {
  if (typeof value === 'string') return writeValue(out, { type: 'string', value });
  if (typeof value === 'boolean') return writeValue(out, { type: 'bool', value });
  out.scalar('uint32', valueTypeNumber(value.type));
  if (value.type === 'array') writeArray(out, value);
  else out.scalar(value.type, value.value);
};

/** @param {TensorHead} tensor @returns {number} its size in bytes */
const tensorBytes = ({ name, shape, format: { values, bytes } }) => {
  if (shape[0] % values)
    throw new RangeError(`${name} must have rows of a multiple of ${values}, got ${shape[0]}`);
  return (shape.reduce((product, n) => product * n, 1) / values) * bytes;
};

/**
 * Returns the head of a GGUF file (all bytes before the values of the first tensor) and the offset of each tensor.
 * `size` is the length of the file; like ggml, the file ends with zeros up to the alignment.
 * @param {object} contents
 * @param {Metadata} [contents.metadata]  `general.alignment` sets the alignment
 * @param {TensorHead[]} [contents.tensors]
 * @param {2 | 3} [contents.version]
 * @returns {{ head: Uint8Array, offsets: number[], size: number }}
 */
export const layoutGguf = ({ metadata = {}, tensors = [], version = 3 }) => {
  const stated = /** @type {TypedScalar | undefined} */ (metadata['general.alignment']);
  const alignment = Number(stated?.value ?? 32);
  const out = new ByteWriter();
  out.bytes(new TextEncoder().encode('GGUF'));
  out.scalar('uint32', version);
  out.scalar('uint64', tensors.length);
  out.scalar('uint64', Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    out.scalar('string', key);
    writeValue(out, value);
  }
  let end = 0;
  const starts = tensors.map((tensor) => {
    const start = end;
    out.scalar('string', tensor.name);
    out.scalar('uint32', tensor.shape.length);
    for (const n of tensor.shape) out.scalar('uint64', n);
    out.scalar('uint32', tensor.format.number);
    out.scalar('uint64', start);
    end = Math.ceil((start + tensorBytes(tensor)) / alignment) * alignment;
    return start;
  });
  out.align(alignment);
  const head = out.finish();
  return { head, offsets: starts.map((start) => head.length + start), size: head.length + end };
};

/**
 * Returns the format of a tensor: the wanted one for a matrix whose rows fill whole blocks, else F32. llama.cpp does
 * the same for vectors and position embeddings.
 * @param {Weights} tensor
 * @param {keyof typeof FORMATS} type
 */
const formatOf = ({ name, shape }, type) =>
  shape.length > 1 &&
  shape[shape.length - 1] % FORMATS[type].values === 0 &&
  name !== 'position_embd.weight'
    ? FORMATS[type]
    : FORMATS.F32;

/**
 * Returns the size of a file and an iterable of its bytes. It keeps one tensor in memory at a time.
 * @param {{ metadata: Metadata, tensors: Weights[], type: keyof typeof FORMATS }} contents
 * @returns {{ size: number, chunks: AsyncIterable<Uint8Array> }}
 */
export const writeGguf = ({ metadata, tensors, type }) => {
  const heads = tensors.map((tensor) => ({
    name: tensor.name,
    shape: [...tensor.shape].reverse(),
    format: formatOf(tensor, type),
  }));
  const { head, offsets, size } = layoutGguf({
    metadata: {
      ...metadata,
      'general.file_type': { type: 'uint32', value: FORMATS[type].fileType },
    },
    tensors: heads,
  });
  async function* chunks() {
    yield head;
    let at = head.length;
    for (let i = 0; i < tensors.length; i++) {
      const bytes = heads[i].format.encode(await tensors[i].values());
      yield bytes;
      at += bytes.length;
      const next = offsets[i + 1] ?? size;
      if (at < next) yield new Uint8Array(next - at);
      at = next;
    }
  }
  return { size, chunks: chunks() };
};
