/** Reads the body of an answer. */
import { LogitscopeError } from '../engine/errors.js';

/**
 * Reads a body. A longer body is not read to its end.
 * @param {Response} response
 * @param {number} limit in bytes
 */
export async function readBody({ body }, limit) {
  const reader = body?.getReader();
  /** @type {Uint8Array[]} */
  const parts = [];
  let n = 0;
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) break;
    parts.push(value);
    n += value.length;
    if (n <= limit) continue;
    reader?.cancel().catch(() => {});
    throw new LogitscopeError('asked', 'asked_long', { limit });
  }
  return new Blob(/** @type {BlobPart[]} */ (parts)).arrayBuffer();
}

/** The value of JSON in UTF-8; null if it is not JSON. @param {ArrayBuffer} bytes */
export function parse(bytes) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
