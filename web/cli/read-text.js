/** Reads standard input and text files, up to a limit. */
import { closeSync, openSync, readSync } from 'node:fs';
import { decodeText } from '../engine/decode-text.js';
import { readFault } from '../engine/node-files.js';

/** Longest text that the engine encodes, in bytes. */
export const FILE_MAX = 1 << 26;
const PIECE = 1 << 20;

/**
 * Returns the text of a file. Throws an Error with the reason if it cannot be read. The limit is needed for devices,
 * which may have no end.
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

/** Returns everything from standard input. @param {AsyncIterable<Buffer | string>} stream */
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
