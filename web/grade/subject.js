/**
 * A learner's function as the grader calls it: somewhere else, one call at a time, with a time
 * limit. What hangs is ended and begun anew for the next call.
 */

/**
 * What runs the harness; `end` kills it, whatever it is doing.
 * @typedef {object} Place
 * @property {(message: any) => void} post
 * @property {() => void} end
 */

/** @typedef {(onanswer: (answer: any) => void) => Place} Start */

/**
 * @typedef {object} Answer
 * @property {Float64Array | string} [result] numbers, or in words what came instead
 * @property {number} [length] how many numbers there were, of which the result may hold the first
 * @property {boolean} [changed] whether the given logits were written to
 * @property {string[]} [read] the settings that a warper looked at
 * @property {import('./harness.js').Log} [log]
 * @property {string} [error] what it threw, or that it took too long
 * @property {string} [code] of an error that has a sentence of its own, with its params
 * @property {Record<string, string | number>} [params]
 * @property {boolean} [hung]
 */

const LOAD_MS = 10000;

/**
 * An answer as the harness gives it; anything else was sent by the learner's own code.
 * @param {any} answer
 */
function isAnswer(answer) {
  if (typeof answer !== 'object' || answer === null) return false;
  const { id, result, error } = answer;
  return (
    (id === undefined ? error !== undefined : typeof id === 'number') &&
    (error === undefined || typeof error === 'string') &&
    (result === undefined || typeof result === 'string' || result instanceof Float64Array)
  );
}

export class Subject {
  #start;
  #name;
  #limit;
  #strict;
  /** @type {Place | null} */
  #place = null;
  #last = 0;
  /** How often a call took too long. */
  hangs = 0;
  /** How often it ended itself in a call. */
  ends = 0;
  /** @type {{ id: number, resolve: (answer: Answer) => void } | null} */
  #waiting = null;

  /**
   * @param {Start} start
   * @param {string} name of the function
   * @param {number} limit of a call, in ms
   * @param {boolean} [strict] whether only a function of that name will do
   */
  constructor(start, name, limit, strict = false) {
    this.#strict = strict;
    this.#start = start;
    this.#name = name;
    this.#limit = limit;
  }

  /** @returns {Promise<Answer>} with `error` if the module cannot be used */
  async load() {
    this.close();
    const place = this.#start((given) => {
      const answer = isAnswer(given) ? given : { error: 'it sent a message of its own' };
      // Without an id it is the place itself that ended; one that was ended here has no say.
      if (place !== this.#place || (answer.id !== undefined && answer.id !== this.#waiting?.id))
        return;
      const waiting = this.#waiting;
      if (answer.id === undefined) {
        this.ends++;
        this.#end();
      }
      waiting?.resolve(answer);
    });
    this.#place = place;
    return this.#send({ call: 'load', name: this.#name, strict: this.#strict }, LOAD_MS);
  }

  /**
   * @param {{ call: 'warp' | 'generate', [given: string]: any }} message
   * @returns {Promise<Answer>}
   */
  async call(message) {
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
    const id = ++this.#last;
    /** @type {any} */
    let timer;
    const answer = await new Promise((resolve) => {
      this.#waiting = { id, resolve };
      timer = setTimeout(() => {
        this.hangs++;
        this.#end();
        resolve({ error: `it took longer than ${limit / 1000} s`, hung: true });
      }, limit);
      this.#place?.post({ id, ...message });
    });
    clearTimeout(timer);
    this.#waiting = null;
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
