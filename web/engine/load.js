/** Reads a model or module from wherever it is: URL, Response, buffer, Blob or, in Node, a path. */
import { LogitscopeError, mustBe, reasonOf, show } from './errors.js';

/** @typedef {import('./types.js').Source} Source */
/** @typedef {import('./types.js').OnProgress} OnProgress */
/**
 * A source as it arrives; the total is null where it is not known beforehand.
 * `way` says how a file of another host comes.
 * @typedef {{ chunks: AsyncIterable<Uint8Array> | Uint8Array[], total: number | null,
 *   way?: import('./open.js').Way }} Stream
 */

const PART = /-\d{5}-of-\d{5}\.gguf/;
const CHUNK = 1 << 20;

/**
 * All of a stream; where the total is known, straight into the final array.
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
 * The body of a response, which is held meanwhile: Node's fetch cancels the unread body of a response
 * that has been garbage collected.
 * @param {Response} response
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* readBody(response) {
  if (!response.body) throw new LogitscopeError('load_failed', 'no_body');
  yield* read(response.body);
}

/**
 * @param {Response} response
 * @returns {Stream}
 */
function openResponse(response) {
  if (!response.ok) throw new LogitscopeError('load_failed', 'http_status', { n: response.status });
  const length = Number(response.headers.get('content-length'));
  const encoded = response.headers.has('content-encoding');
  return { chunks: readBody(response), total: length && !encoded ? length : null };
}

/** Whether an address is of the page's own site. @param {string} url */
function isNear(url) {
  try {
    const { origin, href } = new URL(url, globalThis.location?.href);
    return origin === globalThis.origin && origin !== 'null' && !PART.test(href);
  } catch {
    return false;
  }
}

/**
 * @param {Source | Source[]} source
 * @param {import('./types.js').OpenOptions} [options]
 * @returns {Promise<Stream>}
 */
async function openAny(source, options) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    const bytes =
      source instanceof ArrayBuffer
        ? new Uint8Array(source)
        : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    return { chunks: [bytes], total: bytes.length };
  }
  if (source instanceof Response) return openResponse(source);
  if (source instanceof Blob) return { chunks: read(source.stream()), total: source.size };
  if (!Array.isArray(source) && isNear(String(source)))
    return openResponse(await fetch(source, { signal: options?.signal }));
  return (await import('./open.js')).openParts(source, options);
}

/**
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {(error: unknown) => LogitscopeError} explain
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* explained(chunks, explain) {
  try {
    yield* chunks;
  } catch (error) {
    throw explain(error);
  }
}

/**
 * A source, opened. Failures, later ones too, are `load_failed`.
 * @param {string} what 'model' or 'wasm'
 * @param {Source | Source[]} source
 * @param {import('./types.js').OpenOptions} [options]
 * @returns {Promise<Stream>}
 */
export async function openSource(what, source, options) {
  const isKnown = (/** @type {unknown} */ each) =>
    typeof each === 'string' ||
    [URL, Response, ArrayBuffer, Blob].some((type) => each instanceof type) ||
    ArrayBuffer.isView(each);
  const known = Array.isArray(source)
    ? source.length > 0 && source.every(isKnown)
    : isKnown(source);
  if (!known) throw mustBe(what, 'a_source', source);
  const named = typeof source === 'string' || source instanceof URL ? String(source) : null;
  const explain = (/** @type {unknown} */ error) => {
    const reason = reasonOf(error);
    return named === null
      ? new LogitscopeError(
          'load_failed',
          'load_failed',
          { setting: what, reason },
          { cause: error },
        )
      : new LogitscopeError(
          'load_failed',
          'load_failed_from',
          { setting: what, address: show(named), reason },
          { cause: error },
        );
  };
  try {
    const { chunks, ...others } = await openAny(source, options);
    return { chunks: Array.isArray(chunks) ? chunks : explained(chunks, explain), ...others };
  } catch (error) {
    throw explain(error);
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
