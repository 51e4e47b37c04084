/**
 * Joins the parts of a split GGUF file into one stream: the first part's metadata, the tensor table
 * of all parts, then the data of each part. The engine checks this stream like any GGUF file.
 */
import { LogitscopeError } from './errors.js';
import { HEAD_MAX } from './model-file.js';

/**
 * A file that can be read from any position, any number of times.
 * @typedef {{ size: number | null, read: (start: number) => AsyncIterable<Uint8Array> }} Part
 *
 * The head of a part: metadata and table of tensors.
 * @typedef {object} Head
 * @property {Uint8Array} bytes
 * @property {number} version
 * @property {number} end position after the table of tensors
 * @property {[number, number][]} keys begin and end of each metadata key, except keys about the
 *   split
 * @property {{ start: number, offsetAt: number }[]} tensors
 * @property {number} alignment
 * @property {number | null} no index of the part, from 0; null if the file does not state it
 * @property {number | null} count number of parts; null if the file does not state it
 */

const MAGIC = 0x46554747;
const FIXED = 24;
const FIRST_READ = 1 << 16;
/** Bytes of each GGUF value type; 0 if the size varies. */
const SIZES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const STRING = 8;
const ARRAY = 9;

/** Reads values from a buffer; a RangeError means that more bytes are needed. */
class Cursor {
  at = 0;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u32() {
    const value = this.view.getUint32(this.at, true);
    this.at += 4;
    return value;
  }

  u64() {
    const value = Number(this.view.getBigUint64(this.at, true));
    this.at += 8;
    return value;
  }

  text() {
    const length = this.u64();
    this.skip(length);
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }

  /** @param {number} bytes */
  skip(bytes) {
    this.at += bytes;
    if (this.at > this.bytes.length) throw new RangeError();
  }

  /** @param {number} type */
  skipValue(type) {
    if (type === STRING) this.skip(this.u64());
    else if (type === ARRAY) {
      const of = this.u32();
      const n = this.u64();
      if (SIZES[of]) this.skip(n * SIZES[of]);
      else for (let i = 0; i < n; i++) this.skipValue(of);
    } else if (SIZES[type]) this.skip(SIZES[type]);
    else throw notPart();
  }
}

const notPart = () => new LogitscopeError('bad_file', 'parts_head');

/** @param {number} offset @param {number} alignment */
const alignUp = (offset, alignment) => Math.ceil(offset / alignment) * alignment;

/** @param {Uint8Array} bytes @returns {Head} */
function parseHead(bytes) {
  const cursor = new Cursor(bytes);
  if (cursor.u32() !== MAGIC) throw new LogitscopeError('bad_file', 'not_gguf');
  const version = cursor.u32();
  if (version < 2 || version > 3) throw notPart();
  const nTensors = cursor.u64();
  const nKeys = cursor.u64();
  /** @type {Head} */
  const head = {
    bytes,
    version,
    end: 0,
    keys: [],
    tensors: [],
    alignment: 32,
    no: null,
    count: null,
  };
  for (let i = 0; i < nKeys; i++) {
    const start = cursor.at;
    const key = cursor.text();
    const type = cursor.u32();
    const at = cursor.at;
    cursor.skipValue(type);
    const small = new DataView(bytes.buffer, bytes.byteOffset + at, Math.min(4, cursor.at - at));
    const value = () => (type === 2 ? small.getUint16(0, true) : small.getUint32(0, true));
    if (key === 'split.no') head.no = value();
    else if (key === 'split.count') head.count = value();
    else if (!key.startsWith('split.')) head.keys.push([start, cursor.at]);
    if (key === 'general.alignment') head.alignment = value() || 32;
  }
  for (let i = 0; i < nTensors; i++) {
    const start = cursor.at;
    cursor.skip(cursor.u64());
    cursor.skip(8 * cursor.u32() + 4);
    head.tensors.push({ start, offsetAt: cursor.at });
    cursor.skip(8);
  }
  head.end = cursor.at;
  return head;
}

/** @param {Part} part @returns {Promise<Head>} */
async function readHead(part) {
  let bytes = new Uint8Array(FIRST_READ);
  let length = 0;
  let tried = 0;
  for await (const chunk of part.read(0)) {
    if (length + chunk.length > bytes.length) {
      const room = Math.min(2 * bytes.length, HEAD_MAX + FIRST_READ);
      const larger = new Uint8Array(Math.max(room, length + chunk.length));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(chunk, length);
    length += chunk.length;
    const full = length > HEAD_MAX;
    if (length < 2 * tried && length !== part.size && !full) continue;
    tried = length;
    try {
      if (length >= FIXED) return parseHead(bytes.slice(0, length));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    if (full) break;
  }
  throw notPart();
}

/**
 * @param {Head[]} heads in order
 * @param {number[]} bases position of each part's data among all data
 */
function joinHeads(heads, bases) {
  const [first] = heads;
  const tensors = heads.flatMap((head, part) =>
    head.tensors.map(({ start, offsetAt }) => {
      const row = head.bytes.slice(start, offsetAt + 8);
      const view = new DataView(row.buffer);
      const offset = view.getBigUint64(offsetAt - start, true) + BigInt(bases[part]);
      view.setBigUint64(offsetAt - start, offset, true);
      return row;
    }),
  );
  const fixed = new DataView(new ArrayBuffer(FIXED));
  fixed.setUint32(0, MAGIC, true);
  fixed.setUint32(4, first.version, true);
  fixed.setBigUint64(8, BigInt(tensors.length), true);
  fixed.setBigUint64(16, BigInt(first.keys.length), true);
  const keys = first.keys.map(([start, end]) => first.bytes.subarray(start, end));
  const pieces = [new Uint8Array(fixed.buffer), ...keys, ...tensors];
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const joined = new Uint8Array(alignUp(length, first.alignment));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/**
 * Joins the parts. Each part's head is read before the next part is opened.
 * @param {AsyncIterable<Part>} parts all parts of one file, in any order
 * @param {number} n number of parts
 * @returns {Promise<import('./load.js').Stream>}
 */
export async function joinParts(parts, n) {
  const given = [];
  const differ = (/** @type {number | null} */ count) =>
    new LogitscopeError('bad_file', 'parts_differ', { n, limit: count ?? 1 });
  for await (const part of parts) {
    const head = await readHead(part);
    if (head.count !== n) throw differ(head.count);
    given.push({ part, head });
  }
  given.sort((a, b) => (a.head.no ?? 0) - (b.head.no ?? 0));
  const heads = given.map(({ head }) => head);
  const [{ alignment, version }] = heads;
  if (heads.some((head, i) => head.no !== i || head.version !== version)) throw differ(n);
  /** @type {number[]} */
  const bases = [];
  let total = 0;
  const data = given.map(({ part, head }) => {
    const start = alignUp(head.end, head.alignment);
    if (part.size === null || part.size < start) throw notPart();
    bases.push(total);
    const length = part.size - start;
    const room = alignUp(length, alignment);
    total += room;
    return { part, start, length, room };
  });
  const head = joinHeads(heads, bases);
  async function* chunks() {
    yield head;
    for (const { part, start, length, room } of data) {
      let left = length;
      for await (const chunk of part.read(start)) {
        left -= chunk.length;
        yield chunk;
      }
      if (left)
        throw new LogitscopeError('load_failed', 'load_length', {
          limit: length,
          n: length - left,
        });
      if (room > length) yield new Uint8Array(room - length);
    }
  }
  return { chunks: chunks(), total: head.length + total };
}
