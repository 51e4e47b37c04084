/**
 * A crossing: the values at which the two lines of a landscape cross (the knob's value and u), and the text that
 * begins there.
 */

/**
 * The crossing with all input of its readings.
 * @typedef {object} Crossing
 * @property {number[]} ids of the prompt
 * @property {number[]} past ids drawn after the prompt; their number is the step of the draw
 * @property {import('../engine/types.js').Settings} settings with the knob's value and the seed
 * @property {string} knob
 * @property {number} value of the knob
 * @property {number | null} u from 0 to 1, in place of the seed's number of the step; null to use the seed's
 */

/** Length of a text in tokens. */
export const TEXT_TOKENS = 24;

/**
 * Returns the options of `generate` for the text that begins at a crossing.
 * @param {Pick<Crossing, 'ids' | 'past' | 'settings' | 'u'>} crossing
 */
export function textOptions({ ids, past, settings, u }) {
  const first = u === null || settings.draw === 'gumbel' ? {} : { u };
  const drawn = past.length > 0 ? { drawn_ids: past } : {};
  return { ...settings, ...first, prompt: ids, ...drawn, max_new_tokens: TEXT_TOKENS };
}
