/**
 * A learner's function under test. It runs in another place, one call at a time, with a time limit. A
 * place that hangs or sends no answer is ended; the next call begins a new one.
 */
import { isAnswer } from './answer.js';
import { refusal } from './reasons.js';

/**
 * A process, thread or frame that runs the harness; `end` kills it even if it is busy.
 * @typedef {object} Place
 * @property {(message: any) => void} post
 * @property {() => void} end
 */

/**
 * Begins a place. Its messages are not trusted; `onend` gives the reason if it ended or must end.
 * @typedef {(onanswer: (answer: any) => void, onend: (why: Answer) => void) => Place} Start
 */

/**
 * @typedef {object} Answer
 * @property {Float64Array | string} [result] numbers, or a description of another value
 * @property {number} [length] of the returned list; the result may hold only the first numbers
 * @property {boolean} [changed] whether it wrote to the given logits
 * @property {boolean} [rewrote] whether it wrote to the given history or prompt
 * @property {string[]} [read] the settings that a sampler read
 * @property {import('./harness.js').Log} [log]
 * @property {string} [error] a message
 * @property {string} [code] of an error with a sentence in REASONS, with its params
 * @property {Record<string, string | number>} [params]
 * @property {boolean} [hung]
 */

/** Time to load a file that imports little. */
const LOAD_MS = 10000;

/** A random id, so that no process can answer a call before it has read it. */
const newId = () => crypto.getRandomValues(new Uint32Array(1))[0];

export class TestedFunction {
  #start;
  #name;
  #limit;
  #strict;
  #total;
  #loading;
  /** Time of all its calls, loading included, in ms. */
  spent = 0;
  /** True if the file did not load in time; a second try would not either. */
  stuck = false;
  /** @type {Place | null} */
  #place = null;
  /** Number of calls that took too long. */
  hangs = 0;
  /** Number of times that the place ended, or was ended for a message that is no answer. */
  ends = 0;
  /** A fault between two calls: the answer of the next one. @type {Answer | null} */
  #foul = null;
  /** @type {{ message: any, resolve: (answer: Answer) => void } | null} */
  #waiting = null;

  /**
   * @param {Start} start
   * @param {string} name of the function
   * @param {number} limit of a call, in ms
   * @param {boolean} [strict] whether only a function of that name counts
   * @param {number} [total] of all calls, loading included, in ms
   * @param {number} [loading] time only for loading, in ms
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
    /** @param {Answer} why */
    const over = (why) => {
      if (place !== this.#place) return; // this object has ended it already
      this.ends++;
      this.#end();
      if (this.#waiting) this.#waiting.resolve(why);
      else if (why.code) this.#foul = why;
    };
    const place = this.#start((given) => {
      if (place !== this.#place) return;
      const waiting = this.#waiting;
      if (!waiting) over(refusal('unasked'));
      else if (!isAnswer(given, waiting.message)) over(refusal('own_message'));
      else if (given.id === undefined) over({ error: given.error });
      else if (given.id !== waiting.message.id) over(refusal('unasked'));
      else waiting.resolve(given);
    }, over);
    this.#place = place;
    return this.#find();
  }

  /**
   * Takes another function of the same file, in the same place.
   * @param {string} name
   * @param {boolean} [strict] whether only a function of that name counts, this time
   * @returns {Promise<Answer>}
   */
  async use(name, strict) {
    this.#name = name;
    this.hangs = this.ends = 0;
    return this.#place ? this.#find(strict) : this.load();
  }

  async #find(strict = this.#strict) {
    const call = { call: 'load', name: this.#name, strict };
    const answer = await this.#send(call, this.#loading);
    this.stuck = answer.hung === true;
    return answer;
  }

  /**
   * @param {{ call: 'warp' | 'generate', [given: string]: any }} message
   * @returns {Promise<Answer>}
   */
  async call(message) {
    const foul = this.#foul;
    this.#foul = null;
    if (foul) return foul;
    if (!this.#place) {
      const loaded = await this.load();
      if (loaded.error) return loaded;
    }
    return this.#send(message, this.#limit);
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
      // A second message before the next call is no answer: nothing waits for it.
      const take = (/** @type {Answer} */ given) => {
        this.#waiting = null;
        resolve(given);
      };
      this.#waiting = { message: asked, resolve: take };
      timer = setTimeout(
        () => {
          this.hangs++;
          // A timer may be a little early.
          if (left < limit) this.spent = this.#total;
          this.#end();
          take({ error: `it took longer than ${bound / 1000} s`, hung: true });
        },
        Math.min(limit, Math.max(left, 1)),
      );
      this.#place?.post(asked);
    });
    clearTimeout(timer);
    this.spent += performance.now() - began;
    return answer;
  }

  #end() {
    this.#place?.end();
    this.#place = null;
  }

  /** Ends it; a call under way is answered at once. */
  close() {
    this.#end();
    this.#waiting?.resolve({ error: 'it was ended' });
  }
}
