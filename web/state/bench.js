/**
 * The settings, and the engine's results with them for a text or for given logits. A newer request for a reading
 * replaces a waiting one. Emits "update", "change" and "fault".
 */
import { conventions } from '../engine/presets.js';
import { LogitscopeError, toFault } from '../engine/errors.js';
import { Newest } from './newest.js';
import { activeSettings, neutralSettings, spokenSettings } from './settings.js';
import { Turns } from './turns.js';

/** @param {number | string} id */
export const idsOfBias = (id) => String(id).split(' ').map(Number);

/**
 * Sorts biases: single tokens by id, then sequences. An object has its keys in the same order.
 * @param {Bias} a @param {Bias} b
 */
const byId = ({ id: a }, { id: b }) =>
  Number(typeof a === 'string') - Number(typeof b === 'string') ||
  (typeof a === 'number' && typeof b === 'number' ? a - b : 0);

/** @import { Trace, Drawn, Settings, SettingRow } from '../plots/trace.js' */
/** @import { Piece } from '../engine/types.js' */
/** @import { Fault } from '../engine/errors.js' */
/** @import { Reader, TextPosition } from './reader.js' */

/**
 * @typedef {{ id: number | string, bias: number | false, pieces: Piece[] }} Bias of a token. An id such
 *   as "3 7" names a sequence: the bias applies to token 7 directly after token 3.
 * @typedef {'bars' | 'log' | 'cumulative' | 'ranks' | 'stages'} View
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
  /** The user's order of samplers; null for the canonical order. @type {string[] | null} */
  order = null;
  /** @type {import('../engine/types.js').Own | null} The user's own sampler. */
  own = null;
  /** @type {'inverse' | 'gumbel'} */
  method = 'inverse';
  seed = 42;
  /** The u that the user tries, from 0 to 1; null for the seed's own. @type {number | null} */
  whatIf = null;
  /** Name of the chart that the user has chosen; null for the chart that fits the settings. @type {View | null} */
  view = null;
  /** True to show the stages if more than one is active and the user has chosen no chart. */
  prefersStages = false;
  /** True once a panel elsewhere on the page has shown the stages. */
  showsStages = false;
  /** Names of two programs with rules to compare; null for none. @type {[string, string] | null} */
  pair = null;
  /** Number of times that all settings were replaced, by a preset or another state. */
  replacements = 0;
  /** True after a change by a knob. Then the bars change without an animation. */
  direct = false;

  /** @type {Trace | null} */
  trace = null;
  /** @type {Drawn | null} */
  drawn = null;
  /** The curves over all ranks; null while no chart needs them. @type {import('../plots/curve.js').Curves | null} */
  curves = null;
  /**
   * Tokens for the picture of the stages that the trace does not list.
   * @type {import('../plots/stages.js').BandToken[]}
   */
  further = [];
  /**
   * How the user's order changes the result; null for the canonical order.
   * @type {import('./order.js').Difference | null}
   */
  difference = null;
  /**
   * The results under the rules of the two programs in `pair`; null for none.
   * @type {import('./beside.js').Beside | null}
   */
  beside = null;
  /** @type {import('./tally.js').Tally | null} */
  tally = null;
  /** @type {Fault | null} */
  fault = null;

  /** @type {Newest<Pass, object | null>} */
  #passes = new Newest(
    (pass) => this.#beginPass(pass),
    (readings, pass) => this.#show(readings, pass),
    (error, pass) => this.#failPass(error, pass),
  );
  turns = new Turns();

  /** Resolves when all readings are up to date; null if they are. */
  get pass() {
    return this.#passes.pass;
  }

  /** Name of the displayed chart. @returns {View} */
  get chart() {
    const { table, settings, biases } = this;
    if (this.view || !this.prefersStages) return this.view ?? 'bars';
    const active = activeSettings(table, settings);
    const on = table.filter(({ name, sampler }) => sampler && name in active).length;
    return on + Number(biases.length > 0) > 1 ? 'stages' : 'bars';
  }

  /** True if an engine is open. */
  get live() {
    return true;
  }

  get drawStep() {
    return 0;
  }

  /**
   * An object that stands for the text or the logits. A reading is dropped if this has changed meanwhile.
   * @returns {unknown}
   */
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

  /** Reads everything. The keys of the result are names of fields of this class. @returns {Promise<object>} */
  read() {
    const { position, pair, canonicalOrder } = this;
    const { order: _, own: __, ...values } = position.settings;
    return this.reader.read({
      position,
      both: pair?.map((name) => ({ ...values, ...conventions[name] })) ?? null,
      u: this.whatIf,
      order: canonicalOrder,
      whole: this.chart === 'cumulative' || this.chart === 'ranks',
      stages: this.chart === 'stages' || this.showsStages,
    });
  }

  /**
   * The settings as the engine takes them, without the user's own sampler.
   * @returns {import('../engine/types.js').Settings}
   */
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
    return this.table.filter(({ sampler }) => sampler).map(({ name }) => name);
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

  /**
   * Takes an order of samplers. A user's own sampler that is last in it is left out, because that is its usual place.
   * @param {string[] | null} [order]
   */
  #takeOrder(order) {
    const stages = order?.at(-1) === 'own' ? order.slice(0, -1) : order;
    this.order = stages && stages.join() !== this.canonicalOrder.join() ? stages : null;
  }

  /**
   * @param {string[] | null} order null for the canonical order
   * @param {boolean} [direct] true while the user drags a stage
   */
  setOrder(order, direct = false) {
    this.#takeOrder(order);
    return this.set({}, direct);
  }

  /** @param {import('../engine/types.js').Own | null} own */
  setOwn(own) {
    this.own = own;
    return this.set({}, false);
  }

  /**
   * Replaces all settings and the order by those of a preset. A setting that the preset does not have becomes
   * neutral; biases of tokens stay.
   * @param {import('../engine/types.js').Settings} preset
   */
  async usePreset({ order, logit_bias, ...preset }) {
    if (logit_bias)
      await this.attempt(async () => (this.biases = await this.readBiases(logit_bias)));
    const neutral = neutralSettings(this.table);
    const known = Object.entries(preset).filter(([name]) => name in neutral);
    this.#takeOrder(order);
    this.replacements++;
    return this.set({ ...neutral, ...Object.fromEntries(known) }, false);
  }

  /**
   * Returns the biases in a setting `logit_bias`, with the texts of their tokens.
   * @param {Record<string, number | false>} logit_bias
   * @returns {Promise<Bias[]>}
   */
  readBiases(logit_bias) {
    return Promise.all(
      Object.entries(logit_bias).map(async ([key, bias]) => ({
        id: key.includes(' ') ? key : Number(key),
        bias,
        pieces: await this.#piecesOfBias(key),
      })),
    );
  }

  /** @param {number | string} id as in `Bias` */
  async #piecesOfBias(id) {
    const isOpen = this.turns.watch('model');
    const pieces = await this.reader.pieces(idsOfBias(id));
    if (!isOpen()) throw new LogitscopeError('closed', 'session_closed'); // ids of the former vocabulary
    return pieces;
  }

  /**
   * @param {number | string} id of a token or a sequence, as in `Bias`
   * @param {number | false | null} bias added to the logit; false forbids the token, null removes the bias
   */
  setBias(id, bias) {
    return this.attempt(async () => {
      const pieces = await this.#piecesOfBias(id);
      const others = this.biases.filter((other) => other.id !== id);
      const added = bias === null || bias === 0 ? [] : [{ id, bias, pieces }];
      this.biases = [...others, ...added].sort(byId);
      await this.set({}, false);
    });
  }

  /** Changes the chart, or the two programs to compare. @param {Partial<Pick<Bench, 'view' | 'pair'>>} choice */
  choose(choice) {
    Object.assign(this, choice);
    this.changed();
    this.emit('change');
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
   * Draws many times from the displayed distribution and counts the tokens. Stops if the distribution changes.
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

  /** Starts all readings again. Several calls while readings run share one more pass. */
  refresh() {
    return this.#passes.ask({});
  }

  /** Gives up the running readings, because their engine is being closed. */
  dropPass() {
    this.#passes.drop();
  }

  /** @param {Pass} pass */
  async #beginPass(pass) {
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
  #failPass(error, pass) {
    if (this.#isStale(pass)) return;
    if (toFault(error).code === 'superseded') return void this.refresh();
    this.drawn = null; // no draw fits the bars, which show older settings or text
    this.fail(error);
    this.changed();
  }

  /** Calls `work`; if it throws, shows the error. @param {() => Promise<unknown>} work */
  async attempt(work) {
    try {
      await work();
    } catch (error) {
      this.fail(error);
      this.changed();
    }
  }

  /** Stores an error and emits "fault". An error because the engine was closed is ignored. @param {unknown} error */
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
