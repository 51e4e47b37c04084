/** Text files that a flag names: read no further than a bound, whatever they are. */
import { closeSync, openSync, readSync } from 'node:fs';
import { readFault } from '../engine/files.js';

/** As much as the engine encodes at once. */
export const FILE_MAX = 1 << 26;
const PIECE = 1 << 20;

/**
 * A file's text; throws an Error that says why it cannot be read. A device may have no end.
 * @param {string} path
 */
export function readTextFile(path) {
  try {
    return readPieces(path);
  } catch (error) {
    throw readFault(path, error);
  }
}

/** @param {string} path */
function readPieces(path) {
  const file = openSync(path, 'r');
  try {
    const pieces = [];
    for (let size = 0; ; ) {
      const piece = Buffer.allocUnsafe(PIECE);
      const n = readSync(file, piece);
      if (n === 0) return Buffer.concat(pieces).toString('utf8');
      size += n;
      if (size > FILE_MAX) throw new Error(`${path} is longer than ${FILE_MAX} bytes`);
      pieces.push(piece.subarray(0, n));
    }
  } finally {
    closeSync(file);
  }
}
