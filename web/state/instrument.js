/**
 * The state behind the page: the bench over a model's text, with loads and automatic runs. The
 * current model stays until another one is open.
 */
import { fetchJson } from './assets.js';
import { lease } from './engines.js';
import { LogitscopeError, toFault } from '../engine/errors.js';
import { Runner } from './runner.js';
import { TextBench } from './text-bench.js';

/**
 * @typedef {import('./engines.js').Lease} Lease
 * @typedef {import('./engines.js').Model} Model
 * @typedef {import('../engine/errors.js').Fault} Fault
 * @typedef {import('./page-state.js').PageState} PageState
 */

export class Instrument extends TextBench {
  /** @type {'idle' | 'loading' | 'ready' | 'failed'} */
  status = 'idle';
  /** @type {import('./engines.js').Progress | null} */
  progress = null;
  /** The model that loads. @type {Model} */
  coming = null;
  /**
   * @type {(Fault & { model: Model }) | null} The reason why another model was refused; the current
   *   one stays.
   */
  modelFault = null;
  /** @type {Model} The source of the model. */
  source = null;
  /** The context length in tokens; null for the engine's default. @type {number | null} */
  context = null;

  /** @type {Lease | null} */
  #lease = null;
  /** The lease of the model that loads. @type {Lease | null} */
  #opening = null;
  #runner = new Runner();

  get running() {
    return this.#runner.running;
  }

  /** The index in PACES. */
  get pace() {
    return this.#runner.pace;
  }

  /** @param {number} pace an index in PACES */
  setPace(pace) {
    this.#runner.pace = pace;
    this.changed();
  }

  /** Steps at an even pace until the text ends or stop() is called. */
  async run() {
    if (this.running || this.finished || !this.drawn) return;
    const run = this.#runner.run(async (signal) => {
      const { drawn } = this;
      await this.step(signal);
      return drawn !== this.drawn && !this.finished;
    });
    this.changed();
    await this.attempt(() => run);
    this.changed();
  }

  stop() {
    this.#runner.stop();
    this.changed();
  }

  /**
   * Loads model and grammar, then shows the state that `begin` returns. The current model stays
   * until then, and if the load fails. `begin` gets the current state, null without a model. The
   * load also waits for `beside` and for `meet`, which may query the new engine.
   * @param {{ model: Model, context?: number | null, grammar?: string,
   *   begin: (before: PageState | null) => PageState, beside?: Promise<unknown>,
   *   meet?: (engine: import('../engine/remote.js').RemoteLogitscope) => unknown }} options
   */
  async load({ model, context = null, grammar, begin, beside, meet }) {
    if (!this.live) this.status = 'loading';
    this.fault = null;
    this.modelFault = null;
    this.progress = { loaded: 0, total: 0 };
    this.coming = model;
    this.changed();
    const onprogress = (/** @type {import('./engines.js').Progress} */ progress) => {
      this.progress = progress;
      this.changed();
    };
    const held = lease(model, { onprogress, context });
    this.#opening?.release();
    this.#opening = held;
    try {
      const [engine, rules] = await Promise.all([
        held.ready,
        grammar ? fetchRules(grammar, held.ready) : null,
        beside,
      ]);
      const session = await engine.session();
      await meet?.(engine);
      if (this.#opening !== held) {
        session.close().catch(() => {}); // its engine may be gone
        return;
      }
      const before = this.#carried;
      this.use(engine, session, rules);
      this.#lease?.release();
      this.#lease = held;
      this.#opening = null;
      this.source = model;
      this.context = context;
      await this.attempt(() => this.restore(begin(before)));
      if (this.#lease !== held) return;
      this.status = 'ready';
      this.emit('ready');
    } catch (error) {
      if (this.#opening !== held) return;
      held.release();
      this.#opening = null;
      const fault = toFault(error);
      if (this.live) this.modelFault = { ...fault, model };
      else {
        this.status = 'failed';
        this.fault = fault;
      }
      this.emit('fault', fault);
    }
    if (this.#opening) return;
    this.progress = null;
    this.coming = null;
    this.changed();
  }

  /** The state that another model may continue; null without a model. @returns {PageState | null} */
  get #carried() {
    if (!this.live) return null;
    const { state, aside } = this;
    return { ...state, settings: { ...state.settings, ...aside }, saved: this.saveTexts() };
  }

  forgetRefused() {
    this.modelFault = null;
    this.changed();
  }

  /** Cancels the load; the current model stays. */
  cancel() {
    this.#opening?.cancel();
  }

  /** Releases the engine. */
  close() {
    this.leave();
    this.#opening?.release();
    this.#opening = null;
    this.#lease?.release();
    this.#lease = null;
    this.status = 'idle';
    this.progress = null;
    this.coming = null;
  }
}

/** Fetches a grammar and its checker. A fault of the model comes first. @param {string} grammar @param {Promise<unknown>} ready */
async function fetchRules(grammar, ready) {
  try {
    const [rules] = await Promise.all([fetchJson(grammar), import('../engine/grammar.js')]);
    return rules;
  } catch (error) {
    await ready;
    throw error instanceof TypeError ? new LogitscopeError('load_failed', 'load_unreached') : error;
  }
}
