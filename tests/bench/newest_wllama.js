/**
 * The newest wllama as a contender, in a page, on one thread. It takes whole requests and no single
 * step, and says of each how long prompt and text took, by its own clock. It is no dependency of ours:
 * WLLAMA_NEWEST names a folder in which it was installed (npm install @wllama/wllama).
 */
import { LoggerWithoutDebug, Wllama } from '/newest/@wllama/wllama/esm/index.js';

/** @typedef {import('./contender.js').Work} Work */

const PATHS = { default: '/newest/@wllama/wllama/esm/wasm/wllama.wasm' };
const quiet = { ...LoggerWithoutDebug, log() {}, warn() {} };

export class NewestWllama {
  #wllama;

  /** @param {any} wllama */
  constructor(wllama) {
    this.#wllama = wllama;
  }

  /** @param {{ model: string, context: number }} options */
  static async open({ model, context }) {
    const wllama = new Wllama(PATHS, { suppressNativeLog: true, logger: quiet });
    const file = await (await fetch(model)).blob();
    await wllama.loadModel([file], { n_ctx: context, n_threads: 1, n_gpu_layers: 0 });
    const contender = new NewestWllama(wllama);
    await contender.#ask('a', 2); // what it opens it may still not be able to run
    return contender;
  }

  /** @param {Work} work @param {number} least */
  async sample({ what, tokens }, least) {
    if (what !== 'decode' && what !== 'prefill') throw new Error(`wllama is not asked for ${what}`);
    let passed = 0;
    let done = 0;
    while (passed < least) {
      const timings =
        what === 'decode'
          ? await this.#ask('a', tokens + 1)
          : await this.#ask(this.#text(tokens), 1);
      const { prompt_n, prompt_ms, predicted_n, predicted_ms } = timings;
      if (what === 'prefill') this.#letters *= tokens / prompt_n;
      passed += what === 'decode' ? predicted_ms : prompt_ms;
      // The first token is drawn from what the prompt left.
      done += what === 'decode' ? predicted_n - 1 : prompt_n;
    }
    return (passed / done) * tokens;
  }

  /** How many letters make a token, as far as it is known. */
  #letters = 1;

  /** A text of about so many tokens: it takes no ids. @param {number} tokens */
  #text(tokens) {
    return 'ab'.repeat(Math.ceil((tokens * this.#letters) / 2));
  }

  /** @param {string} prompt @param {number} max_tokens */
  async #ask(prompt, max_tokens) {
    const asked = { prompt, max_tokens, temperature: 0, ignore_eos: true, cache_prompt: false };
    // The bytes that random weights draw are no UTF-8, which ends it: it always draws one token.
    const { timings } = await this.#wllama.createCompletion({
      ...asked,
      logit_bias: { 1000: 1e3 },
    });
    return timings;
  }

  async close() {
    await this.#wllama.exit();
  }
}
