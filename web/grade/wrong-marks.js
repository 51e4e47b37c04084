/**
 * Watermarks, and samplers that read a second distribution, with one fault each; wrong-samplers.js explains them.
 */
import { GONE, ids, masks, only, softmax, sum } from './wrong-samplers.js';

/** @import { Given, WrongForm } from './wrong-samplers.js' */
/** @typedef {(first: number, second: number, by: number) => number} Mix */
/** @typedef {(logits: number[]) => number[]} Logs */

/** Returns ln p; a removed token stays removed. @type {Logs} */
const logProbabilities = (logits) => {
  const max = Math.max(...logits);
  const whole = max + Math.log(sum(logits.map((l) => Math.exp(l - max))));
  return logits.map((l) => l - whole);
};
/** @type {Logs} */
const asTheyAre = (logits) => logits;

/**
 * @param {Mix} mix
 * @param {Logs} [of] returns the numbers to mix
 * @param {number} [neutral] the value at which the sampler does nothing
 * @returns {WrongForm}
 */
const guided =
  (mix, of = logProbabilities, neutral = 1) =>
  ({ logits, settings: { guidance_scale: s }, second = [] }) => {
    if (s === neutral) return logits;
    const [here, there] = [of(logits), of(second)];
    return logits.map((l, id) => (l === GONE ? GONE : mix(here[id], there[id], s)));
  };
/** @type {Mix} */
const guidanceMix = (c, n, s) => n + s * (c - n);

/** @typedef {{ here: number[], there: number[], mixed: number[], alpha: number }} Contrasted */

/** @param {number[]} list @param {number} alpha @param {number} id */
const isNearBest = (list, alpha, id) => list[id] >= Math.max(...list) + Math.log(alpha);

/**
 * @param {Mix} [mix]
 * @param {(it: Contrasted, id: number) => boolean} [stays]
 * @param {Logs} [of] returns the numbers to mix
 * @returns {WrongForm}
 */
const contrasted =
  (
    mix = contrastMix,
    stays = ({ here, alpha }, id) => isNearBest(here, alpha, id),
    of = logProbabilities,
  ) =>
  ({ logits, settings: { contrastive_beta: b, contrastive_alpha: alpha }, second = [] }) => {
    if (b === 0) return logits;
    const [here, there] = [of(logits), of(second)];
    const mixed = here.map((e, id) => (e === GONE ? GONE : mix(e, there[id], b)));
    return mixed.map((l, id) => (stays({ here, there, mixed, alpha }, id) ? l : GONE));
  };
/** @type {Mix} */
const contrastMix = (e, w, b) => (1 + b) * e - b * w;

/** @param {Given} given @param {number} id */
const isGreen = ({ bits, settings }, id) => Number(bits?.[id]) < settings.green_fraction * 2 ** 32;

/**
 * @param {{ green?: (given: Given, id: number) => boolean, by?: (l: number, bias: number) => number,
 *   red?: (l: number, bias: number) => number, hard?: number, keepsSome?: boolean }} [how] red: changes
 *   the other tokens; hard: the least bias that removes them
 * @returns {WrongForm}
 */
const listed =
  ({
    green = isGreen,
    by = (l, bias) => l + bias,
    red = asItIs,
    hard = 100,
    keepsSome = true,
  } = {}) =>
  (given) => {
    const { logits, settings, bits } = given;
    const bias = settings.green_bias;
    if (bias === 0 || !bits) return logits;
    const chosen = ids(logits).filter((id) => logits[id] !== GONE && green(given, id));
    if (bias >= hard) return chosen.length || !keepsSome ? only(logits, chosen) : logits;
    return logits.map((l, id) => (chosen.includes(id) ? by(l, bias) : red(l, bias)));
  };
const asItIs = (/** @type {number} */ l) => l;

/** @param {number[]} history @param {number} width */
function stoodBefore(history, width) {
  const now = history.slice(-width).join();
  return history.some(
    (_, at) => at + width < history.length && history.slice(at, at + width).join() === now,
  );
}

/**
 * SynthID's tournament, with faults that the options choose.
 * @param {{ layers?: number, wins?: (bits: number, layer: number) => boolean, fresh?: boolean,
 *   again?: boolean, least?: number }} [how] layers: the most layers; wins: true if a token wins a
 *   layer; fresh: each layer sums the losers' mass in the first distribution; again: true to change
 *   a repeated context too; least: the lower bound of the losers' mass
 * @returns {WrongForm}
 */
const played =
  ({ layers = 30, wins = wonLayer, fresh = false, again = false, least = 2 ** -100 } = {}) =>
  ({ logits, settings: { synthid_depth: depth, synthid_context: width }, history, bits }) => {
    if (depth === 0 || !bits || (!again && stoodBefore(history, width))) return logits;
    const first = softmax(logits);
    let p = first;
    const all = logits.slice();
    for (let layer = 0; layer < Math.min(depth, layers); layer++) {
      const g = ids(logits).map((id) => wins(bits[id], layer));
      const lost = sum((fresh ? first : p).filter((_, id) => !g[id]));
      const factor = g.map((it) => Number(it) + Math.max(lost, least));
      p = p.map((share, id) => share * factor[id]);
      factor.forEach((by, id) => (all[id] += Math.log(by)));
    }
    return all;
  };
const wonLayer = (/** @type {number} */ bits, /** @type {number} */ layer) =>
  ((bits >>> layer) & 1) === 1;

/** @type {Record<string, Record<string, WrongForm>>} */
export const WRONG_MARKS = {
  guidance_scale: {
    guided_back: guided((c, n, s) => c + s * (n - c)),
    guided_past: guided((c, n, s) => c + s * (c - n)),
    guided_alone: guided((c, _, s) => s * c),
    guided_logits: guided(guidanceMix, asTheyAre),
    guided_shares_1: guided(guidanceMix, softmax),
    guided_shares_2: guided((c, n, s) => Math.log(guidanceMix(Math.exp(c), Math.exp(n), s))),
    guided_neutral: guided(guidanceMix, logProbabilities, Number.NaN),
    ...masks('guidance_scale', guided(guidanceMix)),
  },
  contrastive_beta: {
    contrast_plain: contrasted((e, w, b) => e - b * w),
    contrast_turned: contrasted((e, w, b) => (1 + b) * w - b * e),
    contrast_all: contrasted(contrastMix, () => true),
    contrast_weak_cut: contrasted(contrastMix, ({ there, alpha }, id) =>
      isNearBest(there, alpha, id),
    ),
    contrast_late_cut: contrasted(contrastMix, ({ mixed, alpha }, id) =>
      isNearBest(mixed, alpha, id),
    ),
    contrast_share_cut: contrasted(
      contrastMix,
      ({ here, alpha }, id) => here[id] >= Math.log(alpha),
    ),
    contrast_logits: contrasted(contrastMix, undefined, asTheyAre),
    ...masks('contrastive_beta', contrasted()),
  },
  green_bias: {
    green_red: listed({ green: (given, id) => !isGreen(given, id) }),
    green_half: listed({ green: ({ bits }, id) => Number(bits?.[id]) < 2 ** 31 }),
    green_first: listed({
      green: ({ logits, settings }, id) => id < settings.green_fraction * logits.length,
    }),
    green_lowers: listed({ by: asItIs, red: (l, bias) => l - bias }),
    green_times: listed({ by: (l, bias) => l * bias }),
    green_soft: listed({ hard: Infinity }),
    green_hard: listed({ hard: 0 }),
    green_empties: listed({ keepsSome: false }),
    ...masks('green_bias', listed()),
  },
  synthid_depth: {
    synthid_once: played({ layers: 1 }),
    synthid_fresh: played({ fresh: true }),
    synthid_losers: played({ wins: (bits, layer) => !wonLayer(bits, layer) }),
    synthid_other_bits: played({ wins: (bits, layer) => wonLayer(bits, 31 - layer) }),
    synthid_again: played({ again: true }),
    synthid_no_least: played({ least: 0 }),
    ...masks('synthid_depth', played()),
  },
};
