/**
 * Reads a file of another host, without cookies or referrer. In Node, requests to the hub carry the
 * user's token (HF_TOKEN). After an interruption, the next request continues at the next byte. If
 * the host supports no ranges, or cannot prove that the file is unchanged, the file is fetched again
 * from its first byte. A changed file is an error.
 */
import { LogitscopeError } from './errors.js';
import { HUB } from './model-names.js';
import { Checksum } from './checksum.js';

/**
 * @typedef {object} Answer
 * @property {Response} response
 * @property {string | null} linkedSize size of the file, as announced by a redirect; null if none
 * @property {string | null} linkedTag ETag of the file, as announced by a redirect; null if none
 *
 * @typedef {{ body: AsyncGenerator<Uint8Array>, end: () => void }} Connection
 */

export const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';
/** Maximum number of attempts in a row that bring no new byte. */
const ATTEMPTS = 6;
/** Time in ms after which a connection without new bytes counts as broken. */
const SILENCE = 30_000;
const REDIRECTS = 10;
/** HTTP statuses after which another attempt may succeed. */
const TRANSIENT = [408, 425, 429, 500, 502, 503, 504];

/** In Node, the hub's address in HF_ENDPOINT, without a slash at the end; undefined if not set. */
export const hubInNode = () =>
  (inNode && process.env.HF_ENDPOINT?.replace(/\/+$/, '')) || undefined;

/**
 * In Node, the user's token if the address is at the hub, else null. No redirect passes it on.
 * @param {string} address
 */
function tokenFor(address) {
  const token = (inNode && process.env.HF_TOKEN?.trim()) || '';
  // A header may have only these characters. The platform's error about another one would show the token.
  return /^[!-~]+$/.test(token) && address.startsWith(`${hubInNode() ?? HUB}/`) ? token : null;
}

/** @param {string | null} text */
const numberOf = (text) => (text && /^\d+$/.test(text) ? Number(text) : null);

const silent = () => new LogitscopeError('load_failed', 'far_silent', { n: SILENCE / 1000 });

/** A broken connection, after which another attempt may succeed. Other errors are final. */
class BrokenConnection extends Error {}

export class RangeFile {
  /** The wait before the second attempt, in ms; it doubles for each attempt. Tests set it lower. */
  static wait = 250;
  #address;
  #signal;
  #cache;
  /** The first connection, until it is read. @type {Connection | null} */
  #first = null;
  #begun = false;
  /** False after the host has answered a range without Content-Range; then no further range is requested. */
  #ranged = true;
  /** For a file without a tag: length and checksum of the longest beginning read so far. */
  #seen = { length: 0, text: new Checksum().text };
  /** Size in bytes; null if the host does not announce it. @type {number | null} */
  size = null;
  /** The strong ETag; else Last-Modified; else null. @type {string | null} */
  tag = null;
  /** The SHA-256 announced by a redirect; null if none. @type {string | null} */
  sha256 = null;

  /**
   * Only `RangeFile.open()` calls this.
   * @param {string} address
   * @param {{ keep: boolean, signal?: AbortSignal }} way keep: true if a store keeps the file, so
   *   that the browser's cache need not
   */
  constructor(address, { keep, signal }) {
    this.#address = address;
    this.#signal = signal;
    this.#cache = /** @type {RequestCache} */ (keep ? 'no-store' : 'default');
  }

  /** @param {string} address @param {{ keep: boolean, signal?: AbortSignal }} way */
  static async open(address, way) {
    const file = new RangeFile(address, way);
    try {
      file.#first = await file.#connect(0);
    } catch (error) {
      throw error instanceof BrokenConnection ? error.cause : error;
    }
    return file;
  }

  /** Closes the first connection if nothing was read from it. */
  close() {
    this.#first?.end();
    this.#first = null;
  }

  /**
   * Yields the bytes from `start` on.
   * @param {number} start
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async *read(start) {
    let at = start;
    let failures = 0;
    while (this.size === null || at < this.size) {
      /** @type {Connection | null} */
      let connection = at === 0 ? this.#first : null;
      if (!connection) this.close();
      this.#first = null;
      try {
        const from = this.tag ? at : 0;
        connection ??= await this.#connect(from);
        let place = from;
        for await (const chunk of this.tag
          ? connection.body
          : this.#checkedAgainstSeen(connection.body)) {
          place += chunk.length;
          if (place <= at) continue;
          const fresh = chunk.subarray(Math.max(0, chunk.length - (place - at)));
          at = place;
          failures = 0;
          yield fresh;
        }
        if (this.size === null) return;
        if (at < this.size) throw new BrokenConnection();
      } catch (error) {
        if (++failures >= ATTEMPTS && error instanceof BrokenConnection)
          throw new LogitscopeError('load_failed', 'far_cut', { n: at, limit: this.size ?? 0 });
        await this.#pauseAfter(error, failures);
      } finally {
        connection?.end();
      }
    }
  }

  /**
   * Yields the bytes of a file without a tag; throws if the beginning read earlier has changed.
   * @param {AsyncIterable<Uint8Array>} body
   */
  async *#checkedAgainstSeen(body) {
    const sum = new Checksum();
    for await (const chunk of body) {
      const known = Math.min(chunk.length, Math.max(0, this.#seen.length - sum.length));
      sum.add(chunk.subarray(0, known));
      if (sum.length === this.#seen.length) {
        if (sum.text !== this.#seen.text) throw new LogitscopeError('load_failed', 'far_changed');
        sum.add(chunk.subarray(known));
        this.#seen = sum;
      }
      yield chunk;
    }
  }

  /** @param {unknown} error @param {number} failures */
  async #pauseAfter(error, failures) {
    if (!(error instanceof BrokenConnection)) throw error;
    this.#signal?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, RangeFile.wait * 2 ** (failures - 1)));
    this.#signal?.throwIfAborted();
  }

  /**
   * Opens a connection that sends the bytes from `start` on.
   * @param {number} start
   * @returns {Promise<Connection>}
   */
  async #connect(start) {
    const control = new AbortController();
    const abort = () => control.abort(this.#signal?.reason);
    this.#signal?.throwIfAborted();
    this.#signal?.addEventListener('abort', abort);
    const end = () => {
      this.#signal?.removeEventListener('abort', abort);
      control.abort();
    };
    try {
      const answer = await this.#request(this.#ranged ? start : 0, control);
      const skip = this.#checkAnswer(answer, start);
      return { body: this.#readBody(answer.response, control, skip), end };
    } catch (error) {
      end();
      this.#signal?.throwIfAborted();
      throw error;
    }
  }

  /**
   * @param {number} start
   * @param {AbortController} control
   * @returns {Promise<Answer>}
   */
  async #request(start, control) {
    /** @type {Record<string, string>} */
    const headers = inNode ? { 'accept-encoding': 'identity' } : {};
    if (start) headers.range = `bytes=${start}-`;
    // In a browser this header would cost a further request, for the host's permission, so only Node sends it.
    // #checkAnswer compares the tag in any case.
    if (start && inNode && this.tag) headers['if-range'] = this.tag;
    /** @type {RequestInit} */
    const options = {
      headers,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: this.#cache,
      redirect: inNode ? 'manual' : 'follow',
      signal: control.signal,
    };
    const timer = setTimeout(() => control.abort(silent()), SILENCE);
    try {
      let address = this.#address;
      let linkedSize = null;
      let linkedTag = null;
      for (let hops = 0; hops <= REDIRECTS; hops++) {
        const token = tokenFor(address);
        const authorization = token && { authorization: `Bearer ${token}` };
        const response = await fetch(address, {
          ...options,
          headers: { ...headers, ...authorization },
        });
        const onward = response.headers.get('location');
        if (!inNode || response.status < 300 || response.status > 399 || !onward)
          return { response, linkedSize, linkedTag };
        linkedSize = response.headers.get('x-linked-size') ?? linkedSize;
        linkedTag = response.headers.get('x-linked-etag') ?? linkedTag;
        await response.body?.cancel();
        address = new URL(onward, address).href;
      }
    } catch (error) {
      throw new BrokenConnection('', { cause: error });
    } finally {
      clearTimeout(timer);
    }
    throw new LogitscopeError('load_failed', 'far_redirects', { limit: REDIRECTS });
  }

  /**
   * Throws if an answer is an error or about another version of the file. Returns the number of
   * bytes to skip.
   * @param {Answer} answer
   * @param {number} start
   */
  #checkAnswer({ response, linkedSize, linkedTag }, start) {
    const { status, headers } = response;
    if (TRANSIENT.includes(status))
      throw new BrokenConnection('', {
        cause: new LogitscopeError('load_failed', 'http_status', { n: status }),
      });
    const gone = status === 416;
    if (!response.ok && !gone)
      throw new LogitscopeError('load_failed', 'http_status', { n: status });
    const partial = status === 206;
    const length = headers.has('content-encoding') ? null : numberOf(headers.get('content-length'));
    const [, from, total] =
      /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
    const size = partial
      ? (numberOf(total ?? null) ?? (length === null ? null : start + length))
      : length;
    const etag = headers.get('etag');
    const tag = etag?.startsWith('"') ? etag : headers.get('last-modified');
    const announced = numberOf(linkedSize);
    if (announced !== null && size !== null && size !== announced)
      throw new LogitscopeError('load_failed', 'far_length', { limit: announced, n: size });
    const sum = /^"?([0-9a-f]{64})"?$/i.exec(linkedTag ?? '')?.[1].toLowerCase() ?? null;
    if (this.#begun) {
      if (partial && from === undefined) {
        this.#ranged = false;
        throw new BrokenConnection();
      }
      this.size ??= size;
      const coded = headers.has('content-encoding'); // encoded bytes are not the file's bytes
      const moved = partial && (coded || Number(from) !== start);
      // A 206 answer to If-Range may omit the date, because If-Range already guarantees the version.
      const other = tag !== this.tag && !(partial && inNode && tag === null);
      if (gone || moved || size !== this.size || other || sum !== this.sha256)
        throw new LogitscopeError('load_failed', 'far_changed');
    } else {
      if (partial) throw new LogitscopeError('load_failed', 'http_status', { n: status });
      Object.assign(this, { size, tag, sha256: sum });
      this.#begun = true;
    }
    return partial ? 0 : start;
  }

  /**
   * @param {Response} response
   * @param {AbortController} control
   * @param {number} skip number of bytes to leave out at the beginning
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async *#readBody(response, control, skip) {
    const reader = response.body?.getReader();
    if (!reader) throw new LogitscopeError('load_failed', 'no_body');
    let left = skip;
    for (;;) {
      const timer = setTimeout(() => control.abort(silent()), SILENCE);
      const { done, value } = await reader
        .read()
        .catch((cause) => {
          this.#signal?.throwIfAborted();
          throw new BrokenConnection('', { cause });
        })
        .finally(() => clearTimeout(timer));
      if (done) return;
      if (left < value.length) yield value.subarray(left);
      left = Math.max(0, left - value.length);
    }
  }
}
