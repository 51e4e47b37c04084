/**
 * The subject of a landscape: the text after a prompt, with one timeline to read and another one to
 * write; or given logits.
 */
import { toFault } from '../../engine/errors.js';
import { GivenLogits, Timeline } from '../../state/sources.js';

/**
 * @typedef {import('../../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 * @typedef {import('../../engine/remote.js').RemoteSession} RemoteSession
 * @typedef {{ logits: Float32Array, tokens: string[], history?: number[] }} Given
 */

export class Subject {
  /** The source of all readings. @type {import('../../state/sources.js').Source} */
  source;
  /** The session that writes text; null with given logits. @type {RemoteSession | null} */
  writer;
  /** The tokens of the prompt. @type {number[]} */
  ids;
  /** The reason why the prompt has no tokens. @type {import('../../engine/errors.js').Fault | null} */
  fault = null;
  #engine;
  #given;
  /** @type {RemoteSession[]} */
  #sessions;
  /** The prompt of these tokens, or the tokens as they were given. @type {string | number[] | null} */
  #encoded = null;

  /**
   * @param {RemoteLogitscope} engine
   * @param {Given | null} given
   */
  static async open(engine, given) {
    const sessions = given ? [] : await Promise.all([engine.session(), engine.session()]);
    return new Subject(engine, given, sessions);
  }

  /**
   * @param {RemoteLogitscope} engine
   * @param {Given | null} given
   * @param {RemoteSession[]} sessions
   */
  constructor(engine, given, sessions) {
    this.#engine = engine;
    this.#given = given;
    this.#sessions = sessions;
    this.source = given
      ? new GivenLogits(engine, given.logits, given.tokens)
      : new Timeline(engine, sessions[0]);
    this.writer = sessions[1] ?? null;
    this.ids = given?.history ?? [];
  }

  /** True if the tokens are not those of a prompt. @param {string | number[]} prompt */
  lacks(prompt) {
    return !this.#given && this.#encoded !== prompt;
  }

  /** True if there is anything to read. */
  get empty() {
    return !this.#given && this.ids.length === 0;
  }

  /**
   * Encodes a prompt. Returns false if another one came meanwhile.
   * @param {string | number[]} prompt
   */
  async take(prompt) {
    this.#encoded = prompt;
    /** @type {number[]} */
    let ids = [];
    let fault = null;
    try {
      ids = Array.from(typeof prompt === 'string' ? await this.#engine.encode(prompt) : prompt);
    } catch (error) {
      fault = toFault(error);
    }
    if (prompt !== this.#encoded) return false;
    this.ids = ids;
    this.fault = fault;
    return true;
  }

  close() {
    this.#encoded = null;
    this.source.close();
    for (const session of this.#sessions) session.close().catch(() => {}); // its engine may be gone
  }
}
