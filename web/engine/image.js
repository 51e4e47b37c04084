/**
 * Brings a model file into the module's memory, where C packs it in place: no second copy of the
 * weights, and what cannot fit is refused when the head of the file is there.
 */
import { LogitscopeError } from './errors.js';
import { gather } from './load.js';

/** @typedef {import('./module.js').Module} Module */

const PIECE = 1 << 16;

/** What comes before C has seen enough of the file to say where it belongs. */
class Head {
  #module;
  #total;
  /** @type {Uint8Array[]} */
  #pieces = [];
  #length = 0;
  #tried = 0;
  /** The open model's, 0 before there is one. */
  handle = 0;

  /**
   * @param {Module} module
   * @param {number} total
   */
  constructor(module, total) {
    this.#module = module;
    this.#total = total;
  }

  /**
   * Takes as much of the chunk as C needs; returns how much. C is asked each time that the head has
   * doubled.
   * @param {Uint8Array} chunk
   */
  take(chunk) {
    let taken = 0;
    while (!this.handle && (taken < chunk.length || this.#length === this.#total)) {
      const piece = chunk.subarray(taken, taken + PIECE);
      this.#pieces.push(piece);
      this.#length += piece.length;
      taken += piece.length;
      if (this.#length >= 2 * this.#tried || this.#length === this.#total) this.#begin();
    }
    return taken;
  }

  /**
   * Writes a part of the image to its place.
   * @param {Uint8Array} bytes
   * @param {number} offset
   */
  write(bytes, offset) {
    const { calls } = this.#module;
    this.#module.writeBytes((calls.model_image(this.handle) >>> 0) + offset, bytes);
  }

  #begin() {
    const { calls } = this.#module;
    const at = this.#module.need(calls.memory_allocate(this.#length));
    this.#each((piece, offset) => this.#module.writeBytes(at + offset, piece));
    this.handle = calls.model_begin(at, this.#length, this.#total) >>> 0;
    calls.memory_release(at);
    this.#tried = this.#length;
    if (this.handle) {
      this.#each((piece, offset) => this.write(piece, offset));
      this.#pieces = [];
    } else if (this.#module.text(calls.fault_name()) !== 'incomplete') {
      this.#module.fail();
    }
  }

  /** @param {(piece: Uint8Array, offset: number) => void} use */
  #each(use) {
    let offset = 0;
    for (const piece of this.#pieces) {
      use(piece, offset);
      offset += piece.length;
    }
  }
}

/**
 * @param {Module} module
 * @param {import('./load.js').Stream} stream
 * @param {import('./types.js').OnProgress} [onprogress]
 * @returns {Promise<number>} the open model's handle
 */
export async function openImage(module, stream, onprogress) {
  if (stream.total === null) {
    const bytes = await gather(stream, onprogress);
    return openImage(module, { chunks: [bytes], total: bytes.length });
  }
  const { chunks, total } = stream;
  const { calls } = module;
  const head = new Head(module, total);
  let loaded = 0;
  try {
    onprogress?.({ loaded, total });
    for await (const chunk of chunks) {
      if (loaded + chunk.length > total) throw wrongLength(total, 'more');
      const taken = head.take(chunk);
      if (taken < chunk.length) head.write(chunk.subarray(taken), loaded + taken);
      loaded += chunk.length;
      onprogress?.({ loaded, total });
    }
    if (loaded < total) throw wrongLength(total, String(loaded));
    head.take(new Uint8Array());
    if (calls.model_finish(head.handle)) module.fail();
    return head.handle;
  } catch (error) {
    calls.model_close(head.handle);
    throw error;
  }
}

/**
 * @param {number} total
 * @param {string} got
 */
function wrongLength(total, got) {
  return new LogitscopeError('load_failed', `model was announced as ${total} bytes, got ${got}`);
}
