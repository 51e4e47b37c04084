/**
 * The settings, and the readings of a model's text or of given logits under these settings. A newer
 * request for a reading replaces an older one. Emits "update", "change" and "fault".
 */
import { conventions } from '../engine/presets.js';
import { toFault } from '../engine/errors.js';
import { Newest } from './newest.js';
import { activeSettings, neutralSettings, spokenSettings } from './settings.js';
import { Turns } from './turns.js';

/** @param {number | string} id */
export const idsOfBias = (id) => String(id).split(' ').map(Number);

/** Compares two biases: tokens first, by id, then sequences; an object orders its keys like this. @param {Bias} a @param {Bias} b */
const byId = ({ id: a }, { id: b }) =>
  Number(typeof a === 'string') - Number(typeof b === 'string') ||
  (typeof a === 'number' && typeof b === 'number' ? a - b : 0);

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').Drawn} Drawn
 * @typedef {import('../plots/trace.js').Settings} Settings
 * @typedef {import('../plots/trace.js').SettingRow} SettingRow
 * @typedef {import('../engine/types.js').Piece} Piece
 * @typedef {import('../engine/errors.js').Fault} Fault
 * @typedef {{ id: number | string, bias: number | false, pieces: Piece[] }} Bias of a token. An id such
 *   as "3 7" names a sequence: the bias applies to token 7 directly after token 3.
 * @typedef {'bars' | 'log' | 'cumulative' | 'ranks' | 'stages'} View
 * @typedef {import('./reader.js').Reader} Reader
 * @typedef {import('./reader.js').TextPosition} TextPosition
 *
 * The subject and the user's sampler that a pass reads. If one of them changes, the readings of the
 * pass are dropped.
 * @typedef {{ subject?: unknown, own?: Bench['own'] }} Pass
 */

export class Bench extends EventTarget {
  /** @type {SettingRow[]} */
  table = [];
  /** @type {Settings} */
  settings = {};
  /** @type {Bias[]} */
  biases = [];
  /** @type {string[] | null} The user's order of samplers; null is the canonical order. */
  order = null;
  /** @type {import('../engine/types.js').Own | null} The user's own sampler. */
  own = null;
  /** @type {'inverse' | 'gumbel'} */
  method = 'inverse';
  seed = 42;
  /** @type {number | null} The user's random number, from 0 to 1; null to use the seed's. */
  whatIf = null;
  /** @type {View | null} The chosen chart; null for the chart that fits the settings. */
  view = null;
  /** True if the stages are the chart of more than one stage, unless another chart is chosen. */
  prefersStages = false;
  /** True if a panel elsewhere shows the stages. */
  showsStages = false;
  /** @type {[string, string] | null} The names of the two conventions to compare; null for none. */
  pair = null;
  /** @type {import('../engine/types.js').Settings[] | null} Default settings of other programs, to compute their outcomes. */
  fronts = null;
  /** True after a change by a knob: the bars then change without an animation. */
  direct = false;

  /** @type {Trace | null} */
  trace = null;
  /** @type {Drawn | null} */
  drawn = null;
  /** @type {import('../plots/curve.js').Curves | null} Null while no chart over all ranks is visible. */
  curves = null;
  /** @type {import('../plots/stages.js').BandToken[]} Tokens that the trace does not list, for the chart of the stages. */
  further = [];
  /** @type {import('./order.js').Difference | null} The difference from the result of the canonical order; null with that order. */
  difference = null;
  /** @type {import('./beside.js').Beside | null} The results of the two conventions in `pair`; null without a pair. */
  beside = null;
  /** @type {import('./outcomes.js').Outcome[] | null} The outcomes of `fronts`. */
  outcomes = null;
  /** @type {import('./tally.js').Tally | null} */
  tally = null;
  /** @type {Fault | null} */
  fault = null;

  /** @type {Newest<Pass, object | null>} */
  #passes = new Newest(
    (pass) => this.#begin(pass),
    (readings, pass) => this.#show(readings, pass),
    (error, pass) => this.#refuse(error, pass),
  );
  turns = new Turns();

  /** A promise that resolves when every reading is up to date; null if they are. */
  get pass() {
    return this.#passes.pass;
  }

  /** The visible chart. @returns {View} */
  get chart() {
    const { table, settings, biases } = this;
    if (this.view || !this.prefersStages) return this.view ?? 'bars';
    const active = activeSettings(table, settings);
    const on = table.filter(({ name, warper }) => warper && name in active).length;
    return on + Number(biases.length > 0) > 1 ? 'stages' : 'bars';
  }

  /** True if an engine is open. */
  get live() {
    return true;
  }

  get drawStep() {
    return 0;
  }

  /** Identifies the text or logits. A reading with another subject is not shown. @returns {unknown} */
  get subject() {
    return this.drawStep;
  }

  /** @returns {Reader} */
  get reader() {
    throw new Error('nothing is on show');
  }

  /** @returns {TextPosition} */
  get position() {
    return { ids: [], settings: this.asked, step: this.drawStep };
  }

  /** Reads everything; the result's keys are the names of this class's fields. @returns {Promise<object>} */
  read() {
    const { position, pair, fronts, canonicalOrder } = this;
    const { order: _, own: __, ...values } = position.settings;
    return this.reader.read({
      position,
      both: pair?.map((name) => ({ ...values, ...conventions[name] })) ?? null,
      fronts,
      u: this.whatIf,
      order: canonicalOrder,
      whole: this.chart === 'cumulative' || this.chart === 'ranks',
      stages: this.chart === 'stages' || this.showsStages,
    });
  }

  /** The settings in the engine's format, without the user's own sampler. @returns {import('../engine/types.js').Settings} */
  get asked() {
    const { table, settings, biases, seed, order, method } = this;
    const samplers = order?.filter((name) => name !== 'own');
    const logit_bias = Object.fromEntries(biases.map(({ id, bias }) => [id, bias]));
    return {
      ...spokenSettings(table, settings),
      ...(settings.negative_prompt ? { negative_prompt: settings.negative_prompt } : {}),
      seed,
      ...(biases.length > 0 ? { logit_bias } : {}),
      ...(samplers && samplers.join() !== this.canonicalOrder.join() ? { order: samplers } : {}),
      ...(method === 'gumbel' ? { draw: method } : {}),
    };
  }

  get canonicalOrder() {
    return this.table.filter(({ warper }) => warper).map(({ name }) => name);
  }

  /**
   * @param {Settings} patch checked against the table
   * @param {boolean} [direct] true if a knob made the change
   */
  async set(patch, direct = true) {
    this.direct = direct;
    this.settings = { ...this.settings, ...patch };
    this.dropTally();
    this.changed();
    await this.refresh();
    this.emit('change');
  }

  /** Keeps an order. The user's own sampler is last, unless the order names its place. @param {string[] | null} [order] */
  #takeOrder(order) {
    const stages = order?.at(-1) === 'own' ? order.slice(0, -1) : order;
    this.order = stages && stages.join() !== this.canonicalOrder.join() ? stages : null;
  }

  /** @param {string[] | null} order null for the canonical order */
  setOrder(order) {
    this.#takeOrder(order);
    return this.set({}, false);
  }

  /** @param {import('../engine/types.js').Own | null} own */
  setOwn(own) {
    this.own = own;
    return this.set({}, false);
  }

  /** Sets all settings and the order; settings that the preset omits become neutral. @param {import('../engine/types.js').Settings} preset */
  usePreset({ order, ...preset }) {
    const neutral = neutralSettings(this.table);
    const known = Object.entries(preset).filter(([name]) => name in neutral);
    this.#takeOrder(order);
    return this.set({ ...neutral, ...Object.fromEntries(known) }, false);
  }

  /**
   * Returns the biases of a `logit_bias` setting, each with its tokens.
   * @param {Record<string, number | false>} logit_bias
   * @returns {Promise<Bias[]>}
   */
  readBiases(logit_bias) {
    return Promise.all(
      Object.entries(logit_bias).map(async ([key, bias]) => ({
        id: key.includes(' ') ? key : Number(key),
        bias,
        pieces: await this.reader.pieces(idsOfBias(key)),
      })),
    );
  }

  /**
   * @param {number | string} id of a token or a sequence, as in `Bias`
   * @param {number | false | null} bias added to the logit; false forbids the token, null removes the bias
   */
  setBias(id, bias) {
    return this.attempt(async () => {
      const pieces = await this.reader.pieces(idsOfBias(id));
      const others = this.biases.filter((other) => other.id !== id);
      const added = bias === null || bias === 0 ? [] : [{ id, bias, pieces }];
      this.biases = [...others, ...added].sort(byId);
      await this.set({}, false);
    });
  }

  /** Chooses the visible chart or the two conventions to compare. @param {Partial<Pick<Bench, 'view' | 'pair'>>} choice */
  choose(choice) {
    Object.assign(this, choice);
    this.changed();
    this.emit('change');
    return this.refresh();
  }

  /** @param {import('../engine/types.js').Settings[] | null} fronts null for none */
  setFronts(fronts) {
    this.fronts = fronts;
    return this.refresh();
  }

  /** @param {'inverse' | 'gumbel'} method */
  setMethod(method) {
    this.method = method;
    this.whatIf = null;
    return this.set({}, false);
  }

  /** @param {number | null} u the random number, from 0 to 1; null to use the seed's */
  setWhatIf(u) {
    this.direct = true;
    this.whatIf = this.method === 'gumbel' ? null : u;
    return this.refresh();
  }

  /** @param {number} seed */
  setSeed(seed) {
    this.whatIf = null;
    this.seed = seed;
    return this.set({}, false);
  }

  /**
   * Draws many times from the visible distribution and counts the tokens. Ends early if the
   * distribution changes.
   * @param {number} draws
   */
  drawMany(draws) {
    return this.attempt(async () => {
      const { countDraws, tallySeed, withoutCoin } = await import('./tally.js');
      while (this.pass) await this.pass;
      if (!this.trace) return;
      const { reader, position } = this;
      const settings = await reader.settle(position, position.settings);
      const from = this.tally ?? { total: 0, counts: new Map() };
      const isNewest = this.turns.begin('tally');
      const seed = tallySeed(this.seed, this.drawStep);
      const asked = { ...withoutCoin(settings, this.trace), seed };
      for await (const tally of countDraws(reader.source, asked, draws, from)) {
        if (!isNewest()) return;
        this.tally = tally;
        this.changed();
      }
    });
  }

  dropTally() {
    this.turns.begin('tally');
    this.tally = null;
  }

  /** Updates every reading. All calls during a pass share the next pass. */
  refresh() {
    return this.#passes.ask({});
  }

  /** Drops the pass in flight, because its engine is being closed. */
  dropPass() {
    this.#passes.drop();
  }

  /** @param {Pass} pass */
  async #begin(pass) {
    if (!this.live) return null;
    Object.assign(pass, { subject: this.subject, own: this.own });
    return this.read();
  }

  /** @param {Pass} pass */
  #isStale(pass) {
    return pass.subject !== this.subject || pass.own !== this.own;
  }

  /** @param {object | null} readings @param {Pass} pass */
  #show(readings, pass) {
    if (!readings || this.#isStale(pass)) return;
    Object.assign(this, readings);
    this.fault = null;
    this.changed();
  }

  /** @param {unknown} error @param {Pass} pass */
  #refuse(error, pass) {
    if (this.#isStale(pass)) return;
    this.drawn = null; // the visible bars belong to other settings or to another text
    this.fail(error);
    this.changed();
  }

  /** Runs `work` on the engine and shows a fault if it fails. @param {() => Promise<unknown>} work */
  async attempt(work) {
    try {
      await work();
    } catch (error) {
      this.fail(error);
      this.changed();
    }
  }

  /** Keeps and emits a fault, unless the engine is closed. @param {unknown} error */
  fail(error) {
    const fault = toFault(error);
    if (fault.code === 'closed') return;
    this.recordFault(fault);
    this.emit('fault', fault);
  }

  /** @param {Fault} fault */
  recordFault(fault) {
    this.fault = fault;
  }

  changed() {
    this.emit('update');
  }

  /** @param {string} type @param {unknown} [detail] */
  emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
