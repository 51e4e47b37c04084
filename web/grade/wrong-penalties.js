/** Samplers that read the history, with one fault each; wrong-samplers.js explains them. */
import { GONE, ids, masks, only } from './wrong-samplers.js';

/** @import { WrongForm } from './wrong-samplers.js' */

/**
 * Returns the logit that a stage gives to a token.
 * @typedef {(it: { l: number, by: number, times: number, id: number, history: number[] }) => number} Change
 */

/** @param {string} name @returns {(change: Change) => WrongForm} */
const counted =
  (name) =>
  (change) =>
  ({ logits, settings, history }) =>
    logits.map((l, id) => {
      const times = history.filter((it) => it === id).length;
      return change({ l, by: settings[name], times, id, history });
    });
const often = counted('frequency_penalty');
const seen = counted('presence_penalty');

const divideOrMultiply = (/** @type {number} */ l, /** @type {number} */ by) =>
  l > 0 ? l / by : l * by;

/**
 * Returns wrong versions that frequency and presence penalty have in common.
 * @param {(change: Change) => WrongForm} of @param {Change} right @returns {Record<string, WrongForm>}
 */
const wrongSubtractions = (of, right) => ({
  adds_penalty: of((it) => (it.l === GONE ? GONE : 2 * it.l - right(it))),
  divides_penalty: of((it) => (it.times && it.by ? it.l / it.by : it.l)),
  scales_penalty_1: of(({ l, by, times }) => divideOrMultiply(l, (1 + by) ** times)),
  scales_penalty_2: of(({ l, by, times }) => divideOrMultiply(l, times ? 1 + by : 1)),
  unseen: of(({ l, by, times }) => (times ? l : l - by)),
  everything: of(({ l, by }) => l - by),
  last_only: of((it) => (it.history.at(-1) === it.id ? right(it) : it.l)),
  first_only: of((it) => (it.history[0] === it.id ? right(it) : it.l)),
  repeated_only: of((it) => (it.times > 1 ? right(it) : it.l)),
  positions: of(({ l, by, id, history }) => (id < history.length ? l - by : l)),
  positive_only: of((it) => (it.l > 0 ? right(it) : it.l)),
  skips_zero: of((it) => (it.id > 0 ? right(it) : it.l)),
  spares_last: of((it) => right(withHistory(it, it.history.slice(0, -1)))),
  spares_first: of((it) => right(withHistory(it, it.history.slice(1)))),
  never_rewards: of((it) => right({ ...it, by: Math.max(it.by, 0) })),
  stops_at_zero: of((it) => (it.l > 0 ? Math.max(right(it), 0) : right(it))),
});
/** @param {Parameters<Change>[0]} it @param {number[]} history */
const withHistory = (it, history) => ({
  ...it,
  history,
  times: history.filter((id) => id === it.id).length,
});

/**
 * Returns the ids that would repeat an n-gram of the history.
 * @param {number[]} history
 * @param {number} n
 * @param {(found: number[]) => number[]} [of] selects some of them
 */
function idsThatComplete(history, n, of = (found) => found) {
  if (n < 1) return [];
  const from = history.length - (n - 1);
  const now = history.slice(from).join();
  const found = [];
  for (let at = 0; at < from; at++)
    if (history.slice(at, at + n - 1).join() === now) found.push(history[at + n - 1]);
  return of(found);
}

/** @param {(history: number[], n: number) => number[]} found @returns {WrongForm} */
const ngrams =
  (found) =>
  ({ logits, settings: { no_repeat_ngram_size: n }, history }) => {
    if (n === 0) return logits;
    const gone = found(history, n);
    return logits.map((l, id) => (gone.includes(id) ? GONE : l));
  };

/** @param {(l: number, bias: any, id: number) => number} change @returns {WrongForm} */
const biased =
  (change) =>
  ({ logits, settings: { logit_bias: bias } }) =>
    logits.map((l, id) => (String(id) in bias ? change(l, bias[id], id) : l));
/** @type {(l: number, bias: any) => number} */
const addBias = (l, bias) => (bias === false ? GONE : l + bias);

/** @type {Record<string, Record<string, WrongForm>>} */
export const WRONG_PENALTIES = {
  frequency_penalty: {
    counts_once: often(({ l, by, times }) => (times ? l - by : l)),
    counts_share: often(({ l, by, times, history }) => l - (by * times) / (history.length || 1)),
    first_free: often(({ l, by, times }) => l - by * Math.max(times - 1, 0)),
    counts_one_more: often(({ l, by, times }) => (times ? l - by * (times + 1) : l)),
    counts_runs: often(({ l, by, id, history }) => {
      const since = [...history].reverse().findIndex((it) => it !== id);
      return l - by * (since < 0 ? history.length : since);
    }),
    ...wrongSubtractions(often, ({ l, by, times }) => l - by * times),
    ...masks(
      'frequency_penalty',
      often(({ l, by, times }) => l - by * times),
    ),
  },
  presence_penalty: {
    each_time: seen(({ l, by, times }) => l - by * times),
    ...wrongSubtractions(seen, ({ l, by, times }) => (times ? l - by : l)),
    ...masks(
      'presence_penalty',
      seen(({ l, by, times }) => (times ? l - by : l)),
    ),
  },
  no_repeat_ngram_size: {
    ngram_longer: ngrams((history, n) => idsThatComplete(history, n + 1)),
    ngram_shorter: ngrams((history, n) => idsThatComplete(history, Math.max(n - 1, 1))),
    ngram_latest: ngrams((history, n) => idsThatComplete(history, n, (found) => found.slice(-1))),
    ngram_first: ngrams((history, n) => idsThatComplete(history, n, (found) => found.slice(0, 1))),
    ngram_seen_1: ngrams((history) => history),
    ngram_seen_2: ngrams((history, n) => history.slice(n - 1)),
    ngram_current_1: ngrams((history) => history.slice(-1)),
    ngram_current_2: ngrams((history, n) => [...idsThatComplete(history, n), ...history.slice(-1)]),
    ngram_twice: ngrams((history, n) =>
      idsThatComplete(history, n, (found) => found.filter((id, at) => found.indexOf(id) < at)),
    ),
    ...masks(
      'no_repeat_ngram_size',
      ngrams((history, n) => idsThatComplete(history, n)),
    ),
  },
  logit_bias: {
    bias_replaces: biased((_, bias) => (bias === false ? GONE : bias)),
    bias_multiplies: biased((l, bias) => (bias === false ? GONE : l * bias)),
    bias_subtracts: biased((l, bias) => (bias === false ? GONE : l - bias)),
    bias_ban_zero: biased((l, bias) => l + Number(bias)),
    bias_bans: biased(() => GONE),
    soft_mask_5: biased((l, bias) => (bias === false ? -1e9 : l + bias)),
    bias_raises: biased((l, bias) => (bias === false ? GONE : l + Math.abs(bias))),
    bias_everything: ({ logits, settings: { logit_bias: bias } }) => {
      const all = Object.values(bias).filter((it) => it !== false);
      return logits.map((l, id) => (bias[id] === false ? GONE : l + (all[0] ?? 0)));
    },
    bias_only: ({ logits, settings: { logit_bias: bias } }) =>
      Object.keys(bias).length
        ? only(
            logits.map((l, id) => addBias(l, bias[id] ?? 0)),
            ids(logits).filter((id) => String(id) in bias),
          )
        : logits,
    ...masks('logit_bias', biased(addBias)),
  },
};
