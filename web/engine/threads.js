/**
 * Several threads for one text, where memory can be shared: in Node, and in a page that is isolated
 * (crossOriginIsolated). Each worker runs an instance of the same module, logitscope-threads.wasm, in the
 * memory of the first, with stacks of its own. Every bit equals that of one thread. If any part of this
 * cannot be had, the engine runs with one thread.
 */
import { BYTES, chooseStreams } from './weight-streams.js';

/** @import { Core } from './core.js' */
/** @import { Module } from './module.js' */
/** @import { Source } from './types.js' */
/** @typedef {{ send(message: object): void, unhold(): void, end(): void, first: Promise<unknown> }} Thread */

/** A smaller file gains nothing: its weights fit into the processor's cache. In bytes. */
const IN_CACHE = 8e6;
/** THREADS_MAX of src/threads.h. */
export const THREADS_MAX = 16;
/** Bytes of a worker's stack, and of the stack of its loops. */
const STACK = 1 << 16;
const LOOPS_STACK = 1 << 14;
/** Alignment of a stack in bytes, which compiled code relies on. */
const ALIGNED = 16;
/** Pages of the shared memory: at the start, and at most (4 GB). */
const PAGES = { initial: 32, maximum: 1 << 16 };
const PAGE = 1 << 16;
/** Time for a worker to start, in ms. */
const START_MS = 5000;

const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';

/** The code of a worker. It is sent as text, so it uses nothing outside itself. @param {any} port */
function runWorker(port) {
  /** @param {any} job */
  const run = async ({ first, loops, memory, index, stack, loopsStack, at }) => {
    const env = { memory, emscripten_notify_memory_growth() {} };
    const { exports } = /** @type {any} */ (await WebAssembly.instantiate(first, { env }));
    exports.__stack_pointer.value = stack;
    if (loops) {
      const own = /** @type {any} */ (await WebAssembly.instantiate(loops, { env })).exports;
      own.__stack_pointer.value = loopsStack;
      const table = exports.__indirect_function_table;
      table.grow(at + 2 - table.length);
      table.set(at, own.quantise_simd);
      table.set(at + 1, own.matmul_quants_simd);
    }
    port.postMessage(true);
    exports.threads_work(index);
    port.close();
  };
  const begin = (/** @type {any} */ job) => run(job).catch(() => port.postMessage(false));
  if (port.once) port.once('message', begin);
  else port.onmessage = (/** @type {any} */ { data }) => begin(data);
}

/** Starts a worker. `first` is its first message; false if it fails. @returns {Promise<Thread>} */
async function startWorker() {
  const code = `(${runWorker})`;
  if (inNode) {
    const port = "(require('node:worker_threads').parentPort)";
    const worker = (await import('#node')).startProgram(code + port);
    return {
      send: (message) => worker.postMessage(message),
      unhold: () => worker.unref(),
      end: () => worker.terminate(),
      first: new Promise((resolve) => {
        worker.once('message', resolve);
        worker.once('error', () => resolve(false));
      }),
    };
  }
  const worker = (await import('./start-worker.js')).startCode(`${code}(self)`);
  return {
    send: (message) => worker.postMessage(message),
    unhold() {},
    end: () => worker.terminate(),
    first: new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = () => resolve(false);
    }),
  };
}

/** Number of processors, as the host says. */
async function countProcessors() {
  const n = inNode
    ? (await import('#node')).availableParallelism()
    : globalThis.navigator?.hardwareConcurrency;
  return Math.min(Math.max(Math.floor(n) || 1, 1), THREADS_MAX);
}

/** The address of a module with threads, beside that of the module. @param {Source} source @param {string} [loops] */
function addressBeside(source, loops) {
  const there = String(source).replace(
    /\.wasm(?=[?#]|$)/,
    `-threads${loops ? `-${loops}` : ''}.wasm`,
  );
  return source instanceof URL ? new URL(there) : there;
}

/**
 * Choices of a measurement, the most threads first: n, and the powers of two below n. The first one needs no margin: at
 * load the page itself uses a processor, so the measurement shows less of the gain.
 * @param {number} n
 */
const choicesUpTo = (n) => [n, ...[8, 4, 2, 1].filter((choice) => choice < n)];

/** Frees the workers of an engine that was collected before it was closed. */
const collected = new FinalizationRegistry((/** @type {Thread[]} */ threads) => {
  for (const thread of threads) thread.end();
});

class Threads {
  /** @type {Thread[]} */
  workers = [];
  #asked;

  /** @param {Module} module @param {'auto' | number} asked */
  constructor(module, asked) {
    this.module = module;
    this.#asked = asked;
  }

  /**
   * Starts the workers and chooses their number: as asked, else by a measurement.
   * @param {Core} core with its model open
   */
  async open(core) {
    if (core.info) core.info.threads = await this.#open(core, core.info.context_length);
  }

  /** Returns the number of threads. @param {Core} core @param {number} context */
  async #open(core, context) {
    const { calls } = this.module;
    const most = this.#asked === 'auto' ? await countProcessors() : this.#asked;
    if (most < 2 || !calls.threads_open(most, context)) return 1;
    const begun = Array.from({ length: most - 1 }, (_, i) => this.#begin(i + 1));
    const started = (await Promise.all(begun)).filter(Boolean).length;
    this.#closeWith(core);
    if (this.#asked !== 'auto' || !started) return started + 1;
    const chosen = this.#choose(core, choicesUpTo(started + 1));
    calls.threads_use(chosen);
    calls.threads_keep(chosen);
    return chosen;
  }

  /**
   * Times steps of a short session with each number of threads. A step of a large model takes too long, so its weights
   * are read in parts, if they can be read alone.
   * @param {Core} core
   * @param {number[]} choices
   */
  #choose(core, choices) {
    const { calls } = this.module;
    const { threads_use: kernels_streams, model_probe } = calls;
    const weights = Number(core.info?.weight_bytes);
    if (weights > BYTES && model_probe(core.model, 0))
      return chooseStreams({ kernels_streams, model_probe }, core.model, choices);
    const session = calls.session_open(core.model, 1);
    if (!session) return 1;
    const step = () => (core.feed(session, [0], false) ? weights : 0);
    const chosen = chooseStreams({ kernels_streams, model_probe: step }, core.model, choices);
    calls.session_close(session);
    return chosen;
  }

  /** Starts worker `index`; false if that fails. @param {number} index */
  async #begin(index) {
    const { calls, compiled, memory, variant } = this.module;
    const allocated = calls.memory_allocate(STACK + LOOPS_STACK + ALIGNED) >>> 0;
    if (!allocated) return false;
    const stack = Math.ceil(allocated / ALIGNED) * ALIGNED;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    try {
      const worker = await startWorker();
      this.workers.push(worker);
      const table = /** @type {any} */ (calls.__indirect_function_table);
      worker.send({
        first: compiled.wasm,
        loops: compiled[variant],
        memory,
        index,
        stack: stack + STACK,
        loopsStack: stack + STACK + LOOPS_STACK,
        at: table.length - 2,
      });
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, START_MS, false);
      });
      const ready = await Promise.race([worker.first, late]);
      worker.unhold();
      return Boolean(ready);
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the workers when the core closes, or when it is collected. @param {Core} core */
  #closeWith(core) {
    const { calls } = this.module;
    const workers = this.workers;
    const close = core.close.bind(core);
    core.close = () => {
      calls.threads_keep(1);
      for (const worker of workers) worker.end();
      close();
    };
    collected.register(core, workers);
  }
}

/**
 * Memory that threads share. It grows as the model arrives. Throws if the host has none, or no room for the model.
 * @param {number} bytes of the model
 */
function shareMemory(bytes) {
  const make = (/** @type {number} */ initial) =>
    new WebAssembly.Memory({ initial, maximum: PAGES.maximum, shared: true });
  make(PAGES.initial + Math.ceil(bytes / PAGE)); // a trial
  return make(PAGES.initial);
}

/** True for the compiled module with threads. @param {unknown} module */
const hasThreads = (module) =>
  module instanceof WebAssembly.Module &&
  WebAssembly.Module.imports(module).some(({ kind }) => kind === 'memory');

/**
 * Loads the module with threads for a model that gains by them, or for a copy of such an engine.
 * @param {import('./load.js').Stream | null} stream of the model
 * @param {import('./types.js').LoadOptions | undefined} options
 * @param {typeof Module} engine the class; importing it would cut the scripts of a site in other ways
 * @returns {Promise<Threads | null>} null: one thread
 */
export async function load(stream, options, engine) {
  const { threads = 'auto', variant = 'auto', wasm, simd, relaxed } = options ?? {};
  if (hasThreads(wasm))
    return new Threads(await engine.load(wasm, variant, { simd, relaxed }, shareMemory(0)), 1);
  if (!stream || threads === 1) return null;
  if (threads === 'auto' && !(Number(stream.total) > IN_CACHE)) return null;
  // A page's own thread must not wait for workers.
  if (globalThis.document) return null;
  try {
    const source = wasm ?? new URL('./logitscope.wasm', import.meta.url);
    if (typeof source !== 'string' && !(source instanceof URL)) return null;
    const loops = {
      simd: addressBeside(source, 'simd'),
      relaxed: addressBeside(source, 'relaxed'),
    };
    const memory = shareMemory(Number(stream.total) || 0);
    const module = await engine.load(addressBeside(source), variant, loops, memory);
    if (module.variant === 'scalar' && variant !== 'scalar') return null;
    return new Threads(module, threads);
  } catch {
    return null;
  }
}
