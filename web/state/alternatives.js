/** Finds the tokens that were possible in place of one token of a text, under the current settings. */
import { toFault } from '../engine/errors.js';

/** @import { Trace } from '../plots/trace.js' */

/**
 * `index` counts the drawn tokens from 0; a negative index counts from the end of the prompt. `given`
 * has the probabilities of a token of the prompt; it is undefined for a drawn token.
 * @typedef {{ index: number, trace: Trace, given?: { p: number, p_raw: number } }} TokenAlternatives
 *
 * The part of the instrument that this class needs.
 * @typedef {Pick<import('./instrument.js').Instrument,
 *   'turns' | 'reader' | 'prompt' | 'texts' | 'positionAfter' | 'fail' | 'changed'>} Owner
 */

export class Alternatives {
  /** @type {TokenAlternatives | null} */
  shown = null;
  #owner;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /**
   * Finds the alternatives of a token. While a knob moves, a newer reading may cancel this one; then it is repeated.
   * @param {number | null} index null if no alternatives are to be shown
   * @returns {Promise<void>}
   */
  async find(index) {
    const { turns, prompt, texts } = this.#owner;
    const isNewest = turns.begin('alternatives');
    const inText = index !== null && index < texts.steps.length && index > -prompt.ids.length;
    /** @type {TokenAlternatives | null} */
    let found = null;
    try {
      if (inText) found = await this.#read(index);
    } catch (error) {
      if (!isNewest()) return;
      if (toFault(error).code === 'superseded') return this.find(index);
      this.#owner.fail(error);
    }
    if (!isNewest()) return;
    this.shown = found;
    this.#owner.changed();
  }

  /** @param {number} index @returns {Promise<TokenAlternatives>} */
  async #read(index) {
    const { reader, prompt } = this.#owner;
    const position = this.#owner.positionAfter(index);
    const trace = await reader.alternatives(position);
    const id = index < 0 ? prompt.ids.at(index) : undefined;
    const given = id === undefined ? undefined : await reader.shareOf(position, id);
    return { index, trace, given };
  }

  /** Forgets the alternatives because their text is no longer visible. */
  drop() {
    this.#owner.turns.begin('alternatives');
    this.shown = null;
  }
}
