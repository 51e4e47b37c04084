/**
 * The origin of a landscape's logits: either a prompt, with one timeline for readings and one for writing text, or
 * logits that the user gives.
 */
import { toFault } from '../../engine/errors.js';
import { GivenLogits, Timeline } from '../../state/sources.js';

/**
 * @typedef {import('../../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 * @typedef {import('../../engine/remote.js').RemoteSession} RemoteSession
 * @typedef {{ logits: Float32Array, tokens: string[], history?: number[] }} Given
 */

export class Subject {
  /** The source of all readings: a timeline or the given logits. @type {import('../../state/sources.js').Source} */
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
  /** The prompt or token ids whose encoding is `ids`; null before the first. @type {string | number[] | null} */
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

  /** Returns true if `ids` is not the encoding of this prompt. @param {string | number[]} prompt */
  lacks(prompt) {
    return !this.#given && this.#encoded !== prompt;
  }

  /** True if there is nothing to read: no tokens and no given logits. */
  get empty() {
    return !this.#given && this.ids.length === 0;
  }

  /**
   * Encodes a prompt. Returns false if a newer prompt has replaced it meanwhile.
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
    // The engine may be closed already, so ignore errors.
    for (const session of this.#sessions) session.close().catch(() => {});
  }
}
