/**
 * Samplers with one typical fault each (wrong forms), named after the fault. If a learner's function gives the same answers
 * as a wrong form, it has the wrong form's fault.
 */

/**
 * @typedef {object} Given
 * @property {number[]} logits
 * @property {Record<string, any>} settings complete
 * @property {number[]} history
 * @property {number[]} [second] logits of a second distribution
 * @property {ArrayLike<number> | null} [bits] from the watermarks' hash
 * @property {number} [coin] of XTC, in [0, 1)
 * @typedef {(given: Given) => number[]} WrongForm
 */

export const GONE = -Infinity;
/** Returns the code of a wrong form's fault. Several wrong forms may have the same code. @param {string} name */
export const codeOf = (name) => name.split(' ')[0].replace(/_\d$/, '');
export const ids = (/** @type {number[]} */ logits) => [...logits.keys()];
export const best = (/** @type {number[]} */ logits) =>
  ids(logits).sort((a, b) => logits[b] - logits[a] || a - b);
export const only = (/** @type {number[]} */ logits, /** @type {number[]} */ kept, gone = GONE) =>
  logits.map((logit, id) => (kept.includes(id) ? logit : gone));
export const sum = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0);

/** @param {number[]} logits @param {number} [max] is subtracted from them first */
export function softmax(logits, max = Math.max(...logits)) {
  const e = logits.map((logit) => Math.exp(logit - max));
  const whole = sum(e);
  return e.map((x) => x / whole);
}

/** The correct samplers as simple functions. @type {Record<string, WrongForm>} */
export const RIGHT = {
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
    p === 1 ? logits : only(logits, nucleusIds(logits, p)),
};

/**
 * Returns the first ids of an order, as long as `stays` is true. `stays` gets the sum of probabilities before and
 * after each id.
 * @param {number[]} logits
 * @param {(before: number, after: number, place: number, share: number) => boolean} stays
 * @param {number[]} [order]
 * @param {number[]} [shares]
 */
export function prefix(logits, stays, order = best(logits), shares = softmax(logits)) {
  let before = 0;
  return order.filter((id, place) => {
    const after = before + shares[id];
    const kept = stays(before, after, place, shares[id]);
    before = after;
    return kept;
  });
}

export const NEAR = 2 ** -20;

/**
 * Returns the first ids of an order until their probabilities add up to p; in the usual order, this is the nucleus.
 * @param {number[]} logits
 * @param {number} p
 * @param {number[]} [order]
 * @param {number[]} [shares]
 */
const nucleusIds = (logits, p, order, shares) =>
  prefix(logits, (before, _, place) => place === 0 || before < p - NEAR, order, shares);

/**
 * Makes a top-p with another rule. At p = 1 it changes nothing.
 * @param {(logits: number[], p: number) => number[]} kept
 * @returns {WrongForm}
 */
const cut =
  (kept) =>
  ({ logits, settings: { top_p: p } }) =>
    p === 1 ? logits : only(logits, kept(logits, p));

/** Makes a top-p that is wrong only at p = 0. @param {(logits: number[]) => number[]} kept @returns {WrongForm} */
const zeroCut = (kept) => (given) =>
  given.settings.top_p === 0 ? only(given.logits, kept(given.logits)) : RIGHT.top_p(given);

/** Sorts numbers as texts, so that 9 is above 10. @param {number[]} logits @param {number[]} values */
const byText = (logits, values) =>
  ids(logits).sort((a, b) => {
    const [one, two] = [String(values[a]), String(values[b])];
    return one === two ? a - b : one > two ? -1 : 1;
  });

/** @param {(logits: number[], k: number) => number[]} kept @returns {WrongForm} */
const count =
  (kept) =>
  ({ logits, settings: { top_k: k } }) =>
    k === 0 || k >= logits.length ? logits : only(logits, kept(logits, k));

/**
 * Makes top-k functions that compare with the k-th logit: one that returns early in two cases, one in one case, one
 * never. Without a limit, they remove all tokens.
 * @param {string} code
 * @param {(logits: number[], k: number) => number | undefined} limit
 * @param {(logit: number, limit: number) => boolean} [stays]
 * @returns {Record<string, WrongForm>}
 */
function limitForms(code, limit, stays = (logit, least) => logit >= least) {
  /** @param {boolean} none true to return early if k = 0 @param {boolean} all true to return early if k is all tokens or more @returns {WrongForm} */
  const guarded =
    (none, all) =>
    ({ logits, settings: { top_k: k } }) =>
      (none && k === 0) || (all && k >= logits.length)
        ? logits
        : logits.map((logit) => (stays(logit, limit(logits, k) ?? Number.NaN) ? logit : GONE));
  return {
    [`${code} 1`]: guarded(true, true),
    [`${code} 2`]: guarded(true, false),
    [`${code} 3`]: guarded(false, true),
    [`${code} 4`]: guarded(false, false),
    [`${code} 5`]: (given) =>
      given.settings.top_k > given.logits.length ? given.logits : guarded(true, false)(given),
  };
}

/** @param {number[]} logits */
const sortedDown = (logits) => [...logits].sort((a, b) => b - a);
/** @param {number[]} logits */
const sortedAsTexts = (logits) => logits.map(String).sort().map(Number);

/** @param {(l: number, t: number, logits: number[]) => number} change not called at T = 0 @returns {WrongForm} */
const heat =
  (change) =>
  ({ logits, settings: { temperature: t } }) =>
    t === 0 ? only(logits, [best(logits)[0]]) : logits.map((l) => change(l, t, logits));

/** Makes a temperature that is wrong only at 0. @param {(logits: number[]) => number[]} kept @returns {WrongForm} */
const atZero = (kept) => (given) =>
  given.settings.temperature === 0 ? kept(given.logits) : RIGHT.temperature(given);

/** @param {number} least @returns {WrongForm} */
const heatAbove =
  (least) =>
  ({ logits, settings: { temperature: t } }) =>
    logits.map((l) => l / Math.max(t, least));

/** @param {(l: number, r: number, times: number, id: number, history: number[]) => number} change @returns {WrongForm} */
const penalty =
  (change) =>
  ({ logits, settings: { repetition_penalty: r }, history }) =>
    logits.map((l, id) => change(l, r, history.filter((it) => it === id).length, id, history));

const inversePenalty = (/** @type {number} */ l, /** @type {number} */ r) =>
  l > 0 ? l * r : l / r;

/** @param {(l: number, r: number, times: number) => number} change @returns {WrongForm} */
const reward =
  (change) =>
  ({ logits, settings: { encoder_repetition_penalty: r }, history }) =>
    logits.map((l, id) => change(l, r, history.filter((it) => it === id).length));

const penalised = (/** @type {number} */ l, /** @type {number} */ r) => (l > 0 ? l / r : l * r);

export const CHAIN = ['repetition_penalty', 'temperature', 'top_k', 'top_p'];

/**
 * Makes samplers that mark removed tokens wrongly or return another kind of numbers.
 * @param {string} name
 * @param {WrongForm} right
 * @returns {Record<string, WrongForm>}
 */
export const masks = (name, right = RIGHT[name]) => {
  /** @param {number} value @returns {WrongForm} */
  const masked = (value) => (given) => right(given).map((it) => (it === GONE ? value : it));
  // Each fault in three versions: without an early return, with one at the neutral value, and with one at 0.
  const neutral = ONE.includes(name) ? 1 : 0;
  const either = (/** @type {string} */ code, /** @type {WrongForm} */ form) => ({
    [`${code}_1`]: form,
    [`${code}_2`]: (/** @type {Given} */ given) =>
      given.settings[name] === neutral ? given.logits : form(given),
    [`${code}_3`]: (/** @type {Given} */ given) =>
      given.settings[name] === 0 ? right(given) : form(given),
  });
  return {
    ...either('zero_mask', masked(0)),
    ...either('soft_mask', masked(-1e9)),
    soft_mask_4: (given) =>
      right(given).map((it, id) => (it === GONE && given.logits[id] !== GONE ? -1e9 : it)),
    zero_mask_4: (given) =>
      right(given).map((it, id) => (it === GONE && given.logits[id] !== GONE ? 0 : it)),
    ...either('returns_shares', (given) => softmax(right(given))),
    ...either('returns_logs', (given) => softmax(right(given)).map(Math.log)),
    ...either('on_shares', ({ logits, ...rest }) => right({ logits: softmax(logits), ...rest })),
    idle: ({ logits }) => logits,
  };
};

/** The samplers with the neutral value 1; all others have 0. */
const ONE = [
  ...['repetition_penalty', 'encoder_repetition_penalty', 'temperature', 'top_p', 'typical_p'],
  'guidance_scale',
];

/**
 * For each sampler: its wrong forms. The first one that fits names the fault.
 * @type {Record<string, Record<string, WrongForm>>}
 */
export const WRONG_SAMPLERS = {
  top_p: {
    cut_before: cut((logits, p) => prefix(logits, (_, after) => after <= p)),
    until_above: cut((logits, p) =>
      prefix(logits, (before, _, place) => place === 0 || before <= p + NEAR),
    ),
    one_too_few: cut((logits, p) =>
      prefix(logits, (_, after, place) => place === 0 || after <= p + NEAR),
    ),
    one_too_many: cut((logits, p) => best(logits).slice(0, nucleusIds(logits, p).length + 1)),
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
    unscattered: cut((logits, p) => nucleusIds(logits, p).map((_, place) => place)),
    other_end: cut((logits, p) => nucleusIds(logits, 1 - p)),
    shares_twice: cut((logits, p) => nucleusIds(logits, p, best(logits), softmax(softmax(logits)))),
    all_tied: cut((logits, p) => {
      const least = Math.min(...nucleusIds(logits, p).map((id) => logits[id]));
      return ids(logits).filter((id) => logits[id] >= least);
    }),
    p_times_best: cut((logits, p) => {
      const shares = softmax(logits);
      const top = Math.max(...shares);
      return ids(logits).filter((id) => shares[id] >= p * top);
    }),
    'as_text 1': cut((logits, p) => nucleusIds(logits, p, byText(logits, softmax(logits)))),
    'as_text 2': cut((logits, p) => {
      const shares = softmax(logits);
      const kept = prefix(logits, (before) => before < p - NEAR, byText(logits, shares));
      const least = Math.min(...kept.map((id) => shares[id]));
      return ids(logits).filter((id) => shares[id] >= least);
    }),
    p_zero_1: zeroCut(() => []),
    p_zero_2: zeroCut(ids),
    p_one_empties: ({ logits, settings: { top_p: p }, ...beside }) =>
      p === 1 ? only(logits, []) : RIGHT.top_p({ logits, settings: { top_p: p }, ...beside }),
    p_one: ({ logits, settings: { top_p: p } }) => only(logits, nucleusIds(logits, p)),
    tail_kept: cut((logits, p) => best(logits).slice(nucleusIds(logits, p).length)),
    overflow: cut((logits, p) => nucleusIds(logits, p, best(logits), softmax(logits, 0))),
    higher_id: cut((logits, p) => {
      const order = ids(logits).sort((a, b) => logits[b] - logits[a] || b - a);
      return nucleusIds(logits, p, order);
    }),
    ...masks('top_p'),
  },
  top_k: {
    exactly_k: count((logits, k) => best(logits).slice(0, k)),
    k_zero: (given) => (given.settings.top_k === 0 ? only(given.logits, []) : RIGHT.top_k(given)),
    k_zero_best: (given) =>
      given.settings.top_k === 0
        ? only(given.logits, best(given.logits).slice(0, 1))
        : RIGHT.top_k(given),
    k_beyond: (given) =>
      given.settings.top_k > given.logits.length ? only(given.logits, []) : RIGHT.top_k(given),
    k_unguarded: ({ logits, settings: { top_k: k } }) =>
      logits.map((l) => (l >= sortedDown(logits)[k - 1] ? l : GONE)),
    ...limitForms('as_text', (logits, k) => sortedAsTexts(logits).reverse()[k - 1]),
    ...limitForms('as_text up', (logits, k) => sortedAsTexts(logits)[k - 1]),
    ...limitForms('as_text end', (logits, k) => sortedAsTexts(logits).at(-k)),
    ...limitForms('k_upwards', (logits, k) => sortedDown(logits).reverse()[k - 1]),
    ...limitForms(
      'above_kth',
      (logits, k) => sortedDown(logits)[k - 1],
      (logit, least) => logit > least,
    ),
    k_plus_one: ({ logits, settings: { top_k: k }, ...beside }) =>
      k === 0 ? logits : RIGHT.top_k({ logits, settings: { top_k: k + 1 }, ...beside }),
    ...limitForms('k_plus_one', (logits, k) => sortedDown(logits)[k]),
    ...limitForms('k_minus_one', (logits, k) => sortedDown(logits)[k - 2]),
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
    k_share: count((logits, k) =>
      best(logits).slice(0, Math.max(1, Math.round(logits.length / k))),
    ),
    k_at_least_two: (given) =>
      RIGHT.top_k({
        ...given,
        settings: { top_k: given.settings.top_k && Math.max(given.settings.top_k, 2) },
      }),
    ...masks('top_k'),
  },
  temperature: {
    multiplies: heat((l, t) => l * t),
    subtracts_t: heat((l, t) => l - t),
    subtracts_max: heat((l, t, logits) => (l - Math.max(...logits)) / t),
    one_minus: heat((l, t) => l * (1 - t)),
    squares_t: heat((l, t) => l / (t * t)),
    root_t: heat((l, t) => l / Math.sqrt(t)),
    'on_logs 1': heat((l, t, logits) => Math.log(softmax(logits)[logits.indexOf(l)]) / t),
    'on_logs 2': heat((l, t, logits) => {
      const max = Math.max(...logits);
      return (l - max - Math.log(sum(logits.map((it) => Math.exp(it - max))))) / t;
    }),
    rounds_t: heat((l, t) => l / Math.max(1, Math.round(t))),
    sharpens_only: heat((l, t) => l / Math.min(t, 1)),
    flattens_only: heat((l, t) => l / Math.max(t, 1)),
    last_best: atZero((logits) => only(logits, [logits.lastIndexOf(Math.max(...logits))])),
    zero_first: atZero((logits) => only(logits, [0])),
    zero_worst: atZero((logits) => only(logits, best(logits).slice(-1))),
    zero_emptied: atZero((logits) => only(logits, [])),
    zero_one_hot: atZero((logits) => logits.map((_, id) => Number(id === best(logits)[0]))),
    zero_divides: ({ logits, settings: { temperature: t } }) => logits.map((l) => l / t),
    zero_nothing: atZero((logits) => logits),
    zero_ties: atZero((logits) => logits.map((l) => (l === Math.max(...logits) ? l : GONE))),
    ...Object.fromEntries([5, 6, 8, 9].map((n) => [`zero_epsilon_${n}`, heatAbove(10 ** -n)])),
    ...masks('temperature'),
  },
  repetition_penalty: {
    always_divides: penalty((l, r, times) => (times ? l / r : l)),
    always_multiplies: penalty((l, r, times) => (times ? l * r : l)),
    other_signs: penalty((l, r, times) => (times ? (l > 0 ? l * r : l / r) : l)),
    each_time: penalty((l, r, times) => {
      let value = l;
      for (let i = 0; i < times; i++) value = penalised(value, r);
      return value;
    }),
    subtracts_r: penalty((l, r, times) => (times ? l - r : l)),
    everything: penalty((l, r) => penalised(l, r)),
    unseen: penalty((l, r, times) => (times ? l : penalised(l, r))),
    last_only: penalty((l, r, _, id, history) => (history.at(-1) === id ? penalised(l, r) : l)),
    first_only: penalty((l, r, _, id, history) => (history[0] === id ? penalised(l, r) : l)),
    repeated_only: penalty((l, r, times) => (times > 1 ? penalised(l, r) : l)),
    positions: penalty((l, r, _, id, history) => (id < history.length ? penalised(l, r) : l)),
    removes_seen: penalty((l, r, times) => (times && r !== 1 ? GONE : l)),
    subtracts_log: penalty((l, r, times) => (times ? l - Math.log(r) : l)),
    adds_r: penalty((l, r, times) => (times ? l + r : l)),
    by_difference: penalty((l, r, times) => (times ? l - l * (r - 1) : l)),
    penalty_twice: penalty((l, r, times) => (times ? penalised(l, r * r) : l)),
    skips_zero: penalty((l, r, times, id) => (times && id > 0 ? penalised(l, r) : l)),
    spares_last: penalty((l, r, _, id, history) =>
      history.slice(0, -1).includes(id) ? penalised(l, r) : l,
    ),
    spares_first: penalty((l, r, _, id, history) =>
      history.slice(1).includes(id) ? penalised(l, r) : l,
    ),
    next_id: penalty((l, r, _, id, history) => (history.includes(id - 1) ? penalised(l, r) : l)),
    positive_only: penalty((l, r, times) => (times && l > 0 ? l / r : l)),
    negative_only: penalty((l, r, times) => (times && l < 0 ? l * r : l)),
    never_rewards: penalty((l, r, times) => (times ? penalised(l, Math.max(r, 1)) : l)),
    ...masks('repetition_penalty'),
  },
  encoder_repetition_penalty: {
    reward_lowers: reward((l, r, times) => (times ? penalised(l, r) : l)),
    reward_multiplies: reward((l, r, times) => (times ? l * r : l)),
    reward_each_time: reward((l, r, times) => l * (l > 0 ? r : 1 / r) ** times),
    reward_others: reward((l, r, times) => (times ? l : penalised(l, r))),
    ...masks(
      'encoder_repetition_penalty',
      reward((l, r, times) => (times ? inversePenalty(l, r) : l)),
    ),
  },
  renormalize_logits: {
    log_of_sum: ({ logits, settings }) => {
      const whole = Math.log(sum(logits.map(Math.exp)));
      return settings.renormalize_logits ? logits.map((l) => l - whole) : logits;
    },
    'log_base_two 1': ({ logits, settings }) =>
      settings.renormalize_logits ? softmax(logits).map(Math.log2) : logits,
    'log_base_two 2': ({ logits, settings }) => {
      const max = Math.max(...logits);
      const whole = max + Math.log(sum(logits.map((l) => Math.exp(l - max))));
      return settings.renormalize_logits ? logits.map((l) => (l - whole) / Math.LN2) : logits;
    },
    ...masks('renormalize_logits', ({ logits, settings }) =>
      settings.renormalize_logits ? softmax(logits).map(Math.log) : logits,
    ),
  },
};
