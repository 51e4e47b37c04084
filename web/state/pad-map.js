/**
 * The map of the pad: entropy and number of kept tokens at each pair of values of two settings. It has
 * its own timeline, so that the bars never wait for it. It is read again when the text or another
 * setting changes.
 */
import { Timeline } from './sources.js';

/**
 * `entropy` (in bits) and `kept` list the values column by column, each column from the bottom up; null
 * if a value is not read yet.
 * @typedef {{ columns: number[], rows: number[], entropy: (number | null)[], kept: (number | null)[] }} PadMap
 *
 * The part of the instrument that this class needs.
 * @typedef {Pick<import('./instrument.js').Instrument,
 *   'live' | 'engine' | 'position' | 'turns' | 'changed'>} Owner
 */

/** The settings that grow to the right and upwards. */
export const ACROSS = 'temperature';
export const UP = 'top_p';
const COLUMNS = Array.from({ length: 25 }, (_, i) => i / 8);
const ROWS = Array.from({ length: 11 }, (_, i) => i / 10);

export class PadReader {
  /** @type {PadMap | null} */
  #map = null;
  #wanted = false;
  /** @type {Timeline | null} */
  #timeline = null;
  /** Identifies the text and settings of the map. */
  #key = '';
  #owner;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** The map; null while it is not visible or not read. */
  get map() {
    return this.#wanted ? this.#map : null;
  }

  /** @param {boolean} wanted true if the map is visible */
  want(wanted) {
    this.#wanted = wanted;
    this.follow();
    this.#owner.changed();
  }

  /** Reads the map of the current position, unless it is read already. */
  async follow() {
    const { live, turns } = this.#owner;
    if (!this.#wanted || !live) return;
    const { ids, settings, step } = this.#owner.position;
    if (ids.length === 0) return;
    const { [ACROSS]: _, [UP]: __, seed: ___, own: ____, ...others } = settings;
    const key = JSON.stringify([ids, others, step]);
    if (key === this.#key) return;
    this.#key = key;
    const isNewest = turns.begin('map');
    const timeline = (this.#timeline ??= new Timeline(this.#owner.engine));
    try {
      await timeline.moveTo({ ids, settings, step });
      const count = COLUMNS.length * ROWS.length;
      const entropy = this.#map?.entropy.slice() ?? Array(count).fill(null);
      const kept = this.#map?.kept.slice() ?? Array(count).fill(null);
      for (const [i, across] of COLUMNS.entries()) {
        for (const [j, up] of ROWS.entries()) {
          const asked = { ...others, [ACROSS]: across, [UP]: up, top: 1 };
          const { trace } = await timeline.read(asked, { step });
          if (!isNewest()) return;
          entropy[i * ROWS.length + j] = trace.entropy;
          kept[i * ROWS.length + j] = trace.kept;
        }
        this.#map = { columns: COLUMNS, rows: ROWS, entropy: [...entropy], kept: [...kept] };
        this.#owner.changed();
      }
    } catch {
      if (isNewest()) this.#key = ''; // the bench shows the reason of the failure
    }
  }

  /** Closes the timeline and drops the map. */
  close() {
    this.#owner.turns.begin('map');
    this.#timeline?.close();
    this.#timeline = null;
    this.#map = null;
    this.#key = '';
  }
}
