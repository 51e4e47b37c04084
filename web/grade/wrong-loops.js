/** Decode loops with one fault each; wrong-samplers.js explains them. */
import { toyRow } from './toy.js';
import { WRONG_STAGES, inOrder } from './wrong-chains.js';
import { CHAIN, NEAR, best, softmax } from './wrong-samplers.js';

/** @import { Run } from './generation.js' */
/** @import { WrongForm } from './wrong-samplers.js' */

/**
 * @typedef {{ id: number, p: number }[]} Ranked the most probable first
 *
 * The parts of a loop; the correct parts are the defaults.
 * @typedef {object} Loop
 * @property {(step: number) => number} [place] returns the index of a step's random number
 * @property {(u: number) => number} [turn]
 * @property {(ids: number[], n: number, prompt: number[]) => number[]} [crop]
 * @property {(window: number[]) => number} [at] returns the index of the row to draw from
 * @property {(ids: number[], prompt: number[], window: number[]) => number[]} [history]
 * @property {(list: Ranked, settings: any) => Ranked} [order]
 * @property {(mass: number, u: number) => boolean} [takes] true if u draws a token; mass: up to and with that token
 * @property {(row: number[]) => number[]} [before] changes the row before the samplers
 * @property {(settings: any) => any} [settings]
 * @property {WrongForm} [chain]
 * @property {(id: number, ids: number[]) => void} [append]
 * @property {(asked: number, prompt: number[]) => number} [most] returns the number of tokens
 * @property {'leave' | 'keep' | 'on' | 'text' | 'before' | 'true'} [end] the effect of the end token.
 *   `text` and `before` search the whole text, after or before a step; `true` treats the id 0 as none
 * @property {boolean} [whole] true if the result includes the prompt
 */

/**
 * Functions that say if a loop stops after a token, by the value of `end`.
 * @type {Record<string, (id: number, end: number, ids: number[]) => boolean>}
 */
const STOPS = {
  keep: (id, end) => id === end,
  leave: (id, end) => id === end,
  on: () => false,
  text: (_, end, ids) => ids.includes(end),
  before: (id, end) => id === end,
  true: (id, end) => end > 0 && id === end,
};

/**
 * @param {Loop} loop
 * @returns {(run: Run, random: (step: number) => number) => number[]}
 */
const looping =
  ({
    place = (step) => step,
    turn = (u) => u,
    crop = (ids, n) => ids.slice(-n),
    at = (window) => window.length - 1,
    history = (ids) => ids,
    order = (list) => list.filter(({ p }) => p > 0),
    takes = (mass, u) => mass > u,
    before = (row) => row,
    settings: change = (settings) => settings,
    chain = inOrder(CHAIN),
    append = (id, ids) => void ids.push(id),
    most = (asked) => asked,
    end = 'keep',
    whole = false,
  }) =>
  ({ toy, prompt, settings }, random) => {
    const ids = [...prompt];
    const drawn = [];
    const asked = change(settings);
    const stops = STOPS[end];
    for (let step = 0; step < most(settings.max_new_tokens, prompt); step++) {
      if (end === 'before' && ids.includes(toy.eos_token_id)) break;
      const window = crop(ids, toy.context_length, prompt);
      if (!window.length) break;
      const logits = before(Array.from(toyRow(toy, window, at(window))));
      const warped = chain({ logits, settings: asked, history: history(ids, prompt, window) });
      const p = softmax(warped);
      const list = order(
        best(warped).map((id) => ({ id, p: p[id] })),
        asked,
      );
      const u = turn(random(place(step)));
      let mass = 0;
      const { id } = list.find((it) => takes((mass += it.p), u)) ?? list.at(-1) ?? { id: -1 };
      if (end === 'leave' && id === toy.eos_token_id) break;
      drawn.push(id);
      if (id < 0) break;
      append(id, ids);
      if (stops(id, toy.eos_token_id, ids)) break;
    }
    return whole ? [...prompt, ...drawn] : drawn;
  };

/** @param {string} name @param {number} value */
const withNeutral = (name, value) => (/** @type {any} */ settings) => ({
  ...settings,
  [name]: value,
});

/** @param {(t: number) => number} change of the temperature */
const withTemperature = (change) =>
  looping({ settings: (it) => ({ ...it, temperature: change(it.temperature) }) });

/** Applies the softmax to probabilities, as if they were logits. @param {(list: Ranked) => Ranked} of */
const softmaxAgain = (of) => (/** @type {Ranked} */ all) => {
  const list = of(all);
  const shares = softmax(list.map(({ p }) => p));
  return list.map(({ id }, at) => ({ id, p: shares[at] }));
};
const notRemoved = (/** @type {Ranked} */ list) => list.filter(({ p }) => p > 0);

/** Applies top-p a second time to the tokens that it has kept. @param {Ranked} list @param {any} settings */
function cutAgain(list, { top_p }) {
  let before = 0;
  const kept = notRemoved(list).filter(({ p }, place) => {
    const stays = place === 0 || top_p === 1 || before < top_p - NEAR;
    before += p;
    return stays;
  });
  const all = kept.reduce((sum, { p }) => sum + p, 0);
  return kept.map(({ id, p }) => ({ id, p: p / all }));
}

/** @template T @param {T[]} list @returns {T[][]} */
const permutations = (list) =>
  list.length < 2
    ? [list]
    : list.flatMap((it, at) =>
        permutations(list.filter((_, other) => other !== at)).map((rest) => [it, ...rest]),
      );

/** Pairs of samplers whose exchange changes the result. */
const PAIRS = CHAIN.flatMap((first, at) =>
  CHAIN.slice(at + 1).map((second) => ({ first: second, second: first })),
).filter(({ first, second }) => !(first === 'top_k' && second === 'temperature'));

/**
 * All wrong orders of the stages, each named after two stages in the wrong order. Simple exchanges come first.
 * @type {Record<string, any>}
 */
const SWAPPED = {};
for (const { first, second } of PAIRS) {
  const order = CHAIN.map((name) => (name === first ? second : name === second ? first : name));
  SWAPPED[`swapped ${order}`] = swapping(order, first, second);
}
for (const order of permutations(CHAIN)) {
  const turned = PAIRS.find((it) => order.indexOf(it.first) < order.indexOf(it.second));
  if (turned) SWAPPED[`swapped ${order}`] ??= swapping(order, turned.first, turned.second);
}

/** @param {string[]} order @param {string} first @param {string} second */
function swapping(order, first, second) {
  return Object.assign(looping({ chain: inOrder(order) }), { params: { first, second } });
}

/** @type {Record<string, ReturnType<typeof looping> & { params?: Record<string, string> }>} */
export const WRONG_LOOPS = {
  idle_loop_1: looping({ most: () => 0 }),
  idle_loop_2: looping({ most: () => 0, whole: true }),
  reseeds: looping({ place: () => 0 }),
  skips_u: looping({ place: (step) => 2 * step }),
  one_u_late: looping({ place: (step) => step + 1 }),
  turned_u: looping({ turn: (u) => 1 - u }),
  always_best: looping({ turn: () => 0 }),
  by_id: looping({ order: (list) => notRemoved(list).sort((a, b) => a.id - b.id) }),
  least_first: looping({ order: (list) => notRemoved(list).reverse() }),
  evenly: looping({
    order: (list) => notRemoved(list).map(({ id }, _, all) => ({ id, p: 1 / all.length })),
  }),
  u_met: looping({ takes: (mass, u) => mass >= u }),
  never_last: looping({
    order: (list) => notRemoved(list).filter((_, at, all) => !at || at < all.length - 1),
  }),
  shares_again_1: looping({ order: softmaxAgain(notRemoved) }),
  shares_again_2: looping({ order: softmaxAgain((list) => list) }),
  u_of_two: looping({ place: (step) => step >> 1 }),
  first_row: looping({ at: () => 0 }),
  row_before: looping({ at: (window) => Math.max(window.length - 2, 0) }),
  crops_front: looping({ crop: (ids, n) => ids.slice(0, n) }),
  crops_short: looping({ crop: (ids, n) => ids.slice(-(n - 1)) }),
  last_token_only: looping({ crop: (ids) => ids.slice(-1) }),
  not_appended_1: looping({ append: () => {} }),
  not_appended_2: looping({ crop: (_, n, prompt) => prompt.slice(-n) }),
  put_in_front: looping({ append: (id, ids) => void ids.unshift(id) }),
  end_left_out: looping({ end: 'leave' }),
  end_ignored: looping({ end: 'on' }),
  end_in_text_1: looping({ end: 'text' }),
  end_in_text_2: looping({ end: 'before' }),
  end_zero: looping({ end: 'true' }),
  prompt_too: looping({ whole: true }),
  one_token_more: looping({ most: (asked) => asked + 1 }),
  one_token_less: looping({ most: (asked) => asked - 1 }),
  prompt_counted: looping({ most: (asked, prompt) => asked - prompt.length }),
  one_token_at_least: looping({ most: (asked) => Math.max(asked, 1) }),
  history_window: looping({ history: (_, _p, window) => window }),
  history_prompt: looping({ history: (_, prompt) => prompt }),
  history_new: looping({ history: (ids, prompt) => ids.slice(prompt.length) }),
  history_none: looping({ history: () => [] }),
  history_last: looping({ history: (ids) => ids.slice(-1) }),
  history_late: looping({ history: (ids) => ids.slice(0, -1) }),
  loop_shares_first: looping({ before: softmax }),
  loop_without_temperature: looping({ settings: withNeutral('temperature', 1) }),
  loop_without_top_k: looping({ settings: withNeutral('top_k', 0) }),
  loop_without_top_p: looping({ settings: withNeutral('top_p', 1) }),
  loop_temperature_twice: looping({
    settings: (it) => ({ ...it, temperature: it.temperature ** 2 }),
  }),
  'loop_temperature_twice 2': looping({ chain: inOrder([...CHAIN, 'temperature']) }),
  'loop_temperature_twice 3': looping({ chain: inOrder(['temperature', ...CHAIN]) }),
  loop_penalty_twice: looping({
    settings: (it) => ({ ...it, repetition_penalty: it.repetition_penalty ** 2 }),
  }),
  loop_top_p_twice: looping({ order: cutAgain }),
  ...Object.fromEntries(
    [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.7, 1].flatMap((least) => [
      [`t_floor ${least}`, withTemperature((t) => t && Math.max(t, least))],
      [`t_floor ${least} and at 0`, withTemperature((t) => Math.max(t, least))],
    ]),
  ),
  ...SWAPPED,
  ...Object.fromEntries(
    WRONG_STAGES.map(({ code, stages }) => [
      `${code} in a loop`,
      looping({ chain: inOrder(CHAIN, stages) }),
    ]),
  ),
};
