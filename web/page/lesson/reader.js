/** Measures the states of a lesson, one after another, with one engine and one timeline for each model. */
import { lease } from '../../state/engines.js';
import { MODELS, findModel } from '../../state/models.js';
import {
  measure,
  needsRules,
  readLoop,
  readState,
  sourceOf,
  writeText,
} from '../../lessons/measures.js';
import { fetchJson } from '../../state/assets.js';
import { pageCrowd } from '../../state/crowd.js';

/** @import { LessonState, Asked } from '../../lessons/measures.js' */

/** Returns the model of a state; null for given logits. @param {LessonState} state */
export function modelOf({ logits, model = MODELS[0].name }) {
  return logits ? null : findModel(model).model;
}

export class LessonReader {
  /** @type {Map<unknown, { held: import('../../state/engines.js').Lease, opened: Promise<any> }>} */
  #open = new Map();
  /** The last measurement; the next one waits for it. @type {Promise<any>} */
  #last = Promise.resolve();
  #waiting = 0;
  /** Measures of texts that were written before, because writing takes long. @type {Map<string, Promise<any>>} */
  #ofTexts = new Map();

  get busy() {
    return this.#waiting > 0;
  }

  /** @param {ReturnType<typeof modelOf>} model */
  #engineOf(model) {
    const known = this.#open.get(model);
    if (known) return known.opened;
    const held = lease(model);
    const opened = held.ready.then(async (engine) => ({
      engine,
      session: model === null ? null : await engine.session(),
    }));
    this.#open.set(model, { held, opened });
    return opened;
  }

  /** Returns an engine that has no model. */
  async engine() {
    return (await this.#engineOf(null)).engine;
  }

  async table() {
    return (await this.engine()).table;
  }

  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  #queue(work) {
    this.#waiting++;
    const done = this.#last.then(work);
    this.#last = done.catch(() => {}).finally(() => this.#waiting--);
    return done;
  }

  /** @param {LessonState} state @param {Asked} asked */
  read(state, asked) {
    return this.#queue(async () => {
      const { engine, session } = await this.#engineOf(modelOf(state));
      return readState(engine, session, state, asked);
    });
  }

  /** @param {LessonState} state @param {Asked} asked */
  measure(state, asked) {
    if (sourceOf(asked) !== 'texts') return this.#measure(state, asked);
    const key = JSON.stringify([state, asked]);
    const known = this.#ofTexts.get(key) ?? this.#measure(state, asked);
    this.#ofTexts.set(key, known);
    known.catch(() => this.#ofTexts.delete(key));
    return known;
  }

  /** @param {LessonState} state @param {Asked} asked */
  #measure(state, asked) {
    return this.#queue(async () => {
      if (sourceOf(asked) === 'steps') return measure(asked, state, null);
      const { engine, session } = await this.#engineOf(modelOf(state));
      const grammar = await this.#grammarOf(state, asked);
      return measure(asked, state, engine, session, grammar, pageCrowd());
    });
  }

  /** Writes the text of a state. @param {LessonState} state */
  write(state) {
    return this.#queue(async () => {
      const { engine, session } = await this.#engineOf(modelOf(state));
      return writeText(engine, session, state);
    });
  }

  /** Returns the first rounds of the decode loop that writes the text of a state. @param {LessonState} state @param {number} rounds */
  loop(state, rounds) {
    return this.#queue(async () => {
      const { engine, session } = await this.#engineOf(modelOf(state));
      return readLoop(engine, session, state, rounds);
    });
  }

  /** Returns the model's grammar, if the measure needs it. @param {LessonState} state @param {Asked} asked */
  async #grammarOf({ model = MODELS[0].name }, asked) {
    const { grammar } = findModel(model);
    return needsRules(asked) && grammar ? fetchJson(grammar) : null;
  }

  /** Decodes tokens of a state's model. @param {LessonState} state @param {number[]} ids */
  async text(state, ids) {
    const { engine } = await this.#engineOf(modelOf(state));
    return engine.decode(Uint32Array.from(ids));
  }

  close() {
    for (const { held } of this.#open.values()) held.release();
    this.#open.clear();
  }
}
