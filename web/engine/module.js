/**
 * The WebAssembly module: instantiation, heap and faults. A call may grow memory, which detaches
 * every view of the heap, so no view is kept across a call. C owns the whole heap.
 */
import { LogitscopeError, phrase, reasonOf, show } from './errors.js';
import { readSource } from './load.js';

/** @import { Source } from './types.js' */

/** The type of a fault's value: enum fault_kind in src/status.h. */
const NONE = 0;
const NUMBER = 1;
const TEXT = 2;

const STACK = 1 << 14;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** @typedef {'simd' | 'relaxed'} Loops a second module with faster loops for quantised matrices */

/** The arguments of kernels_choose in src/wasm.c: the loops that run. */
const SCALAR = 0;
const OWN_LOOPS = 1;
const ADOPTED = 2;

/** The package's own modules. Bundlers recognise these expressions only in this exact form. */
const OWN = {
  wasm: () => new URL('./logitscope.wasm', import.meta.url),
  simd: () => new URL('./logitscope-simd.wasm', import.meta.url),
  relaxed: () => new URL('./logitscope-relaxed.wasm', import.meta.url),
};

/** @param {keyof typeof OWN} option */
function addressOf(option) {
  try {
    return OWN[option]();
  } catch {
    const name = `logitscope${option === 'wasm' ? '' : `-${option}`}.wasm`;
    throw new LogitscopeError('load_failed', 'no_address', { name, option });
  }
}

/** @param {Source | WebAssembly.Module} source @returns {Promise<WebAssembly.Module>} */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  const bytes = await readSource('wasm', source);
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

/** A module with i32x4.relaxed_dot_i8x16_i7x16_add_s; it is valid only if relaxed SIMD exists. */
const RELAXED = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 15,
  65, 0, 253, 15, 65, 0, 253, 15, 253, 147, 2, 11,
]);

/**
 * The address of a module of loops in the folder of the main module, if that has a .wasm address.
 * @param {Loops} loops
 * @param {Source | WebAssembly.Module | undefined} source of the first module
 */
function loopsBeside(loops, source) {
  if (typeof source !== 'string' && !(source instanceof URL)) return null;
  const there = String(source).replace(/\.wasm(?=[?#]|$)/, `-${loops}.wasm`);
  if (there === String(source)) return null;
  return source instanceof URL ? new URL(there) : there;
}

/**
 * Compiles a module of loops: the given module, else the file in the folder of the main module, else
 * the package's own. Returns the reason if that fails.
 * @param {Loops} loops
 * @param {Source | WebAssembly.Module | undefined} source of the first module
 * @param {Source | WebAssembly.Module | undefined} given
 * @returns {Promise<WebAssembly.Module | string | import('./errors.js').Phrase>}
 */
async function compileLoops(loops, source, given) {
  if (loops === 'relaxed' && !WebAssembly.validate(RELAXED)) return phrase('relaxed_unknown');
  const there = given ?? loopsBeside(loops, source);
  try {
    return await compile(there ?? addressOf(loops));
  } catch (error) {
    if (given || !there) return reasonOf(error);
  }
  return compileLoops(loops, undefined, undefined);
}

export class Module {
  /** The settings that C holds, if the next run needs no others; else null. @type {object | null} */
  prepared = null;
  /** @type {Record<string, (...args: number[]) => number>} */
  calls;
  /** @type {WebAssembly.Memory} */
  memory;
  /** The compiled modules in use, by name. @type {Record<string, WebAssembly.Module>} */
  compiled = {};
  /** The loops that multiply quantised matrices. @type {'scalar' | 'simd' | 'relaxed'} */
  variant = 'scalar';

  /** @param {WebAssembly.Instance} instance */
  constructor(instance) {
    this.calls = /** @type {any} */ (instance.exports);
    this.memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
    this.calls._initialize();
  }

  /**
   * @param {Source | WebAssembly.Module} [source]
   * @param {'auto' | 'scalar' | 'simd' | 'relaxed'} [variant]
   * @param {Partial<Record<Loops, Source | WebAssembly.Module>>} [given] modules of loops to
   *   use instead of the files in the main module's folder
   * @param {WebAssembly.Memory} [memory] for the module with threads, which has none of its own
   * @returns {Promise<Module>}
   */
  static async load(source, variant = 'auto', given = {}, memory) {
    const fetchLoops = (/** @type {Loops} */ name) => compileLoops(name, source, given[name]);
    const auto = WebAssembly.validate(RELAXED) ? ['relaxed', 'simd'] : ['simd'];
    const wanted = /** @type {Loops[]} */ (
      { auto, scalar: [] }[/** @type {'auto'} */ (variant)] ?? [variant]
    );
    const [first, loops] = await Promise.all([
      compile(source ?? addressOf('wasm')),
      wanted.length ? fetchLoops(wanted[0]) : '',
    ]);
    // C calls this function when memory grows. It does nothing, because no view of the heap is kept.
    const env = /** @type {any} */ ({ emscripten_notify_memory_growth() {}, memory });
    const module = new Module(await WebAssembly.instantiate(first, { env }));
    module.compiled.wasm = first;
    for (const name of wanted) {
      const reason = await module.adopt(name, name === wanted[0] ? loops : await fetchLoops(name));
      if (!reason) {
        break;
      }
      if (variant !== 'auto') {
        const values = { value: show(variant), reason };
        throw new LogitscopeError('unsupported', 'variant_unavailable', values);
      }
    }
    // If no other module of loops can be used, the main module's own run: slower, with equal results.
    const without = variant === 'scalar' ? SCALAR : OWN_LOOPS;
    module.calls.kernels_choose(module.variant === 'scalar' ? without : ADOPTED);
    return module;
  }

  /**
   * Puts a module's loops into the function table. C uses the loops only if they compute a known
   * product correctly. They share the memory and have a separate small stack.
   * @param {Loops} name
   * @param {WebAssembly.Module | string | import('./errors.js').Phrase} loops the module, or the
   *   reason why there is none
   * @returns {Promise<string | import('./errors.js').Phrase>} the reason why the loops are not used;
   *   '' if they are used
   */
  async adopt(name, loops) {
    if (!(loops instanceof WebAssembly.Module)) return loops;
    const stack = this.need(this.calls.memory_allocate(STACK));
    try {
      const { exports } = await WebAssembly.instantiate(loops, { env: { memory: this.memory } });
      const { quantise_simd, matmul_quants_simd, __stack_pointer } = /** @type {any} */ (exports);
      const table = /** @type {any} */ (this.calls.__indirect_function_table);
      __stack_pointer.value = (stack + STACK) & -16; // compiled code relies on this alignment
      const at = table.grow(2);
      table.set(at, quantise_simd);
      table.set(at + 1, matmul_quants_simd);
      if (this.calls.kernels_adopt(at, at + 1)) {
        this.variant = name;
        this.compiled[name] = loops;
        return '';
      }
      this.calls.memory_release(stack);
      return phrase('loops_wrong');
    } catch (error) {
      this.calls.memory_release(stack);
      return reasonOf(error); // for example, the module needs imports that it does not get
    }
  }

  get memoryBytes() {
    return this.memory.buffer.byteLength;
  }

  /** A view of the heap. It is valid until the next call of C. */
  view() {
    return new DataView(this.memory.buffer);
  }

  /** Functions that read the fields of a struct, by offset; valid until the next call of C. @param {number} at */
  fields(at) {
    const view = this.view();
    return {
      u8: (/** @type {number} */ offset) => view.getUint8(at + offset),
      u32: (/** @type {number} */ offset) => view.getUint32(at + offset, true),
      f32: (/** @type {number} */ offset) => view.getFloat32(at + offset, true),
      f64: (/** @type {number} */ offset) => view.getFloat64(at + offset, true),
    };
  }

  /** Throws the last fault of C. @returns {never} */
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
    const code = /** @type {import('./errors.js').Code} */ (this.text(calls.fault_name()));
    throw new LogitscopeError(code, this.text(calls.fault_key()), values);
  }

  /**
   * Returns a handle or pointer from C; throws the last fault if it is 0.
   * @param {number} pointer
   * @returns {number}
   */
  need(pointer) {
    return pointer ? pointer >>> 0 : this.fail();
  }

  /**
   * The address of the exchange, C's buffer for inputs; it has at least `size` bytes.
   * @param {number} size
   * @returns {number}
   */
  exchange(size) {
    if (size >= 2 ** 32) {
      throw new LogitscopeError('out_of_memory', 'input_too_large', { n: size });
    }
    return this.need(this.calls.memory_exchange(size));
  }

  /** The string at a pointer, up to its terminating zero. @param {number} pointer */
  text(pointer) {
    const bytes = new Uint8Array(this.memory.buffer, pointer >>> 0);
    return decoder.decode(bytes.slice(0, bytes.indexOf(0))); // a copy: decoders refuse shared memory
  }

  /**
   * A copy of heap bytes.
   * @param {number} pointer
   * @param {number} length
   */
  bytes(pointer, length) {
    return new Uint8Array(this.memory.buffer, pointer >>> 0, length).slice();
  }

  /** @param {number} pointer @param {number} count */
  uint32(pointer, count) {
    return new Uint32Array(this.memory.buffer, pointer >>> 0, count).slice();
  }

  /** @param {number} pointer @param {number} count */
  float32(pointer, count) {
    return new Float32Array(this.memory.buffer, pointer >>> 0, count).slice();
  }

  /** @param {number} pointer @param {number} count */
  float64(pointer, count) {
    return new Float64Array(this.memory.buffer, pointer >>> 0, count).slice();
  }

  /** @param {number} pointer @param {Uint8Array} bytes */
  writeBytes(pointer, bytes) {
    new Uint8Array(this.memory.buffer, pointer >>> 0, bytes.length).set(bytes);
  }

  /** @param {number} pointer @param {ArrayLike<number>} ids */
  writeUint32(pointer, ids) {
    new Uint32Array(this.memory.buffer, pointer >>> 0, ids.length).set(ids);
  }

  /** Writes ids into the exchange; returns their address. @param {ArrayLike<number>} ids */
  place(ids) {
    const at = this.exchange(4 * ids.length);
    this.writeUint32(at, ids);
    return at;
  }

  /** @param {number} pointer @param {ArrayLike<number>} values */
  writeFloat32(pointer, values) {
    new Float32Array(this.memory.buffer, pointer >>> 0, values.length).set(values);
  }
}

/** Encodes a text as UTF-8; lone surrogates become U+FFFD. @param {string} text */
export function toUtf8(text) {
  return encoder.encode(text);
}

/** Decodes UTF-8; invalid bytes become U+FFFD. @param {Uint8Array} bytes */
export function fromUtf8(bytes) {
  return decoder.decode(bytes);
}
