/** The settings of the thinking part of a text, and the tokens that they draw. */

/** @import { Settings } from '../plots/trace.js' */

export class ThinkingSettings {
  /** In place of the text's own; null for none. @type {Settings | null} */
  settings = null;
  /** The code that finds this part, fetched with the first such settings. @type {typeof import('./thinking.js') | null} */
  #finder = null;

  /** @param {Settings | null} settings */
  async take(settings) {
    this.settings = settings;
    if (settings) this.#finder ??= await import('./thinking.js');
  }

  /** Changes settings; null removes one. @param {Settings} patch */
  change(patch) {
    const all = Object.entries({ ...this.settings, ...patch });
    const set = all.filter(([, value]) => (value ?? null) !== null);
    return this.take(set.length > 0 ? Object.fromEntries(set) : null);
  }

  /**
   * Returns for each drawn token and the next one: these settings if they draw it, else null. The list is empty
   * without such settings.
   * @param {Pick<import('./instrument.js').Instrument, 'prompt' | 'texts'>} owner
   */
  partsOf({ prompt, texts }) {
    const { settings } = this;
    const draws = settings && this.#finder?.findThinkingDraws(prompt.pieces, texts.steps);
    return (draws || []).map((on) => (on ? settings : null));
  }
}
