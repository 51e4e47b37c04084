/** Reads standard input, and text files that a flag names, up to a size limit. */
import { closeSync, openSync, readSync } from 'node:fs';
import { decodeText } from '../engine/decode-text.js';
import { readFault } from '../engine/node-files.js';

/** The longest text that the engine encodes, in bytes. */
export const FILE_MAX = 1 << 26;
const PIECE = 1 << 20;

/**
 * Returns a file's text; throws an Error with the reason if it cannot be read. The limit matters for a
 * device, which may have no end.
 * @param {string} path
 */
export function readTextFile(path) {
  try {
    const file = openSync(path, 'r');
    try {
      return textOf(piecesOf(file), path);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw readFault(path, error);
  }
}

/** @param {number} file */
function* piecesOf(file) {
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE);
    const n = readSync(file, piece);
    if (n === 0) return;
    yield piece.subarray(0, n);
  }
}

/** Returns the whole text of standard input. @param {AsyncIterable<Buffer | string>} stream */
export async function readStandardInput(stream) {
  const pieces = [];
  let size = 0;
  for await (const piece of stream) {
    pieces.push(Buffer.from(piece));
    size += piece.length;
    if (size > FILE_MAX) break;
  }
  return textOf(pieces, 'standard input');
}

/** @param {Iterable<Buffer>} pieces @param {string} name */
function textOf(pieces, name) {
  const kept = [];
  let size = 0;
  for (const piece of pieces) {
    size += piece.length;
    if (size > FILE_MAX) throw new Error(`${name} is longer than ${FILE_MAX} bytes`);
    kept.push(piece);
  }
  const text = decodeText(Buffer.concat(kept));
  if (text === null)
    throw new Error(`${name} is neither UTF-8 nor UTF-16 with its byte order mark`);
  return text;
}
