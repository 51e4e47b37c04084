/**
 * The WebAssembly module: instantiation, its heap and its faults. No view of the heap outlives a
 * call, since memory may grow; C owns all of it.
 */
import { LogitscopeError, phrase, reasonOf } from './errors.js';
import { readSource } from './load.js';

/** @typedef {import('./types.js').Source} Source */

/** The kinds of a fault's value: enum fault_kind in src/status.h. */
const NONE = 0;
const NUMBER = 1;
const TEXT = 2;

const STACK = 1 << 14;
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
      'module_failed',
      { reason: reasonOf(error) },
      { cause: error },
    );
  }
}

/** A function that returns an i32x4.relaxed_dot_i8x16_i7x16_add_s: valid where relaxed SIMD is known. */
const RELAXED = Uint8Array.of(
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0,
  1,
  5,
  1,
  96,
  0,
  1,
  123,
  3,
  2,
  1,
  0,
  10,
  19,
  1,
  17,
  0,
  65,
  0,
  253,
  15,
  65,
  0,
  253,
  15,
  65,
  0,
  253,
  15,
  253,
  147,
  2,
  11,
);

/**
 * Where the relaxed module lies: beside the first, if that is told by an address.
 * @param {Source | WebAssembly.Module | undefined} source
 * @returns {URL | string | null}
 */
function besideRelaxed(source) {
  if (source === undefined) return new URL('./logitscope-relaxed.wasm', import.meta.url);
  if (typeof source !== 'string' && !(source instanceof URL)) return null;
  const address = String(source);
  const relaxed = address.replace(/\.wasm(?=[?#]|$)/, '-relaxed.wasm');
  if (relaxed === address) return null;
  return source instanceof URL ? new URL(relaxed) : relaxed;
}

/**
 * The relaxed module, or why there is none.
 * @param {Source | WebAssembly.Module | undefined} source of the first module
 * @param {Source | WebAssembly.Module | undefined} given
 * @returns {Promise<WebAssembly.Module | string | import('./errors.js').Phrase>}
 */
async function compileRelaxed(source, given) {
  if (!WebAssembly.validate(RELAXED)) return phrase('relaxed_unknown');
  const relaxed = given ?? besideRelaxed(source);
  if (!relaxed) return phrase('relaxed_beside');
  try {
    return await compile(relaxed);
  } catch (error) {
    return reasonOf(error);
  }
}

export class Module {
  /** @type {Record<string, (...args: number[]) => number>} */
  calls;
  /** @type {WebAssembly.Memory} */
  #memory;
  /** The inner loops in use. @type {'scalar' | 'simd' | 'relaxed'} */
  variant = 'simd';

  /** @param {WebAssembly.Instance} instance */
  constructor(instance) {
    this.calls = /** @type {any} */ (instance.exports);
    this.#memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
    this.calls._initialize();
  }

  /**
   * @param {Source | WebAssembly.Module} [source]
   * @param {'auto' | 'scalar' | 'simd' | 'relaxed'} [variant]
   * @param {Source | WebAssembly.Module} [relaxed] in place of the one beside the first
   * @returns {Promise<Module>}
   */
  static async load(source, variant = 'auto', relaxed = undefined) {
    const wanted = variant === 'auto' || variant === 'relaxed';
    const [first, second] = await Promise.all([
      compile(source),
      wanted ? compileRelaxed(source, relaxed) : 'it was not asked for',
    ]);
    // Called when memory grows; nothing here holds a view that it could invalidate.
    const env = { emscripten_notify_memory_growth() {} };
    const module = new Module(await WebAssembly.instantiate(first, { env }));
    const reason = second instanceof WebAssembly.Module ? await module.#adopt(second) : second;
    if (variant === 'relaxed' && reason) {
      throw new LogitscopeError('unsupported', 'relaxed_unavailable', { reason });
    }
    module.variant = variant === 'scalar' ? 'scalar' : reason ? 'simd' : 'relaxed';
    module.calls.kernels_choose(['scalar', 'simd', 'relaxed'].indexOf(module.variant));
    return module;
  }

  /**
   * Puts the relaxed module's loops into the table of functions, from where C calls them once they have
   * shown a known product. They run in the same memory, on a small stack of their own.
   * @param {WebAssembly.Module} relaxed
   * @returns {Promise<string | import('./errors.js').Phrase>} why they are not used, empty if they are
   */
  async #adopt(relaxed) {
    const { exports } = await WebAssembly.instantiate(relaxed, { env: { memory: this.#memory } });
    const { quantise_simd, matmul_quants_simd, __stack_pointer } = /** @type {any} */ (exports);
    const table = /** @type {any} */ (this.calls.__indirect_function_table);
    const stack = this.need(this.calls.memory_allocate(STACK));
    __stack_pointer.value = stack + STACK;
    const at = table.grow(2);
    table.set(at, quantise_simd);
    table.set(at + 1, matmul_quants_simd);
    if (this.calls.kernels_adopt(at, at + 1)) return '';
    this.calls.memory_release(stack);
    return phrase('relaxed_wrong');
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
    /** @type {import('./errors.js').Values} */
    const values = {};
    for (const [i, part] of this.text(calls.fault_form()).split(' ').entries()) {
      const [name, form] = part.split(':');
      const kind = form ? calls.fault_kind(i) : NONE;
      const text = kind === TEXT ? this.text(calls.fault_text(i)) : '';
      if (kind === NUMBER) values[name] = calls.fault_number(i);
      if (kind === TEXT) values[name] = form === 'k' ? phrase(text) : text;
    }
    throw new LogitscopeError(this.text(calls.fault_name()), this.text(calls.fault_key()), values);
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
      throw new LogitscopeError('out_of_memory', 'input_too_large', { n: size });
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
