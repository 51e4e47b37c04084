/** Reads a model or module from any source: URL, Response, buffer, Blob, or a path in Node. */
import { LogitscopeError } from './errors.js';

/** @import { Source, OnProgress } from './types.js' */
/**
 * The bytes of a source, chunk by chunk. `total` is the size in bytes, null if unknown. For a file of
 * another host, `way` tells if and where it is stored.
 * @typedef {{ chunks: AsyncIterable<Uint8Array> | Uint8Array[], total: number | null,
 *   way?: import('./open-parts.js').Way }} Stream
 */

const PART = /-of-\d{5}\.gguf/;
const CHUNK = 1 << 20;

/**
 * All bytes of a stream. If the total is known, chunks are written directly into the result.
 * @param {Stream} stream
 * @param {OnProgress} [onprogress]
 * @returns {Promise<Uint8Array>}
 */
export async function gather({ chunks, total }, onprogress) {
  if (Array.isArray(chunks)) return chunks[0];
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
 * Yields the body of a response or blob, since bodies are not iterable in every browser. Breaking
 * out of the loop cancels the body. `holder` stays referenced, because Node's fetch cancels the body
 * of a garbage-collected response.
 * @param {{ body: ReadableStream<Uint8Array> | null }} holder
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* readBody(holder) {
  const reader = holder.body?.getReader();
  if (!reader) throw new LogitscopeError('load_failed', 'no_body');
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** @param {Response} response @returns {Stream} */
function openResponse(response) {
  if (!response.ok) {
    response.body?.cancel().catch(() => {});
    throw new LogitscopeError('load_failed', 'http_status', { n: response.status });
  }
  const { headers } = response;
  const length = headers.has('content-encoding') ? 0 : Number(headers.get('content-length'));
  return { chunks: readBody(response), total: length || null };
}

/** True if an address has the page's origin; false outside of a page. @param {string | URL} url */
const isNear = (url) =>
  globalThis.location && new URL(url, location.href).origin === globalThis.origin;

/**
 * @param {string} what
 * @param {Source | Source[]} source
 * @param {import('./types.js').OpenOptions} [options]
 * @returns {Promise<Stream>}
 */
async function openAny(what, source, options) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    const bytes =
      source instanceof ArrayBuffer
        ? new Uint8Array(source)
        : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    return { chunks: [bytes], total: bytes.length };
  }
  if (source instanceof Response) return openResponse(source);
  if (source instanceof Blob)
    return { chunks: readBody({ body: source.stream() }), total: source.size };
  if (
    (typeof source === 'string' || source instanceof URL) &&
    !PART.test(String(source)) &&
    isNear(source)
  )
    return openResponse(await fetch(source, options));
  return (await import('./open-parts.js')).openParts(what, source, options);
}

/**
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {(error: unknown) => Promise<never>} fail
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* watched(chunks, fail, signal) {
  try {
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      yield chunk;
    }
  } catch (error) {
    await fail(error);
  }
}

/**
 * Opens a source. Every failure, also during later reading, is an error with code `load_failed`.
 * @param {string} what 'model' or 'wasm'
 * @param {Source | Source[]} source
 * @param {import('./types.js').OpenOptions} [options]
 * @returns {Promise<Stream>}
 */
export async function openSource(what, source, options) {
  const fail = async (/** @type {unknown} */ error) => {
    if (options?.signal?.aborted) throw new LogitscopeError('cancelled', 'load_cancelled');
    const words = await import('./load-fault.js').catch(() => null);
    throw words ? words.loadFault(what, source, error) : error;
  };
  try {
    const stream = await openAny(what, source, options);
    if (!Array.isArray(stream.chunks))
      stream.chunks = watched(stream.chunks, fail, options?.signal);
    return stream;
  } catch (error) {
    return fail(error);
  }
}

/**
 * The bytes of a source.
 * @param {string} what
 * @param {Source} source
 * @param {OnProgress} [onprogress]
 */
export async function readSource(what, source, onprogress) {
  return gather(await openSource(what, source), onprogress);
}
