/**
 * What the page asks of the engine: everything on show for one text under one choice of settings.
 * It keeps the pieces of tokens it has met, feeds only what changed, and holds no state of the page.
 */
import { fetchCurves } from './curves.js';
import { compareResults } from './order.js';

/**
 * @typedef {import('../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 * @typedef {import('../engine/remote.js').RemoteSession} RemoteSession
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
 * @property {Settings[] | null} both two other choices of settings, to be set side by side
 * @property {boolean} whole whether the curves over all ranks are wanted
 *
 * What two other choices of settings make of the same logits: a row for some of the likeliest and of
 * the differing tokens, null standing for a removed one.
 * @typedef {{ kept: number[], difference: Difference,
 *   rows: { token: Piece, p: (number | null)[], differs: boolean }[] }} Beside
 *
 * @typedef {object} Readings
 * @property {Trace} trace
 * @property {Drawn} drawn
 * @property {import('../plots/curve.js').Curves | null} curves
 * @property {Difference | null} difference from the canonical order's result
 * @property {Beside | null} beside
 */

/** How many tokens are listed. */
const TOP = 20;
/** How many alternatives of an earlier token are listed. */
const ALTERNATIVES = 8;
/** How many of the likeliest tokens of two results are set side by side, and how many that differ. */
const LIKELIEST = 5;
const DIFFERING = 3;

export class Reader {
  #engine;
  /** The timeline on show, the page's own. */
  session;
  #fed = '';
  /** @type {Map<number, Piece>} */
  #pieces = new Map();
  /** A timeline of its own for what earlier tokens might have been. @type {RemoteSession | null} */
  #probe = null;

  /**
   * @param {RemoteLogitscope} engine
   * @param {RemoteSession} session
   */
  constructor(engine, session) {
    this.#engine = engine;
    this.session = session;
  }

  /**
   * @param {Wish} wish
   * @returns {Promise<Readings>}
   */
  async read({ place, u, order, both, whole }) {
    const { ids, step } = place;
    await this.#feed(ids);
    const settings = await this.settle(place, place.settings);
    const { trace, drawn } = await this.session.read(
      { ...settings, top: TOP },
      u === null ? { step } : { step, u },
    );
    const [piece] = await this.pieces([drawn.id]);
    return {
      trace: { ...trace, tokens: await this.#withBytes(trace.tokens) },
      drawn: { ...drawn, ...piece },
      curves: whole ? await this.#readCurves({ ...place, settings }, order) : null,
      difference: settings.order
        ? await this.#readDifference({ ...place, settings }, { ...place.settings, order })
        : null,
      beside: both ? await this.#readBeside(place, both) : null,
    };
  }

  /**
   * Settings with what a sampler of the reader's own makes of a place, instead of its function; without
   * it where it fails.
   * @param {Place} place
   * @param {Settings} settings
   * @param {RemoteSession} [session] one that stands there
   * @returns {Promise<Settings>}
   */
  async settle({ ids: history, step }, settings, session = this.session) {
    const { own, ...asked } = settings;
    if (typeof own !== 'function') return settings;
    const logits = await session.logits();
    const reaching = await this.#engine.ownInput(logits, asked, { history, step });
    const result = await own(.../** @type {Parameters<typeof own>} */ (reaching));
    return result ? { ...asked, own: result } : asked;
  }

  /**
   * What could follow a text, the likeliest first.
   * @param {Place} place
   * @returns {Promise<Trace>}
   */
  async alternatives(place) {
    const { step } = place;
    const probe = await this.#probeAt(place);
    const settings = await this.settle(place, place.settings, probe);
    const trace = await probe.distribution({ ...settings, top: ALTERNATIVES }, { step });
    return { ...trace, tokens: await this.#withBytes(trace.tokens) };
  }

  /**
   * How probable a token is in a place, before and after the warpers.
   * @param {Place} place
   * @param {number} id
   */
  async shareOf(place, id) {
    const probe = await this.#probeAt(place);
    const logits = await probe.logits();
    const { ids: history, step } = place;
    const settings = await this.settle(place, place.settings, probe);
    const [raw, final] = await Promise.all(
      [{}, settings].map((asked) => this.#engine.warp(logits, asked, { history, step })),
    );
    return { p_raw: raw.p[id], p: final.p[id] };
  }

  /** The timeline for earlier tokens, brought to a place. @param {Place} place */
  async #probeAt({ ids }) {
    const probe = (this.#probe ??= await this.#engine.session());
    await probe.feed(Uint32Array.from(ids));
    return probe;
  }

  /**
   * The distribution on show, as far down as `id`.
   * @param {number} id
   * @param {Settings} settings
   * @returns {Promise<Trace>}
   */
  async listing(id, settings) {
    const few = await this.session.distribution({ ...settings, top: TOP });
    if (few.tokens.some(({ id: listed }) => listed === id)) return few;
    return this.session.distribution({ ...settings, top: few.vocab_size });
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
    const logits = await this.session.logits();
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
  async #readDifference(place, other) {
    const both = [place.settings, await this.settle(place, other)];
    const [mine, others] = await this.#warpBoth(place, both);
    return this.#named(compareResults(mine, others));
  }

  /**
   * @param {Place} place
   * @param {Settings[]} both
   * @returns {Promise<Beside>}
   */
  async #readBeside(place, both) {
    const results = await this.#warpBoth(place, both);
    const found = compareResults(results[0], results[1]);
    const apart = [...found.only.ids.slice(0, DIFFERING), ...found.lost.ids.slice(0, DIFFERING)];
    const likeliest = results.flatMap(({ tokens }) => tokens.slice(0, LIKELIEST));
    const ids = [...new Set([...likeliest.map(({ id }) => id), ...apart])];
    const most = (/** @type {number} */ id) => Math.max(...results.map(({ p }) => p[id]));
    ids.sort((a, b) => most(b) - most(a) || a - b);
    const tokens = await this.pieces(ids);
    return {
      kept: results.map(({ kept }) => kept),
      difference: await this.#named(found),
      rows: tokens.map((token) => {
        const p = results.map((result) =>
          result.logits[token.id] === -Infinity ? null : result.p[token.id],
        );
        return { token, p, differs: (p[0] === null) !== (p[1] === null) };
      }),
    };
  }

  /**
   * @param {Place} place
   * @param {Settings[]} both
   * @returns {Promise<import('../engine/types.js').WarpTrace[]>}
   */
  async #warpBoth({ ids: history, step }, both) {
    const logits = await this.session.logits();
    return Promise.all(
      both.map((asked) => this.#engine.warp(logits, asked, { history, step })),
    );
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
    await this.session.feed(Uint32Array.from(ids));
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
