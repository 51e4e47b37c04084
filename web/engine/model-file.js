/**
 * Loads a model file into the module's memory. C packs the weights in place, without a second copy.
 * A model that does not fit is refused as soon as the file's head has arrived.
 */
import { LogitscopeError } from './errors.js';
import { MODEL_FILE_BYTES } from './layout.js';

/** @import { Module } from './module.js' */

const PIECE = 1 << 16;
/**
 * Memory for the model is reserved when this share of the file has arrived, so that a false head
 * cannot reserve gigabytes.
 */
const SHARE = 1 / 16;
/** Maximum size of a file's head (metadata and table of tensors) in bytes. A host could send it without end. */
export const HEAD_MAX = 1 << 28;

/**
 * Collects the first bytes of a file until C has parsed the head and SHARE of the file has arrived.
 * Then it writes all bytes into the model's memory.
 */
class Head {
  #module;
  #context;
  /** @type {number | null} */
  total;
  /** @type {Uint8Array[]} */
  #pieces = [];
  #length = 0;
  #tried = 0;
  #reserved = false;
  /** Handle of the open model, 0 until the head is parsed. */
  handle = 0;

  /**
   * @param {Module} module
   * @param {number | null} total
   * @param {number} context as for openImage
   */
  constructor(module, total, context) {
    this.#module = module;
    this.#context = context;
    this.total = total;
  }

  /**
   * Takes the next chunk. C tries to parse the head each time the number of bytes has doubled.
   * @param {Uint8Array} chunk
   */
  take(chunk) {
    let taken = 0;
    while (!this.handle && (taken < chunk.length || this.#length === this.total)) {
      const piece = chunk.subarray(taken, taken + PIECE);
      this.#pieces.push(piece);
      this.#length += piece.length;
      taken += piece.length;
      const full = this.#length > HEAD_MAX;
      if (this.#length >= 2 * this.#tried || this.#length === this.total || full) this.#begin();
    }
    const rest = chunk.subarray(taken);
    if (this.#reserved) this.#write(rest, this.#length);
    else this.#pieces.push(rest);
    this.#length += rest.length;
    if (this.handle && !this.#reserved && this.#length >= SHARE * (this.total ?? 0))
      this.#reserve();
  }

  /** Reserves the image, the model's memory in C, and copies the collected bytes into it. */
  #reserve() {
    this.#module.need(this.#module.calls.model_image(this.handle));
    this.#forEachPiece((piece, offset) => this.#write(piece, offset));
    this.#pieces = [];
    this.#reserved = true;
  }

  /**
   * Writes bytes into the image. Bytes past the model's end are ignored.
   * @param {Uint8Array} bytes
   * @param {number} offset
   */
  #write(bytes, offset) {
    const image = this.#module.calls.model_image(this.handle) >>> 0;
    const room = Math.max(0, (this.total ?? 0) - offset);
    this.#module.writeBytes(image + offset, bytes.subarray(0, room));
  }

  #begin() {
    const { calls } = this.#module;
    const at = this.#module.need(calls.memory_allocate(this.#length));
    this.#forEachPiece((piece, offset) => this.#module.writeBytes(at + offset, piece));
    this.handle = calls.model_begin(at, this.#length, this.total ?? -1, this.#context) >>> 0;
    calls.memory_release(at);
    this.#tried = this.#length;
    if (this.handle) {
      this.total ??= this.#module.fields(this.handle).f64(MODEL_FILE_BYTES);
    } else if (this.#length > HEAD_MAX || this.#module.text(calls.fault_name()) !== 'incomplete') {
      this.#module.fail();
    }
  }

  /** @param {(piece: Uint8Array, offset: number) => void} use */
  #forEachPiece(use) {
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
 * @param {number} context number of ids that sessions see; 0: the default; -1: no session will be
 *   opened
 * @param {import('./types.js').OnProgress} [onprogress]
 * @returns {Promise<number>} the open model's handle
 */
export async function openImage(module, { chunks, total, way }, context, onprogress) {
  const { calls } = module;
  const head = new Head(module, total, context);
  let loaded = 0;
  try {
    onprogress?.({ loaded, total });
    for await (const chunk of chunks) {
      if (total !== null && loaded + chunk.length > total) throw lengthError(total, 'more');
      head.take(chunk);
      loaded += chunk.length;
      onprogress?.({ loaded, total: head.total, ...way?.told });
    }
    head.total ??= loaded;
    if (loaded < head.total) throw lengthError(head.total, String(loaded));
    head.take(new Uint8Array());
    if (calls.model_finish(head.handle)) module.fail();
    return head.handle;
  } catch (error) {
    calls.model_close(head.handle);
    // Forget the stored copy of the broken file, because every later attempt would read it.
    if (/** @type {LogitscopeError} */ (error).code === 'bad_file') await way?.forget();
    throw error;
  }
}

/** @param {number} total @param {string} got */
function lengthError(total, got) {
  return new LogitscopeError('load_failed', 'load_length', { limit: total, n: got });
}
