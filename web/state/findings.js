/** Measures the displayed text: its variety, its watermarks, and if a grammar accepts it. */
import { toFault } from '../engine/errors.js';
import { WATERMARKS } from './settings.js';

/**
 * The part of the instrument that this class needs. `engine` throws after the engine is closed.
 * @typedef {Pick<import('./instrument.js').Instrument,
 *   'engine' | 'prompt' | 'texts' | 'grammar' | 'settings' | 'gates' | 'turns' | 'written' | 'attempt' | 'changed'>} Owner
 *
 * The answer to the question for the values that would have broken a loop; without `found` and `fault` while the
 * engine works.
 * @typedef {{ found?: import('../engine/types.js').LoopBreaks | null, fault?: import('../engine/errors.js').Fault }} LoopAnswer
 */

export class Findings {
  /** Type-token ratio and distinct-2, 0 to 1. @type {[number, number]} */
  distinct = [0, 0];
  /**
   * The detected watermarks; null if none is on and the user does not look for any.
   * @type {import('./watermark.js').FoundWatermarks | null}
   */
  watermarks = null;
  /** True if the user looks for watermarks although none is on. */
  sought = false;
  /** Null until the user asks. @type {LoopAnswer | null} */
  loopBreaks = null;
  /** @type {import('../engine/grammar.js').Verdict | null} */
  verdict = null;
  /** The whole text; '' until it has ended. */
  written = '';
  #owner;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** The finished text if there is a constraint to JSON; else null. */
  get json() {
    const { constraint } = this.#owner.gates;
    const free = !constraint || (typeof constraint === 'object' && 'grammar' in constraint);
    return this.#owner.texts.finished && !free ? this.written : null;
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

  /** Looks for the watermarks that are on; if none is on but the user looks for one, for all. */
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

  /** Finds the values of settings that would have broken the loop of the text. */
  async breakLoop() {
    const isNewest = this.#owner.turns.begin('loop');
    this.loopBreaks = {};
    this.#owner.changed();
    /** @type {LoopAnswer} */
    let answer;
    try {
      answer = { found: await this.#owner.engine.breakLoop(this.#owner.written) };
    } catch (error) {
      answer = { fault: toFault(error) };
    }
    if (!isNewest()) return;
    this.loopBreaks = answer;
    this.#owner.changed();
  }

  /** Forgets these values, because the text or the settings change. */
  dropLoopBreaks() {
    this.#owner.turns.begin('loop');
    this.loopBreaks = null;
  }

  /** Forgets the findings about the ended text, because it continues or another text is displayed. */
  reopen() {
    this.verdict = null;
    this.written = '';
    this.dropLoopBreaks();
  }

  /** Decodes the text after its end. If an end token ended it, the grammar judges it too. */
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
   * Calls `take` with the result of `find`, unless another text is displayed by then.
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
