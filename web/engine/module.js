/**
 * The WebAssembly module: instantiation, its heap and its faults. No view of the heap outlives a
 * call, since memory may grow; C owns all of it.
 */
import { LogitscopeError, show } from './errors.js';
import { readSource } from './load.js';

/** @typedef {import('./types.js').Source} Source */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * @param {Source | WebAssembly.Module | undefined} source
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  const bytes = await readSource('wasm', source ?? new URL('./logitscope.wasm', import.meta.url));
  try {
    return await WebAssembly.compile(/** @type {Uint8Array<ArrayBuffer>} */ (bytes));
  } catch (error) {
    throw new LogitscopeError(
      'load_failed',
      `the WebAssembly module could not be compiled: ${
        error instanceof Error ? error.message : show(error)
      }`,
      { cause: error },
    );
  }
}

export class Module {
  /** @type {Record<string, (...args: number[]) => number>} */
  calls;
  /** @type {WebAssembly.Memory} */
  #memory;

  /** @param {WebAssembly.Instance} instance */
  constructor(instance) {
    this.calls = /** @type {any} */ (instance.exports);
    this.#memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
    this.calls._initialize();
  }

  /**
   * @param {Source | WebAssembly.Module} [source]
   * @returns {Promise<Module>}
   */
  static async load(source) {
    const module = await compile(source);
    // Called when memory grows; nothing here holds a view that it could invalidate.
    const env = { emscripten_notify_memory_growth() {} };
    return new Module(await WebAssembly.instantiate(module, { env }));
  }

  get memoryBytes() {
    return this.#memory.buffer.byteLength;
  }

  /** A view for reading now; not to be kept. */
  view() {
    return new DataView(this.#memory.buffer);
  }

  /**
   * Throws the last fault.
   * @returns {never}
   */
  fail() {
    const { calls } = this;
    const text = this.text(calls.fault_text());
    throw new LogitscopeError(
      this.text(calls.fault_name()),
      text.replace('{}', String(calls.fault_value())),
    );
  }

  /**
   * A handle or pointer; 0 is a fault.
   * @param {number} pointer
   * @returns {number}
   */
  need(pointer) {
    return pointer ? pointer >>> 0 : this.fail();
  }

  /**
   * The exchange, where inputs are written: at least `size` bytes.
   * @param {number} size
   * @returns {number}
   */
  exchange(size) {
    if (size >= 2 ** 32) {
      throw new LogitscopeError(
        'out_of_memory',
        `${size} bytes of input are more than the 4294967296 that the engine can address`,
      );
    }
    return this.need(this.calls.memory_exchange(size));
  }

  /**
   * A terminated string.
   * @param {number} pointer
   */
  text(pointer) {
    const bytes = new Uint8Array(this.#memory.buffer, pointer >>> 0);
    return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /**
   * A copy of heap bytes.
   * @param {number} pointer
   * @param {number} length
   */
  bytes(pointer, length) {
    return new Uint8Array(this.#memory.buffer, pointer >>> 0, length).slice();
  }

  /**
   * @param {number} pointer
   * @param {number} count
   */
  uint32(pointer, count) {
    return new Uint32Array(this.#memory.buffer, pointer >>> 0, count).slice();
  }

  /**
   * @param {number} pointer
   * @param {number} count
   */
  float32(pointer, count) {
    return new Float32Array(this.#memory.buffer, pointer >>> 0, count).slice();
  }

  /**
   * @param {number} pointer
   * @param {number} count
   */
  float64(pointer, count) {
    return new Float64Array(this.#memory.buffer, pointer >>> 0, count).slice();
  }

  /**
   * @param {number} pointer
   * @param {Uint8Array} bytes
   */
  writeBytes(pointer, bytes) {
    new Uint8Array(this.#memory.buffer, pointer >>> 0, bytes.length).set(bytes);
  }

  /**
   * @param {number} pointer
   * @param {ArrayLike<number>} ids
   */
  writeUint32(pointer, ids) {
    new Uint32Array(this.#memory.buffer, pointer >>> 0, ids.length).set(ids);
  }

  /**
   * @param {number} pointer
   * @param {ArrayLike<number>} values
   */
  writeFloat32(pointer, values) {
    new Float32Array(this.#memory.buffer, pointer >>> 0, values.length).set(values);
  }
}

/**
 * UTF-8; lone surrogates become U+FFFD.
 * @param {string} text
 */
export function toUtf8(text) {
  return encoder.encode(text);
}

/**
 * Text of bytes; what is not UTF-8 becomes U+FFFD.
 * @param {Uint8Array} bytes
 */
export function fromUtf8(bytes) {
  return decoder.decode(bytes);
}
