/**
 * The knobs, and what is on show under them, whatever is read: a model's text, or given logits. Of
 * readings the newest request wins. Announces "update", "change" and "fault".
 */
import { conventions } from '../engine/presets.js';
import { toFault } from '../engine/errors.js';
import { Newest } from './newest.js';
import { neutralSettings, spokenSettings } from './settings.js';
import { countDraws, tallySeed, withoutCoin } from './tally.js';

/** @param {number | string} id */
export const idsOfBias = (id) => String(id).split(' ').map(Number);

/** Tokens by their ids, sequences after them as they came, which is how an object has its keys. @param {Bias} a @param {Bias} b */
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
 * @typedef {{ id: number | string, bias: number | false, pieces: Piece[] }} Bias of a token, or of a
 *   sequence of them by its ids, as "3 7": of the last one where the others go before it
 * @typedef {'bars' | 'log' | 'cumulative' | 'ranks'} View
 * @typedef {import('./reader.js').Reader} Reader
 * @typedef {import('./reader.js').TextPosition} TextPosition
 *
 * What a pass reads, once it has begun: readings of something else are not shown.
 * @typedef {{ subject?: unknown, own?: Bench['own'] }} Pass
 */

export class Bench extends EventTarget {
  /** @type {SettingRow[]} */
  table = [];
  /** @type {Settings} */
  settings = {};
  /** @type {Bias[]} The tokens made likelier, less likely or forbidden, by id. */
  biases = [];
  /** @type {string[] | null} The warpers in an order of the reader's; null is the canonical one. */
  order = null;
  /** @type {import('../engine/types.js').Own | null} A sampler of the reader's own. */
  own = null;
  /** @type {'inverse' | 'gumbel'} */
  method = 'inverse';
  seed = 42;
  /** @type {number | null} A random number of the reader's instead of the seed's. */
  whatIf = null;
  /** @type {View} */
  view = 'bars';
  /** @type {[string, string] | null} The conventions that are compared. */
  pair = null;
  /** @type {import('../engine/types.js').Settings[] | null} What other programs would set, whose outcomes are wanted. */
  fronts = null;
  /** Whether the last change was a knob's: the bars then follow it at once instead of gliding. */
  direct = false;

  /** @type {Trace | null} */
  trace = null;
  /** @type {Drawn | null} */
  drawn = null;
  /** @type {import('../plots/curve.js').Curves | null} Null while no chart over all ranks shows. */
  curves = null;
  /** @type {import('./order.js').Difference | null} From the canonical order's result. */
  difference = null;
  /** @type {import('./reader.js').Beside | null} What the pair makes of the logits on show. */
  beside = null;
  /** @type {import('./outcomes.js').Outcome[] | null} What `fronts` make of the logits on show. */
  outcomes = null;
  /** @type {import('./tally.js').Tally | null} Many draws from what is shown. */
  tally = null;
  /** @type {Fault | null} */
  fault = null;

  /** @type {Newest<Pass, object | null>} */
  #passes = new Newest(
    (pass) => this.#begin(pass),
    (readings, pass) => this.#show(readings, pass),
    (error, pass) => this.#refuse(error, pass),
  );
  #tallyTurn = 0;

  /** The pass in flight; null once everything is up to date. */
  get pass() {
    return this.#passes.pass;
  }

  /** Whether there is something to read from. */
  get live() {
    return true;
  }

  /** The number of the draw on show. */
  get drawStep() {
    return 0;
  }

  /** What is read, whatever the settings: a reading of something else is not shown. @returns {unknown} */
  get subject() {
    return this.drawStep;
  }

  /** Reads what is on show. @returns {Reader} */
  get reader() {
    throw new Error('nothing is on show');
  }

  /** The position on show. @returns {TextPosition} */
  get position() {
    return { ids: [], settings: this.asked, step: this.drawStep };
  }

  /** Everything on show, by the names above. @returns {Promise<object>} */
  read() {
    const { position, pair, fronts, canonicalOrder } = this;
    const { order: _, own: __, ...values } = position.settings;
    return this.reader.read({
      position,
      both: pair?.map((name) => ({ ...values, ...conventions[name] })) ?? null,
      fronts,
      u: this.whatIf,
      order: canonicalOrder,
      whole: this.view === 'cumulative' || this.view === 'ranks',
    });
  }

  /** The settings as the engine takes them, but for a sampler of the reader's own. @returns {import('../engine/types.js').Settings} */
  get asked() {
    const { table, settings, biases, seed, order, method } = this;
    const warpers = order?.filter((name) => name !== 'own');
    const logit_bias = Object.fromEntries(biases.map(({ id, bias }) => [id, bias]));
    return {
      ...spokenSettings(table, settings),
      ...(settings.negative_prompt ? { negative_prompt: settings.negative_prompt } : {}),
      seed,
      ...(biases.length > 0 ? { logit_bias } : {}),
      ...(warpers && warpers.join() !== this.canonicalOrder.join() ? { order: warpers } : {}),
      ...(method === 'gumbel' ? { draw: method } : {}),
    };
  }

  get canonicalOrder() {
    return this.table.filter(({ warper }) => warper).map(({ name }) => name);
  }

  /**
   * Merges settings that were checked against the table.
   * @param {Settings} patch
   * @param {boolean} [direct]
   */
  async set(patch, direct = true) {
    this.direct = direct;
    this.settings = { ...this.settings, ...patch };
    this.dropTally();
    this.changed();
    await this.refresh();
    this.emit('change');
  }

  /** A sampler of the reader's own is last where it is not named. @param {string[] | null} [order] */
  #takeOrder(order) {
    const stages = order?.at(-1) === 'own' ? order.slice(0, -1) : order;
    this.order = stages && stages.join() !== this.canonicalOrder.join() ? stages : null;
  }

  /**
   * Applies the warpers in another order.
   * @param {string[] | null} order null for the canonical one
   */
  setOrder(order) {
    this.#takeOrder(order);
    return this.set({}, false);
  }

  /** @param {import('../engine/types.js').Own | null} own in the place that the order gives it */
  setOwn(own) {
    this.own = own;
    return this.set({}, false);
  }

  /**
   * Sets every knob, and the order.
   * @param {import('../engine/types.js').Settings} preset
   */
  usePreset({ order, ...preset }) {
    const neutral = neutralSettings(this.table);
    const known = Object.entries(preset).filter(([name]) => name in neutral);
    this.#takeOrder(order);
    return this.set({ ...neutral, ...Object.fromEntries(known) }, false);
  }

  /**
   * The biases of settings, each with its tokens.
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
   * Adds to the logit of a token, or of a sequence's last one, forbids it, or (null) leaves it as the
   * model has it.
   * @param {number | string} id
   * @param {number | false | null} bias
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

  /** @param {[string, string] | null} pair names of conventions, null to compare none */
  setPair(pair) {
    this.pair = pair;
    this.changed();
    this.emit('change');
    return this.refresh();
  }

  /** @param {import('../engine/types.js').Settings[] | null} fronts whose outcomes show; null for none */
  setFronts(fronts) {
    this.fronts = fronts;
    return this.refresh();
  }

  /** @param {View} view */
  setView(view) {
    this.view = view;
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

  /** @param {number | null} u null for the seed's */
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
   * Draws many times from what is shown and counts; ends early when something else is shown.
   * @param {number} draws
   */
  drawMany(draws) {
    return this.attempt(async () => {
      while (this.pass) await this.pass;
      if (!this.trace) return;
      const { reader, position } = this;
      const settings = await reader.settle(position, position.settings);
      const from = this.tally ?? { total: 0, counts: new Map() };
      const turn = ++this.#tallyTurn;
      const seed = tallySeed(this.seed, this.drawStep);
      const asked = { ...withoutCoin(settings, this.trace), seed };
      for await (const tally of countDraws(reader.source, asked, draws, from)) {
        if (turn !== this.#tallyTurn) return;
        this.tally = tally;
        this.changed();
      }
    });
  }

  dropTally() {
    this.#tallyTurn++;
    this.tally = null;
  }

  /** Brings what is on show up to date; calls made meanwhile share one further pass. */
  refresh() {
    return this.#passes.ask({});
  }

  /** Gives up the pass in flight, whose engine leaves. */
  dropPass() {
    this.#passes.drop();
  }

  /** @param {Pass} pass */
  async #begin(pass) {
    if (!this.live) return null;
    Object.assign(pass, { subject: this.subject, own: this.own });
    return this.read();
  }

  /** Whether something else is read by now. @param {Pass} pass */
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
    this.drawn = null; // the bars are of other settings or another text
    this.fail(error);
    this.changed();
  }

  /** Does work on the engine; why it fails shows. @param {() => Promise<unknown>} work */
  async attempt(work) {
    try {
      await work();
    } catch (error) {
      this.fail(error);
      this.changed();
    }
  }

  /** Keeps and tells why work failed, but for that on an engine that has left. @param {unknown} error */
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
