/**
 * Reads a ZIP archive (APPNOTE 6.3.10, with ZIP64). An entry is checked against the central directory before its
 * bytes are used. Only the central directory decides which bytes belong to an entry.
 */
import { LogitscopeError, phrase } from '../engine/errors.js';
import { textOf, u64, viewOf } from './byte-file.js';
import { crc32 } from './crc32.js';
import { bad, named, unsupported } from './faults.js';

/** @import { ByteFile } from './byte-file.js' */

/**
 * @typedef {object} ZipEntry
 * @property {string} name
 * @property {number} size in bytes, unpacked
 * @property {boolean} stored false if the entry is deflated
 * @property {(from?: number, to?: number) => Promise<Uint8Array>} read returns its bytes from `from` to
 *   before `to`. A read of all bytes compares the CRC-32 sum too
 *
 * @typedef {object} Listed an entry of the central directory
 * @property {string} name
 * @property {Uint8Array} path the name's bytes
 * @property {number} flags
 * @property {number} method
 * @property {number} crc
 * @property {number} packed bytes in the archive
 * @property {number} size
 * @property {number} at position of the local header
 * @property {number} end position of the next local header or the directory
 */

const MOST_ENTRIES = 1 << 16;
const MOST_DIRECTORY = 1 << 24;
/** Limit for the unpacked size of all entries: MOST_EXPANSION times the file's size, plus FREE_EXPANSION bytes. */
const MOST_EXPANSION = 32;
const FREE_EXPANSION = 1 << 26;
/** Largest size of the end record: 22 bytes and the longest comment. */
const TAIL = 22 + 0xffff;

const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const LISTED = 0x02014b50;
const LOCAL = 0x04034b50;
const ALL_ONES = 0xffffffff;
const ENCRYPTED = 1;
/** Flag of an entry: its sizes and sum come after its data, and its local header may have zeros instead. */
const DESCRIPTOR = 8;
const STORED = 0;
const DEFLATED = 8;
/** Number of packed bytes that the decompressor gets at once. It returns at most 1,032 times as many. */
const PIECE = 1 << 16;

/** @param {Uint8Array} bytes the first bytes of a file */
export const isZip = (bytes) => bytes.length >= 4 && viewOf(bytes).getUint32(0, true) === LOCAL;

/**
 * @param {ByteFile} file
 * @returns {Promise<Map<string, ZipEntry>>} the entries in the directory's order, without folders
 */
export async function readZip(file) {
  const place = await findDirectory(file);
  const bytes = await file.read(place.at, place.at + place.bytes);
  const listed = parseDirectory(file.name, bytes, place);
  setEnds(file.name, listed, place.at);
  const most = MOST_EXPANSION * file.size + FREE_EXPANSION;
  const total = listed.reduce((sum, { size }) => sum + size, 0);
  if (total > most) throw bad(file.name, 'zip_expands', { n: total, limit: most });
  /** @type {Map<string, ZipEntry>} */
  const entries = new Map();
  for (const one of listed) {
    if (entries.has(one.name)) throw entryFault(file.name, one, phrase('entry_twice'));
    entries.set(one.name, entryOf(file, one));
  }
  for (const name of entries.keys()) if (name.endsWith('/')) entries.delete(name);
  return entries;
}

/**
 * @param {string} file
 * @param {{ name: string }} entry
 * @param {import('../engine/errors.js').Phrase} trouble
 */
const entryFault = (file, { name }, trouble) =>
  bad(file, 'zip_entry', { name: named(name), trouble });

/** @param {ByteFile} file @returns {Promise<{ at: number, bytes: number, count: number }>} */
async function findDirectory(file) {
  const from = Math.max(0, file.size - TAIL);
  const tail = await file.read(from, file.size);
  const view = viewOf(tail);
  let at = tail.length - 22;
  while (
    at >= 0 &&
    (view.getUint32(at, true) !== END || view.getUint16(at + 20, true) !== tail.length - at - 22)
  )
    at--;
  if (at < 0) throw bad(file.name, 'zip_end');
  let end = from + at;
  let disks = view.getUint32(at + 4, true);
  let count = view.getUint16(at + 10, true);
  let same = count === view.getUint16(at + 8, true);
  let bytes = view.getUint32(at + 12, true);
  let start = view.getUint32(at + 16, true);
  if (at >= 20 && view.getUint32(at - 20, true) === LOCATOR_64) {
    const end64 = u64(view, at - 12);
    if (end64 + 56 > end - 20) throw bad(file.name, 'zip_end');
    const record = viewOf(await file.read(end64, end64 + 56));
    // Checks that the record fills the space up to its locator, so that no bytes hide between the two.
    if (record.getUint32(0, true) !== END_64 || end64 + 12 + u64(record, 4) !== end - 20)
      throw bad(file.name, 'zip_end');
    disks = record.getUint32(16, true) | record.getUint32(20, true);
    count = u64(record, 32);
    same = count === u64(record, 24);
    bytes = u64(record, 40);
    start = u64(record, 48);
    end = end64;
  }
  if (disks !== 0 || !same) throw unsupported(file.name, 'zip_disks');
  if (count > MOST_ENTRIES) throw bad(file.name, 'zip_many', { n: count, limit: MOST_ENTRIES });
  if (bytes > MOST_DIRECTORY || start + bytes !== end)
    throw bad(file.name, 'zip_directory', { n: start });
  return { at: start, bytes, count };
}

/**
 * @param {string} file
 * @param {Uint8Array} bytes
 * @param {{ at: number, count: number }} place
 */
function parseDirectory(file, bytes, { at: start, count }) {
  const view = viewOf(bytes);
  /** @type {Listed[]} */
  const listed = [];
  let at = 0;
  while (at < bytes.length && listed.length < count) {
    const left = bytes.length - at - 46;
    if (left < 0 || view.getUint32(at, true) !== LISTED) break;
    const n = view.getUint16(at + 28, true);
    const extra = view.getUint16(at + 30, true);
    const more = n + extra + view.getUint16(at + 32, true);
    if (more > left) break;
    const path = bytes.subarray(at + 46, at + 46 + n);
    const name = textOf(path);
    if (name === null || name === '' || view.getUint16(at + 34, true) !== 0) break;
    const one = {
      name,
      path,
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
      end: 0,
    };
    readWideNumbers(file, one, bytes.subarray(at + 46 + n, at + 46 + n + extra));
    listed.push(one);
    at += 46 + more;
  }
  if (at !== bytes.length || listed.length !== count)
    throw bad(file, 'zip_directory', { n: start + at });
  return listed;
}

/**
 * Reads the numbers that need 64 bits from the ZIP64 field of an entry.
 * @param {string} file
 * @param {Listed} one
 * @param {Uint8Array} extra
 */
function readWideNumbers(file, one, extra) {
  const fields = /** @type {const} */ (['size', 'packed', 'at']).filter(
    (field) => one[field] === ALL_ONES,
  );
  if (fields.length === 0) return;
  const view = viewOf(extra);
  for (let at = 0; at + 4 <= extra.length; ) {
    const bytes = view.getUint16(at + 2, true);
    if (at + 4 + bytes > extra.length) break;
    if (view.getUint16(at, true) === 1 && bytes >= 8 * fields.length) {
      fields.forEach((field, i) => {
        one[field] = u64(view, at + 4 + 8 * i);
      });
      return;
    }
    at += 4 + bytes;
  }
  throw entryFault(file, one, phrase('entry_wide'));
}

/**
 * Sets the end of each entry's bytes and refuses entries that overlap: otherwise a small file could unpack to any
 * size.
 * @param {string} file
 * @param {Listed[]} listed
 * @param {number} directory
 */
function setEnds(file, listed, directory) {
  const inOrder = [...listed].sort((a, b) => a.at - b.at);
  inOrder.forEach((one, i) => {
    one.end = inOrder[i + 1]?.at ?? directory;
    if (one.at + 30 + one.path.length + one.packed > one.end)
      throw entryFault(file, one, phrase(one.at >= directory ? 'entry_outside' : 'entry_overlap'));
  });
}

/** @param {ByteFile} file @param {Listed} one @returns {ZipEntry} */
function entryOf(file, one) {
  const { name, size, packed, method, crc } = one;
  if (one.flags & ENCRYPTED) throw entryFault(file.name, one, phrase('entry_encrypted'));
  if (method !== STORED && method !== DEFLATED)
    throw entryFault(file.name, one, phrase('entry_method', { n: method }));
  const stored = method === STORED;
  if (stored && size !== packed) throw entryFault(file.name, one, phrase('entry_sizes'));
  /** @type {Promise<number> | undefined} */
  let start;
  return {
    name,
    size,
    stored,
    async read(from = 0, to = size) {
      start ??= findData(file, one);
      const at = await start;
      if (to > size)
        throw entryFault(file.name, one, phrase('entry_short', { n: size, limit: to }));
      if (!stored)
        return (
          await inflate(file, one, at, to).catch((error) => {
            if (error instanceof LogitscopeError) throw error;
            throw entryFault(file.name, one, phrase('entry_deflate', { n: size }));
          })
        ).subarray(from);
      const bytes = await file.read(at + from, at + to);
      if (bytes.length === size && crc32(bytes) !== crc)
        throw entryFault(file.name, one, phrase('entry_sum'));
      return bytes;
    },
  };
}

/**
 * Compares the local header of an entry with the central directory. Returns the position of the entry's data.
 * @param {ByteFile} file
 * @param {Listed} one
 */
async function findData(file, one) {
  const head = viewOf(await file.read(one.at, one.at + 30));
  const late = (one.flags & DESCRIPTOR) !== 0;
  const agrees = (/** @type {number} */ given, /** @type {number} */ wanted) =>
    given === wanted || given === ALL_ONES || (late && given === 0);
  const path = head.getUint16(26, true);
  const data = one.at + 30 + path + head.getUint16(28, true);
  if (
    head.getUint32(0, true) !== LOCAL ||
    head.getUint16(6, true) !== one.flags ||
    head.getUint16(8, true) !== one.method ||
    !(head.getUint32(14, true) === one.crc || (late && head.getUint32(14, true) === 0)) ||
    !agrees(head.getUint32(18, true), one.packed) ||
    !agrees(head.getUint32(22, true), one.size) ||
    path !== one.path.length ||
    !(await file.read(one.at + 30, one.at + 30 + path)).every((byte, i) => byte === one.path[i])
  )
    throw entryFault(file.name, one, phrase('entry_header'));
  if (data + one.packed > one.end) throw entryFault(file.name, one, phrase('entry_overlap'));
  return data;
}

/**
 * Unpacks the first `to` bytes of an entry. The deflated bytes get a gzip header and trailer, because every browser
 * can unpack gzip; so the browser also checks length and sum.
 * @param {ByteFile} file
 * @param {Listed} one
 * @param {number} at position of the data
 * @param {number} to
 */
async function inflate(file, one, at, to) {
  const out = new Uint8Array(to);
  const pieces = piecesOf(file, one, at);
  const source = new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
  const reader = source.pipeThrough(new DecompressionStream('gzip')).getReader();
  let filled = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const room = value.subarray(0, out.length - filled);
    out.set(room, filled);
    filled += room.length;
    // If only a part is wanted, stop here. After a whole entry, the stream's end checks length and sum.
    const beyond = room.length < value.length;
    if (beyond || (filled === to && to < one.size)) {
      reader.cancel().catch(() => {});
      if (beyond && to === one.size) throw new RangeError();
      return out;
    }
  }
  if (filled < to) throw new RangeError();
  return out;
}

/**
 * @param {ByteFile} file
 * @param {Listed} one
 * @param {number} at
 */
async function* piecesOf(file, { packed, crc, size }, at) {
  yield Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
  for (let from = 0; from < packed; from += PIECE)
    yield await file.read(at + from, at + Math.min(packed, from + PIECE));
  const end = new Uint8Array(8);
  viewOf(end).setUint32(0, crc, true);
  viewOf(end).setUint32(4, size, true);
  yield end;
}
