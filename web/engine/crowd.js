/**
 * Spreads the texts of a job over workers, each with a copy of the engine. The results have the order of the tasks and
 * do not depend on the number of workers. The caller's engine begins at once; workers start if enough work is left. An
 * engine in the caller's thread goes on writing beside them, since it is ready and its thread would only wait.
 */
import { checkInteger } from './checks.js';
import { RemoteLogitscope, startWorker } from './remote.js';
import { WRITERS } from './text-jobs.js';

/** @typedef {import('./text-jobs.js').Kind} Kind */

/** Most workers of a job. */
export const WORKERS_MAX = 64;
/** Limit for the memory of all copies of the engine together, in bytes. */
export const COPIES_MAX = 1 << 30;
/** Workers start only if at least this time of work is left, in ms. */
export const WORTH_MS = 240;
/** The decision about workers comes after this share of the time, so that the time of a text is known. */
const BEGIN = 1 / 12;
/** A message has tasks for about this time, in ms: messages cost little then, and the last ones end together. */
const CHUNK_MS = 20;
/** Messages with tasks that a worker has at once, so that it never waits for the next one. */
const LANES = 2;
/** A worker without an answer for this time counts as dead, in ms. It answers between two tokens of a text. */
const SILENCE_MS = 30_000;
/** Number of timer events in this time: a page that wakes up gets one event, so its workers have time to answer. */
const TICKS = 6;
/** Most finished texts that wait for an earlier text or for the caller. */
const AHEAD = 1000;
/** Weight of the newest text in the mean time of a text. */
const NEWEST = 0.2;

/**
 * @typedef {object} CrowdOptions
 * @property {number} [workers] number of threads that write, the caller's included if it writes; 1 (default): the engine
 *   alone
 * @property {number} [memory] limit for the memory of all copies together, in bytes; fewer workers start if they need more
 * @property {number} [worth] least remaining time for which workers start, in ms
 * @property {number} [silence] time without an answer after which a worker counts as dead, in ms
 * @property {any} [worker] script of the workers, or a function that opens a port; default: the package's own
 *
 * @typedef {{ index: number, task: any }} Numbered
 */

/** A promise that `notify` resolves and replaces. */
class Signal {
  #resolve = () => {};
  /** @type {Promise<void>} */
  next = Promise.resolve();

  constructor() {
    this.notify();
  }

  notify() {
    this.#resolve();
    this.next = new Promise((resolve) => (this.#resolve = resolve));
  }
}

class Crowd {
  #engine;
  #session;
  #kind;
  #tasks;
  /** Number of tasks that nobody has taken. */
  #left;
  #limits;
  /** Number of tasks taken from the list. */
  #taken = 0;
  /** Tasks of workers that failed. @type {Numbered[]} */
  #again = [];
  /** Finished texts by index; `error` ends the job when its turn comes. @type {Map<number, { text?: any, error?: unknown }>} */
  #finished = new Map();
  /** Mean time of a text, in ms. */
  #pace = 0;
  /** True if the engine writes beside the workers: it is in the caller's thread. */
  #joins;
  /** True when the decision about workers is taken. */
  #decided = false;
  /** Number of workers that are to write; the engine writes in place of each that is missing. */
  #wanted = 1;
  /** Number of workers that write. */
  #alive = 0;
  #begun = performance.now();
  #changed = new Signal();
  #stop = new AbortController();

  /**
   * @param {any} engine
   * @param {any} session of the engine
   * @param {Kind} kind
   * @param {Iterator<any>} tasks
   * @param {number} count of tasks
   * @param {Required<Pick<CrowdOptions, 'workers' | 'memory' | 'worth' | 'silence'>> & CrowdOptions} limits
   */
  constructor(engine, session, kind, tasks, count, limits) {
    this.#engine = engine;
    this.#joins = !engine.request;
    this.#session = session;
    this.#kind = kind;
    this.#tasks = tasks;
    this.#left = count;
    this.#limits = limits;
  }

  /** @param {number} count @param {import('./types.js').Platform<'AbortSignal'>} [signal] */
  async *run(count, signal) {
    const stop = () => {
      this.#stop.abort();
      this.#changed.notify();
    };
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    const timer = setTimeout(() => this.#consider(), BEGIN * this.#limits.worth);
    const own = this.#writeHere();
    try {
      for (let i = 0; i < count; i++) {
        while (!this.#finished.has(i) && !signal?.aborted) await this.#changed.next;
        if (signal?.aborted) return;
        const { text, error } = this.#finished.get(i) ?? {};
        if (error) throw error;
        this.#finished.delete(i);
        this.#changed.notify();
        yield text;
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      stop();
      await own;
    }
  }

  get #ended() {
    return this.#stop.signal.aborted;
  }

  /** Takes up to n tasks. @param {number} n @returns {Numbered[]} */
  #take(n) {
    /** @type {Numbered[]} */
    const taken = [];
    while (taken.length < n && this.#left > 0 && this.#finished.size < AHEAD) {
      taken.push({ index: this.#taken++, task: this.#tasks.next().value });
      this.#left--;
    }
    return taken;
  }

  /** @param {number} index @param {{ text?: any, error?: unknown }} result */
  #finish(index, result) {
    this.#finished.set(index, result);
    this.#changed.notify();
  }

  /** Writes in the caller's engine: always if it joins, else while workers are missing or have failed. */
  async #writeHere() {
    const { signal } = this.#stop;
    const write = WRITERS[this.#kind];
    // An engine in this thread must let messages of workers in between short texts.
    const pace = this.#joins ? (await import('./generate.js')).openPace() : null;
    for (;;) {
      await pace?.();
      if (this.#ended) return;
      const writes = this.#joins || this.#alive < this.#wanted;
      const [next] = this.#again.length ? this.#again.splice(0, 1) : writes ? this.#take(1) : [];
      if (!next) {
        await this.#changed.next;
        continue;
      }
      const begun = performance.now();
      try {
        const text = await write(this.#engine, this.#session, withSignal(next.task, signal));
        this.#finish(next.index, { text });
      } catch (error) {
        this.#left = 0; // the error ends the job, so no later text is begun
        this.#finish(next.index, { error });
      }
      const ms = performance.now() - begun;
      this.#pace = this.#pace ? this.#pace + NEWEST * (ms - this.#pace) : ms;
      this.#consider();
    }
  }

  /** Starts the workers if their work is worth it. */
  #consider() {
    const { workers, worth } = this.#limits;
    if (workers < 2 || this.#decided || this.#ended) return;
    const spent = performance.now() - this.#begun;
    const pace = this.#pace || spent;
    if (spent < BEGIN * worth || pace * this.#left < worth) return;
    this.#decided = true;
    // Without a copy of the engine, or without a worker, the engine goes on alone.
    const most = Math.min(workers, this.#left) - Number(this.#joins);
    this.#start(most).catch(() => this.#changed.notify());
  }

  /** @param {number} most */
  async #start(most) {
    const bytes = await this.#engine.memoryBytes;
    // While a worker takes its copy, the message has one too.
    const workers = Math.min(most, Math.floor(this.#limits.memory / (2 * bytes)));
    if (workers + Number(this.#joins) < 2) return; // a single copy would write no faster than the engine
    this.#wanted = workers;
    /** @type {import('./crowd-calls.js').Copy | undefined} */
    let copy;
    for (let i = 0; i < workers && !this.#ended; i++) {
      const worker = await this.#open(); // it loads its script during the copy
      if (!copy || copy.transfer.length) copy = await copyOf(this.#engine);
      this.#startOne(worker, copy);
    }
  }

  async #open() {
    const { worker: script } = this.#limits;
    const worker = await (typeof script === 'function' ? script() : startWorker(script));
    if (!worker.terminate) throw new Error('no worker');
    const { signal } = this.#stop;
    signal.addEventListener('abort', () => worker.terminate());
    if (signal.aborted) worker.terminate();
    return worker;
  }

  /** @param {any} worker @param {import('./crowd-calls.js').Copy} copy */
  #startOne(worker, copy) {
    RemoteLogitscope.load(/** @type {any} */ ({ ...copy.options, worker }))
      .then(async (remote) => {
        await remote.request('take', copy);
        this.#alive++;
        const writer = { remote, failed: false };
        await Promise.all(Array.from({ length: LANES }, () => this.#writeThere(writer)));
        this.#alive--;
      })
      .catch(() => {}) // the engine writes in its place
      .finally(() => {
        worker.terminate();
        this.#changed.notify();
      });
  }

  /** Writes in a worker until no task is left or the worker fails. @param {{ remote: RemoteLogitscope, failed: boolean }} writer */
  async #writeThere(writer) {
    const { remote } = writer;
    const lanes = LANES * (this.#wanted + Number(this.#joins));
    while (!this.#ended && !writer.failed) {
      const share = Math.ceil(this.#left / (2 * lanes));
      const tasks = this.#take(Math.max(1, Math.min(share, Math.round(CHUNK_MS / this.#pace))));
      if (!tasks.length) {
        if (!this.#left) break;
        await this.#changed.next;
        continue;
      }
      try {
        const sent = tasks.map(({ task }) => task);
        const texts = await this.#listen(remote, remote.request('texts', this.#kind, sent));
        for (const [i, { index }] of tasks.entries()) this.#finish(index, { text: texts[i] });
      } catch {
        writer.failed = true;
        this.#again.push(...tasks);
        this.#changed.notify();
      }
    }
  }

  /**
   * Resolves with a worker's answer. Rejects if the worker is silent: it may have ended without an event.
   * @param {RemoteLogitscope} worker
   * @param {Promise<any>} answer
   */
  async #listen(worker, answer) {
    /** @type {any} */
    let timer;
    const silent = new Promise((_, reject) => {
      let ticks = 0;
      const ask = () => {
        if (ticks === TICKS) reject(new Error('silent'));
        if (!ticks++) worker.request('memoryBytes').then(() => (ticks = 0), reject);
      };
      timer = setInterval(ask, this.#limits.silence / TICKS);
    });
    try {
      return await Promise.race([answer, silent]);
    } finally {
      clearInterval(timer);
    }
  }
}

/** @param {any} task @param {AbortSignal} signal */
const withSignal = (task, signal) =>
  task.options ? { ...task, options: { ...task.options, signal } } : { ...task, signal };

/** @param {any} engine in this thread or in a worker @returns {Promise<import('./crowd-calls.js').Copy>} */
const copyOf = async (engine) =>
  engine.request ? engine.request('copy') : (await import('./crowd-calls.js')).copy(engine);

/**
 * Writes the texts of tasks and yields them in order. Ends early if the signal is aborted.
 * @param {any} engine with a model, in this thread or in a worker
 * @param {any} session of the engine, for the texts that the engine itself writes
 * @param {Kind} kind
 * @param {Iterable<any>} tasks
 * @param {number} count of tasks
 * @param {CrowdOptions} [options]
 * @param {import('./types.js').Platform<'AbortSignal'>} [signal]
 * @returns {AsyncGenerator<any, void, void>}
 */
export async function* writeAll(engine, session, kind, tasks, count, options = {}, signal) {
  const { workers = 1, memory = COPIES_MAX, worth = WORTH_MS, worker } = options;
  const { silence = SILENCE_MS } = options;
  checkInteger('workers', workers, 1, WORKERS_MAX);
  const limits = { workers, memory, worth, silence, worker };
  yield* new Crowd(engine, session, kind, tasks[Symbol.iterator](), count, limits).run(
    count,
    signal,
  );
}
