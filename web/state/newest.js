/** One request in flight, and the newest that waits: what was asked for between the two is left out. */

/** @template T, R */
export class Newest {
  /** @type {T | null} */
  #wanted = null;
  /** @type {Promise<void> | null} */
  #pass = null;
  /** Bumped by `drop`; an earlier pass is given up. */
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

  /** Ends when nothing is asked for any more; null where nothing is. */
  get pass() {
    return this.#pass;
  }

  /** Whether something runs or waits. */
  get busy() {
    return this.#pass !== null;
  }

  /** Whether a newer request waits. */
  get waiting() {
    return this.#wanted !== null;
  }

  /** @param {T} asked */
  ask(asked) {
    this.#wanted = asked;
    this.#pass ??= this.#run(this.#turn);
    return this.#pass;
  }

  /** Gives up what is in flight: nobody hears of it, and what is asked for next does not wait for it. */
  drop() {
    this.#turn++;
    this.#pass = null;
  }

  /** @param {number} turn */
  async #run(turn) {
    await null; // so that none ends before `ask` has kept it
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
