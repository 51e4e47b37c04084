/** Runs one request at a time and lets one more wait. A newer request replaces the waiting one. */

/** @template T, R */
export class Newest {
  /** @type {T | null} */
  #wanted = null;
  /** @type {Promise<void> | null} */
  #pass = null;
  /** Increased by `drop`. A request that began with a lower number is given up. */
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

  /** Resolves when no request runs or waits; null if none does. */
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

  /** Gives up the running request. The next one does not wait for it. */
  drop() {
    this.#turn++;
    this.#pass = null;
  }

  /** @param {number} turn */
  async #run(turn) {
    await null; // lets `ask` store this promise before the work begins
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
