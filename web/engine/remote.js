/**
 * The engine behind a worker: the same interface, as promises. A newer look at a session's
 * distribution (`read`, `distribution`) supersedes one that still waits, so a slider never queues.
 */
import { checkDepths, checkSignal } from './checks.js';
import { LogitscopeError, phrase, reasonOf } from './errors.js';
import { trustedAddress } from './trusted.js';

/** @typedef {import('./types.js').Settings} Settings */
/** @typedef {import('./types.js').GenerateOptions} GenerateOptions */
/** @typedef {import('./types.js').Step} Step */
/** @typedef {import('./types.js').Generated} Generated */
/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').ReadChoice} ReadChoice */
/** @typedef {import('./types.js').DrawChoice} DrawChoice */
/** @typedef {import('./host.js').Port} Port */

/**
 * @typedef {object} Waiting
 * @property {(value: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {import('./types.js').OnProgress} [onprogress]
 */

/**
 * Rejects with an error that says its English sentence, which the first one has to fetch.
 * @param {(error: Error) => void} reject
 * @param {string} code
 * @param {string} key
 * @param {import('./errors.js').Values} [values]
 */
async function refuse(reject, code, key, values) {
  await import('./sentences.js').catch(() => {});
  reject(new LogitscopeError(code, key, values));
}

/** Numbers the requests and hands each answer to the one who asked. */
class Connection {
  #port;
  #last = 0;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** Why nothing is answered any more. @type {[string, string, import('./errors.js').Values?] | null} */
  #end = null;

  /** @param {Port & { onerror?: any, onmessageerror?: any }} port */
  constructor(port) {
    this.#port = port;
    port.onmessage = ({ data }) => this.#receive(data);
    port.onerror = (/** @type {any} */ event) =>
      this.end('load_failed', 'worker_failed', {
        reason: event?.message ?? phrase('unknown_reason'),
      });
  }

  /**
   * @param {number} session
   * @param {string} method
   * @param {any[]} args
   * @param {any} [onprogress]
   * @param {any[]} [transfer]
   * @returns {Promise<any>}
   */
  send(session, method, args, onprogress, transfer = []) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      if (this.#end) return refuse(reject, ...this.#end);
      try {
        args.forEach(checkDepths); // a message that is too deep can be sent and yet never arrive
        this.#port.postMessage({ id, session, method, args }, transfer);
        this.#waiting.set(id, { resolve, reject, onprogress });
      } catch (error) {
        if (error instanceof LogitscopeError) refuse(reject, error.code, error.key, error.values);
        else
          refuse(reject, 'invalid_argument', 'cannot_be_sent', {
            method,
            reason: reasonOf(error),
          });
      }
    });
  }

  /** Whether an answer is awaited. */
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
    if (error) refuse(waiting.reject, error.code, error.key, error.values);
    else waiting.resolve(result);
  }

  /**
   * Refuses all that is awaited and all that is asked from now on, unless it has ended already.
   * @param {string} code
   * @param {string} key
   * @param {import('./errors.js').Values} [values]
   */
  end(code, key, values) {
    this.#end ??= [code, key, values];
    for (const { reject } of this.#waiting.values()) refuse(reject, ...this.#end);
    this.#waiting.clear();
  }
}

/**
 * What a message can carry of where the randomness comes from: a function's number, as the function
 * that the other end makes of it.
 * @param {DrawChoice | undefined} choice
 */
function drawnHere(choice) {
  if (typeof choice?.rng !== 'function') return choice;
  return { ...choice, rng: { returns: choice.rng() } };
}

/** A timeline in the worker. */
export class RemoteSession {
  /** @type {Connection} */
  #connection;
  #id;
  #closed = false;
  #inFlight = 0;
  /**
   * The look that waits for the one in flight.
   * @type {{ method: string, args: any[], resolve: any, reject: any } | null}
   */
  #pending = null;

  /**
   * Use `scope.session()`.
   * @param {Connection} connection
   * @param {number} id
   */
  constructor(connection, id) {
    this.#connection = connection;
    this.#id = id;
  }

  /**
   * Sends a request, after the waiting look so that the order of calls stays.
   * @param {string} method
   * @param {any[]} args
   * @returns {Promise<any>}
   */
  request(method, ...args) {
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
   * The newest wins: rejects with code `superseded` if another look is asked for before this one is
   * sent.
   * @param {string} method
   * @param {any[]} args
   * @returns {Promise<any>}
   */
  #look(method, ...args) {
    // Nobody is told of it, so that its sentence need not be fetched.
    this.#pending?.reject(new LogitscopeError('superseded', 'superseded'));
    this.#pending = null;
    if (!this.#inFlight) return this.#sendLook(method, args);
    return new Promise((resolve, reject) => {
      this.#pending = { method, args, resolve, reject };
    });
  }

  /**
   * @param {Settings} [settings]
   * @param {ReadChoice} [choice] rng is called here, once
   * @returns {Promise<import('./types.js').Reading>}
   */
  async read(settings, choice) {
    return this.#look('read', settings, drawnHere(choice));
  }

  /**
   * @param {Settings} [settings]
   * @param {{ step?: number }} [options]
   * @returns {Promise<Trace>}
   */
  distribution(settings, options) {
    return this.#look('distribution', settings, options);
  }

  /**
   * @param {ArrayLike<number>} ids
   * @param {{ cache?: boolean }} [options]
   * @returns {Promise<{ evaluated: number, reused: number }>}
   */
  feed(ids, options) {
    return this.request('feed', ids, options);
  }

  /** @returns {Promise<Uint32Array>} */
  timeline() {
    return this.request('timeline');
  }

  /** @returns {Promise<Float32Array>} */
  logits() {
    return this.request('logits');
  }

  /** @returns {Promise<Float32Array>} */
  hidden() {
    return this.request('hidden');
  }

  /** @param {ArrayLike<number> | null} logits */
  second(logits) {
    return this.request('second', logits);
  }

  /**
   * @template {number | ArrayLike<number>} T
   * @param {T} ids
   * @returns {Promise<import('./types.js').Surprisal<T>>}
   */
  surprisal(ids) {
    return this.request('surprisal', ids);
  }

  /**
   * @param {Settings} [settings]
   * @param {DrawChoice} [choice] rng is called here, once
   * @returns {Promise<import('./types.js').Drawn>}
   */
  async draw(settings, choice) {
    return this.request('draw', settings, drawnHere(choice));
  }

  /**
   * @param {Settings} settings
   * @param {string} knob
   * @param {ArrayLike<number>} values
   * @param {{ top?: number, step?: number, token?: number }} [options]
   * @returns {Promise<import('./types.js').Landscape>}
   */
  landscape(settings, knob, values, options) {
    return this.request('landscape', settings, knob, values, options);
  }

  /**
   * @param {GenerateOptions & Settings} options
   * @returns {Promise<Generated & { steps: Step[] }>}
   */
  write(options) {
    return this.request('write', options);
  }

  /**
   * @param {GenerateOptions & Settings} options
   * @returns {AsyncGenerator<Step, Generated, void>}
   */
  async *generate(options) {
    const { signal, ...sent } = options ?? {};
    checkSignal(signal);
    const generation = await this.request('generate', sent);
    const abort = () => void this.request('abort', generation).catch(() => {}); // it may have ended
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
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
      signal?.removeEventListener('abort', abort);
      if (!ended) await this.request('return', generation);
    }
  }

  /** Another session with the same timeline. */
  async fork() {
    return new RemoteSession(this.#connection, await this.request('fork'));
  }

  /** Frees the timeline; every later call is the error `closed`. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    await this.request('close');
  }
}

export class RemoteLogitscope extends RemoteSession {
  #connection;
  #worker;

  /** Facts of the model, null without one. @type {import('./types.js').Info | null} */
  info = null;
  /** The table of settings, canonical order. @type {import('./types.js').TableRow[]} */
  table = [];
  /** @type {string} */
  variant = '';

  /**
   * Use `RemoteLogitscope.load()`.
   * @param {Connection} connection
   * @param {Worker | null} worker ended by close
   */
  constructor(connection, worker) {
    super(connection, 0);
    this.#connection = connection;
    this.#worker = worker;
  }

  /**
   * `worker` is a URL, a Worker, or any port whose other end `serve` of host.js answers. What is
   * cancelled ends a worker.
   * @param {import('./types.js').LoadOptions & { worker?: string | URL | Worker | Port }} [options]
   * @returns {Promise<RemoteLogitscope>}
   */
  static async load({ worker, onprogress, signal, ...options } = {}) {
    checkSignal(signal);
    const given = worker ?? new URL('./worker.js', import.meta.url);
    const own = typeof given === 'string' || given instanceof URL ? startWorker(given) : null;
    const connection = new Connection(own ?? /** @type {Port} */ (given));
    const remote = new RemoteLogitscope(connection, own);
    let cancel = () => {};
    const cancelled = new Promise((_, reject) => {
      cancel = () => {
        /** @type {any} */ (own ?? given).terminate?.();
        connection.end('cancelled', 'load_cancelled');
        refuse(reject, 'cancelled', 'load_cancelled');
      };
    });
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
    const load = async () => {
      const sent = {
        ...options,
        model: await sendable('model', options.model),
        wasm: await sendable('wasm', options.wasm),
        simd: await sendable('simd', options.simd),
        relaxed: await sendable('relaxed', options.relaxed),
      };
      return connection.send(0, 'load', [sent], onprogress);
    };
    try {
      Object.assign(remote, await Promise.race([cancelled, load()]));
    } catch (error) {
      own?.terminate();
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
    return remote;
  }

  /**
   * @param {string} text
   * @param {import('./types.js').EncodeOptions} [options]
   * @returns {Promise<Uint32Array>}
   */
  encode(text, options) {
    return this.request('encode', text, options);
  }

  /**
   * @param {ArrayLike<number>} ids
   * @param {{ special?: boolean }} [options]
   * @returns {Promise<string>}
   */
  decode(ids, options) {
    return this.request('decode', ids, options);
  }

  /**
   * @param {import('./types.js').Message[]} messages
   * @param {import('./types.js').ChatOptions} [options]
   * @returns {Promise<import('./types.js').Chat>}
   */
  chat(messages, options) {
    return this.request('chat', messages, options);
  }

  /**
   * @param {number} id
   * @returns {Promise<import('./types.js').Piece>}
   */
  piece(id) {
    return this.request('piece', id);
  }

  /**
   * @param {number} seed
   * @param {number} step
   * @returns {Promise<number>}
   */
  random(seed, step) {
    return this.request('random', seed, step);
  }

  /**
   * @param {ArrayLike<number>} ids
   * @param {number} n
   * @returns {Promise<number>}
   */
  distinct(ids, n) {
    return this.request('distinct', ids, n);
  }

  /**
   * @param {ArrayLike<number>} ids
   * @param {Settings} [settings]
   * @returns {Promise<import('./types.js').Marks>}
   */
  marks(ids, settings) {
    return this.request('marks', ids, settings);
  }

  /**
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {{ history?: ArrayLike<number>, second?: ArrayLike<number>, step?: number }} [options]
   * @returns {Promise<import('./types.js').WarpTrace>}
   */
  warp(logits, settings, options) {
    return this.request('warp', logits, settings, options);
  }

  /**
   * What a function of one's own is called with here, since a message carries only its result.
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {{ history?: ArrayLike<number>, second?: ArrayLike<number>, step?: number }} [options]
   * @returns {Promise<Parameters<import('./types.js').Own>>}
   */
  ownInput(logits, settings, options) {
    return this.request('ownInput', logits, settings, options);
  }

  /**
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {ReadChoice & { history?: ArrayLike<number> }} [choice]
   * @returns {Promise<import('./types.js').WarpReading>}
   */
  async readFrom(logits, settings, choice) {
    return this.request('readFrom', logits, settings, drawnHere(choice));
  }

  /**
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {DrawChoice & { history?: ArrayLike<number> }} [choice]
   * @returns {Promise<import('./types.js').Drawn>}
   */
  async drawFrom(logits, settings, choice) {
    return this.request('drawFrom', logits, settings, drawnHere(choice));
  }

  /**
   * @param {ArrayLike<number>} logits
   * @param {Settings} settings
   * @param {string} knob
   * @param {ArrayLike<number>} values
   * @param {{ top?: number, step?: number, token?: number, history?: ArrayLike<number> }} [options]
   * @returns {Promise<import('./types.js').Landscape>}
   */
  landscapeFrom(logits, settings, knob, values, options) {
    return this.request('landscapeFrom', logits, settings, knob, values, options);
  }

  /** Whether an answer is awaited, by any of its timelines. */
  get busy() {
    return this.#connection.busy;
  }

  /** Another timeline over the same model. */
  async session() {
    return new RemoteSession(this.#connection, await this.request('session'));
  }

  /** Bytes of the module's memory. @returns {Promise<number>} */
  get memoryBytes() {
    return this.request('memoryBytes');
  }

  /** Frees everything and ends the worker, if `load` started it; every later call is `closed`. */
  async close() {
    try {
      await super.close();
    } finally {
      this.#connection.end('closed', 'instance_closed');
      this.#worker?.terminate();
    }
  }
}

/** Keeps what is said to it until the engine, from `address`, listens. @param {string} address */
const program = (address) => `const early = [];
onmessage = (event) => early.push(event);
import(${JSON.stringify(address)}).then(
  () => early.forEach((event) => onmessage(event)),
  (error) => setTimeout(() => { throw error; }),
);`;

/**
 * A page may only start workers of its own origin, and a sandboxed frame has none: there a worker
 * made of a blob imports the engine, which its host must allow (Access-Control-Allow-Origin).
 * @param {string | URL} address
 */
function startWorker(address) {
  if (typeof Worker === 'undefined') throw new LogitscopeError('unsupported', 'no_worker');
  const { href, origin } = new URL(address, globalThis.document?.baseURI);
  if (origin === globalThis.origin) return new Worker(trustedAddress(href), { type: 'module' });
  const blob = new Blob([program(href)], { type: 'text/javascript' });
  return new Worker(trustedAddress(URL.createObjectURL(blob)));
}

/**
 * What a message can carry: addresses made absolute, since a worker resolves them against itself,
 * and what a Response holds.
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
