/** The bench's page. It keeps contenders by number; the program outside the browser runs them. */
import { WllamaContender, continueGreedily, logProbabilities, sampleContexts } from './wllama.js';

/** A contender in its own worker. */
class Remote {
  #worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });

  /** @param {string} method @param {any[]} args */
  call(method, ...args) {
    return new Promise((resolve, reject) => {
      this.#worker.onmessage = ({ data: { result, error } }) =>
        error ? reject(new Error(error)) : resolve(result);
      this.#worker.onerror = (event) => reject(new Error(event.message ?? 'the worker failed'));
      this.#worker.postMessage({ method, args });
    });
  }

  /** @param {any} work @param {number} least */
  sample(work, least) {
    return this.call('sample', work, least);
  }

  async close() {
    this.#worker.terminate();
  }

  /** @param {string} kind @param {any} options */
  static async open(kind, options) {
    const remote = new Remote();
    try {
      await remote.call('open', kind, options);
    } catch (error) {
      await remote.close();
      throw error;
    }
    return remote;
  }
}

/** Contenders that start their own workers. @type {Record<string, (options: any) => Promise<any>>} */
const PEERS = {
  wllama: (options) => WllamaContender.open(options),
  newest: async (options) => (await import('./newest_wllama.js')).NewestWllama.open(options),
};

/** @type {Map<number, any>} */
const contenders = new Map();
let last = 0;

globalThis.bench = {
  /** @param {string} kind @param {any} options */
  async open(kind, options) {
    const contender = await (PEERS[kind]?.(options) ?? Remote.open(kind, options));
    contenders.set(++last, contender);
    return last;
  },
  /** @param {number} id @param {any} work @param {number} least */
  sample: (id, work, least) => contenders.get(id)?.sample(work, least),
  /** @param {number} id */
  async close(id) {
    await contenders.get(id)?.close();
    contenders.delete(id);
  },
  continueGreedily,
  logProbabilities,
  sampleContexts,
};
