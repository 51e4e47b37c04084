/** Two sources of logits with the same methods: a model's timeline, and logits that the user gives. */
import { LogitscopeError } from '../engine/errors.js';
import { readsSecond } from '../engine/presets.js';

/** @import { RemoteLogitscope, RemoteSession } from '../engine/remote.js' */
/** @import { Piece, Settings, ReadChoice, Reading as EngineReading } from '../engine/types.js' */

/**
 * @typedef {object} Source
 * @property {(position: import('./reader.js').TextPosition) => Promise<unknown>} moveTo moves to the
 *   end of a text; the other calls read there. Also moves to the end of the second text if the settings
 *   need it
 * @property {() => Promise<Float32Array>} logits
 * @property {Float32Array | undefined} second the logits of the second text
 * @property {(settings: Settings, choice: ReadChoice) => Promise<EngineReading>} read if there is a
 *   second distribution, each token has its probability there, `p_second`
 * @property {(settings: Settings, choice: { step: number }) => Promise<import('../engine/types.js').Drawn>} draw
 * @property {(settings: Settings, knob: string, values: ArrayLike<number>,
 *   options: { top: number, step: number, token?: number }) => Promise<import('../engine/types.js').Landscape>} landscape
 * @property {(id: number) => Promise<Piece>} piece
 * @property {() => Promise<readonly string[]>} texts the texts of all tokens
 * @property {() => void} close closes the sessions
 */

/** A session that is opened when it is first needed. */
class Opened {
  #engine;
  /** @type {Promise<RemoteSession> | null} */
  #session;
  #closed = false;

  /**
   * @param {RemoteLogitscope} engine
   * @param {RemoteSession} [session] an open session to use
   */
  constructor(engine, session) {
    this.#engine = engine;
    this.#session = session ? Promise.resolve(session) : null;
  }

  async get() {
    if (this.#closed) throw new LogitscopeError('closed', 'session_closed');
    this.#session ??= this.#engine.session().catch((error) => {
      this.#session = null; // so the next `get` tries again, perhaps with more memory
      throw error;
    });
    return this.#session;
  }

  close() {
    this.#closed = true;
    this.#session?.then((session) => session.close()).catch(() => {}); // ignore errors: its engine may be closed
  }
}

/** The source of logits from a model. @implements {Source} */
export class Timeline {
  #engine;
  #session;
  #fed = '';
  /** The session for the second text. */
  #beside;
  #fedBeside = '';
  /** @type {Float32Array | undefined} */
  second;
  /** The probabilities of the second distribution. @type {ArrayLike<number>} */
  #pSecond = [];

  /**
   * @param {RemoteLogitscope} engine
   * @param {RemoteSession} [session] a session to use in place of a new one; close() closes it
   */
  constructor(engine, session) {
    this.#engine = engine;
    this.#session = new Opened(engine, session);
    this.#beside = new Opened(engine);
  }

  /**
   * Runs the model for a text, unless its logits are there already.
   * @param {import('./reader.js').TextPosition} position
   */
  async moveTo({ ids, settings, step }) {
    const key = ids.join();
    if (key !== this.#fed) {
      this.#fed = key; // before the call ends: later calls wait for it in the session
      this.#fedBeside = '';
      this.second = undefined;
      try {
        await (await this.#session.get()).feed(Uint32Array.from(ids));
      } catch (error) {
        if (key === this.#fed) this.#fed = '';
        throw error;
      }
    }
    if (readsSecond(settings)) await this.#moveBeside(ids, settings.negative_prompt, step);
  }

  /**
   * Moves the second session to the end of the second text and the drawn tokens.
   * @param {number[]} ids
   * @param {Settings['negative_prompt']} text the second text; by default the prompt's last token
   * @param {number} drawn the number of drawn tokens at the end of `ids`
   */
  async #moveBeside(ids, text, drawn) {
    const prompt = ids.slice(0, ids.length - drawn);
    const given = typeof text === 'string' ? await this.#engine.encode(text) : (text ?? []);
    const begin = given.length > 0 ? Array.from(given) : prompt.slice(-1);
    const all = [...begin, ...ids.slice(prompt.length)];
    const key = all.join();
    if (key === this.#fedBeside) return;
    const fed = this.#fed;
    const [session, beside] = await Promise.all([this.#session.get(), this.#beside.get()]);
    await beside.feed(Uint32Array.from(all));
    const second = await beside.logits();
    if (fed !== this.#fed) return; // outdated: the text has changed meanwhile
    this.second = second;
    await session.second(second);
    const { p } = await this.#engine.warp(second, { top: 0 });
    if (fed !== this.#fed) return;
    this.#pSecond = p;
    this.#fedBeside = key;
  }

  async logits() {
    return (await this.#session.get()).logits();
  }

  /** @param {Settings} settings @param {ReadChoice} choice */
  async read(settings, choice) {
    const { trace, drawn } = await (await this.#session.get()).read(settings, choice);
    if (!readsSecond(settings)) return { trace, drawn };
    const tokens = trace.tokens.map((one) => ({ ...one, p_second: this.#pSecond[one.id] }));
    return { trace: { ...trace, tokens }, drawn };
  }

  /** @param {Settings} settings @param {{ step: number }} choice */
  async draw(settings, choice) {
    return (await this.#session.get()).draw(settings, choice);
  }

  /**
   * @param {Settings} settings
   * @param {string} knob
   * @param {ArrayLike<number>} values
   * @param {{ top: number, step: number }} options
   */
  async landscape(settings, knob, values, options) {
    return (await this.#session.get()).landscape(settings, knob, values, options);
  }

  /** @param {number} id */
  piece(id) {
    return this.#engine.piece(id);
  }

  texts() {
    return this.#engine.tokens();
  }

  close() {
    this.#session.close();
    this.#beside.close();
  }
}

/**
 * The source of logits that the user gives, with the texts of their tokens. No model is needed.
 * @implements {Source}
 */
export class GivenLogits {
  #engine;
  #logits;
  #tokens;
  /** @type {number[]} */
  #history = [];
  second = undefined;

  /**
   * @param {RemoteLogitscope} engine
   * @param {Float32Array} logits (vocab_size,)
   * @param {string[]} tokens the text of each id
   */
  constructor(engine, logits, tokens) {
    this.#engine = engine;
    this.#logits = logits;
    this.#tokens = tokens;
  }

  /** @param {import('./reader.js').TextPosition} position its ids are the history for the penalties */
  async moveTo({ ids }) {
    this.#history = ids;
  }

  async logits() {
    return this.#logits;
  }

  /** @param {Settings} settings @param {ReadChoice} choice */
  async read(settings, choice) {
    const history = this.#history;
    const { trace, drawn } = await this.#engine.readFrom(this.#logits, settings, {
      ...choice,
      history,
    });
    const tokens = trace.tokens.map((token) => ({ ...token, text: this.#tokens[token.id] }));
    return { trace: { ...trace, tokens }, drawn };
  }

  /** @param {Settings} settings @param {{ step: number }} choice */
  draw(settings, choice) {
    return this.#engine.drawFrom(this.#logits, settings, { ...choice, history: this.#history });
  }

  /**
   * @param {Settings} settings
   * @param {string} knob
   * @param {ArrayLike<number>} values
   * @param {{ top: number, step: number }} options
   */
  landscape(settings, knob, values, options) {
    const how = { ...options, history: this.#history };
    return this.#engine.landscapeFrom(this.#logits, settings, knob, values, how);
  }

  /** @param {number} id */
  async piece(id) {
    const text = this.#tokens[id];
    return { id, text, bytes: new TextEncoder().encode(text), special: false };
  }

  async texts() {
    return this.#tokens;
  }

  close() {}
}
