/**
 * wllama as a contender, in a page: llama.cpp's single-threaded WebAssembly build. Its worker runs and times the loops
 * of decode and prefill, so the time excludes messages between page and worker.
 */
import { LoggerWithoutDebug, Wllama } from '/source/node_modules/@wllama/wllama/esm/index.js';
import { timeOf } from '/source/tests/bench/timing.js';

/** @typedef {import('./contender.js').Work} Work */

const PATHS = {
  'single-thread/wllama.wasm': '/source/node_modules/@wllama/wllama/esm/single-thread/wllama.wasm',
};
const quiet = { ...LoggerWithoutDebug, log() {}, warn() {} };

/** @param {string} url */
async function blobOf(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: HTTP status ${response.status}`);
  return response.blob();
}

/**
 * @param {{ model: string, context: number, options?: object }} options
 * @returns {Promise<Wllama>}
 */
export async function loadWllama({ model, context, options }) {
  const wllama = new Wllama(PATHS, { suppressNativeLog: true, logger: quiet });
  await wllama.loadModel([await blobOf(model)], { n_ctx: context, n_threads: 1, ...options });
  return wllama;
}

/**
 * Continues prompts greedily with wllama. Its cache has 32 bits, so only its arithmetic differs from this engine's.
 * @param {{ model: string, context: number, prompts: string[], steps: number }} options
 * @returns {Promise<{ prompt_ids: number[], ids: number[], margins: number[] }[]>} margins: for
 *   each step, the best logit minus the second
 */
export async function continueGreedily({ model, context, prompts, steps }) {
  const wllama = await loadWllama({
    model,
    context,
    options: { cache_type_k: 'f32', cache_type_v: 'f32', flash_attn: false },
  });
  const results = [];
  for (const prompt of prompts) {
    await wllama.kvClear();
    const bos = wllama.mustAddBosToken() ? [wllama.getBOS()] : [];
    const prompt_ids = [...bos, ...(await wllama.tokenize(prompt))];
    const ids = [];
    const margins = [];
    await wllama.decode(prompt_ids, {});
    while (ids.length < steps) {
      const [first, second] = await wllama.getLogits(2);
      ids.push(first.token);
      margins.push(Math.log(first.p / second.p));
      await wllama.decode([first.token], {});
    }
    results.push({ prompt_ids, ids, margins });
  }
  await wllama.exit();
  return results;
}

/**
 * Returns ln p of every token at each position of a text, with a 32-bit cache.
 * @param {{ model: string, context: number, ids: number[] }} options
 * @returns {Promise<number[][]>} indexed by position, then by id
 */
export async function logProbabilities({ model, context, ids }) {
  const wllama = await loadWllama({
    model,
    context,
    options: { cache_type_k: 'f32', cache_type_v: 'f32', flash_attn: false },
  });
  const rows = [];
  try {
    for (const id of ids) {
      await wllama.decode([id], {});
      const row = [];
      for (const { token, p } of await wllama.getLogits(-1)) row[token] = Math.log(p);
      rows.push(row);
    }
  } finally {
    await wllama.exit();
  }
  return rows;
}

/** wllama's names of settings. @type {Record<string, string>} */
const NAMES = {
  temperature: 'temp',
  repetition_penalty: 'penalty_repeat',
  frequency_penalty: 'penalty_freq',
  presence_penalty: 'penalty_present',
  repetition_window: 'penalty_last_n',
};

/**
 * Returns wllama's draws at each position of the texts, with each of the settings and each of the seeds.
 * @param {{ model: string, context: number, texts: number[][], settings: Record<string, number>[],
 *   seeds: number[], draws: number }} options
 * @returns {Promise<{ history: number[], p: number[], drawn: number[][] }[]>} one for each context; p: by id,
 *   before the samplers; drawn: one list for each settings
 */
export async function sampleContexts({ model, context, texts, settings, seeds, draws }) {
  const contexts = texts.flatMap((ids) =>
    ids.map((_, n) => ({
      history: ids.slice(0, n + 1),
      p: /** @type {number[]} */ ([]),
      drawn: settings.map(() => /** @type {number[]} */ ([])),
    })),
  );
  const configs = settings.map((values) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [NAMES[name] ?? name, value])),
  );
  for (const seed of seeds) {
    const wllama = await loadWllama({ model, context, options: { seed } });
    for (const { history, p, drawn } of contexts) {
      if (history.length === 1) await wllama.kvClear();
      await wllama.decode(history.slice(-1), {});
      if (p.length === 0) for (const found of await wllama.getLogits(-1)) p[found.token] = found.p;
      for (let i = 0; i < configs.length; i++) {
        await wllama.samplingInit(configs[i], history);
        for (let n = 0; n < draws; n++) drawn[i].push((await wllama.samplingSample()).token);
      }
    }
    await wllama.exit();
  }
  return contexts;
}

export class WllamaContender {
  #wllama;
  #options;

  /** @param {Wllama} wllama @param {any} options */
  constructor(wllama, options) {
    this.#wllama = wllama;
    this.#options = options;
  }

  /** @param {any} options */
  static async open(options) {
    return new WllamaContender(await loadWllama(options), options);
  }

  /** @param {Work} work @param {number} least */
  async sample(work, least) {
    if (work.what === 'load') return timeOf(() => this.#load(), least);
    const kind = work.what === 'decode' ? 'tg' : 'pp';
    let passed = 0;
    let calls = 0;
    for (; passed < least; calls++) {
      const { success, message, t_ms } = await this.#wllama._testBenchmark(kind, work.tokens);
      if (!success) throw new Error(message);
      passed += t_ms;
    }
    return passed / calls;
  }

  async #load() {
    const again = await loadWllama(this.#options);
    await again.exit();
  }

  async close() {
    await this.#wllama.exit();
  }
}
