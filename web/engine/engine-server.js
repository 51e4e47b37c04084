/**
 * Serves one engine over a message port, in a worker or in the caller's thread (MessageChannel).
 *
 * A request is { id, session, method, args }; an answer is { id, result } or { id, error }. While a
 * model loads, messages { id, progress } follow. Session 0 is the instance with its default
 * timeline. Requests begin in the order of arrival; a later request may end before an earlier one
 * that waits.
 */
import { SCOPE_CALLS, SESSION_CALLS } from './calls.js';
import { reasonOf } from './errors.js';
import { Logitscope, LogitscopeError } from './logitscope.js';

/**
 * @typedef {object} Port
 * @property {(message: any, transfer?: any) => void} postMessage
 * @property {((event: any) => void) | null} onmessage
 */

/**
 * @typedef {object} Request
 * @property {number} id
 * @property {number} session
 * @property {string} method
 * @property {any[]} args
 */

const ALL_CALLS = [...SESSION_CALLS, ...SCOPE_CALLS];

/**
 * Turns `rng` of an argument into a function again; the message contained the number to return.
 * @param {any} arg
 */
const withRng = (arg) =>
  arg?.rng && 'returns' in arg.rng ? { ...arg, rng: () => arg.rng.returns } : arg;

/**
 * The buffers of all typed arrays in an answer; these are transferred instead of copied.
 * @param {any} result
 * @returns {ArrayBuffer[]}
 */
function transferables(result) {
  const values = [result, ...Object.values(result ?? {}), ...Object.values(result?.trace ?? {})];
  return values.flatMap((value) => (value?.buffer instanceof ArrayBuffer ? [value.buffer] : []));
}

/** True if an argument has a constraint: settings do, and the laws beside a law may. @param {any} arg @returns {boolean} */
const isConstrained = (arg) =>
  arg?.constraint != null ||
  (Array.isArray(arg?.alongside) &&
    arg.alongside.some(
      (/** @type {any} */ other) => other?.condition != null || other?.settings?.constraint != null,
    ));

class EngineServer {
  #port;
  /** @type {Logitscope | null} */
  #scope = null;
  /** @type {Map<number, any>} */
  #sessions = new Map();
  /** @type {Map<number, { steps: AsyncGenerator<any, any, void>, abort: AbortController }>} */
  #generations = new Map();
  #last = 0;
  /**
   * Resolves when the compiler of constraints is loaded; null until the first constraint.
   * @type {Promise<unknown> | null}
   */
  #compiler = null;
  /** Takes the answers of an asked model's source, which is in the caller's thread. @type {(answer: any) => void} */
  takeAnswer = () => {};

  /** @param {Port} port */
  constructor(port) {
    this.#port = port;
  }

  /** @param {Request} request */
  async answer({ id, session, method, args }) {
    try {
      if (args.some(isConstrained)) this.#compiler ??= this.#fetchCompiler();
      if (this.#compiler) await this.#compiler; // every later request also waits, to keep the order of requests
      const result =
        method === 'load' ? await this.#load(id, args[0]) : await this.#call(session, method, args);
      this.#port.postMessage({ id, result }, transferables(result));
    } catch (error) {
      const { code, key, values } =
        error instanceof LogitscopeError
          ? error
          : new LogitscopeError('internal', 'internal', { reason: reasonOf(error) });
      this.#port.postMessage({ id, error: { code, key, values } });
    }
  }

  async #fetchCompiler() {
    try {
      await import('./schema.js');
    } catch (error) {
      this.#compiler = null; // the next request with a constraint tries to load it again
      throw error;
    }
  }

  /** @param {number} id @param {import('./types.js').LoadOptions} options */
  async #load(id, options) {
    if (options.source)
      this.takeAnswer = (await import('./asked.js')).takeSource(options, this.#port);
    const scope = await Logitscope.load({
      ...options,
      onprogress: (progress) => this.#port.postMessage({ id, progress }),
    });
    this.#scope?.close();
    this.#scope = scope;
    this.#sessions.clear();
    this.#sessions.set(0, scope);
    return { info: scope.info, table: scope.table, variant: scope.variant };
  }

  /**
   * @param {number} session
   * @param {string} method
   * @param {any[]} args
   */
  #call(session, method, args) {
    const target = this.#sessions.get(session);
    if (!target) {
      throw new LogitscopeError('closed', session ? 'session_closed' : 'nothing_loaded');
    }
    const calls = /** @type {readonly string[]} */ (session ? SESSION_CALLS : ALL_CALLS);
    if (calls.includes(method)) return target[method](...args.map(withRng));
    switch (method) {
      case 'session':
        return this.#addSession(/** @type {Logitscope} */ (this.#scope).session());
      case 'memoryBytes':
        return target.memoryBytes;
      case 'copy':
      case 'take':
      case 'texts':
        return import('./crowd-calls.js').then((/** @type {any} */ calls) =>
          calls[method](target, ...args),
        );
      case 'lawCall':
        return import('./law-calls.js').then((/** @type {any} */ calls) =>
          calls[method](target, ...args),
        );
      case 'fork':
        return Promise.resolve(target.fork()).then((fork) => this.#addSession(fork));
      case 'close':
        return this.#close(session, target);
      case 'generate':
        return this.#generate(target, args[0]);
      case 'rest':
        return this.#runToEnd(args[0]);
      case 'next':
        return this.#next(args[0]);
      case 'return':
        return this.#return(args[0]);
      case 'abort':
        return this.#generations.get(args[0])?.abort.abort();
      default:
        throw new LogitscopeError('invalid_argument', 'no_method', {
          name: JSON.stringify(method),
        });
    }
  }

  /** @param {any} session */
  #addSession(session) {
    this.#sessions.set(++this.#last, session);
    return this.#last;
  }

  /** @param {number} session @param {any} target */
  #close(session, target) {
    target.close();
    if (session) this.#sessions.delete(session);
    else this.#sessions.clear();
  }

  /** @param {any} target @param {any} options */
  #generate(target, options) {
    const abort = new AbortController();
    const steps = target.generate({ ...options, signal: abort.signal });
    this.#generations.set(++this.#last, { steps, abort });
    return this.#last;
  }

  /** Runs a generation to its end. @param {number} generation */
  async #runToEnd(generation) {
    const steps = [];
    for (;;) {
      const { done, value } = await this.#next(generation);
      if (done) return { ...value, steps };
      steps.push(value);
    }
  }

  /** @param {number} generation */
  async #next(generation) {
    const running = this.#generations.get(generation);
    if (!running) return { done: true, value: undefined };
    let done = true;
    try {
      const answer = await running.steps.next();
      done = answer.done === true;
      return answer;
    } finally {
      if (done) this.#generations.delete(generation);
    }
  }

  /** @param {number} generation */
  async #return(generation) {
    await this.#generations.get(generation)?.steps.return(/** @type {any} */ (undefined));
    this.#generations.delete(generation);
  }
}

/**
 * Answers the calls of a `RemoteLogitscope` at the other end of a port. Call `serve(globalThis)` in a
 * page's worker, `serve(parentPort)` in a worker of Node, or pass one end of a MessageChannel.
 * @param {import('./types.js').RemotePort} port
 */
export function serve(port) {
  const server = new EngineServer(/** @type {Port} */ (port));
  /** @type {Port} */ (port).onmessage = ({ data }) =>
    data.ask ? server.takeAnswer(data) : server.answer(data);
}
