/** Faults that people plant in a decode loop, each as a loop that has it; see wrong_warpers.js. */
import { toyRow } from './toy.js';

/**
 * @typedef {import('./generation.js').Run} Run
 * @typedef {(row: ArrayLike<number>, settings: any, history: number[]) =>
 *   Promise<{ id: number, p: number }[]>} Ranked what the warpers leave, the most probable first
 *
 * What differs from the right loop.
 * @typedef {object} Loop
 * @property {(step: number) => number} [place] which of the random numbers a step takes
 * @property {(u: number) => number} [turn]
 * @property {(ids: number[], n: number) => number[]} [crop]
 * @property {(window: number[]) => number} [at] which row decides
 * @property {(ids: number[], prompt: number[], window: number[]) => number[]} [history]
 * @property {(list: { id: number, p: number }[]) => { id: number, p: number }[]} [order]
 * @property {(row: number[]) => number[]} [before] what the row is made into before the warpers
 * @property {(settings: any) => any} [settings]
 * @property {(id: number, ids: number[]) => void} [append]
 * @property {number} [more] tokens than asked for
 * @property {'leave' | 'keep' | 'on'} [end] what the end token does
 * @property {boolean} [whole] whether the prompt is returned too
 */

/**
 * @param {Loop} loop
 * @returns {(run: Run, ranked: Ranked, random: (step: number) => number | Promise<number>) => Promise<number[]>}
 */
const looping =
  ({
    place = (step) => step,
    turn = (u) => u,
    crop = (ids, n) => ids.slice(-n),
    at = (window) => window.length - 1,
    history = (ids) => ids,
    order = (list) => list,
    before = (row) => row,
    settings: change = (settings) => settings,
    append = (id, ids) => void ids.push(id),
    more = 0,
    end = 'keep',
    whole = false,
  }) =>
  async ({ toy, prompt, settings }, ranked, random) => {
    const { seed: _, max_new_tokens: most, ...warpers } = settings;
    const ids = [...prompt];
    const drawn = [];
    for (let step = 0; step < most + more; step++) {
      const window = crop(ids, toy.context_length);
      if (!window.length) break;
      const row = before(Array.from(toyRow(toy, window, at(window))));
      const found = await ranked(row, change(warpers), history(ids, prompt, window));
      const list = order(found.filter(({ p }) => p > 0));
      const u = turn(await random(place(step)));
      let mass = 0;
      const { id } = list.find(({ p }) => (mass += p) > u) ?? /** @type {any} */ (list.at(-1));
      const ends = id === toy.eos_token_id && end !== 'on';
      if (ends && end === 'leave') break;
      drawn.push(id);
      append(id, ids);
      if (ends) break;
    }
    return whole ? [...prompt, ...drawn] : drawn;
  };

/** @param {number[]} row */
function softmax(row) {
  const max = Math.max(...row);
  const e = row.map((logit) => Math.exp(logit - max));
  const total = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / total);
}

/** @param {string} name @param {number} value */
const neutral = (name, value) => (/** @type {any} */ settings) => ({ ...settings, [name]: value });

export const WRONG_LOOPS = {
  reseeds: looping({ place: () => 0 }),
  skips_u: looping({ place: (step) => 2 * step }),
  one_u_late: looping({ place: (step) => step + 1 }),
  turned_u: looping({ turn: (u) => 1 - u }),
  always_best: looping({ turn: () => 0 }),
  by_id: looping({ order: (list) => [...list].sort((a, b) => a.id - b.id) }),
  least_first: looping({ order: (list) => [...list].reverse() }),
  evenly: looping({
    order: (list) => {
      const left = list.filter(({ p }) => p > 0);
      return left.map((it) => ({ ...it, p: 1 / left.length }));
    },
  }),
  first_row: looping({ at: () => 0 }),
  row_before: looping({ at: (window) => Math.max(window.length - 2, 0) }),
  crops_front: looping({ crop: (ids, n) => ids.slice(0, n) }),
  crops_short: looping({ crop: (ids, n) => ids.slice(-(n - 1)) }),
  last_token_only: looping({ crop: (ids) => ids.slice(-1) }),
  not_appended: looping({ append: () => {} }),
  put_in_front: looping({ append: (id, ids) => void ids.unshift(id) }),
  end_left_out: looping({ end: 'leave' }),
  end_ignored: looping({ end: 'on' }),
  prompt_too: looping({ whole: true }),
  one_token_more: looping({ more: 1 }),
  one_token_less: looping({ more: -1 }),
  history_window: looping({ history: (_, _p, window) => window }),
  history_prompt: looping({ history: (_, prompt) => prompt }),
  history_new: looping({ history: (ids, prompt) => ids.slice(prompt.length) }),
  history_none: looping({ history: () => [] }),
  loop_shares_first: looping({ before: softmax }),
  loop_without_temperature: looping({ settings: neutral('temperature', 1) }),
  loop_without_top_k: looping({ settings: neutral('top_k', 0) }),
  loop_without_top_p: looping({ settings: neutral('top_p', 1) }),
};
