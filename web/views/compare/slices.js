/**
 * Reads the distribution of each text of a comparison at one step. If the user changes the step faster than the
 * engine reads, only the newest step is read.
 */
import { carried } from '../../engine/presets.js';
import { toFault } from '../../engine/errors.js';
import { gatesOf } from '../../state/fields.js';
import { Timeline } from '../../state/sources.js';

/** @import { RemoteLogitscope as Engine } from '../../engine/remote.js' */
/** @import { Trace } from '../../engine/types.js' */
/** @import { Text } from './runner.js' */

/** Number of listed tokens. If the drawn token has a greater rank, more are listed, up to TOP_MOST. */
const TOP = 64;
const TOP_MOST = 8192;
/** Limit for the listed tokens of all distributions in memory. */
const MOST = 200_000;

export class SliceReader {
  #changed;
  /** @type {Engine | null} */
  #engine = null;
  /** @type {Timeline | null} */
  #timeline = null;
  /** Distributions by text and step; null for one that cannot be read. @type {Map<string, Trace | null>} */
  #kept = new Map();
  /** Distributions that are not read yet: text and step. @type {[Text, number][]} */
  #wanted = [];
  /** @type {string | number[]} */
  #prompt = '';
  #reading = false;
  /** Sum of the numbers of tokens that the stored distributions list. */
  #listed = 0;

  /** @param {() => void} changed called after each reading */
  constructor(changed) {
    this.#changed = changed;
  }

  /** True while distributions are being read. */
  get busy() {
    return this.#reading;
  }

  /**
   * @param {Text} text
   * @param {number} at the step, from 0
   * @returns {Trace | null} null until it is read, or if it is unreadable
   */
  get(text, at) {
    return this.#kept.get(keyOf(text, at)) ?? null;
  }

  /**
   * Reads the distributions of texts at a step. Earlier requests that still wait are dropped.
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
      text.steps[at] && !this.#kept.has(keyOf(text, at)) ? [[text, at]] : [],
    );
    if (!this.#reading && this.#wanted.length > 0) this.#readAll(engine);
  }

  /** Forgets all distributions and requests. */
  close() {
    this.#timeline?.close();
    this.#timeline = null;
    this.#engine = null;
    this.#wanted = [];
    this.#clear();
  }

  #clear() {
    this.#kept.clear();
    this.#listed = 0;
  }

  /** @param {Engine} engine */
  async #readAll(engine) {
    this.#reading = true;
    this.#timeline ??= new Timeline(engine);
    const timeline = this.#timeline;
    try {
      for (let next = this.#wanted.shift(); next; next = this.#wanted.shift()) {
        const key = keyOf(...next);
        if (this.#listed >= MOST) this.#clear();
        try {
          const trace = await this.#readOne(engine, timeline, ...next);
          if (engine !== this.#engine) break;
          this.#kept.set(key, trace);
          this.#listed += trace.tokens.length;
        } catch (error) {
          if (engine !== this.#engine || toFault(error).code === 'closed') break;
          this.#kept.set(key, null); // null: failed, not to be requested again
          throw error;
        }
        this.#changed();
      }
    } finally {
      this.#reading = false;
      this.#changed();
    }
  }

  /**
   * @param {Engine} engine
   * @param {Timeline} timeline
   * @param {Text} text
   * @param {number} at
   */
  async #readOne(engine, timeline, { strategy, seed, steps }, at) {
    const given = this.#prompt;
    const prompt = Array.from(typeof given === 'string' ? await engine.encode(given) : given);
    const before = steps.slice(0, at).map(({ id }) => id);
    // A text that the user gave may have other tokens at the end of the prompt.
    const ids = [...prompt.slice(0, steps[0].position), ...before];
    const mu = steps[at - 1]?.mu;
    const { kind = 'sample', settings } = strategy;
    const state = carried(settings);
    const gated = Object.keys(gatesOf(settings)).length > 0;
    const asked =
      kind === 'sample'
        ? {
            ...settings,
            seed,
            ...(state && typeof mu === 'number' && { [state]: mu }),
            ...(gated && { constraint_start: prompt.length }),
          }
        : {};
    await timeline.moveTo({ ids, settings: asked, step: at });
    // Tokens of beam search and of given texts have no rank.
    const { rank = TOP_MOST } = /** @type {{ rank?: number }} */ (steps[at]);
    const top = Math.min(TOP_MOST, Math.max(TOP, rank));
    const { trace } = await timeline.read({ ...asked, top }, { step: at });
    return trace;
  }
}

/** @param {Text} text @param {number} at */
function keyOf({ key }, at) {
  return `${at} ${key}`;
}
