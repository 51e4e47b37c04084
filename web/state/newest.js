/** Runs one request at a time and lets one more wait; a newer request replaces the waiting request. */

/** @template T, R */
export class Newest {
  /** @type {T | null} */
  #wanted = null;
  /** @type {Promise<void> | null} */
  #pass = null;
  /** `drop` increments it; a pass with a lower number is abandoned. */
  #turn = 0;
  #work;
  #take;
  #fail;

  /**
   * @param {(asked: T) => Promise<R>} work
   * @param {(result: R, asked: T) => void} take
   * @param {(error: unknown, asked: T) => void} fail
   */
  constructor(work, take, fail) {
    this.#work = work;
    this.#take = take;
    this.#fail = fail;
  }

  /** A promise that resolves when no request is left; null if no request runs. */
  get pass() {
    return this.#pass;
  }

  get busy() {
    return this.#pass !== null;
  }

  get waiting() {
    return this.#wanted !== null;
  }

  /** @param {T} asked */
  ask(asked) {
    this.#wanted = asked;
    this.#pass ??= this.#run(this.#turn);
    return this.#pass;
  }

  /** Abandons the request in flight; the next request does not wait for it. */
  drop() {
    this.#turn++;
    this.#pass = null;
  }

  /** @param {number} turn */
  async #run(turn) {
    await null; // `ask` stores the promise in #pass first
    while (turn === this.#turn && this.#wanted !== null) {
      const asked = this.#wanted;
      this.#wanted = null;
      try {
        const result = await this.#work(asked);
        if (turn === this.#turn) this.#take(result, asked);
      } catch (error) {
        if (turn === this.#turn) this.#fail(error, asked);
      }
    }
    if (turn === this.#turn) this.#pass = null;
  }
}
