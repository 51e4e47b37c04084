/**
 * Calls the samplers in a learner's file one by one, because a wrong sampler may be the reason for a wrong chain or
 * loop.
 */
import { disagreement, expect, warped } from './expect.js';
import { coinOf } from './hashes.js';
import { SPECS } from './specs.js';
import { toyRow } from './toy.js';
import { CHAIN, best, softmax } from './wrong-samplers.js';

/**
 * @typedef {{ logits: number[], settings: any, history: number[] }} Given
 * @typedef {{ list?: number[], error?: string }} Made
 */

/** Most wrong answers, and most right answers, that are tried. */
const MOST = 20;

export class LearnerStages {
  #engine;
  #tested;
  #complete;
  /** Names of samplers that differ from the engine's. @type {Set<string>} */
  wrong = new Set();
  /** True if `tested` calls one of the samplers now, so that its own function must be selected again. */
  used = false;

  /**
   * @param {any} engine
   * @param {import('./tested-function.js').TestedFunction} tested
   * @param {(stage: string, settings: any) => any} complete returns all settings of a stage
   */
  constructor(engine, tested, complete) {
    this.#engine = engine;
    this.#tested = tested;
    this.#complete = complete;
  }

  /** @param {string} stage @param {Given} given */
  async #callStage(stage, { logits, settings, history }) {
    return this.#tested.call({
      call: 'warp',
      logits: Float32Array.from(logits),
      settings: this.#complete(stage, settings),
      history,
      step: 0,
      coin: coinOf(0),
      bits: null,
      second: null,
    });
  }

  /**
   * Applies one stage to an input: the learner's sampler, or the engine's if the file has none.
   * @param {string} stage
   * @param {Given} given
   * @param {boolean} isOwn
   * @returns {Promise<Made>}
   */
  async #applyStage(stage, given, isOwn) {
    const right = await expect(this.#engine, given, SPECS[stage].nudge).catch(() => null);
    if (!isOwn) {
      const list = right && (await warped(this.#engine, given));
      return list ? { list: Array.from(list) } : { error: 'no logits are left' };
    }
    const { result, error } = await this.#callStage(stage, given);
    const isList = result instanceof Float64Array && result.length === given.logits.length;
    if (right && !(isList && !disagreement(right, result))) this.wrong.add(stage);
    return isList ? { list: Array.from(result) } : { error: error ?? String(result) };
  }

  /** Applies the four stages to each input. @param {Given[]} all @returns {Promise<Made[]>} */
  async chain(all) {
    /** @type {Made[]} */
    const made = all.map(({ logits }) => ({ list: logits }));
    this.used = true;
    for (const stage of CHAIN) {
      const isOwn = !(await this.#tested.use(stage, true)).error;
      for (const [i, { settings, history }] of all.entries()) {
        const { list } = made[i];
        if (!list) continue;
        const set = settings[stage] === undefined ? {} : { [stage]: settings[stage] };
        made[i] = await this.#applyStage(stage, { logits: list, settings: set, history }, isOwn);
        if (this.#tested.hangs + this.#tested.ends > 0) return [];
      }
    }
    return made;
  }

  /**
   * Runs a correct loop with these samplers and returns its ids. `open` is true if a sampler has removed all tokens.
   * @param {any[]} runs
   * @returns {Promise<{ ids: number[], open: boolean }[]>}
   */
  async loop(runs) {
    const drawn = runs.map((run) => ({ run, ids: /** @type {number[]} */ ([]), open: false }));
    let active = drawn.filter(({ run }) => run.settings.max_new_tokens > 0);
    for (let step = 0; active.length > 0; step++) {
      const made = await this.chain(
        active.map(({ run: { toy, prompt, settings }, ids }) => {
          const text = [...prompt, ...ids];
          const window = text.slice(-toy.context_length);
          const logits = Array.from(toyRow(toy, window, window.length - 1));
          return { logits, settings, history: text };
        }),
      );
      if (!made.length) return [];
      for (const [i, it] of active.entries()) {
        const us = it.run.streams[it.run.settings.seed];
        const id = draw(made[i].list ?? [], us[step % us.length]);
        if (id === undefined) it.open = true;
        else it.ids.push(id);
      }
      active = active.filter(
        ({ run, ids, open }) =>
          !open && ids.length < run.settings.max_new_tokens && ids.at(-1) !== run.toy.eos_token_id,
      );
    }
    return drawn;
  }
}

/** @param {number[]} logits @param {number} u */
function draw(logits, u) {
  const p = softmax(logits);
  if (!p.length || p.some(Number.isNaN)) return undefined;
  const order = best(logits).filter((id) => p[id] > 0);
  let mass = 0;
  for (const id of order) {
    mass += p[id];
    if (mass > u) return id;
  }
  return order.at(-1);
}

/**
 * Returns some of the wrong and some of the right answers, from all properties.
 * @template {{ wrong: boolean }} T
 * @param {T[]} answers
 */
export function some(answers) {
  return [true, false].flatMap((wrong) => {
    const all = answers.filter((it) => it.wrong === wrong);
    const every = Math.max(1, all.length / MOST);
    return all.filter((_, i) => Math.floor(i / every) !== Math.floor((i - 1) / every));
  });
}
