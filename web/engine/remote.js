/**
 * The engine in a worker, with the methods of `Logitscope` and `Session` as promises. With
 * `supersede`, a new `read` or `distribution` of a session replaces a waiting one, so that a slider
 * never queues calls.
 */
import { SCOPE_CALLS, SESSION_CALLS } from './calls.js';
import { checkBoolean, checkDepths, checkSignal, isObject } from './checks.js';
import { LogitscopeError, mustBe, phrase, reasonOf } from './errors.js';
import { startAt, startOwn } from './start-worker.js';

/** @import { GenerateOptions, Generated, Settings, Step, Surprisal } from './types.js' */
/** @import { Logitscope } from './logitscope.js' */
/** @import { Session } from './session.js' */
/** @import { Port } from './engine-server.js' */

/**
 * @typedef {object} Waiting
 * @property {(value: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {import('./types.js').OnProgress} [onprogress]
 */

/**
 * The methods of a class as promises.
 * @template T
 * @template {keyof T} Name
 * @typedef {{ [K in Name]: T[K] extends (...args: infer Args) => infer Result
 *   ? (...args: Args) => Promise<Awaited<Result>> : never }} Remote
 */

/**
 * @typedef {Remote<Session, Exclude<typeof SESSION_CALLS[number], 'surprisal'>> & {
 *   surprisal: <T extends number | ArrayLike<number>>(ids: T) => Promise<Surprisal<T>> }} SessionCalls
 * @typedef {Remote<Logitscope, Exclude<typeof SCOPE_CALLS[number], 'law'>>} ScopeCalls
 */

/** Numbers the requests and resolves each request with its answer. */
class Connection {
  #port;
  #last = 0;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** Answers a worker's question to the source of an asked model. @type {(question: any) => unknown} */
  answer = () => {};
  /** True if a new look (`read` or `distribution`) replaces a waiting one. */
  supersede = false;
  /**
   * The error of every further call; null until the connection has ended.
   * @type {[import('./errors.js').Code, string, import('./errors.js').Values?] | null}
   */
  #end = null;

  /**
   * @param {Port & { on?: any, onerror?: any }} port
   * @param {string} name name of the worker's script, for errors
   */
  constructor(port, name) {
    this.#port = port;
    let heard = false;
    const receive = (/** @type {any} */ answer) => {
      heard = true;
      if (answer.closed) fail(null);
      else if (answer.ask) this.answer(answer);
      else this.#receive(answer);
    };
    // A script that cannot be loaded causes an event without a message.
    const fail = (/** @type {any} */ event) => {
      const reason = event?.message || (heard && phrase('unknown_reason'));
      if (reason) this.end('load_failed', 'worker_failed', { reason });
      else this.end('load_failed', 'worker_missing', { name });
    };
    if (port.on) {
      // A Worker of node:worker_threads has no onmessage.
      port.on('message', receive).on('error', fail).on('exit', fail);
    } else {
      port.onmessage = ({ data }) => receive(data);
      port.onerror = fail;
    }
  }

  /**
   * @param {number} session
   * @param {string} method
   * @param {any[]} args
   * @param {any} [onprogress]
   * @param {any[]} [transfer]
   * @returns {Promise<any>}
   */
  send(session, method, args, onprogress, transfer = args[0]?.transfer) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(new LogitscopeError(...this.#end));
      try {
        args.forEach(checkDepths); // a port accepts a message nested too deeply, but loses it
        this.#port.postMessage({ id, session, method, args }, transfer);
        this.#waiting.set(id, { resolve, reject, onprogress });
      } catch (error) {
        if (error instanceof LogitscopeError) return reject(error);
        const values = { method, reason: reasonOf(error) };
        reject(new LogitscopeError('invalid_argument', 'cannot_be_sent', values));
      }
    });
  }

  /** True if a call waits for its answer. */
  get busy() {
    return this.#waiting.size > 0;
  }

  /** @param {any} answer */
  #receive({ id, result, error, progress }) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (progress) {
      waiting.onprogress?.(progress);
      return;
    }
    this.#waiting.delete(id);
    if (error) waiting.reject(new LogitscopeError(error.code, error.key, error.values));
    else waiting.resolve(result);
  }

  /**
   * Ends the connection: all waiting and all later calls reject. A second call keeps the first error.
   * @param {import('./errors.js').Code} code
   * @param {string} key
   * @param {import('./errors.js').Values} [values]
   */
  end(code, key, values) {
    this.#end ??= [code, key, values];
    for (const { reject } of this.#waiting.values()) reject(new LogitscopeError(...this.#end));
    this.#waiting.clear();
  }
}

/**
 * Makes an argument that a message can carry. It calls `rng` once and sends the number.
 * @param {any} arg
 */
const sendableArg = (arg) =>
  typeof arg?.rng === 'function' ? { ...arg, rng: { returns: arg.rng() } } : arg;

/**
 * Adds the methods that a class lacks; each method sends its name and arguments to the worker.
 * @param {{ prototype: any }} remote
 * @param {readonly string[]} calls
 */
function addForwarding({ prototype }, calls) {
  for (const call of calls) {
    /** @this {RemoteSession} @param {any[]} args */
    prototype[call] ??= async function (...args) {
      return this.request(call, ...args.map(sendableArg));
    };
  }
}

/** Closes the timeline of a garbage-collected session. */
const collected = new FinalizationRegistry((/** @type {() => void} */ close) => close());

/** Methods that show a distribution (looks). With `supersede`, a new look replaces a look that waits. */
const LOOKS = ['read', 'distribution'];

const SessionBase = /** @type {new () => SessionCalls} */ (class {});

/**
 * A timeline in the worker, with the methods of `Session` as promises. A failed call rejects with a
 * `LogitscopeError`. The worker begins calls in the order in which they are made.
 */
export class RemoteSession extends SessionBase {
  /** @type {Connection} */
  #connection;
  #id;
  #closed = false;
  #inFlight = 0;
  /**
   * The look that waits until the current look is answered; null if none waits.
   * @type {{ method: string, args: any[], resolve: any, reject: any } | null}
   */
  #pending = null;

  /**
   * @internal
   * @param {Connection} connection
   * @param {number} id
   */
  constructor(connection, id) {
    super();
    this.#connection = connection;
    this.#id = id;
    const close = () => void connection.send(id, 'close', []).catch(() => {}); // already ended
    if (id) collected.register(this, close, this);
  }

  /**
   * Sends a request. A waiting look is sent first, to keep the order of calls.
   * @internal
   * @param {string} method
   * @param {any[]} args
   * @returns {Promise<any>}
   */
  request(method, ...args) {
    if (this.#connection.supersede && LOOKS.includes(method)) return this.#look(method, args);
    this.#flush();
    return this.#connection.send(this.#id, method, args);
  }

  #flush() {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = null;
    this.#sendLook(pending.method, pending.args).then(pending.resolve, pending.reject);
  }

  /** @param {string} method @param {any[]} args */
  async #sendLook(method, args) {
    this.#inFlight++;
    try {
      return await this.#connection.send(this.#id, method, args);
    } finally {
      this.#inFlight--;
      if (!this.#inFlight) this.#flush();
    }
  }

  /**
   * Sends a look, or lets it wait for the current look. An earlier waiting look rejects with code
   * `superseded`.
   * @param {string} method
   * @param {any[]} args
   * @returns {Promise<any>}
   */
  #look(method, args) {
    this.#pending?.reject(new LogitscopeError('superseded', 'superseded'));
    this.#pending = null;
    if (!this.#inFlight) return this.#sendLook(method, args);
    return new Promise((resolve, reject) => {
      this.#pending = { method, args, resolve, reject };
    });
  }

  /**
   * Runs `generate` to its end; the result has all steps.
   * @param {GenerateOptions & Settings} options
   * @returns {Promise<Generated & { steps: Step[] }>}
   */
  async write(options) {
    const { generation, leave } = await this.#begin(options);
    try {
      return await this.request('rest', generation);
    } finally {
      leave();
    }
  }

  /**
   * Writes `n` texts for one prompt. Text i equals the result of `write` with the seed + i.
   * @param {GenerateOptions & Settings & { n?: number }} options n: number of texts; default 1
   * @returns {Promise<(Generated & { steps: Step[] })[]>}
   */
  async writeMany(options) {
    return (await import('./compound-calls.js')).writeMany(this, options);
  }

  /**
   * Feeds the prompt, yields each drawn token, and returns the result. An abort of `signal` ends the
   * generation with finish_reason "aborted"; breaking out of the loop also ends it.
   * @param {GenerateOptions & Settings} options
   * @returns {AsyncGenerator<Step, Generated, void>}
   */
  async *generate(options) {
    const { generation, leave } = await this.#begin(options);
    let ended = false;
    try {
      for (;;) {
        const { done, value } = await this.request('next', generation);
        if (done) {
          ended = true;
          return value;
        }
        yield value;
      }
    } catch (error) {
      ended = true;
      throw error;
    } finally {
      leave();
      if (!ended) await this.request('return', generation);
    }
  }

  /**
   * Begins a generation; an abort of the signal ends it.
   * @param {GenerateOptions & Settings} options
   */
  async #begin(options) {
    const { signal, ...sent } = options ?? {};
    checkSignal(signal);
    const generation = await this.request('generate', sent);
    const abort = () => void this.request('abort', generation).catch(() => {}); // already ended
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    return { generation, leave: () => signal?.removeEventListener('abort', abort) };
  }

  /** Opens a session with a copy of the timeline. @returns {Promise<RemoteSession>} */
  async fork() {
    return new RemoteSession(this.#connection, await this.request('fork'));
  }

  /** Frees the timeline. Every later call rejects with code `closed`. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    collected.unregister(this);
    await this.request('close');
  }

  /** Calls `close` for `await using`. */
  async [Symbol.asyncDispose]() {
    await this.close();
  }
}

addForwarding(RemoteSession, SESSION_CALLS);

const ScopeBase =
  /** @type {new (...args: ConstructorParameters<typeof RemoteSession>) => RemoteSession & ScopeCalls} */ (
    RemoteSession
  );

/**
 * A `Logitscope` in a worker, with its methods as promises. Session methods called on it act on the
 * default timeline; `session` opens other timelines.
 */
export class RemoteLogitscope extends ScopeBase {
  #connection;
  #worker;

  /** Facts of the model, null if none is open. @type {import('./types.js').Info | null} */
  info = null;
  /** The table of settings, canonical order. @type {import('./types.js').TableRow[]} */
  table = [];
  /** The variant of the inner loops in use: 'scalar', 'simd' or 'relaxed'. @type {string} */
  variant = '';

  /**
   * @private
   * @param {Connection} connection
   * @param {{ terminate(): unknown } | null} worker `close` terminates it; null if the caller owns it
   */
  constructor(connection, worker) {
    super(connection, 0);
    this.#connection = connection;
    this.#worker = worker;
  }

  /**
   * Loads an engine in a worker; in Node, in a worker thread. By default it starts a new worker. An
   * abort of `signal` rejects with code `cancelled` and ends the worker.
   * @param {import('./types.js').RemoteOptions} [wanted]
   * @returns {Promise<RemoteLogitscope>}
   */
  static async load(wanted = {}) {
    if (!isObject(wanted)) throw mustBe('options of load', 'an_object', wanted);
    const { worker, onprogress, signal, supersede = false, ...options } = wanted;
    checkSignal(signal);
    checkBoolean('supersede', supersede);
    const isPort = typeof worker === 'object' && !(worker instanceof URL);
    const own = isPort ? null : await startWorker(worker);
    const name = isPort ? 'its script' : String(worker ?? 'worker.js');
    const connection = new Connection(/** @type {Port} */ (own ?? worker), name);
    connection.supersede = supersede;
    const remote = new RemoteLogitscope(connection, own);
    let cancel = () => {};
    const cancelled = new Promise((_, reject) => {
      cancel = () => {
        /** @type {any} */ (own ?? worker).terminate?.();
        connection.end('cancelled', 'load_cancelled');
        reject(new LogitscopeError('cancelled', 'load_cancelled'));
      };
    });
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
    const load = async () => {
      /** @type {any} */
      const sent = options;
      for (const name of ['model', 'wasm', 'simd', 'relaxed'])
        sent[name] = await sendable(name, sent[name]);
      if (sent.source)
        connection.answer = (await import('./asked.js')).offerSource(sent, own ?? worker);
      return connection.send(0, 'load', [sent], onprogress);
    };
    try {
      Object.assign(remote, await Promise.race([cancelled, load()]));
    } catch (error) {
      own?.terminate();
      const { code } = /** @type {LogitscopeError} */ (error);
      const offline = globalThis.navigator?.onLine === false && typeof options.model === 'string';
      throw offline && code === 'load_failed'
        ? new LogitscopeError('load_failed', 'load_offline', {}, { cause: error })
        : error;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
    return remote;
  }

  /** True if any call waits for its answer, of this object or of any session. */
  get busy() {
    return this.#connection.busy;
  }

  /**
   * `law` of Logitscope. An abort of `signal` rejects with code `cancelled`.
   * @param {Parameters<Logitscope['law']>} args
   */
  async law(...args) {
    return (await import('./law-calls.js')).askLaw(this, ...args);
  }

  /** Opens an empty timeline over the model. @returns {Promise<RemoteSession>} */
  async session() {
    return new RemoteSession(this.#connection, await this.request('session'));
  }

  /** Bytes of the module's memory. @returns {Promise<number>} */
  get memoryBytes() {
    return this.request('memoryBytes');
  }

  /**
   * Frees everything, and ends the worker if `load` started it. Every later call rejects with code
   * `closed`.
   */
  async close() {
    try {
      await super.close();
    } finally {
      this.#connection.end('closed', 'instance_closed');
      this.#worker?.terminate();
    }
  }
}

addForwarding(RemoteLogitscope, SCOPE_CALLS);

/**
 * Starts a worker, in Node a worker thread.
 * @internal
 * @param {string | URL | undefined} address of its script; undefined for the package's own
 * @returns {Promise<any>}
 */
export async function startWorker(address) {
  if (typeof Worker === 'undefined') return (await import('#node')).startThread(address);
  if (address !== undefined) return startAt(address);
  const start = () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  return startOwn(start, import.meta.url, 'worker.js', 'worker');
}

/**
 * Makes a source that a message can carry. Addresses become absolute, since a worker resolves a
 * relative address against its own address; a Response becomes its content.
 * @param {string} setting 'model', 'wasm', 'simd' or 'relaxed'
 * @param {any} source
 * @returns {Promise<any>}
 */
async function sendable(setting, source) {
  if (Array.isArray(source)) return Promise.all(source.map((each) => sendable(setting, each)));
  if (source instanceof URL) return source.href;
  if (typeof source === 'string' && typeof document === 'object') {
    return new URL(source, document.baseURI).href;
  }
  if (!(source instanceof Response)) return source;
  const held = source.ok
    ? await source.blob().catch(reasonOf)
    : phrase('http_status', { n: source.status });
  if (held instanceof Blob) return held;
  throw new LogitscopeError('load_failed', 'load_failed', { setting, reason: held });
}
