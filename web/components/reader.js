/**
 * What the page asks of the engine: everything on show for one text under one choice of settings.
 * It keeps the pieces of tokens it has met, feeds only what changed, and holds no state of the page.
 */
import { fetchCurves } from './curves.js';
import { compareResults } from './order.js';

/**
 * @typedef {import('../engine/types.js').Piece} Piece
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').Drawn} Drawn
 * @typedef {import('./order.js').Difference} Difference
 *
 * A place in a text: what comes before it, the settings with Mirostat's bound there, and the number
 * of the draw, whose coin XTC tosses.
 * @typedef {{ ids: number[], settings: Settings, step: number }} Place
 *
 * @typedef {object} Wish
 * @property {Place} place
 * @property {number | null} u instead of the seed's
 * @property {string[]} order the canonical order
 * @property {boolean} whole whether the curves over all ranks are wanted
 *
 * @typedef {object} Readings
 * @property {Trace} trace
 * @property {Drawn} drawn
 * @property {import('../plots/curve.js').Curves | null} curves
 * @property {Difference | null} difference from the canonical order's result
 */

/** How many tokens are listed. */
const TOP = 20;
/** How many alternatives of an earlier token are listed. */
const ALTERNATIVES = 8;

export class Reader {
  #engine;
  /** The timeline on show, the page's own. */
  #session;
  #fed = '';
  /** @type {Map<number, Piece>} */
  #pieces = new Map();
  /** A timeline of its own for what earlier tokens might have been. @type {any} */
  #probe = null;

  /**
   * @param {any} engine
   * @param {any} session
   */
  constructor(engine, session) {
    this.#engine = engine;
    this.#session = session;
  }

  /**
   * @param {Wish} wish
   * @returns {Promise<Readings>}
   */
  async read({ place, u, order, whole }) {
    const { ids, settings, step } = place;
    await this.#feed(ids);
    const asked = { ...settings, top: TOP };
    const [trace, drawn] = await Promise.all([
      this.#session.distribution(asked, { step }),
      this.#session.draw(asked, u === null ? { step } : { step, u }),
    ]);
    const [piece] = await this.pieces([drawn.id]);
    return {
      trace: { ...trace, tokens: await this.#withBytes(trace.tokens) },
      drawn: { ...drawn, ...piece },
      curves: whole ? await this.#readCurves(place, order) : null,
      difference: settings.order
        ? await this.#readDifference(place, { ...settings, order })
        : null,
    };
  }

  /**
   * What could follow a text, the likeliest first.
   * @param {Place} place
   * @returns {Promise<Trace>}
   */
  async alternatives({ ids, settings, step }) {
    this.#probe ??= await this.#engine.session();
    await this.#probe.feed(Uint32Array.from(ids));
    const trace = await this.#probe.distribution({ ...settings, top: ALTERNATIVES }, { step });
    return { ...trace, tokens: await this.#withBytes(trace.tokens) };
  }

  /**
   * Type-token ratio and distinct-2 of a text.
   * @param {number[]} ids
   * @returns {Promise<[number, number]>}
   */
  async distinct(ids) {
    const list = Uint32Array.from(ids);
    return [await this.#engine.distinct(list, 1), await this.#engine.distinct(list, 2)];
  }

  /** @param {number[]} ids */
  async pieces(ids) {
    for (const id of ids)
      if (!this.#pieces.has(id)) this.#pieces.set(id, await this.#engine.piece(id));
    return ids.map((id) => /** @type {Piece} */ (this.#pieces.get(id)));
  }

  /**
   * @param {Place} place
   * @param {string[]} canonical
   */
  async #readCurves({ ids: history, settings, step }, canonical) {
    const logits = await this.#session.logits();
    const order = settings.order ?? canonical;
    const { table } = this.#engine;
    return fetchCurves(this.#engine, { logits, settings, table, order, history, step });
  }

  /**
   * How the result differs from that of other settings, over the whole vocabulary.
   * @param {Place} place
   * @param {Settings} other
   * @returns {Promise<Difference>}
   */
  async #readDifference({ ids: history, settings, step }, other) {
    const logits = await this.#session.logits();
    const [own, others] = await Promise.all(
      [settings, other].map((asked) => this.#engine.warp(logits, asked, { history, step })),
    );
    return this.#named(compareResults(own, others));
  }

  /**
   * @param {import('./order.js').Comparison} comparison
   * @returns {Promise<Difference>}
   */
  async #named({ only, lost, shifted }) {
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
   * Runs the model, unless the timeline is the one that the logits on show belong to.
   * @param {number[]} ids
   */
  async #feed(ids) {
    const key = ids.join();
    if (key === this.#fed) return;
    this.#fed = '';
    await this.#session.feed(Uint32Array.from(ids));
    this.#fed = key;
  }

  /**
   * Adds its bytes to a token that is part of a character, so that a view can show them.
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
