/**
 * This engine as a contender: each operation is one unit of work, which the bench repeats and times. It runs in Node
 * and in a browser's worker.
 */
import { Logitscope } from '../../web/engine/index.js';
import { timeOf } from './timing.js';

/** @typedef {import('./contender.js').Work} Work */

export class Engine {
  /** @type {any} */
  #source;
  /** @type {string} */
  #variant;
  /** @type {Logitscope} */
  #scope;
  #turn = 0;
  /** @type {import('../../web/engine/session.js').Session | null} */
  #other = null;

  /** @param {Logitscope} scope @param {any} source @param {string} variant */
  constructor(scope, source, variant) {
    this.#scope = scope;
    this.#source = source;
    this.#variant = variant;
  }

  /**
   * Opens a model. Throws if the variant is not built or the host cannot run it.
   * @param {{ model: any, variant: string, threads?: number, feed?: number[] }} options feed: ids of the
   *   samplers' history
   */
  static async open({ model, variant, threads, feed }) {
    const scope = await Logitscope.load({ model, variant: /** @type {any} */ (variant), threads });
    if (scope.variant !== variant) {
      scope.close();
      throw new Error(`the loader chose ${scope.variant}`);
    }
    if (feed) scope.feed(feed);
    return new Engine(scope, model, variant);
  }

  /**
   * Returns the milliseconds of one unit of the work, averaged over at least `least` ms.
   * @param {Work} work
   * @param {number} least
   */
  sample(work, least) {
    return timeOf(() => this.#run(work), least);
  }

  /** @param {Work} work @returns {void | Promise<void>} */
  #run(work) {
    switch (work.what) {
      case 'decode':
        return this.#decode(work.tokens);
      case 'prefill':
        return this.#prefill(work.tokens);
      case 'step':
        return this.#step(work.position, work.cache);
      case 'draw':
        return this.#draw(work.settings);
      case 'trace':
        return void this.#scope.distribution(work.settings);
      case 'load':
        return this.#load();
      default:
        throw new Error(`unknown work ${JSON.stringify(work)}`);
    }
  }

  /**
   * Feeds `tokens` tokens, one at a time, from an empty timeline, as wllama's loop does.
   * @param {number} tokens
   */
  #decode(tokens) {
    const ids = [0];
    this.#scope.feed(ids, { cache: false });
    while (ids.length < tokens) {
      ids.push(ids.length);
      this.#scope.feed(ids);
    }
  }

  /** @param {number} tokens */
  #prefill(tokens) {
    this.#scope.feed(
      Array.from({ length: tokens }, (_, i) => i),
      { cache: false },
    );
  }

  /**
   * Feeds the last token of a timeline of `position` tokens. This token alternates, so it is never cached.
   * @param {number} position
   * @param {boolean} cache
   */
  #step(position, cache) {
    const ids = Array.from({ length: position }, (_, i) => i);
    ids[position - 1] = this.#turn++ % 2;
    this.#scope.feed(ids, { cache });
  }

  /**
   * Draws as in a decode loop: two sessions alternate, so that each draw has other logits than the one before.
   * @param {any} settings
   */
  #draw(settings) {
    this.#other ??= this.#scope.session();
    if (!this.#other.timeline().length) {
      this.#other.feed(this.#scope.timeline());
      // Samplers of two models need a second distribution.
      for (const session of [this.#scope, this.#other]) session.second(this.#scope.logits());
    }
    const session = this.#turn % 2 ? this.#other : this.#scope;
    session.draw(settings, { step: this.#turn++, raw: false });
  }

  async #load() {
    const scope = await Logitscope.load({
      model: this.#source,
      variant: /** @type {any} */ (this.#variant),
    });
    scope.close();
  }

  /** Feeds these ids and returns the logits after them. @param {number[]} ids */
  logits(ids) {
    this.#scope.feed(ids);
    return this.#scope.logits();
  }

  /** Rows of the samplers in the settings table, in canonical order. */
  get samplers() {
    return this.#scope.table.filter((row) => row.sampler);
  }

  close() {
    this.#scope.close();
  }
}
