/**
 * Native llama.cpp as a contender, from the package node-llama-cpp, which is not a dependency. LLAMA_CPP
 * names a folder with it (npm install node-llama-cpp). Its token loop runs in JavaScript, which costs some tenths of a
 * millisecond for each token.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { timeOf } from './timing.js';

/** @typedef {import('./contender.js').Work} Work */

/** Makes arbitrary ids, since text means nothing to random weights. @param {number} count */
const idsOf = (count) => Array.from({ length: count }, (_, i) => 5 + ((i * 37) % 200));

/** True if node-llama-cpp is installed. */
export const hasLlamaCpp = () => Boolean(process.env.LLAMA_CPP);

/** Returns the version of node-llama-cpp. */
export function llamaCppVersion() {
  const path = join(String(process.env.LLAMA_CPP), 'node_modules/node-llama-cpp/package.json');
  return JSON.parse(readFileSync(path, 'utf8')).version;
}

/** @returns {Promise<any>} */
async function openPackage() {
  const folder = join(String(process.env.LLAMA_CPP), 'package.json');
  const path = createRequire(folder).resolve('node-llama-cpp');
  return import(pathToFileURL(path).href);
}

export class LlamaCppContender {
  #model;
  #sequence;

  /** @param {any} model @param {any} sequence */
  constructor(model, sequence) {
    this.#model = model;
    this.#sequence = sequence;
  }

  /** @param {{ model: string, context: number, threads?: number }} options */
  static async open({ model: path, context: contextSize, threads: n = 1 }) {
    const { getLlama, LlamaLogLevel } = await openPackage();
    const logLevel = LlamaLogLevel.error;
    const llama = await getLlama({ gpu: false, build: 'never', maxThreads: n, logLevel });
    const model = await llama.loadModel({ modelPath: path });
    const threads = { ideal: n, min: n };
    const context = await model.createContext({ contextSize, batchSize: contextSize, threads });
    return new LlamaCppContender(model, context.getSequence());
  }

  /** @param {Work} work @param {number} least */
  sample(work, least) {
    if (work.what === 'prefill') return timeOf(() => this.#prefill(work.tokens), least);
    if (work.what === 'decode') return timeOf(() => this.#decode(work.tokens), least);
    throw new Error(`llama.cpp is not asked for ${work.what}`);
  }

  /** @param {number} tokens */
  async #prefill(tokens) {
    await this.#sequence.clearHistory();
    await this.#sequence.evaluateWithoutGeneratingNewTokens(idsOf(tokens));
  }

  /** Generates `tokens` tokens greedily. @param {number} tokens */
  async #decode(tokens) {
    await this.#sequence.clearHistory();
    let left = tokens;
    const options = { temperature: 0, yieldEogToken: true };
    for await (const _ of this.#sequence.evaluate(idsOf(1), options)) if (--left === 0) return;
  }

  close() {
    return this.#model.dispose();
  }
}
