/**
 * The state behind the instrument over the reader's own logits: like the bench's, but the logits
 * are given and there is no model. Work is coalesced: one pass in flight, the newest wish wins.
 */
import { fetchCurves } from '../curves.js';
import { toFault } from '../faults.js';
import { compareResults } from '../order.js';
import { neutralSettings, spokenSettings } from '../settings.js';
import { countDraws, tallySeed, withoutCoin } from '../tally.js';

/**
 * @typedef {import('../../plots/trace.js').Trace} Trace
 * @typedef {import('../../plots/trace.js').Drawn} Drawn
 * @typedef {import('../../plots/trace.js').Settings} Settings
 * @typedef {import('../../plots/trace.js').SettingRow} SettingRow
 */

const TOP = 20;

export class OwnBench extends EventTarget {
  /** @type {string[]} */
  tokens = [];
  /** @type {Settings} */
  settings = {};
  /** @type {SettingRow[]} */
  table = [];
  /** @type {import('../bench.js').Bias[]} */
  biases = [];
  /** @type {string[] | null} */
  order = null;
  /** @type {'inverse' | 'gumbel'} */
  method = 'inverse';
  seed = 42;
  /** @type {number | null} */
  whatIf = null;
  /** @type {import('../bench.js').View} */
  view = 'bars';
  /** Whether the last change was a knob's. */
  direct = false;

  /** @type {Trace | null} */
  trace = null;
  /** @type {Drawn | null} */
  drawn = null;
  /** @type {import('../../plots/curve.js').Curves | null} */
  curves = null;
  /** @type {import('../order.js').Difference | null} */
  difference = null;
  /** @type {import('../tally.js').Tally | null} */
  tally = null;
  /** @type {import('../faults.js').Fault | null} */
  fault = null;
  /** @type {number[]} The ids drawn or given before. */
  history = [];
  /** How many of them were drawn. */
  step = 0;

  /** @type {any} */
  engine;
  /** As they are before any warper. */
  logits = new Float32Array();
  #wanted = false;
  /** @type {Promise<void> | null} */
  #pass = null;
  #tallyTurn = 0;

  /** @param {import('../../engine/remote.js').RemoteLogitscope} engine */
  constructor(engine) {
    super();
    this.engine = engine;
    this.table = /** @type {SettingRow[]} */ (engine.table);
    this.settings = { ...neutralSettings(this.table), temperature: 1 };
  }

  get asked() {
    const { table, settings, biases, seed, order, method } = this;
    return {
      ...spokenSettings(table, settings),
      seed,
      ...(biases.length > 0 ? { logit_bias: Object.fromEntries(biases.map(({ id, bias }) => [id, bias])) } : {}),
      ...(order ? { order } : {}),
      ...(method === 'gumbel' ? { draw: method } : {}),
    };
  }

  get #canonical() {
    return this.table.filter(({ warper }) => warper).map(({ name }) => name);
  }

  /**
   * Shows other logits.
   * @param {{ tokens: string[], logits: number[], history?: number[], step?: number }} given
   */
  async show({ tokens, logits, history = [], step = 0 }) {
    if (tokens !== this.tokens) this.biases = [];
    Object.assign(this, { tokens, history, step });
    this.logits = Float32Array.from(logits);
    await this.#change({}, false);
  }

  /** @param {Settings} patch */
  async set(patch) {
    await this.#change({ settings: { ...this.settings, ...patch } }, true);
  }

  /** @param {Settings} preset */
  async usePreset({ order = null, ...preset }) {
    await this.#change({ order, settings: { ...neutralSettings(this.table), ...preset } }, false);
  }

  /** @param {string[] | null} order */
  async setOrder(order) {
    await this.#change({ order: order?.join() === this.#canonical.join() ? null : order }, false);
  }

  /** @param {number} seed */
  async setSeed(seed) {
    await this.#change({ seed }, false);
  }

  /** @param {'inverse' | 'gumbel'} method */
  async setMethod(method) {
    await this.#change({ method }, false);
  }

  /** @param {import('../bench.js').View} view */
  async setView(view) {
    this.view = view;
    await this.#refresh();
  }

  /** @param {number | null} u */
  async setWhatIf(u) {
    this.direct = true;
    this.whatIf = this.method === 'gumbel' ? null : u;
    await this.#refresh();
  }

  /** @param {number} id @param {number | false | null} bias */
  async setBias(id, bias) {
    const others = this.biases.filter((other) => other.id !== id);
    const piece = { ...this.piece(id), bytes: new TextEncoder().encode(this.tokens[id]) };
    const biases = bias === null || bias === 0 ? others : [...others, { id, bias, piece }];
    await this.#change({ biases: biases.sort((a, b) => a.id - b.id) }, false);
  }

  /** @param {number} draws */
  async drawMany(draws) {
    while (this.#pass) await this.#pass;
    const from = this.tally ?? { total: 0, counts: new Map() };
    const turn = ++this.#tallyTurn;
    if (!this.trace) return;
    const settings = { ...withoutCoin(this.asked, this.trace), seed: tallySeed(this.seed, this.step) };
    const { history } = this;
    const source = {
      draw: (/** @type {object} */ asked, /** @type {object} */ choice) =>
        this.engine.drawFrom(this.logits, asked, { ...choice, history }),
    };
    for await (const tally of countDraws(source, settings, draws, from)) {
      if (turn !== this.#tallyTurn) return;
      this.tally = tally;
      this.#changed();
    }
  }

  /** What is drawn next, once everything is up to date. */
  async next() {
    while (this.#pass) await this.#pass;
    return this.drawn;
  }

  /** @param {number} id */
  piece(id) {
    return { id, text: this.tokens[id], special: false };
  }

  /** @param {object} patch @param {boolean} direct */
  #change(patch, direct) {
    Object.assign(this, patch, { direct, whatIf: null, tally: null });
    this.#tallyTurn++;
    this.#changed();
    return this.#refresh();
  }

  #refresh() {
    this.#wanted = true;
    this.#pass ??= this.#work().finally(() => (this.#pass = null));
    return this.#pass;
  }

  async #work() {
    while (this.#wanted) {
      this.#wanted = false;
      try {
        const { logits } = this;
        const readings = await this.#read();
        if (logits !== this.logits) continue; // of other tokens by now
        Object.assign(this, readings, { fault: null });
      } catch (error) {
        this.fault = toFault(error);
      }
      this.#changed();
    }
  }

  async #read() {
    const { asked, history, logits, step, whatIf, order, view, table } = this;
    const warp = (/** @type {object} */ settings) => this.engine.warp(logits, settings, { history, step });
    const choice = whatIf === null ? { step } : { step, u: whatIf };
    const [trace, drawn] = await Promise.all([
      warp({ ...asked, top: TOP }),
      this.engine.drawFrom(logits, asked, { ...choice, history }),
    ]);
    const difference = order && this.#nameDifference(compareResults(...await Promise.all([warp(asked), warp({ ...asked, order: this.#canonical })])));
    const curves =
      view === 'bars'
        ? null
        : await fetchCurves(this.engine, { logits: logits, settings: asked, table, order: order ?? this.#canonical, history, step });
    return { trace: this.#name(trace), drawn: { ...this.piece(drawn.id), ...drawn }, difference, curves };
  }

  /**
   * @param {import('../order.js').Comparison} comparison
   * @returns {import('../order.js').Difference}
   */
  #nameDifference({ only, lost, shifted }) {
    const group = (/** @type {import('../order.js').Ids} */ { count, ids }) => ({ count, tokens: ids.map((id) => this.piece(id)) });
    return {
      only: group(only),
      lost: group(lost),
      shifted: shifted && { token: this.piece(shifted.id), p: shifted.p, before: shifted.before },
    };
  }

  /** A trace with the tokens' texts. @param {Trace} trace @returns {Trace} */
  #name(trace) {
    return { ...trace, tokens: trace.tokens.map((token) => ({ ...token, text: this.tokens[token.id] })) };
  }

  #changed() {
    this.dispatchEvent(new CustomEvent('update'));
  }
}
