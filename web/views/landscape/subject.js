/**
 * What a landscape is of: the text after a prompt, with a timeline for what is read and another for
 * what is written; or logits that were given.
 */
import { toFault } from '../../engine/errors.js';
import { GivenLogits, Timeline } from '../../state/sources.js';

/**
 * @typedef {import('../../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 * @typedef {import('../../engine/remote.js').RemoteSession} RemoteSession
 * @typedef {{ logits: Float32Array, tokens: string[], history?: number[] }} Given
 */

export class Subject {
  /** What is read. @type {import('../../state/sources.js').Source} */
  source;
  /** What writes; null where there is no text. @type {RemoteSession | null} */
  writer;
  /** The text as tokens. @type {number[]} */
  ids;
  /** Why the prompt has none. @type {import('../../engine/errors.js').Fault | null} */
  fault = null;
  #engine;
  #given;
  /** @type {RemoteSession[]} */
  #sessions;
  /** The prompt that the tokens spell, or they themselves. @type {string | number[] | null} */
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

  /** Whether it is another text than that of a prompt. @param {string | number[]} prompt */
  lacks(prompt) {
    return !this.#given && this.#encoded !== prompt;
  }

  /** Whether there is anything to read. */
  get empty() {
    return !this.#given && this.ids.length === 0;
  }

  /**
   * Takes a prompt; true unless another one has come meanwhile.
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
