/**
 * The texts of a landscape's ladder: one for each mark of the knob's axis, written with the landscape's seed, u and
 * other settings. They are written when nothing else needs the timeline.
 */
import { textOptions } from './crossing.js';
import { Newest } from './newest.js';

/** @import { Crossing } from './crossing.js' */
/** @import { TableRow } from '../engine/types.js' */

/**
 * @typedef {import('../engine/types.js').Generated & { steps: import('../engine/types.js').Step[] }} Text
 * @typedef {{ write: (options: any) => Promise<Text> }} Writer a timeline that writes texts
 *
 * A text of the ladder at a value of a knob; `steps` is null until it is written.
 * @typedef {{ knob: string, value: number, steps: { id: number, text: string }[] | null }} Rung
 */

/** Number of texts. */
const RUNGS = 5;
/** Marks for knobs whose evenly spaced values would not be interesting. @type {Record<string, number[]>} */
const MARKS = {
  temperature: [0, 0.5, 1, 1.5, 2],
  top_k: [1, 2, 5, 20, 0],
  top_p: [1, 0.9, 0.7, 0.5, 0.3],
  min_p: [0, 0.02, 0.05, 0.1, 0.3],
};

/**
 * Returns the values of the knob for which texts are written, from one end of the axis to the other.
 * @param {TableRow} row
 */
export function marksOf({ name, low, high, kind }) {
  const even = Array.from({ length: RUNGS }, (_, i) => low + ((high - low) * i) / (RUNGS - 1));
  const values = even.map((value) => (kind === 'integer' ? Math.round(value) : roundValue(value)));
  return MARKS[name] ?? [...new Set(values)];
}

/** Rounds away the error of binary fractions. @param {number} value */
const roundValue = (value) => Number(value.toFixed(4));

export class Ladder {
  /** @type {Rung[]} */
  rungs;
  #writer;
  #table;
  #changed;
  /** A key of everything that the texts depend on; '' before the first request. */
  #key = '';
  #stop = new AbortController();
  /** @type {Newest<Crossing, void>} */
  #requests = new Newest(
    (asked) => this.#write(asked),
    () => {},
    () => {}, // ignored: the landscape's own text reports the error
  );

  /**
   * @param {Writer} writer
   * @param {TableRow[]} table
   * @param {() => void} changed called after each text
   * @param {Rung[]} [rungs] the texts to show until the first is written
   */
  constructor(writer, table, changed, rungs = []) {
    this.#writer = writer;
    this.#table = table;
    this.#changed = changed;
    this.rungs = rungs;
  }

  get busy() {
    return this.#requests.busy;
  }

  /** Resolves when no text is being written; null if none is. */
  get pass() {
    return this.#requests.pass;
  }

  /** Writes the texts, unless they are written already. @param {Crossing} asked */
  ask(asked) {
    const { ids, past, knob, settings, u } = asked;
    const key = JSON.stringify([ids, past, knob, { ...settings, [knob]: 0 }, u]);
    if (key === this.#key) return;
    this.#key = key;
    this.#stop = new AbortController();
    this.#requests.ask(asked);
  }

  /** Stops writing. The next request begins again. */
  stop() {
    if (!this.busy) return;
    this.#key = '';
    this.#stop.abort();
  }

  /** @param {Crossing} asked */
  async #write(asked) {
    const { knob, settings } = asked;
    const { signal } = this.#stop;
    const row = this.#table.find(({ name }) => name === knob);
    const values = row ? marksOf(row) : [];
    const isShown = (/** @type {number} */ value, /** @type {number} */ i) =>
      value === this.rungs[i]?.value && knob === this.rungs[i]?.knob;
    if (!values.every(isShown)) this.rungs = values.map((value) => ({ knob, value, steps: null }));
    for (const [i, value] of values.entries()) {
      const options = textOptions({ ...asked, settings: { ...settings, [knob]: value } });
      const { steps } = await this.#writer.write({ ...options, signal });
      if (signal.aborted) return;
      this.rungs = this.rungs.map((rung, k) => (k === i ? { ...rung, steps } : rung));
      this.#changed();
    }
  }
}
