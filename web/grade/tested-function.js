/**
 * A learner's function. It runs in a sandbox (a process, thread or frame), with one call at a time and a time limit. If
 * a sandbox hangs or sends an invalid answer, it is ended, and the next call starts a new one.
 */
import { isAnswer } from './answer.js';
import { refusal } from './reasons.js';

/**
 * A process, thread or frame with the harness. `end` kills it even if it is busy.
 * @typedef {object} Sandbox
 * @property {(message: any) => void} post
 * @property {() => void} end
 */

/**
 * Starts a sandbox. Its messages cannot be trusted. `onend` is called with the reason if it has ended or must end.
 * @typedef {(onanswer: (answer: any) => void, onend: (why: Answer) => void) => Sandbox} Start
 */

/**
 * @typedef {object} Answer
 * @property {Float64Array | string} [result] numbers, or a description of another value
 * @property {number} [length] of the returned list; `result` may contain only its first numbers
 * @property {boolean} [changed] true if the function wrote to the given logits
 * @property {boolean} [rewrote] true if the function wrote to the given history or prompt
 * @property {string[]} [read] the settings that a sampler read
 * @property {import('./harness.js').Log} [log]
 * @property {string} [error] a message
 * @property {string} [code] of an error that has a sentence in REASONS
 * @property {Record<string, string | number>} [params]
 * @property {boolean} [hung]
 */

/** Time limit for loading a simple file, in ms. */
const LOAD_MS = 10000;

/** Returns a random id, so that no process can answer a call that it has not read. */
const newId = () => crypto.getRandomValues(new Uint32Array(1))[0];

/**
 * Returns true if code may read the texts of the tokens. Other code does not get them, because a vocabulary can have
 * 262,144 of them.
 * @param {string} code
 */
export const readsTokens = (code) => /\btokens\b/.test(code);

export class TestedFunction {
  #start;
  #name;
  #limit;
  #strict;
  #total;
  #loading;
  /** Time of all calls so far, including loading, in ms. */
  spent = 0;
  /** True if the file did not load in time; then it would not load the next time either. */
  stuck = false;
  /** @type {Sandbox | null} */
  #sandbox = null;
  /** The texts of the tokens that the sandbox has; null if none. @type {readonly string[] | null} */
  #tokens = null;
  /** Number of calls that took too long. */
  hangs = 0;
  /** Number of times that the sandbox has ended or had to be ended. */
  ends = 0;
  /**
   * A fault that happened between two calls; the next call gets it as its answer. Null if there is none.
   * @type {Answer | null}
   */
  #foul = null;
  /** @type {{ message: any, resolve: (answer: Answer) => void } | null} */
  #waiting = null;

  /**
   * @param {Start} start
   * @param {string} name of the function
   * @param {number} limit for one call, in ms
   * @param {boolean} [strict] true if only a function with that name counts
   * @param {number} [total] for all calls, including loading, in ms
   * @param {number} [loading] for loading only, in ms
   */
  constructor(start, name, limit, strict = false, total = Infinity, loading = LOAD_MS) {
    this.#total = total;
    this.#loading = loading;
    this.#strict = strict;
    this.#start = start;
    this.#name = name;
    this.#limit = limit;
  }

  /** @returns {Promise<Answer>} with `error` if the module cannot be used */
  async load() {
    this.close();
    /** Ends the sandbox after it has ended or sent an invalid answer. @param {Answer} why */
    const endBy = (why) => {
      if (sandbox !== this.#sandbox) return; // this object has already ended or replaced that sandbox
      this.ends++;
      this.#endSandbox();
      if (this.#waiting) this.#waiting.resolve(why);
      else if (why.code) this.#foul = why;
    };
    const sandbox = this.#start((given) => {
      if (sandbox !== this.#sandbox) return;
      const waiting = this.#waiting;
      if (!waiting) endBy(refusal('unasked'));
      else if (!isAnswer(given, waiting.message)) endBy(refusal('own_message'));
      else if (given.id === undefined) endBy({ error: given.error });
      else if (given.id !== waiting.message.id) endBy(refusal('unasked'));
      else waiting.resolve(given);
    }, endBy);
    this.#sandbox = sandbox;
    this.#tokens = null;
    return this.#loadFunction();
  }

  /**
   * Selects another function of the same file, in the same sandbox.
   * @param {string} name
   * @param {boolean} [strict] true if only a function with that name counts; for this call only
   * @returns {Promise<Answer>}
   */
  async use(name, strict) {
    this.#name = name;
    this.hangs = this.ends = 0;
    return this.#sandbox ? this.#loadFunction(strict) : this.load();
  }

  async #loadFunction(strict = this.#strict) {
    const call = { call: 'load', name: this.#name, strict };
    const answer = await this.#send(call, this.#loading);
    this.stuck = answer.hung === true;
    return answer;
  }

  /**
   * @param {{ call: 'warp' | 'generate', [given: string]: any }} message
   * @param {readonly string[] | null} [tokens] the texts of the tokens, for the function. The sandbox keeps them, so
   *   they are sent once for a model, not with each call
   * @returns {Promise<Answer>}
   */
  async call(message, tokens = null) {
    const foul = this.#foul;
    this.#foul = null;
    if (foul) return foul;
    if (!this.#sandbox) {
      const loaded = await this.load();
      if (loaded.error) return loaded;
    }
    const isNew = tokens !== this.#tokens;
    this.#tokens = tokens;
    return this.#send(isNew ? { ...message, tokens } : message, this.#limit);
  }

  /**
   * @param {any} message
   * @param {number} limit
   * @returns {Promise<Answer>}
   */
  async #send(message, limit) {
    const asked = { id: newId(), ...message };
    /** @type {any} */
    let timer;
    const began = performance.now();
    const left = this.#total - this.spent;
    const bound = left < limit ? this.#total : limit;
    const answer = await new Promise((resolve) => {
      // A second message before the next call cannot be an answer.
      const take = (/** @type {Answer} */ given) => {
        this.#waiting = null;
        resolve(given);
      };
      this.#waiting = { message: asked, resolve: take };
      timer = setTimeout(
        () => {
          this.hangs++;
          // A timer may fire a little too early.
          if (left < limit) this.spent = this.#total;
          this.#endSandbox();
          take({ error: `it took longer than ${bound / 1000} s`, hung: true });
        },
        Math.min(limit, Math.max(left, 1)),
      );
      this.#sandbox?.post(asked);
    });
    clearTimeout(timer);
    this.spent += performance.now() - began;
    return answer;
  }

  #endSandbox() {
    this.#sandbox?.end();
    this.#sandbox = null;
  }

  /** Ends the sandbox. A running call gets an answer at once. */
  close() {
    this.#endSandbox();
    this.#waiting?.resolve({ error: 'it was ended' });
  }
}
