/** Reads a model or module from wherever it is: URL, Response, buffer, Blob or, in Node, a path. */
import { LogitscopeError, show } from './errors.js';

/** @typedef {import('./types.js').Source} Source */
/** @typedef {import('./types.js').OnProgress} OnProgress */

const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';
const CHUNK = 1 << 20;

/**
 * Gathers a stream; where the total is known, straight into the final array.
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {number | null} total
 * @param {OnProgress} [onprogress]
 * @returns {Promise<Uint8Array>}
 */
async function gather(chunks, total, onprogress) {
  let bytes = new Uint8Array(total ?? CHUNK);
  let loaded = 0;
  onprogress?.({ loaded, total });
  for await (const chunk of chunks) {
    if (loaded + chunk.length > bytes.length) {
      const larger = new Uint8Array(Math.max(2 * bytes.length, loaded + chunk.length));
      larger.set(bytes.subarray(0, loaded));
      bytes = larger;
    }
    bytes.set(chunk, loaded);
    loaded += chunk.length;
    onprogress?.({ loaded, total });
  }
  return bytes.subarray(0, loaded);
}

/**
 * A web stream as an async iterable, which not every browser makes of it by itself.
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* read(stream) {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

/**
 * @param {Response} response
 * @param {OnProgress} [onprogress]
 */
async function readResponse(response, onprogress) {
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  if (!response.body) throw new Error('the response has no body');
  const length = Number(response.headers.get('content-length'));
  const encoded = response.headers.has('content-encoding');
  return gather(read(response.body), length && !encoded ? length : null, onprogress);
}

/**
 * @param {string | URL} path
 * @param {OnProgress} [onprogress]
 */
async function readFile(path, onprogress) {
  const module = 'node:fs'; // a variable, so that bundlers for the browser leave it alone
  const { promises, createReadStream } = /** @type {typeof import('node:fs')} */ (
    await import(module)
  );
  const { size } = await promises.stat(path);
  return gather(createReadStream(path, { highWaterMark: CHUNK }), size, onprogress);
}

/**
 * @param {Source} source
 * @param {OnProgress} [onprogress]
 * @returns {Promise<Uint8Array>}
 */
async function readAny(source, onprogress) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  if (source instanceof Response) return readResponse(source, onprogress);
  if (source instanceof Blob) return gather(read(source.stream()), source.size, onprogress);
  if (inNode && typeof source === 'string' && !/^[a-z][a-z0-9+.-]+:/i.test(source)) {
    return readFile(source, onprogress);
  }
  const url = String(source);
  if (inNode && url.startsWith('file:')) return readFile(new URL(url), onprogress);
  return readResponse(await fetch(url), onprogress);
}

/**
 * The bytes of a source. Failures are `load_failed`.
 * @param {string} what 'model' or 'wasm'
 * @param {Source} source
 * @param {OnProgress} [onprogress]
 * @returns {Promise<Uint8Array>}
 */
export async function readSource(what, source, onprogress) {
  const known =
    typeof source === 'string' ||
    source instanceof URL ||
    source instanceof Response ||
    source instanceof ArrayBuffer ||
    ArrayBuffer.isView(source) ||
    source instanceof Blob;
  if (!known) {
    throw new LogitscopeError(
      'invalid_argument',
      `${what} must be a URL, Response, ArrayBuffer, Uint8Array, File or path, got ${show(source)}`,
    );
  }
  try {
    return await readAny(source, onprogress);
  } catch (error) {
    const named =
      typeof source === 'string' || source instanceof URL ? ` ${show(String(source))}` : '';
    const reason = error instanceof Error ? error.message : String(error);
    throw new LogitscopeError('load_failed', `${what}${named} could not be loaded: ${reason}`, {
      cause: error,
    });
  }
}
