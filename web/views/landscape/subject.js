/**
 * The subject of a landscape: either a prompt, with one timeline for readings and another for writing
 * text, or given logits.
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
  /** The session that writes text; null if logits are given. @type {RemoteSession | null} */
  writer;
  /** The tokens of the prompt. @type {number[]} */
  ids;
  /** The error that prevented encoding the prompt; null if none. @type {import('../../engine/errors.js').Fault | null} */
  fault = null;
  #engine;
  #given;
  /** @type {RemoteSession[]} */
  #sessions;
  /** The prompt, or the given token ids, that `ids` belong to; null before the first. @type {string | number[] | null} */
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

  /** True if `ids` do not belong to this prompt. @param {string | number[]} prompt */
  lacks(prompt) {
    return !this.#given && this.#encoded !== prompt;
  }

  /** True if there are no tokens and no logits to read. */
  get empty() {
    return !this.#given && this.ids.length === 0;
  }

  /**
   * Encodes a prompt. Returns false if a newer call replaced it.
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
    for (const session of this.#sessions) session.close().catch(() => {}); // the engine may be closed already
  }
}
