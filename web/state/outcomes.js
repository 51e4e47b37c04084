/** The outcomes of other programs' settings for the current logits. */
import { neutralSettings } from './settings.js';

/**
 * @typedef {import('./reader.js').TextPosition} TextPosition
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('../engine/types.js').WarpTrace} WarpTrace
 *
 * The outcome of settings: the number of kept tokens, their share of the model's mass, and the
 * entropy of the final distribution in bits.
 * @typedef {{ kept: number, mass: number, entropy: number }} Outcome
 */

export class Outcomes {
  /** The input of the outcomes, which depend on the text and not on the knobs. */
  #key = '';
  /** @type {Outcome[]} */
  #outcomes = [];

  /**
   * @param {TextPosition} position its biases, gates and seed apply too
   * @param {Settings[]} fronts
   * @param {import('../plots/trace.js').SettingRow[]} table
   * @param {(choices: Settings[]) => Promise<WarpTrace[]>} warp runs each choice over the logits of
   *   the position
   */
  async read({ ids, step, settings }, fronts, table, warp) {
    const neutral = neutralSettings(table);
    const others = Object.entries(settings).filter(
      ([name]) => name !== 'order' && !(name in neutral),
    );
    const choices = fronts.map((front) => ({ ...Object.fromEntries(others), ...front }));
    const key = settings.own ? '' : JSON.stringify([ids, step, choices]);
    if (key && key === this.#key) return this.#outcomes;
    const [raw, ...results] = await warp([{}, ...choices]);
    this.#outcomes = results.map(({ kept, entropy, logits }) => {
      const mass = raw.p.reduce((sum, p, id) => (logits[id] > -Infinity ? sum + p : sum), 0);
      return { kept, entropy, mass: Math.min(1, mass) };
    });
    this.#key = key;
    return this.#outcomes;
  }
}
