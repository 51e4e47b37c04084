/**
 * Reads what each text of a comparison was drawn from at one step, and keeps what it has read. The
 * step may change faster than the engine reads: only what is wanted last is read.
 */
import { carried } from '../../engine/presets.js';
import { toFault } from '../../engine/errors.js';
import { gatesOf } from '../../state/fields.js';

/**
 * @typedef {import('../../engine/remote.js').RemoteLogitscope} Engine
 * @typedef {import('../../engine/remote.js').RemoteSession} Session
 * @typedef {import('../../engine/types.js').Trace} Trace
 * @typedef {import('./runner.js').Text} Text
 */

/** Tokens that a slice lists; the others are one piece. */
const TOP = 64;
/** Slices that are kept at most. */
const MOST = 1000;

export class SliceReader {
  #changed;
  /** @type {Engine | null} */
  #engine = null;
  /** @type {Promise<Session> | null} */
  #session = null;
  /** @type {Map<string, Trace>} */
  #kept = new Map();
  /** Those still to be read. @type {[Text, number][]} */
  #wanted = [];
  /** @type {string | number[]} */
  #prompt = '';
  #reading = false;

  /** @param {() => void} changed called after each slice */
  constructor(changed) {
    this.#changed = changed;
  }

  /** Whether slices are still to be read. */
  get busy() {
    return this.#reading;
  }

  /**
   * @param {Text} text
   * @param {number} at the step, from 0
   * @returns {Trace | null} null until it is read
   */
  get(text, at) {
    return this.#kept.get(keyOf(text, at)) ?? null;
  }

  /**
   * Reads the slices of these texts at a step, those of an earlier wish no more.
   * @param {Engine} engine
   * @param {string | number[]} prompt
   * @param {Text[]} texts
   * @param {number} at
   */
  want(engine, prompt, texts, at) {
    if (engine !== this.#engine) this.close();
    this.#engine = engine;
    this.#prompt = prompt;
    this.#wanted = texts.flatMap((text) =>
      text.steps[at] && !this.get(text, at) ? [[text, at]] : [],
    );
    if (!this.#reading && this.#wanted.length > 0) this.#readAll(engine);
  }

  /** Drops everything. */
  close() {
    this.#session?.then((session) => session.close()).catch(() => {}); // closed with its engine
    this.#session = null;
    this.#engine = null;
    this.#wanted = [];
    this.#kept.clear();
  }

  /** @param {Engine} engine */
  async #readAll(engine) {
    this.#reading = true;
    try {
      this.#session ??= engine.session();
      const session = await this.#session;
      for (let next = this.#wanted.shift(); next; next = this.#wanted.shift()) {
        const trace = await this.#readOne(engine, session, ...next);
        if (engine !== this.#engine) break;
        if (this.#kept.size >= MOST) this.#kept.clear();
        this.#kept.set(keyOf(...next), trace);
        this.#changed();
      }
    } catch (error) {
      this.#wanted = [];
      if (engine === this.#engine && toFault(error).code !== 'closed') throw error;
    } finally {
      this.#reading = false;
      this.#changed();
    }
  }

  /**
   * @param {Engine} engine
   * @param {Session} session
   * @param {Text} text
   * @param {number} at
   */
  async #readOne(engine, session, { strategy, seed, steps }, at) {
    const given = this.#prompt;
    const prompt = Array.from(typeof given === 'string' ? await engine.encode(given) : given);
    const before = steps.slice(0, at).map(({ id }) => id);
    // A given text may write the end of the prompt with other tokens.
    const ids = [...prompt.slice(0, steps[0].position), ...before];
    await session.feed(ids);
    const mu = steps[at - 1]?.mu;
    const { kind = 'sample', settings } = strategy;
    const state = carried(settings);
    const gated = Object.keys(gatesOf(settings)).length > 0;
    const asked = {
      ...settings,
      seed,
      top: TOP,
      ...(state && typeof mu === 'number' && { [state]: mu }),
      ...(gated && { constraint_start: prompt.length }),
    };
    return session.distribution(kind === 'sample' ? asked : { top: TOP }, { step: at });
  }
}

/** @param {Text} text @param {number} at */
function keyOf({ key }, at) {
  return `${at} ${key}`;
}
