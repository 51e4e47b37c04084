/**
 * The landscape of a first visit. web/first-frame.js computes it when the site is built. This module expands it into
 * the data that the landscape paints before the model is loaded.
 */
import { valuesOf } from './knob-values.js';

/** @import { Landscape, TableRow } from '../engine/types.js' */

/**
 * @typedef {object} BuiltFrame
 * @property {string} prompt
 * @property {TableRow[]} table
 * @property {number | null} eos
 * @property {number} vocab_size
 * @property {number} entropy
 * @property {number} perplexity
 * @property {[id: number, rank: number, p: number, p_raw: number][]} tokens the tokens listed at the
 *   crossing of the lines
 * @property {{ count: number, p: number, p_raw: number, kept: number }} rest
 * @property {import('../engine/types.js').Drawn} drawn
 * @property {[id: number, text: string][]} steps
 * @property {[value: number, steps: [id: number, text: string][]][]} rungs the texts of the ladder
 * @property {[id: number, text: string][]} names
 * @property {number[]} ids the tokens of the rivers, in descending order of their logits
 * @property {number[]} logits of `ids`
 * @property {number[]} sums the total probability of `ids` at each value of the knob
 *
 * @typedef {object} FirstFrame
 * @property {string} prompt
 * @property {Record<string, any>} settings
 * @property {TableRow[]} table
 * @property {number | null} eos
 * @property {Landscape | null} landscape null if the frame has no picture
 * @property {import('./landscape.js').Reading | null} reading
 * @property {import('./landscape.js').Written | null} written
 * @property {import('./ladder.js').Rung[]} rungs
 * @property {import('../engine/types.js').Piece[]} pieces
 */

/** The first screen: its knob, its settings and its seed. */
export const FIRST_SCREEN = { knob: 'temperature', settings: { temperature: 0.7 }, seed: 42 };

/**
 * Computes the probabilities of the rivers at each temperature from the logits of their tokens.
 * @param {BuiltFrame} built
 * @returns {Landscape}
 */
function landscapeOf({ table, ids, logits, sums }) {
  const row = table.find(({ name }) => name === FIRST_SCREEN.knob);
  const values = valuesOf(/** @type {TableRow} */ (row));
  const top = ids.length;
  const all = new Uint32Array(values.length * top);
  const p = new Float64Array(values.length * top);
  values.forEach((temperature, i) => {
    const weights = logits.map((logit, k) =>
      temperature === 0 ? Number(k === 0) : Math.exp((logit - logits[0]) / temperature),
    );
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    all.set(ids, i * top);
    p.set(
      weights.map((weight) => (weight / whole) * sums[i]),
      i * top,
    );
  });
  return { values, top, ids: all, p };
}

/** @param {[id: number, text: string][]} steps */
const stepsOf = (steps) => steps.map(([id, text]) => ({ id, text }));

/**
 * @param {BuiltFrame} built
 * @returns {FirstFrame}
 */
export function expandFrame(built) {
  const { prompt, table, eos, vocab_size, entropy, perplexity } = built;
  const { tokens, rest, drawn, steps, rungs, names } = built;
  const { knob, seed } = FIRST_SCREEN;
  const settings = { ...FIRST_SCREEN.settings, seed };
  const value = FIRST_SCREEN.settings.temperature;
  const trace = {
    vocab_size,
    entropy,
    perplexity,
    rest,
    stages: [],
    tokens: tokens.map(([id, rank, p, p_raw]) => ({ id, rank, p, p_raw })),
  };
  const text = steps.map(([, each]) => each).join('');
  return {
    prompt,
    settings,
    table,
    eos,
    landscape: landscapeOf(built),
    // Of the trace, only the parts that the landscape uses.
    reading: {
      trace: /** @type {any} */ (trace),
      drawn,
      at: { ids: [], past: [], settings, knob, value, u: null },
    },
    written: /** @type {any} */ ({
      text,
      ids: steps.map(([id]) => id),
      steps: stepsOf(steps),
      past: [],
    }),
    rungs: rungs.map(([value, each]) => ({ knob: 'temperature', value, steps: stepsOf(each) })),
    pieces: names.map(([id, each]) => ({
      id,
      text: each,
      bytes: new TextEncoder().encode(each),
      special: false,
    })),
  };
}

/**
 * Returns a first frame without a picture, for a state that the build does not have.
 * @param {BuiltFrame} built
 * @param {string} prompt
 * @param {Record<string, any>} settings
 * @returns {FirstFrame}
 */
export function emptyFrame({ table, eos }, prompt, settings) {
  const picture = { landscape: null, reading: null, written: null, rungs: [], pieces: [] };
  return { prompt, settings, table, eos, ...picture };
}
