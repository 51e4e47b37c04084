/** Measures the visible drawn text: its variety, its watermarks, the verdict of a grammar. */
import { WATERMARKS } from './settings.js';

/**
 * The part of the instrument that this class needs. `engine` throws after the engine is closed.
 * @typedef {Pick<import('./instrument.js').Instrument,
 *   'engine' | 'prompt' | 'texts' | 'grammar' | 'settings' | 'attempt' | 'changed'>} Owner
 */

export class Findings {
  /** @type {[number, number]} Type-token ratio and distinct-2, each from 0 to 1. */
  distinct = [0, 0];
  /** Null while no watermark is on and `sought` is false. @type {import('./watermark.js').FoundWatermarks | null} */
  watermarks = null;
  /** True to look for both watermarks while no watermark is on. */
  sought = false;
  /** @type {import('../engine/grammar.js').Verdict | null} */
  verdict = null;
  /** The drawn text; '' until it has ended. */
  written = '';
  #owner;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  measure() {
    const list = Uint32Array.from(this.#owner.texts.steps, ({ id }) => id);
    return this.#find(
      async () =>
        /** @type {[number, number]} */ ([
          await this.#owner.engine.distinct(list, 1),
          await this.#owner.engine.distinct(list, 2),
        ]),
      (distinct) => (this.distinct = distinct),
    );
  }

  /** @param {boolean} sought */
  seek(sought) {
    this.sought = sought;
    return this.findWatermarks();
  }

  /** Looks for the watermarks that are on. If none is on and `sought` is true, looks for both. */
  findWatermarks() {
    const { prompt, texts, settings } = this.#owner;
    const wanted = this.sought || WATERMARKS.some((name) => settings[name]);
    return this.#find(
      async () => {
        if (!wanted) return null;
        const code = await import('./watermark.js');
        return code.findWatermarks(this.#owner.engine, prompt.ids, texts.steps, settings);
      },
      (found) => (this.watermarks = found),
    );
  }

  /** Drops the findings of an ended text, because the text continues or another text replaces it. */
  reopen() {
    this.verdict = null;
    this.written = '';
  }

  /** Decodes an ended text. If the end token ended it, the grammar checks it too. */
  judge() {
    const { prompt, texts, grammar } = this.#owner;
    const { steps, finished } = texts;
    const stopped = finished === 'eos';
    const ids = steps.map(({ id }) => id);
    const decode = (/** @type {number[]} */ list) =>
      this.#owner.engine.decode(Uint32Array.from(list));
    return this.#find(
      async () => {
        const written = await decode(stopped ? ids.slice(0, -1) : ids);
        if (!grammar || !stopped) return { written, verdict: null };
        const sentence = await decode([...prompt.ids, ...ids]);
        const { checkSentence } = await import('../engine/grammar.js');
        return { written, verdict: checkSentence(grammar, sentence) };
      },
      (judged) => Object.assign(this, judged),
    );
  }

  /**
   * Calls `take` with the result of `find`, unless another text has become visible meanwhile.
   * @template T
   * @param {() => Promise<T>} find
   * @param {(found: T) => void} take
   */
  #find(find, take) {
    const { texts } = this.#owner;
    const { steps } = texts;
    return this.#owner.attempt(async () => {
      const found = await find();
      if (steps !== texts.steps) return;
      take(found);
      this.#owner.changed();
    });
  }
}
