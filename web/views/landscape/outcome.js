/** Facts about the chosen value and u. The tour uses them in its sentences. */
import { DRAWS } from './rain.js';

/**
 * @typedef {object} Outcome
 * @property {string} knob
 * @property {number} value of the knob
 * @property {number} share the knob's value as a share of its range, 0 to 1
 * @property {string} others the other settings and the text before the picture's token as JSON
 * @property {number | null} u
 * @property {number} id of the drawn token
 * @property {string} token its name
 * @property {{ token: string, p: number }} best the most probable token after the chain
 * @property {number | null} draws how often `best` was drawn in a thousand draws; null before them
 * @property {number | null} unlike share of u at which the compared landscape draws another token; null
 *   without a comparison
 * @property {number[] | null} kept the numbers of tokens that can be drawn after the sure and the unsure
 *   prompt; null without two prompts at once
 */

/**
 * Settings that the pictures of two prompts always use: a high temperature would make both distributions flat and
 * hide their difference.
 */
export const OWN = { temperature: 1 };

/**
 * Returns the facts of two prompts at once, which draw no token.
 * @param {import('./knob.js').Knob} knob
 * @param {number[]} kept
 * @returns {Outcome}
 */
export function outcomeOfPair({ row, value, share }, kept) {
  const nothing = { u: null, id: -1, token: '', draws: null, unlike: null };
  const knob = row?.name ?? '';
  return { ...nothing, knob, value, share, others: '{}', best: { token: '', p: 0 }, kept };
}

/**
 * Returns the facts for the engine's answer; null while the name of a token is unknown.
 * @param {import('../../state/landscape.js').Reading} reading
 * @param {import('../../engine/types.js').TableRow} row of the knob
 * @param {import('./names.js').Names} names
 * @param {import('../../state/tally.js').Tally | null} tally
 * @param {(share: number) => number | null} unlikeAt
 * @param {unknown} text the text before the token
 * @returns {Outcome | null}
 */
export function outcomeOf({ trace, drawn, at }, { low, high }, names, tally, unlikeAt, text) {
  const token = names.of(drawn.id);
  if (!token) return null;
  const { [at.knob]: _, seed: __, ...others } = /** @type {Record<string, any>} */ (at.settings);
  const best = trace.tokens.reduce((first, token) => (token.p > first.p ? token : first));
  const share = (at.value - low) / (high - low);
  return {
    knob: at.knob,
    value: at.value,
    share,
    others: JSON.stringify({ ...others, text }),
    u: drawn.u,
    id: drawn.id,
    token,
    best: { token: names.of(best.id), p: best.p },
    draws: tally?.total === DRAWS ? (tally.counts.get(best.id)?.n ?? 0) : null,
    unlike: unlikeAt(share),
    kept: null,
  };
}
