/** What other programs' settings would leave of the logits on show. */
import { neutralSettings } from './settings.js';

/**
 * @typedef {import('./reader.js').TextPosition} TextPosition
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('../engine/types.js').WarpTrace} WarpTrace
 *
 * What a choice of settings leaves: how many tokens, how much of the model's mass they hold, and the
 * entropy in bits of what is drawn from.
 * @typedef {{ kept: number, mass: number, entropy: number }} Outcome
 */

export class Outcomes {
  /** Of what they are: they change with the text, not with the knobs. */
  #key = '';
  /** @type {Outcome[]} */
  #outcomes = [];

  /**
   * @param {TextPosition} position whose biases, gates and seed stay as they are
   * @param {Settings[]} fronts
   * @param {import('../plots/trace.js').SettingRow[]} table
   * @param {(choices: Settings[]) => Promise<WarpTrace[]>} warp the logits there, by each choice
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
