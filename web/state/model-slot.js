/** The model of an instrument, and the next model while it loads. When it is loaded, it replaces the first one. */
import { LogitscopeError, toFault } from '../engine/errors.js';
import { fetchJson } from './assets.js';
import { lease } from './engines.js';

/** @import { Lease, Model, Progress } from './engines.js' */
/** @import { Fault } from '../engine/errors.js' */
/** @import { Grammar } from '../engine/grammar.js' */
/** @import { RemoteLogitscope } from '../engine/remote.js' */

/**
 * `context` is the context length in tokens, null for the engine's default; `grammar` is the address of
 * a grammar that checks the texts. The load also waits for `beside` and for `meet`, a callback that gets
 * the new engine.
 * @typedef {{ model: Model, context?: number | null, grammar?: string, beside?: Promise<unknown>,
 *   meet?: (engine: RemoteLogitscope) => unknown }} ModelRequest
 */

export class ModelSlot {
  /** @type {'idle' | 'loading' | 'ready' | 'failed'} */
  status = 'idle';
  /** @type {Progress | null} */
  progress = null;
  /** The model that is loading; null if none is. @type {Model} */
  coming = null;
  /**
   * The error of the last load, if an earlier model stays in use; null without an error.
   * @type {(Fault & { model: Model }) | null}
   */
  fault = null;
  /** Address or bytes of the open model. @type {Model} */
  source = null;
  /** @type {number | null} */
  context = null;

  /** @type {Lease | null} */
  #held = null;
  /** @type {Lease | null} */
  #opening = null;
  #changed;

  /** @param {() => void} changed called whenever the progress changes */
  constructor(changed) {
    this.#changed = changed;
  }

  /** Begins to load a model. Another load that is not finished ends. @param {ModelRequest} request */
  begin({ model, context = null }) {
    if (!this.#held) this.status = 'loading';
    this.fault = null;
    this.progress = { loaded: 0, total: 0 };
    this.coming = model;
    this.#changed();
    const onprogress = (/** @type {Progress} */ progress) => {
      this.progress = progress;
      this.#changed();
    };
    const opening = lease(model, { onprogress, context });
    this.#opening?.release();
    this.#opening = opening;
    return opening;
  }

  /**
   * Opens a session of the new model. It waits until `grammar`, `beside` and `meet` are done.
   * @param {Lease} opening
   * @param {ModelRequest} request
   */
  async open(opening, { grammar, beside, meet }) {
    const rules = grammar ? readGrammar(grammar, opening) : null;
    const [engine, read] = await Promise.all([opening.ready, rules, beside]);
    const session = await engine.session();
    await meet?.(engine);
    return { engine, session, grammar: read };
  }

  /** Returns true if this load is still the newest. @param {Lease} opening */
  isComing(opening) {
    return this.#opening === opening;
  }

  /** @param {Lease} lease */
  holds(lease) {
    return this.#held === lease;
  }

  /** Replaces the open model by the loaded one. @param {ModelRequest} request */
  take({ model, context = null }) {
    this.#held?.release();
    this.#held = this.#opening;
    this.#opening = null;
    this.source = model;
    this.context = context;
  }

  /** Ends a load that has failed. @param {unknown} error @param {Model} model */
  refuse(error, model) {
    this.#opening?.release();
    this.#opening = null;
    const fault = toFault(error);
    if (this.#held) this.fault = { ...fault, model };
    else this.status = 'failed';
    return fault;
  }

  /** Forgets the progress, unless another model is loading. */
  settle() {
    if (this.#opening) return;
    this.progress = null;
    this.coming = null;
    this.#changed();
  }

  forgetFault() {
    this.fault = null;
    this.#changed();
  }

  /** Gives up the load of a next model, since the user wants the open one. Other users of that model keep it. */
  abandon() {
    if (!this.#held || !this.#opening) return;
    this.#opening.release();
    this.#opening = null;
    this.settle();
  }

  /** Cancels the load. The open model stays. */
  cancel() {
    this.#opening?.cancel();
  }

  /** Releases the engines. */
  close() {
    this.#opening?.release();
    this.#held?.release();
    this.#opening = this.#held = null;
    this.status = 'idle';
    this.progress = null;
    this.coming = null;
  }
}

/**
 * Fetches a grammar. If the model's load fails too, throws the model's error.
 * @param {string} address @param {Lease} opening @returns {Promise<Grammar>}
 */
async function readGrammar(address, opening) {
  try {
    const [rules] = await Promise.all([fetchJson(address), import('../engine/grammar.js')]);
    return rules;
  } catch (error) {
    await opening.ready;
    throw error instanceof TypeError ? new LogitscopeError('load_failed', 'load_unreached') : error;
  }
}
