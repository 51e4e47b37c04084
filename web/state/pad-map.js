/**
 * Reads the pad's map, column by column: entropy and kept tokens over two settings. It has its own
 * timeline, so the bars never wait for it, and follows the text and the other settings.
 */
import { Timeline } from './sources.js';

/**
 * @typedef {import('./reader.js').TextPosition} TextPosition
 * @typedef {import('../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 *
 * Values column by column, each from the bottom; null for a value not yet read.
 * @typedef {{ columns: number[], rows: number[], entropy: (number | null)[], kept: (number | null)[] }} PadMap
 */

/** The settings of the horizontal and the vertical axis. */
export const ACROSS = 'temperature';
export const UP = 'top_p';
const COLUMNS = Array.from({ length: 25 }, (_, i) => i / 8);
const ROWS = Array.from({ length: 11 }, (_, i) => i / 10);

export class PadReader {
  /** @type {PadMap | null} */
  map = null;
  #timeline;
  #changed;
  /** The input of the map. */
  #key = '';
  /** Incremented for each map; earlier ones are abandoned. */
  #turn = 0;

  /**
   * @param {RemoteLogitscope} engine
   * @param {() => void} changed called after each column
   */
  constructor(engine, changed) {
    this.#timeline = new Timeline(engine);
    this.#changed = changed;
  }

  /** Reads the map of a position unless it is current. @param {TextPosition} position */
  async follow({ ids, settings, step }) {
    const { [ACROSS]: _, [UP]: __, seed: ___, own: ____, ...others } = settings;
    const key = JSON.stringify([ids, others, step]);
    if (key === this.#key) return;
    this.#key = key;
    const turn = ++this.#turn;
    try {
      await this.#timeline.moveTo({ ids, settings, step });
      const count = COLUMNS.length * ROWS.length;
      const entropy = this.map?.entropy.slice() ?? Array(count).fill(null);
      const kept = this.map?.kept.slice() ?? Array(count).fill(null);
      for (const [i, across] of COLUMNS.entries()) {
        for (const [j, up] of ROWS.entries()) {
          const asked = { ...others, [ACROSS]: across, [UP]: up, top: 1 };
          const { trace } = await this.#timeline.read(asked, { step });
          if (turn !== this.#turn) return;
          entropy[i * ROWS.length + j] = trace.entropy;
          kept[i * ROWS.length + j] = trace.kept;
        }
        this.map = { columns: COLUMNS, rows: ROWS, entropy: [...entropy], kept: [...kept] };
        this.#changed();
      }
    } catch {
      if (turn === this.#turn) this.#key = ''; // the bench shows the fault
    }
  }

  close() {
    this.#turn++;
    this.#timeline.close();
  }
}
