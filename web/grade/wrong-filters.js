/** Samplers that remove improbable tokens, with one fault each; wrong-samplers.js explains them. */
import { GONE, NEAR, best, ids, masks, only, prefix, softmax, sum } from './wrong-samplers.js';

/** @import { WrongForm } from './wrong-samplers.js' */

/**
 * A token in a filter. `l`: its logit; `p`: its probability; `high`, `top`: the largest logit and
 * probability;
 * `by`: the setting; `size`: the vocabulary size; `entropy`: in nats.
 * @typedef {{ l: number, p: number, high: number, top: number, by: number, size: number,
 *   entropy: number }} Token
 */

/** @param {number[]} p */
const entropyOf = (p) => -sum(p.map((it) => (it > 0 ? it * Math.log(it) : 0)));

/**
 * @param {string} name
 * @param {(it: Token) => boolean} stays
 * @param {{ best?: boolean, shares?: (logits: number[]) => number[] }} [how] best: true if the best token
 *   always stays
 * @returns {WrongForm}
 */
const sieve =
  (name, stays, { best: keepsBest = true, shares = softmax } = {}) =>
  ({ logits, settings }) => {
    const by = settings[name];
    if (by === 0) return logits;
    const p = shares(logits);
    const [first] = best(logits);
    const beside = { high: Math.max(...logits), top: Math.max(...p), by, size: logits.length };
    const entropy = entropyOf(p);
    return logits.map((l, id) =>
      (id === first && keepsBest) || (l !== GONE && stays({ l, p: p[id], entropy, ...beside }))
        ? l
        : GONE,
    );
  };

/** A softmax that does not subtract the maximum. @param {number[]} logits */
const unshiftedSoftmax = (logits) => softmax(logits, 0);

/**
 * Wrong forms that all samplers with a limit for the probability have.
 * @param {string} name
 * @param {(it: Token) => number} limit returns the least probability that stays
 * @returns {Record<string, WrongForm>}
 */
const limitForms = (name, limit) => ({
  limit_strict: sieve(name, (it) => it.p > limit(it)),
  limit_turned: sieve(name, (it) => it.p <= limit(it), { best: false }),
  limit_empties: sieve(name, (it) => it.p >= limit(it), { best: false }),
  overflow_1: sieve(name, (it) => it.p >= limit(it), { shares: unshiftedSoftmax }),
  overflow_2: sieve(name, (it) => it.p >= limit(it), { shares: unshiftedSoftmax, best: false }),
  limit_on_logits: sieve(name, (it) => it.l >= limit({ ...it, top: it.high })),
  limit_unnormalised: sieve(name, (it) => it.l >= Math.log(limit({ ...it, top: 1 }))),
  limit_best_alone: sieve(name, () => false),
  shares_twice: sieve(name, (it) => it.p >= limit(it), {
    shares: (logits) => softmax(softmax(logits)),
  }),
  ...masks(
    name,
    sieve(name, (it) => it.p >= limit(it)),
  ),
});

/** @param {Token} it */
const etaLimit = ({ by, entropy }) => Math.min(by, Math.sqrt(by) * Math.exp(-entropy));

/** @param {number[]} logits @param {number} [less] than their count, for a sample @param {number} [mean] */
function sigmaOf(logits, less = 0, mean = sum(logits) / logits.length) {
  return Math.sqrt(sum(logits.map((l) => (l - mean) ** 2)) / (logits.length - less));
}

const deviation = (/** @type {number[]} */ finite) => sigmaOf(finite);

/**
 * @param {(logits: number[]) => number} sigma
 * @param {(l: number, high: number, by: number, logits: number[]) => boolean} [stays]
 * @returns {WrongForm}
 */
const sigmas =
  (sigma, stays = (l, high, by) => l >= high - by) =>
  ({ logits, settings: { top_n_sigma: n } }) => {
    if (n === 0) return logits;
    const finite = logits.filter((l) => l !== GONE);
    const by = n * sigma(finite);
    const high = Math.max(...logits);
    return only(
      logits,
      ids(logits).filter((id) => logits[id] !== GONE && stays(logits[id], high, by, finite)),
    );
  };

/**
 * @param {(surprise: number, entropy: number) => number} far returns the distance; the smallest is first
 * @param {{ ties?: boolean, after?: number }} [how] ties: true if tokens as far as the last one stay;
 *   after: how many further tokens stay
 * @returns {WrongForm}
 */
const typical =
  (far, { ties = true, after = 0 } = {}) =>
  ({ logits, settings: { typical_p: mass } }) => {
    if (mass === 1) return logits;
    const p = softmax(logits);
    const entropy = entropyOf(p);
    const away = p.map((it) => (it > 0 ? far(-Math.log(it), entropy) : Infinity));
    const order = ids(logits).sort((a, b) => away[a] - away[b] || a - b);
    const found = prefix(logits, (before) => before < mass - NEAR, order, p);
    const count = Math.max(found.length + after, 1);
    const last = away[order[Math.min(count, order.length) - 1]];
    const kept = ties ? order.filter((id) => away[id] <= last) : order.slice(0, count);
    return only(
      logits,
      kept.filter((id) => logits[id] !== GONE),
    );
  };
const entropyDistance = (/** @type {number} */ surprise, /** @type {number} */ entropy) =>
  Math.abs(surprise - entropy);

/**
 * @param {{ coin?: (coin: number, p: number) => boolean, least?: number, limit?: (p: number[], by: number) => number,
 *   kept?: (top: number[]) => number[] }} [how] coin: true if tokens are removed; least: the number of
 *   tokens at the threshold
 * @returns {WrongForm}
 */
const excluded =
  ({
    coin: isOn = (coin, p) => coin < p,
    least = 2,
    limit = (_, by) => by,
    kept = (top) => top.slice(-1),
  } = {}) =>
  ({ logits, settings: { xtc_probability: chance, xtc_threshold: by }, coin = 0 }) => {
    if (chance === 0 || !isOn(coin, chance)) return logits;
    const p = softmax(logits);
    const top = best(logits).filter((id) => p[id] >= limit(p, by));
    if (top.length < least) return logits;
    const stay = kept(top);
    return logits.map((l, id) => (top.includes(id) && !stay.includes(id) ? GONE : l));
  };

/** @type {Record<string, Record<string, WrongForm>>} */
export const WRONG_FILTERS = {
  min_p: {
    min_p_absolute: sieve('min_p', ({ p, by }) => p >= by),
    min_p_distance: sieve('min_p', ({ l, high, by }) => l >= high - by),
    min_p_uniform: sieve('min_p', ({ p, by, size }) => p >= by / size),
    min_p_other_end: sieve('min_p', ({ p, by, top }) => p >= (1 - by) * top),
    min_p_square: sieve('min_p', ({ p, by, top }) => p >= by * top * top),
    ...limitForms('min_p', ({ by, top }) => by * top),
  },
  epsilon_cutoff: {
    epsilon_relative: sieve('epsilon_cutoff', ({ p, by, top }) => p >= by * top),
    ...limitForms('epsilon_cutoff', ({ by }) => by),
  },
  eta_cutoff: {
    eta_epsilon: sieve('eta_cutoff', ({ p, by }) => p >= by),
    eta_larger: sieve('eta_cutoff', (it) => {
      const { p, by, entropy } = it;
      return p >= Math.max(by, Math.sqrt(by) * Math.exp(-entropy));
    }),
    eta_root: sieve(
      'eta_cutoff',
      ({ p, by, entropy }) => p >= Math.min(by, by * Math.exp(-entropy)),
    ),
    eta_entropy: sieve(
      'eta_cutoff',
      ({ p, by, entropy }) => p >= Math.sqrt(by) * Math.exp(-entropy),
    ),
    eta_bits: sieve(
      'eta_cutoff',
      ({ p, by, entropy }) => p >= Math.min(by, Math.sqrt(by) * Math.exp(-entropy / Math.LN2)),
    ),
    ...limitForms('eta_cutoff', etaLimit),
  },
  top_a: {
    top_a_plain: sieve('top_a', ({ p, by, top }) => p >= by * top),
    top_a_absolute: sieve('top_a', ({ p, by }) => p >= by),
    top_a_square_a: sieve('top_a', ({ p, by, top }) => p >= (by * top) ** 2),
    ...limitForms('top_a', ({ by, top }) => by * top * top),
  },
  top_n_sigma: {
    sigma_sample: sigmas((finite) => (finite.length > 1 ? sigmaOf(finite, 1) : 0)),
    sigma_variance: sigmas((finite) => sigmaOf(finite) ** 2),
    sigma_mean: sigmas(deviation, (l, _, by, finite) => l >= sum(finite) / finite.length - by),
    sigma_above_mean: sigmas(
      deviation,
      (l, _, by, finite) => l >= sum(finite) / finite.length + by,
    ),
    limit_strict: sigmas(deviation, (l, high, by) => l === high || l > high - by),
    sigma_from_zero: sigmas((finite) => sigmaOf(finite, 0, 0)),
    sigma_once: ({ logits, settings }) =>
      settings.top_n_sigma === 0
        ? logits
        : sigmas(deviation)({ logits, settings: { top_n_sigma: 1 }, history: [] }),
    ...masks('top_n_sigma', sigmas(deviation)),
  },
  typical_p: {
    typical_sign: typical((surprise, entropy) => Math.abs(-surprise - entropy)),
    typical_sign_1: typical((surprise) => surprise, { ties: false }),
    typical_farthest: typical((surprise, entropy) => -entropyDistance(surprise, entropy)),
    typical_least: typical((surprise) => -surprise),
    typical_bits: typical((surprise, entropy) => entropyDistance(surprise, entropy / Math.LN2)),
    typical_no_ties: typical(entropyDistance, { ties: false }),
    one_too_few: typical(entropyDistance, { after: -1 }),
    one_too_many: typical(entropyDistance, { after: 1 }),
    typical_shares: typical((surprise, entropy) => Math.abs(Math.exp(-surprise) - entropy)),
    ...masks('typical_p', typical(entropyDistance)),
  },
  xtc_probability: {
    xtc_keeps_best: excluded({ kept: (top) => top.slice(0, 1) }),
    xtc_keeps_two: excluded({ kept: (top) => top.slice(-2) }),
    xtc_removes_all: excluded({ kept: () => [] }),
    xtc_only_best: excluded({ kept: (top) => top.slice(1) }),
    xtc_single: excluded({ least: 1, kept: (top) => (top.length > 1 ? top.slice(-1) : []) }),
    xtc_always: excluded({ coin: () => true }),
    xtc_turned: excluded({ coin: (coin, p) => coin >= p || p === 1 }),
    xtc_relative: excluded({ limit: (p, by) => by * Math.max(...p) }),
    ...masks('xtc_probability', excluded()),
  },
};
