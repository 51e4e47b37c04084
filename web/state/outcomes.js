/** Computes how the settings of other programs would change the present logits. */
import { neutralSettings } from './settings.js';

/**
 * @typedef {import('./reader.js').TextPosition} TextPosition
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('../engine/types.js').WarpTrace} WarpTrace
 *
 * The outcome of settings: the number of kept tokens, the sum of their probabilities before the chain
 * (0 to 1), and the entropy of the final distribution in bits.
 * @typedef {{ kept: number, mass: number, entropy: number }} Outcome
 */

export class Outcomes {
  /** Key of the outcomes: the text and the other programs' settings, without the user's settings. */
  #key = '';
  /** @type {Outcome[]} */
  #outcomes = [];

  /**
   * @param {TextPosition} position the biases, gates and seed of its settings apply to every choice
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
