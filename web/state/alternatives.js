/** The tokens that could replace one token of a text, under the present settings. */
import { toFault } from '../engine/errors.js';

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 *
 * `index` counts the drawn tokens; a negative one counts from the end of the prompt. `given` holds the
 * probabilities of a token of the prompt.
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
   * Finds the alternatives of a token. A look from an older position, of a knob that moves, can be
   * superseded by a newer one; it is then repeated.
   * @param {number | null} index null: none are wanted
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

  /** Drops them with the text that they belong to. */
  drop() {
    this.#owner.turns.begin('alternatives');
    this.shown = null;
  }
}
