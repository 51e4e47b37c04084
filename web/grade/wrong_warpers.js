/**
 * Faults that people plant in a warper or a chain, each as a function that has it: a learner's function
 * that answers as one of these does has that fault, and is told so by its name.
 */

/**
 * @typedef {object} Given
 * @property {number[]} logits
 * @property {Record<string, any>} settings all of them
 * @property {number[]} history
 * @property {number[]} [second] logits of a second distribution
 * @property {ArrayLike<number> | null} [bits] of the watermarks' hash
 * @typedef {(given: Given) => number[]} Twin
 */

export const GONE = -Infinity;
export const ids = (/** @type {number[]} */ logits) => [...logits.keys()];
export const best = (/** @type {number[]} */ logits) =>
  ids(logits).sort((a, b) => logits[b] - logits[a] || a - b);
export const only = (/** @type {number[]} */ logits, /** @type {number[]} */ kept, gone = GONE) =>
  logits.map((logit, id) => (kept.includes(id) ? logit : gone));
export const sum = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0);

/** @param {number[]} logits @param {number} [max] what is subtracted */
export function softmax(logits, max = Math.max(...logits)) {
  const e = logits.map((logit) => Math.exp(logit - max));
  const whole = sum(e);
  return e.map((x) => x / whole);
}

/** The right ones, in their plainest form. @type {Record<string, Twin>} */
const RIGHT = {
  repetition_penalty: ({ logits, settings: { repetition_penalty: r }, history }) =>
    logits.map((l, id) => (history.includes(id) ? (l > 0 ? l / r : l * r) : l)),
  temperature: ({ logits, settings: { temperature: t } }) =>
    t === 0 ? only(logits, [best(logits)[0]]) : logits.map((l) => l / t),
  top_k: ({ logits, settings: { top_k: k } }) => {
    if (k === 0 || k >= logits.length) return logits;
    const least = logits[best(logits)[k - 1]];
    return logits.map((l) => (l >= least ? l : GONE));
  },
  top_p: ({ logits, settings: { top_p: p } }) =>
    p === 1 ? logits : only(logits, nucleus(logits, p)),
};

/**
 * Ids in an order, as long as `stays` says so of the mass before and with each.
 * @param {number[]} logits
 * @param {(before: number, after: number, place: number, share: number) => boolean} stays
 * @param {number[]} [order]
 * @param {number[]} [shares]
 */
function prefix(logits, stays, order = best(logits), shares = softmax(logits)) {
  let before = 0;
  return order.filter((id, place) => {
    const after = before + shares[id];
    const kept = stays(before, after, place, shares[id]);
    before = after;
    return kept;
  });
}

const NEAR = 2 ** -20;
const nucleus = (/** @type {number[]} */ logits, /** @type {number} */ p) =>
  prefix(logits, (before, _, place) => place === 0 || before < p - NEAR);

/**
 * Twins of top-p: what stays by another rule; nothing changes at 1.
 * @param {(logits: number[], p: number) => number[]} kept
 * @returns {Twin}
 */
const cut =
  (kept) =>
  ({ logits, settings: { top_p: p } }) =>
    p === 1 ? logits : only(logits, kept(logits, p));

/** @param {(logits: number[], k: number) => number[]} kept @returns {Twin} */
const count =
  (kept) =>
  ({ logits, settings: { top_k: k } }) =>
    k === 0 || k >= logits.length ? logits : only(logits, kept(logits, k));

/** @param {(l: number, t: number, logits: number[]) => number} change where T is not 0 @returns {Twin} */
const heat =
  (change) =>
  ({ logits, settings: { temperature: t } }) =>
    t === 0 ? only(logits, [best(logits)[0]]) : logits.map((l) => change(l, t, logits));

/** @param {number} least @returns {Twin} */
const heatAbove =
  (least) =>
  ({ logits, settings: { temperature: t } }) =>
    logits.map((l) => l / Math.max(t, least));

/** @param {(l: number, r: number, times: number, id: number, history: number[]) => number} change @returns {Twin} */
const penalty =
  (change) =>
  ({ logits, settings: { repetition_penalty: r }, history }) =>
    logits.map((l, id) => change(l, r, history.filter((it) => it === id).length, id, history));

const liked = (/** @type {number} */ l, /** @type {number} */ r) => (l > 0 ? l * r : l / r);

/** @param {(l: number, r: number, times: number) => number} change @returns {Twin} */
const reward =
  (change) =>
  ({ logits, settings: { encoder_repetition_penalty: r }, history }) =>
    logits.map((l, id) => change(l, r, history.filter((it) => it === id).length));

const fair = (/** @type {number} */ l, /** @type {number} */ r) => (l > 0 ? l / r : l * r);

/** @param {string[]} order @returns {Twin} */
const inOrder =
  (order) =>
  ({ logits, ...beside }) =>
    order.reduce((list, name) => RIGHT[name]({ logits: list, ...beside }), logits);

const CHAIN = ['repetition_penalty', 'temperature', 'top_k', 'top_p'];
const without = (/** @type {string} */ gone) => CHAIN.filter((name) => name !== gone);

/**
 * What any stage may do to those that it removes or keeps.
 * @param {string} name
 * @param {Twin} right
 * @returns {Record<string, Twin>}
 */
export const masks = (name, right = RIGHT[name]) => {
  /** @param {number} value @returns {Twin} */
  const masked = (value) => (given) => right(given).map((it) => (it === GONE ? value : it));
  // With and without an early way out where nothing is to be done, or at 0.
  const neutral = ZERO.includes(name) ? 0 : 1;
  const either = (/** @type {string} */ code, /** @type {Twin} */ twin) => ({
    [`${code}_1`]: twin,
    [`${code}_2`]: (/** @type {Given} */ given) =>
      given.settings[name] === neutral ? given.logits : twin(given),
    [`${code}_3`]: (/** @type {Given} */ given) =>
      given.settings[name] === 0 ? right(given) : twin(given),
  });
  return {
    ...either('zero_mask', masked(0)),
    ...either('soft_mask', masked(-1e9)),
    ...either('returns_shares', (given) => softmax(right(given))),
    ...either('returns_logs', (given) => softmax(right(given)).map(Math.log)),
    ...either('on_shares', ({ logits, ...rest }) => right({ logits: softmax(logits), ...rest })),
    idle: ({ logits }) => logits,
  };
};

/** Those that are off at 0; the others are at 1. */
const ZERO = ['top_k', 'contrastive_beta', 'green_bias', 'synthid_depth', 'renormalize_logits'];

/** By what it stands for, the first that fits is named. @type {Record<string, Record<string, Twin>>} */
export const WRONG_WARPERS = {
  top_p: {
    cut_before: cut((logits, p) => prefix(logits, (_, after) => after <= p)),
    until_above: cut((logits, p) =>
      prefix(logits, (before, _, place) => place === 0 || before <= p + NEAR),
    ),
    one_too_few: cut((logits, p) =>
      prefix(logits, (_, after, place) => place === 0 || after <= p + NEAR),
    ),
    one_too_many: cut((logits, p) => best(logits).slice(0, nucleus(logits, p).length + 1)),
    own_share: cut((logits, p) =>
      prefix(logits, (_b, _a, place, share) => place === 0 || share >= 1 - p),
    ),
    share_above_p: cut((logits, p) =>
      prefix(logits, (_b, _a, place, share) => place === 0 || share >= p),
    ),
    least_first: cut((logits, p) =>
      prefix(logits, (before, _, place) => place === 0 || before < p, best(logits).reverse()),
    ),
    unsorted: cut((logits, p) =>
      prefix(logits, (before, _, place) => place === 0 || before < p, ids(logits)),
    ),
    unscattered: cut((logits, p) => nucleus(logits, p).map((_, place) => place)),
    other_end: cut((logits, p) => nucleus(logits, 1 - p)),
    tail_kept: cut((logits, p) => best(logits).slice(nucleus(logits, p).length)),
    overflow: cut((logits, p) =>
      prefix(
        logits,
        (before, _, place) => place === 0 || before < p - NEAR,
        best(logits),
        softmax(logits, 0),
      ),
    ),
    higher_id: cut((logits, p) => {
      const order = ids(logits).sort((a, b) => logits[b] - logits[a] || b - a);
      return prefix(logits, (before, _, place) => place === 0 || before < p - NEAR, order);
    }),
    ...masks('top_p'),
  },
  top_k: {
    exactly_k: count((logits, k) => best(logits).slice(0, k)),
    above_kth: count((logits, k) =>
      ids(logits).filter((id) => logits[id] > logits[best(logits)[k - 1]]),
    ),
    k_plus_one: ({ logits, settings: { top_k: k }, ...beside }) =>
      k === 0 ? logits : RIGHT.top_k({ logits, settings: { top_k: k + 1 }, ...beside }),
    k_minus_one: count((logits, k) =>
      ids(logits).filter((id) => logits[id] >= logits[best(logits)[Math.max(k - 2, 0)]]),
    ),
    k_lowest: count((logits, k) => best(logits).slice(-k)),
    k_first: count((logits, k) => ids(logits).slice(0, k)),
    k_distinct: count((logits, k) => {
      const values = [...new Set(logits)].sort((a, b) => b - a);
      return ids(logits).filter((id) => logits[id] >= (values[k - 1] ?? GONE));
    }),
    k_removed: count((logits, k) => best(logits).slice(k)),
    k_zero: (given) => (given.settings.top_k === 0 ? only(given.logits, []) : RIGHT.top_k(given)),
    ...masks('top_k'),
  },
  temperature: {
    multiplies: heat((l, t) => l * t),
    subtracts_t: heat((l, t) => l - t),
    subtracts_max: heat((l, t, logits) => (l - Math.max(...logits)) / t),
    one_minus: heat((l, t) => l * (1 - t)),
    zero_divides: ({ logits, settings: { temperature: t } }) => logits.map((l) => l / t),
    zero_nothing: (given) =>
      given.settings.temperature === 0 ? given.logits : RIGHT.temperature(given),
    zero_ties: ({ logits, settings: { temperature: t } }) =>
      logits.map((l) => (t === 0 ? (l === Math.max(...logits) ? l : GONE) : l / t)),
    ...Object.fromEntries([5, 6, 8, 9].map((n) => [`zero_epsilon_${n}`, heatAbove(10 ** -n)])),
    ...masks('temperature'),
  },
  repetition_penalty: {
    always_divides: penalty((l, r, times) => (times ? l / r : l)),
    always_multiplies: penalty((l, r, times) => (times ? l * r : l)),
    other_signs: penalty((l, r, times) => (times ? (l > 0 ? l * r : l / r) : l)),
    each_time: penalty((l, r, times) => {
      let value = l;
      for (let i = 0; i < times; i++) value = fair(value, r);
      return value;
    }),
    subtracts_r: penalty((l, r, times) => (times ? l - r : l)),
    everything: penalty((l, r) => fair(l, r)),
    unseen: penalty((l, r, times) => (times ? l : fair(l, r))),
    last_only: penalty((l, r, _, id, history) => (history.at(-1) === id ? fair(l, r) : l)),
    first_only: penalty((l, r, _, id, history) => (history[0] === id ? fair(l, r) : l)),
    repeated_only: penalty((l, r, times) => (times > 1 ? fair(l, r) : l)),
    positions: penalty((l, r, _, id, history) => (id < history.length ? fair(l, r) : l)),
    removes_seen: penalty((l, r, times) => (times && r !== 1 ? GONE : l)),
    ...masks('repetition_penalty'),
  },
  encoder_repetition_penalty: {
    reward_lowers: reward((l, r, times) => (times ? fair(l, r) : l)),
    reward_multiplies: reward((l, r, times) => (times ? l * r : l)),
    reward_each_time: reward((l, r, times) => l * (l > 0 ? r : 1 / r) ** times),
    reward_others: reward((l, r, times) => (times ? l : fair(l, r))),
    ...masks(
      'encoder_repetition_penalty',
      reward((l, r, times) => (times ? liked(l, r) : l)),
    ),
  },
  renormalize_logits: {
    log_of_sum: ({ logits, settings }) => {
      const whole = Math.log(sum(logits.map(Math.exp)));
      return settings.renormalize_logits ? logits.map((l) => l - whole) : logits;
    },
    log_base_two: ({ logits, settings }) =>
      settings.renormalize_logits ? softmax(logits).map(Math.log2) : logits,
    ...masks('renormalize_logits', ({ logits, settings }) =>
      settings.renormalize_logits ? softmax(logits).map(Math.log) : logits,
    ),
  },
  chain: {
    shares_first: ({ logits, settings, history }) =>
      inOrder(CHAIN)({ logits: softmax(logits), settings, history }),
    shares_last: (given) => softmax(inOrder(CHAIN)(given)),
    without_penalty: inOrder(without('repetition_penalty')),
    without_temperature: inOrder(without('temperature')),
    without_top_k: inOrder(without('top_k')),
    without_top_p: inOrder(without('top_p')),
    order_reversed: inOrder([...CHAIN].reverse()),
    idle: ({ logits }) => logits,
  },
};
