/**
 * Reads everything that the page shows about one position, from a model's text or from given logits. It keeps the
 * texts of tokens, but no other state.
 */
import { compareResults } from './order.js';
import { Timeline } from './sources.js';

/**
 * @typedef {import('../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 * @typedef {import('./sources.js').Source} Source
 * @typedef {import('../engine/types.js').Piece} Piece
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').Drawn} Drawn
 * @typedef {import('./order.js').Difference} Difference
 *
 * The user's own sampler; `readsTokens` is true if it needs the texts of the tokens.
 * @typedef {import('../engine/types.js').Own & { readsTokens?: boolean }} OwnStage
 *
 * A position in a text: the ids before it, the settings with Mirostat's bound at this position, and
 * `step`, the number of drawn tokens before it. XTC's coin and some samplers depend on `step`.
 * @typedef {{ ids: number[], settings: Settings, step: number }} TextPosition
 *
 * @typedef {object} ReadRequest
 * @property {TextPosition} position
 * @property {number | null} u the random number, from 0 to 1; null to use the seed's
 * @property {string[]} order the canonical order
 * @property {Settings[] | null} both two other choices of settings to compare; null for none
 * @property {boolean} whole true to read the curves over all ranks
 * @property {boolean} [stages] true to list more tokens, and those that are large only before some stage
 *
 * @typedef {object} Reading
 * @property {Trace} trace
 * @property {Drawn} drawn
 * @property {import('../plots/curve.js').Curves | null} curves
 * @property {import('../plots/stages.js').BandToken[]} further tokens that are large before some stage but not listed
 * @property {Difference | null} difference from the result of the canonical order
 * @property {import('./beside.js').Beside | null} beside
 */

/** Stages without an effect for which the reason can be found only by running the chain again. */
const TOLD = ['xtc_probability', 'dry_multiplier'];
const TOP = 20;
/** Number of tokens that the picture of the stages needs. */
const BANDS = 48;
/** Number of alternatives that are listed for an earlier token. */
const ALTERNATIVES = 8;

export class Reader {
  #engine;
  source;
  /** @type {Map<number, Piece>} */
  #pieces = new Map();
  /**
   * The texts of all tokens, for the user's own sampler; null until it needs them.
   * @type {Promise<readonly string[] | undefined> | null}
   */
  #texts = null;
  /** A second timeline, for the alternatives of earlier tokens; null until it is needed. @type {Timeline | null} */
  #probe = null;

  /**
   * @param {RemoteLogitscope} engine
   * @param {Source} source
   */
  constructor(engine, source) {
    this.#engine = engine;
    this.source = source;
  }

  /**
   * @param {ReadRequest} request
   * @returns {Promise<Reading>}
   */
  async read({ position, u, order, both, whole, stages: through = false }) {
    const { step } = position;
    await this.source.moveTo(position);
    const settings = await this.settle(position, position.settings);
    const { trace, drawn } = await this.source.read(
      { ...settings, top: through ? BANDS : TOP },
      u === null ? { step } : { step, u },
    );
    const [piece] = await this.pieces([drawn.id]);
    const stages = await this.#explain(trace.stages, { ...position, settings });
    return {
      trace: { ...trace, stages, tokens: await this.#withBytes(trace.tokens) },
      drawn: { ...drawn, ...piece },
      further: through ? await this.#readHidden(trace, { ...position, settings }) : [],
      curves: whole ? await this.#readCurves({ ...position, settings }, order) : null,
      difference: settings.order
        ? await this.#readDifference({ ...position, settings }, { ...position.settings, order })
        : null,
      beside: both ? await this.#readBeside(position, both) : null,
    };
  }

  /**
   * For stages that are on but had no effect: adds the reason. For DRY: adds the longest repeat.
   * @param {import('../engine/types.js').TraceStage[]} stages
   * @param {TextPosition} position
   */
  async #explain(stages, position) {
    const told = stages.filter(({ name, active }) => active && TOLD.includes(name));
    const isDry = (/** @type {{ name: string }} */ { name }) => name === 'dry_multiplier';
    if (!told.some((stage) => isDry(stage) || !stage.changed)) return stages;
    const { explainIdle, measureRepeat } = await import('./idle-reason.js');
    const warp = async (/** @type {Settings} */ change) => {
      const [found] = await this.#warpAll(position, [{ ...position.settings, ...change }]);
      return found;
    };
    const explained = await explainIdle(stages, warp);
    const dry = explained.find((stage) => isDry(stage) && stage.active);
    if (!dry) return explained;
    const { neutral } = this.#engine.table.find(({ name }) => name === 'dry_allowed_length') ?? {};
    const allowed = Number(position.settings.dry_allowed_length ?? neutral);
    const isFound = dry.changed || dry.why === 'short';
    const n = isFound ? await measureRepeat(warp, dry.changed ? allowed : 1) : 0;
    const pieces = n > 0 ? await this.pieces(position.ids.slice(-n)) : [];
    const repeat = { text: pieces.map(({ text }) => text).join(''), n, allowed };
    return explained.map((stage) => (stage === dry ? { ...stage, repeat } : stage));
  }

  /**
   * Reads tokens that the trace does not list although they are probable before some stage.
   * @param {Trace} trace
   * @param {TextPosition} position
   */
  async #readHidden(trace, position) {
    const { findHidden, mayHide } = await import('./hidden-tokens.js');
    if (!mayHide(trace)) return [];
    const { trace: raw } = await this.source.read({ top: BANDS }, { step: position.step });
    const hidden = await findHidden(trace, raw, position.settings, (choices) =>
      this.#warpAll(position, choices),
    );
    const pieces = await this.pieces(hidden.map(({ id }) => id));
    return hidden.map((token, i) => ({ ...token, ...pieces[i] }));
  }

  /**
   * Runs the user's own sampler and returns settings that have its result instead of the function. If it fails, the
   * settings have no own sampler.
   * @param {TextPosition} position
   * @param {Settings} settings
   * @param {Source} [source] already moved to the position
   * @returns {Promise<Settings>}
   */
  async settle({ ids: history, step }, settings, source = this.source) {
    const { own, ...asked } = settings;
    if (typeof own !== 'function') return settings;
    const logits = await source.logits();
    const { second } = source;
    const how = { history, second, step };
    const [given, all, context] = await this.#engine.ownInput(logits, asked, how);
    const { readsTokens } = /** @type {OwnStage} */ (own);
    const tokens = readsTokens ? await this.#readTexts(source) : undefined;
    const result = await own(given, all, { ...context, tokens });
    return result ? { ...asked, own: result } : asked;
  }

  /**
   * Reads the texts of all tokens once; undefined if the model has no tokenizer.
   * @param {Source} source
   */
  #readTexts(source) {
    this.#texts ??= source.texts().catch(() => undefined);
    return this.#texts;
  }

  /**
   * Reads the most probable next tokens at a position.
   * @param {TextPosition} position
   * @returns {Promise<Trace>}
   */
  async alternatives(position) {
    const probe = await this.#probeAt(position);
    const settings = await this.settle(position, position.settings, probe);
    const asked = { ...settings, top: ALTERNATIVES };
    const { trace } = await probe.read(asked, { step: position.step });
    return { ...trace, tokens: await this.#withBytes(trace.tokens) };
  }

  /**
   * Reads a token's probability before and after the chain, at a position.
   * @param {TextPosition} position
   * @param {number} id
   */
  async shareOf(position, id) {
    const probe = await this.#probeAt(position);
    const logits = await probe.logits();
    const { ids: history, step } = position;
    const settings = await this.settle(position, position.settings, probe);
    const how = { history, second: probe.second, step };
    const [raw, final] = await Promise.all(
      [{}, settings].map((asked) => this.#engine.warp(logits, asked, how)),
    );
    return { p_raw: raw.p[id], p: final.p[id] };
  }

  /** Returns the second timeline, at a position. @param {TextPosition} position */
  async #probeAt(position) {
    this.#probe ??= new Timeline(this.#engine);
    await this.#probe.moveTo(position);
    return this.#probe;
  }

  /**
   * Reads the present distribution so that its list includes the token `id`.
   * @param {number} id
   * @param {TextPosition} position
   * @returns {Promise<Trace>}
   */
  async listing(id, position) {
    const settings = await this.settle(position, position.settings);
    const { step } = position;
    const { trace: few } = await this.source.read({ ...settings, top: TOP }, { step });
    if (few.tokens.some(({ id: listed }) => listed === id)) return few;
    return (await this.source.read({ ...settings, top: few.vocab_size }, { step })).trace;
  }

  close() {
    this.source.close();
    this.#probe?.close();
  }

  /** @param {number[]} ids */
  async pieces(ids) {
    for (const id of ids)
      if (!this.#pieces.has(id)) this.#pieces.set(id, await this.source.piece(id));
    return ids.map((id) => /** @type {Piece} */ (this.#pieces.get(id)));
  }

  /**
   * @param {TextPosition} position
   * @param {string[]} canonical
   */
  async #readCurves({ ids: history, settings, step }, canonical) {
    const logits = await this.source.logits();
    const order = settings.order ?? canonical;
    const { table } = this.#engine;
    const { second } = this.source;
    const { fetchCurves } = await import('./curves.js');
    return fetchCurves(this.#engine, { logits, settings, table, order, history, second, step });
  }

  /**
   * Compares two choices of settings over the whole vocabulary.
   * @param {TextPosition} position
   * @param {Settings} other
   * @returns {Promise<Difference>}
   */
  async #readDifference(position, other) {
    const both = [position.settings, await this.settle(position, other)];
    const [mine, others] = await this.#warpAll(position, both);
    return this.#withTokens(compareResults(mine, others));
  }

  /** @param {TextPosition} position @param {Settings[]} both */
  async #readBeside(position, both) {
    const { chooseRows } = await import('./beside.js');
    const results = await this.#warpAll(position, both);
    const found = compareResults(results[0], results[1]);
    const difference = await this.#withTokens(found);
    const { ids, rows } = chooseRows(results, found);
    const kept = results.map(({ kept }) => kept);
    return { kept, difference, rows: rows(await this.pieces(ids)) };
  }

  /**
   * @param {TextPosition} position
   * @param {Settings[]} choices
   * @returns {Promise<import('../engine/types.js').WarpTrace[]>}
   */
  async #warpAll({ ids: history, step }, choices) {
    const logits = await this.source.logits();
    const how = { history, second: this.source.second, step };
    return Promise.all(choices.map((asked) => this.#engine.warp(logits, asked, how)));
  }

  /**
   * @param {import('./order.js').Comparison} comparison
   * @returns {Promise<Difference>}
   */
  async #withTokens({ only, lost, shifted }) {
    const group = async (/** @type {import('./order.js').Ids} */ { count, ids }) => ({
      count,
      tokens: await this.pieces(ids),
    });
    return {
      only: await group(only),
      lost: await group(lost),
      shifted: shifted && { ...shifted, token: (await this.pieces([shifted.id]))[0] },
    };
  }

  /**
   * Adds `bytes` to each token that is only a part of a character, because its text alone shows nothing.
   * @param {Trace['tokens']} tokens
   */
  async #withBytes(tokens) {
    const broken = tokens.filter(({ text }) => text.includes('\uFFFD'));
    if (broken.length === 0) return tokens;
    await this.pieces(broken.map(({ id }) => id));
    return tokens.map((token) =>
      broken.includes(token) ? { ...token, ...this.#pieces.get(token.id) } : token,
    );
  }
}
