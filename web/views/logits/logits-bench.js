/** The state of the bench without a model: logits that the user gives. */
import { Bench, idsOfBias } from '../../state/bench.js';
import { field } from '../../state/fields.js';
import { Reader } from '../../state/reader.js';
import { activeSettings, neutralSettings } from '../../state/settings.js';
import { GivenLogits } from '../../state/sources.js';

/** @import { Settings } from '../../plots/trace.js' */

const SEED = field('seed').initial;

export class LogitsBench extends Bench {
  /** @type {string[]} */
  tokens = [];
  /** The logits before the chain. */
  logits = new Float32Array();
  /** Ids of the tokens before this position, given or drawn. @type {number[]} */
  history = [];
  /** Number of drawn ids at the end of `history`. */
  drawnBefore = 0;
  /** @type {import('../../engine/remote.js').RemoteLogitscope | null} */
  engine = null;
  /** @type {Reader | null} */
  #reader = null;

  /** @param {import('../../engine/remote.js').RemoteLogitscope | null} engine null if it was closed */
  use(engine) {
    this.engine = engine;
    if (!engine) return;
    this.table = /** @type {import('../../plots/trace.js').SettingRow[]} */ (engine.table);
    this.settings = { ...neutralSettings(this.table), temperature: 1 };
  }

  get live() {
    return this.engine !== null;
  }

  get reader() {
    if (!this.#reader) throw new Error('no logits were given');
    return this.#reader;
  }

  get drawStep() {
    return this.drawnBefore;
  }

  get subject() {
    return this.logits;
  }

  get position() {
    return { ids: this.history, settings: this.asked, step: this.drawStep };
  }

  /**
   * Takes new logits and shows them.
   * @param {{ tokens: string[], logits: number[], history?: number[], step?: number, reader?: any }} given
   *   reader: reads them in place of the engine
   */
  show({ tokens, logits, history = [], step = 0, reader }) {
    if (tokens !== this.tokens) this.biases = [];
    Object.assign(this, { tokens, history, drawnBefore: step });
    this.logits = Float32Array.from(logits);
    const { engine } = this;
    if (!engine) return;
    this.#reader = reader ?? new Reader(engine, new GivenLogits(engine, this.logits, tokens));
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

  /** The settings that are not neutral. */
  get said() {
    const { asked, table } = this;
    return activeSettings(table, { ...asked, seed: asked.seed === SEED ? null : asked.seed });
  }

  /**
   * Replaces all settings by those that `said` has returned before.
   * @param {import('../../engine/types.js').Settings} settings checked against the table
   */
  async restore({ order, draw = 'inverse', logit_bias = {}, seed = SEED, ...others }) {
    if (!this.live) return;
    const known = Object.entries(logit_bias).filter(([key]) =>
      idsOfBias(key).every((id) => id < this.tokens.length),
    );
    this.biases = await this.readBiases(Object.fromEntries(known));
    this.order = order ?? null;
    this.method = draw;
    this.seed = seed;
    this.settings = { ...neutralSettings(this.table), .../** @type {any} */ (others) };
    await this.set({}, false);
  }

  /** Resolves to the next token after all open readings. */
  async next() {
    while (this.pass) await this.pass;
    return this.drawn;
  }
}
