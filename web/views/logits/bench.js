/** The bench over the reader's own logits: they are given, and there is no model. */
import { Bench } from '../../state/bench.js';
import { fetchCurves } from '../../state/curves.js';
import { compareResults } from '../../state/order.js';
import { field, sameValue } from '../../state/fields.js';
import { neutralSettings } from '../../state/settings.js';

/**
 * @typedef {import('../../plots/trace.js').Trace} Trace
 * @typedef {import('../../plots/trace.js').Settings} Settings
 */

const TOP = 20;
const SEED = field('seed').initial;

export class OwnBench extends Bench {
  /** @type {string[]} */
  tokens = [];
  /** As they are before any warper. */
  logits = new Float32Array();
  /** @type {number[]} The ids drawn or given before. */
  history = [];
  /** How many of them were drawn. */
  step = 0;
  engine;

  /** @param {import('../../engine/remote.js').RemoteLogitscope} engine */
  constructor(engine) {
    super();
    this.engine = engine;
    this.table = /** @type {import('../../plots/trace.js').SettingRow[]} */ (engine.table);
    this.settings = { ...neutralSettings(this.table), temperature: 1 };
  }

  get drawStep() {
    return this.step;
  }

  get subject() {
    return this.logits;
  }

  /**
   * Shows other logits.
   * @param {{ tokens: string[], logits: number[], history?: number[], step?: number }} given
   */
  show({ tokens, logits, history = [], step = 0 }) {
    if (tokens !== this.tokens) this.biases = [];
    Object.assign(this, { tokens, history, step });
    this.logits = Float32Array.from(logits);
    return this.set({}, false);
  }

  /**
   * @param {Settings} patch
   * @param {boolean} [direct]
   */
  set(patch, direct) {
    this.whatIf = null;
    return super.set(patch, direct);
  }

  /** What the reader set, without what is neutral. */
  get said() {
    const { asked, table } = this;
    const neutral = Object.fromEntries(table.map((row) => [row.name, row.neutral]));
    const said = Object.entries({ ...asked, seed: asked.seed === SEED ? null : asked.seed }).filter(
      ([name, value]) => value !== null && !sameValue(value, neutral[name]),
    );
    return Object.fromEntries(said);
  }

  /**
   * Sets everything that `said` holds.
   * @param {import('../../engine/types.js').Settings} settings checked against the table
   */
  restore({ order, draw = 'inverse', logit_bias = {}, seed = SEED, ...others }) {
    const biases = Object.entries(logit_bias).filter(([id]) => Number(id) < this.tokens.length);
    this.biases = biases.map(([id, bias]) => ({ id: Number(id), bias, piece: this.#pieceOf(Number(id)) }));
    this.order = order ?? null;
    this.method = draw;
    this.seed = seed;
    this.settings = { ...neutralSettings(this.table), .../** @type {any} */ (others) };
    return this.set({}, false);
  }

  /** @param {number} id */
  #pieceOf(id) {
    return { ...this.piece(id), bytes: new TextEncoder().encode(this.tokens[id]) };
  }

  /** @param {number} id @param {number | false | null} bias */
  setBias(id, bias) {
    return this.biasPiece(this.#pieceOf(id), bias);
  }

  /** @param {number} draws */
  async drawMany(draws) {
    while (this.pass) await this.pass;
    const { history, logits } = this;
    /** @type {import('../../state/tally.js').Drawer} */
    const source = {
      draw: (asked, choice) => this.engine.drawFrom(logits, asked, { ...choice, history }),
    };
    await this.count(source, this.asked, draws);
  }

  /** What is drawn next, once everything is up to date. */
  async next() {
    while (this.pass) await this.pass;
    return this.drawn;
  }

  /** @param {number} id */
  piece(id) {
    return { id, text: this.tokens[id], special: false };
  }

  async read() {
    const { asked, history, logits, step, whatIf, view, table } = this;
    const { order, canonicalOrder } = this;
    const choice = whatIf === null ? { step } : { step, u: whatIf };
    const { trace, drawn } = await this.engine.readFrom(
      logits,
      { ...asked, top: TOP },
      { ...choice, history },
    );
    const canonical =
      order &&
      (await this.engine.warp(logits, { ...asked, order: canonicalOrder }, { history, step }));
    const curves =
      view === 'bars'
        ? null
        : await fetchCurves(this.engine, {
            logits,
            settings: asked,
            table,
            order: order ?? canonicalOrder,
            history,
            step,
          });
    return {
      trace: this.#name(trace),
      drawn: { ...this.piece(drawn.id), ...drawn },
      difference: canonical && this.#nameDifference(compareResults(trace, canonical)),
      curves,
    };
  }

  /**
   * @param {import('../../state/order.js').Comparison} comparison
   * @returns {import('../../state/order.js').Difference}
   */
  #nameDifference({ only, lost, shifted }) {
    const group = (/** @type {import('../../state/order.js').Ids} */ { count, ids }) => ({
      count,
      tokens: ids.map((id) => this.piece(id)),
    });
    return {
      only: group(only),
      lost: group(lost),
      shifted: shifted && { token: this.piece(shifted.id), p: shifted.p, before: shifted.before },
    };
  }

  /** A trace with the tokens' texts. @param {Trace} trace @returns {Trace} */
  #name(trace) {
    const tokens = trace.tokens.map((token) => ({ ...token, text: this.tokens[token.id] }));
    return { ...trace, tokens };
  }
}
