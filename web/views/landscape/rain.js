/**
 * A thousand draws from the distribution at the knob's value. Each draw is a dot that flies to the bar of its token.
 */
import { countDraws, tallySeed, withoutCoin } from '../../state/tally.js';

/**
 * @typedef {import('../../state/tally.js').Tally} Tally
 *
 * One of many draws. `u` is null for a Gumbel-max draw; `born` is the time in ms at which its dot starts to fly.
 * @typedef {{ id: number, u: number | null, born: number }} Drop
 */

export const DRAWS = 1000;
/** Duration of one dot's flight, and time between the start of the first and the last dot, in ms. */
export const FLIGHT_MS = 650;
const RAIN_MS = 2600;
/** Time between updates of the counts, in ms. */
const COUNT_MS = 60;

export class Rain {
  /** @type {Drop[]} */
  drops = [];
  /** @type {Tally | null} */
  tally = null;
  #turn = 0;

  /** True while dots are flying. */
  get falling() {
    const last = this.drops.at(-1);
    return last !== undefined && performance.now() < last.born + FLIGHT_MS;
  }

  clear() {
    this.#turn++;
    this.drops = [];
    this.tally = null;
  }

  /**
   * Draws a thousand tokens from the distribution of an answer.
   * @param {import('../../state/landscape.js').Reading} reading
   * @param {import('../../state/sources.js').Source} source
   * @param {boolean} still true if the dots do not fly
   * @param {() => void} changed
   */
  async fall({ trace, at: { settings } }, source, still, changed) {
    this.clear();
    const turn = this.#turn;
    const asked = { ...withoutCoin(settings, trace), seed: tallySeed(settings.seed ?? 0, 0) };
    const began = performance.now();
    /** @type {Drop[]} */
    const drops = [];
    const drawer = {
      draw: async (/** @type {any} */ how, /** @type {{ step: number }} */ choice) => {
        const drawn = await source.draw(how, choice);
        const u = settings.draw === 'gumbel' ? null : (drawn.u ?? null);
        drops.push({ id: drawn.id, u, born: began + (RAIN_MS * choice.step) / DRAWS });
        return drawn;
      },
    };
    let whole = null;
    try {
      for await (const tally of countDraws(drawer, asked, DRAWS, { total: 0, counts: new Map() })) {
        if (turn !== this.#turn) return;
        whole = tally;
        if (still) this.tally = tally;
        else this.drops = drops;
        changed();
      }
    } catch (error) {
      if (turn !== this.#turn) return; // the model was closed meanwhile
      throw error;
    }
    // While dots fly, count only the draws whose dots have arrived.
    while (turn === this.#turn && this.falling) {
      this.tally = countOf(drops.filter(({ born }) => born + FLIGHT_MS <= performance.now()));
      changed();
      await new Promise((resolve) => setTimeout(resolve, COUNT_MS));
    }
    if (turn !== this.#turn) return;
    this.drops = [];
    this.tally = whole;
    changed();
  }
}

/** @param {Drop[]} drops @returns {Tally} */
function countOf(drops) {
  const counts = new Map();
  for (const { id } of drops) counts.set(id, { n: (counts.get(id)?.n ?? 0) + 1, p: 0 });
  return { total: drops.length, counts };
}
