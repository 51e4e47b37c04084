/**
 * The newest wllama as a contender, in a page. It accepts only whole requests, and reports the time of
 * prompt and continuation. It is not a dependency: WLLAMA_NEWEST names its folder (npm install @wllama/wllama).
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

  /** @param {{ model: string, context: number, threads?: number }} options */
  static async open({ model, context, threads = 1 }) {
    const wllama = new Wllama(PATHS, { suppressNativeLog: true, logger: quiet });
    const file = await (await fetch(model)).blob();
    await wllama.loadModel([file], { n_ctx: context, n_threads: threads, n_gpu_layers: 0 });
    const contender = new NewestWllama(wllama);
    await contender.#ask('a', 2); // throws if wllama opens the model but cannot run it
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
      // The prompt's logits give the first token, so decode has one step less.
      done += what === 'decode' ? predicted_n - 1 : prompt_n;
    }
    return (passed / done) * tokens;
  }

  /** Mean number of letters per token in the requests so far. */
  #letters = 1;

  /** Makes a text of about this number of tokens; wllama accepts no ids. @param {number} tokens */
  #text(tokens) {
    return 'ab'.repeat(Math.ceil((tokens * this.#letters) / 2));
  }

  /** @param {string} prompt @param {number} max_tokens */
  async #ask(prompt, max_tokens) {
    const asked = { prompt, max_tokens, temperature: 0, ignore_eos: true, cache_prompt: false };
    // Random weights may produce invalid UTF-8, which ends the text, so a bias forces token 1000.
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
