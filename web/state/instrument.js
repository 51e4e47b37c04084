/**
 * The state behind the page: the bench over the text of a model that it loads, and runs that draw by
 * themselves. A model on show stays until another one is there.
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
  /** What is on its way. @type {Model} */
  coming = null;
  /** @type {(Fault & { model: Model }) | null} Why another model was refused; the one before stays. */
  modelFault = null;
  /** @type {Model} What the model was loaded from. */
  source = null;
  /** How many tokens its sessions see; null is as many as the engine takes by itself. @type {number | null} */
  context = null;

  /** @type {Lease | null} */
  #lease = null;
  /** The model on its way. @type {Lease | null} */
  #opening = null;
  #runner = new Runner();

  get running() {
    return this.#runner.running;
  }

  /** The place in PACES. */
  get pace() {
    return this.#runner.pace;
  }

  /** @param {number} pace a place in PACES */
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
   * Loads model and grammar, then shows the distribution after `prompt`. A model on show stays until
   * the new one is there, and for good if that cannot be loaded.
   * `begin` gives the state to begin with, of the one on show when the model is there; null without
   * one. `beside` is waited for too, and `meet`, which may ask the new engine.
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
      const [engine, [rules]] = await Promise.all([
        held.ready,
        grammar
          ? Promise.all([fetchJson(grammar), import('../engine/grammar.js')]).catch(
              async (error) => {
                await held.ready; // the fault of the model comes first
                throw error instanceof TypeError
                  ? new LogitscopeError('load_failed', 'load_unreached')
                  : error;
              },
            )
          : [null],
        beside,
      ]);
      const session = await engine.session();
      await meet?.(engine);
      if (this.#opening !== held) {
        session.close().catch(() => {}); // its engine may be gone
        return;
      }
      const before = this.live
        ? {
            ...this.state,
            settings: { ...this.state.settings, ...this.aside },
            saved: this.saveTexts(),
          }
        : null;
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

  forgetRefused() {
    this.modelFault = null;
    this.changed();
  }

  /** Ends the load under way; the model before stays. */
  cancel() {
    this.#opening?.cancel();
  }

  /** Gives the engine back. */
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
