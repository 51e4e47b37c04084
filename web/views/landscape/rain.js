/** Many draws from the slice at the knob: a dot falls to the height of each u, and the counts grow. */
import { countDraws, tallySeed, withoutCoin } from '../../state/tally.js';
import { FALL_MS } from './paint.js';

/**
 * @typedef {import('./paint.js').Drop} Drop
 * @typedef {import('../../state/tally.js').Tally} Tally
 */

export const DRAWS = 1000;
/** The time from the start until the last dot begins to fall, in ms. */
const RAIN_MS = 2600;
/** The interval between updates of the counts, in ms. */
const COUNT_MS = 60;
/** The number of bins of the height; dots in one bin lie side by side. */
const BINS = 120;

export class Rain {
  /** @type {Drop[]} */
  drops = [];
  /** @type {Tally | null} */
  tally = null;
  #turn = 0;

  /** True while dots are falling. */
  get falling() {
    const last = this.drops.at(-1);
    return last !== undefined && performance.now() < last.born + FALL_MS;
  }

  clear() {
    this.#turn++;
    this.drops = [];
    this.tally = null;
  }

  /**
   * Draws from the distribution of a reading.
   * @param {import('../../state/landscape.js').Reading} reading
   * @param {import('../../state/sources.js').Source} source
   * @param {boolean} still true if the dots appear without falling
   * @param {() => void} changed
   */
  async fall({ trace, at: { settings } }, source, still, changed) {
    this.clear();
    const turn = this.#turn;
    const asked = { ...withoutCoin(settings, trace), seed: tallySeed(settings.seed ?? 0, 0) };
    const began = performance.now();
    /** @type {Drop[]} */
    const drops = [];
    /** @type {Map<number, number>} */
    const heaps = new Map();
    const drawer = {
      draw: async (/** @type {any} */ how, /** @type {{ step: number }} */ choice) => {
        const { u, ...drawn } = await source.draw(how, choice);
        const bin = Math.floor((u ?? 0) * BINS);
        const n = heaps.get(bin) ?? 0;
        heaps.set(bin, n + 1);
        // Dots are placed left and right of the knob alternately.
        const away = (n % 2 ? -1 : 1) * (9 + 3.2 * Math.floor(n / 2));
        const born = began + (still ? -FALL_MS : (RAIN_MS * choice.step) / DRAWS);
        drops.push({ id: drawn.id, u: u ?? 0, away, born });
        return { ...drawn, u };
      },
    };
    let whole = null;
    for await (const tally of countDraws(drawer, asked, DRAWS, { total: 0, counts: new Map() })) {
      if (turn !== this.#turn) return;
      whole = tally;
      if (settings.draw !== 'gumbel') this.drops = drops;
      if (still) this.tally = tally;
      changed();
    }
    // A draw is counted when its dot has fallen.
    while (turn === this.#turn && this.falling) {
      this.tally = countOf(drops.filter(({ born }) => born + FALL_MS <= performance.now()));
      changed();
      await new Promise((resolve) => setTimeout(resolve, COUNT_MS));
    }
    if (turn !== this.#turn) return;
    this.tally = whole;
    changed();
  }
}

/** @param {Drop[]} drops @returns {Tally | null} */
function countOf(drops) {
  if (drops.length === 0) return null;
  const counts = new Map();
  for (const { id } of drops) counts.set(id, { n: (counts.get(id)?.n ?? 0) + 1, p: 0 });
  return { total: drops.length, counts };
}
