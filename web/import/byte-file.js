/**
 * The only view that the readers of this folder have of a file: its length, and a function that reads any part of it.
 */
import { LogitscopeError, reasonOf } from '../engine/errors.js';
import { bad } from './faults.js';

/**
 * @typedef {object} ByteFile
 * @property {string} name for sentences and for names in an index
 * @property {number} size in bytes
 * @property {(from: number, to: number) => Promise<Uint8Array>} read returns the bytes from `from` to
 *   before `to`; they may share memory with the file, so a caller does not change them
 */

/**
 * Makes a ByteFile whose `read` checks its range. A range beyond the end of the file, or too few bytes from the given
 * function, is an error.
 * @param {string} name
 * @param {number} size
 * @param {(from: number, to: number) => Promise<Uint8Array>} read
 * @returns {ByteFile}
 */
export function byteFile(name, size, read) {
  return {
    name,
    size,
    async read(from, to) {
      if (to > size) throw bad(name, 'import_cut', { n: size, limit: to });
      const bytes = await read(from, to).catch((error) => {
        const values = { setting: 'file', address: name, reason: reasonOf(error) };
        throw new LogitscopeError('load_failed', 'load_failed_from', values, { cause: error });
      });
      if (bytes.length !== to - from)
        throw bad(name, 'import_cut', { n: from + bytes.length, limit: to });
      return bytes;
    },
  };
}

/** @param {Uint8Array} bytes @param {string} name */
export const ofBytes = (bytes, name) =>
  byteFile(name, bytes.length, async (from, to) => bytes.subarray(from, to));

/** @param {Blob} blob @param {string} name */
export const ofBlob = (blob, name) =>
  byteFile(
    name,
    blob.size,
    async (from, to) => new Uint8Array(await blob.slice(from, to).arrayBuffer()),
  );

/** @param {Uint8Array} bytes */
export const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Returns an unsigned integer of 64 bits. A number above 2^53 is rounded; every limit in this folder is far below
 * that.
 * @param {DataView} view
 * @param {number} at
 */
export const u64 = (view, at) => Number(view.getBigUint64(at, true));

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns bytes as text, or null if they are not UTF-8. @param {Uint8Array} bytes */
export function textOf(bytes) {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
