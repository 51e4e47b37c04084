/** The model of an instrument, and the model on its way, which replaces it once it is there. */
import { LogitscopeError, toFault } from '../engine/errors.js';
import { fetchJson } from './assets.js';
import { lease } from './engines.js';

/**
 * @typedef {import('./engines.js').Lease} Lease
 * @typedef {import('./engines.js').Model} Model
 * @typedef {import('./engines.js').Progress} Progress
 * @typedef {import('../engine/errors.js').Fault} Fault
 * @typedef {import('../engine/grammar.js').Grammar} Grammar
 * @typedef {import('../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 *
 * `context` is the context length in tokens, null for the engine's default; `grammar` is the address of
 * a grammar for the texts. The load also waits for `beside`, and for `meet`, which may query the new
 * engine.
 * @typedef {{ model: Model, context?: number | null, grammar?: string, beside?: Promise<unknown>,
 *   meet?: (engine: RemoteLogitscope) => unknown }} ModelRequest
 */

export class ModelSlot {
  /** @type {'idle' | 'loading' | 'ready' | 'failed'} */
  status = 'idle';
  /** @type {Progress | null} */
  progress = null;
  /** @type {Model} The model on its way. */
  coming = null;
  /** @type {(Fault & { model: Model }) | null} Why the last model was refused while another stays. */
  fault = null;
  /** @type {Model} The address or bytes of the model that is there. */
  source = null;
  /** @type {number | null} */
  context = null;

  /** @type {Lease | null} */
  #held = null;
  /** @type {Lease | null} */
  #opening = null;
  #changed;

  /** @param {() => void} changed called at each progress */
  constructor(changed) {
    this.#changed = changed;
  }

  /** Begins to load a model in place of one on its way. @param {ModelRequest} request */
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
   * Opens a session of the model, once its grammar and the rest of the request are there too.
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

  /** Returns whether a model is still the newest on its way. @param {Lease} opening */
  isComing(opening) {
    return this.#opening === opening;
  }

  /** @param {Lease} lease */
  holds(lease) {
    return this.#held === lease;
  }

  /** Puts the model on its way in place of the one before. @param {ModelRequest} request */
  take({ model, context = null }) {
    this.#held?.release();
    this.#held = this.#opening;
    this.#opening = null;
    this.source = model;
    this.context = context;
  }

  /** Gives up the model on its way. @param {unknown} error @param {Model} model */
  refuse(error, model) {
    this.#opening?.release();
    this.#opening = null;
    const fault = toFault(error);
    if (this.#held) this.fault = { ...fault, model };
    else this.status = 'failed';
    return fault;
  }

  /** Forgets the progress, unless another model is on its way. */
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

  /** Ends the load under way; the model before stays. */
  cancel() {
    this.#opening?.cancel();
  }

  /** Gives the engines back. */
  close() {
    this.#opening?.release();
    this.#held?.release();
    this.#opening = this.#held = null;
    this.status = 'idle';
    this.progress = null;
    this.coming = null;
  }
}

/** A fault of the model comes before one of its grammar. @param {string} address @param {Lease} opening @returns {Promise<Grammar>} */
async function readGrammar(address, opening) {
  try {
    const [rules] = await Promise.all([fetchJson(address), import('../engine/grammar.js')]);
    return rules;
  } catch (error) {
    await opening.ready;
    throw error instanceof TypeError ? new LogitscopeError('load_failed', 'load_unreached') : error;
  }
}
