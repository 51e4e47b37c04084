/** One timeline over a model: the ids fed, the logits after them, and draws from these logits. */
import { NO_PIECE } from './chain.js';
import { checkBoolean, checkIds, checkOptions, checkSecond } from './checks.js';
import { LogitscopeError } from './errors.js';
import { SESSION_FED_EVALUATED, SESSION_FED_REUSED } from './layout.js';

/** @import { Core } from './core.js' */
/** @import { GenerateOptions, Generated, Score, Settings, Step } from './types.js' */

/** @typedef {Map<() => void, { handle: number, room: number }>} Owned */

/** Frees a garbage-collected session that was not closed. */
const collected = new FinalizationRegistry((/** @type {() => void} */ free) => free());

/**
 * A timeline: the ids fed so far, and the logits after the last id. `scope.session()` opens a
 * session; sessions of one scope share its model. Close a session when it is no longer needed;
 * garbage collection also frees it.
 */
export class Session {
  /** @type {Core} */
  #core;
  /** The open sessions of the instance: the function that frees each, and its addresses in C. @type {Owned} */
  #owned;
  #later;
  /** The timeline's handle in C, and the address of the second distribution's logits; 0 if not open. */
  #held = { handle: 0, room: 0 };
  #free = () => {};
  #busy = false;
  /** True if the logits of a second distribution are set. */
  #hasSecond = false;

  /**
   * Only the engine constructs sessions: call `scope.session()`.
   * @protected
   * @param {any} core a `Core`; the public types do not include this class
   * @param {Owned} owned
   * @param {boolean} [later] true if the first call opens the timeline
   */
  constructor(core, owned, later = false) {
    this.#core = core;
    this.#owned = owned;
    this.#later = later;
    core.asked?.wrap(this);
    if (!later) this.#allocate();
  }

  /**
   * @internal
   * @param {Core} core
   * @param {Owned} owned
   */
  static open(core, owned) {
    return new Session(core, owned);
  }

  #allocate() {
    const core = this.#core;
    const owned = this.#owned;
    core.needModel();
    const { calls } = core.module;
    const handle = core.module.need(calls.session_open(core.model, core.context));
    const held = { handle, room: 0 };
    // The closure must not reference the session, which could then never be collected.
    const free = () => {
      if (!held.handle) return;
      calls.session_close(held.handle);
      calls.memory_release(held.room);
      held.handle = held.room = 0;
      owned.delete(free);
    };
    this.#held = held;
    this.#free = free;
    owned.set(free, held);
    collected.register(this, free);
  }

  get #handle() {
    return this.#held.handle;
  }

  #open() {
    if (!this.#handle) {
      if (!this.#later) throw new LogitscopeError('closed', 'session_closed');
      this.#allocate();
    }
    return this.#core;
  }

  /** The address of the logits; throws before the first feed. */
  #fed() {
    const { module } = this.#open();
    const at = module.calls.session_logits(this.#handle) >>> 0;
    if (!at) throw new LogitscopeError('empty', 'nothing_fed');
    return at;
  }

  /**
   * Replaces the timeline by these ids. Keeps the common prefix unless `cache` is false.
   * @param {ArrayLike<number>} ids
   * @param {{ cache?: boolean }} [options]
   * @returns {{ evaluated: number, reused: number }} numbers of ids evaluated and of ids kept
   */
  feed(ids, options) {
    checkOptions('options of feed', options, ['cache']);
    const cache = options?.cache ?? this.#open().cache;
    checkBoolean('cache', cache);
    const { vocab_size } = this.#open().needModel();
    checkIds('ids', ids, vocab_size);
    if (this.#busy) throw new LogitscopeError('busy', 'busy');
    return this.#feed(ids, cache);
  }

  /** @param {ArrayLike<number>} ids @param {boolean} cache */
  #feed(ids, cache) {
    const core = this.#open();
    const { module } = core;
    const fed = module.need(core.feed(this.#handle, ids, cache));
    this.#hasSecond = false;
    const { u32 } = module.fields(fed);
    return { evaluated: u32(SESSION_FED_EVALUATED), reused: u32(SESSION_FED_REUSED) };
  }

  /** The ids fed so far, a copy (n,). @returns {Uint32Array} */
  timeline() {
    const { module } = this.#open();
    const { session_timeline, session_length } = module.calls;
    return module.uint32(session_timeline(this.#handle), session_length(this.#handle));
  }

  /** The logits after the last id, a copy (vocab_size,). @returns {Float32Array} */
  logits() {
    const at = this.#fed();
    const core = this.#open();
    return core.module.float32(at, core.needModel().vocab_size);
  }

  /**
   * The hidden state from which the output layer computes the logits, a copy (n_embd,): the last
   * layer's output after the output norm.
   * @returns {Float32Array}
   */
  hidden() {
    this.#fed();
    const core = this.#open();
    const at = core.module.calls.session_hidden(this.#handle);
    return core.module.float32(at, core.needModel().n_embd);
  }

  /**
   * Sets the logits (vocab_size,) of a second distribution for `guidance_scale` or
   * `contrastive_beta`. The caller computes them with another prompt, or with another model of the
   * same vocabulary. They are copied and stay until the next feed; null removes them.
   * @param {ArrayLike<number> | null} logits
   */
  second(logits) {
    const core = this.#open();
    const { module } = core;
    const { vocab_size } = core.needModel();
    if (logits) {
      checkSecond(logits, vocab_size);
      this.#held.room ||= module.need(module.calls.memory_allocate(4 * vocab_size));
      module.writeFloat32(this.#held.room, logits);
    }
    this.#hasSecond = Boolean(logits);
  }

  /**
   * The surprisal of a token, or of each token of a list: -ln p under the model's own distribution,
   * in nats.
   * @template {number | ArrayLike<number>} T
   * @param {T} ids
   * @returns {import('./types.js').Surprisal<T>}
   */
  surprisal(ids) {
    const logits = this.#fed();
    const core = this.#open();
    const { module } = core;
    const { vocab_size } = core.needModel();
    /** @type {ArrayLike<number>} */
    const list = typeof ids === 'number' ? [ids] : /** @type {any} */ (ids);
    checkIds('ids', list, vocab_size);
    const count = list.length;
    const at = module.exchange(12 * count);
    module.writeUint32(at + 8 * count, list);
    module.calls.measure_surprisal(logits, vocab_size, at + 8 * count, count, at);
    const surprisals = module.float64(at, count);
    return /** @type {any} */ (list === ids ? surprisals : surprisals[0]);
  }

  /**
   * The timeline as a source for the chain. The chain reads the logits in place.
   * @returns {import('./chain.js').Source}
   */
  #source() {
    const core = this.#open();
    const { vocab_size, tokenizer } = core.needModel();
    const place = () => {
      const logits = this.#fed();
      const { session_timeline, session_length } = core.module.calls;
      const history = session_timeline(this.#handle);
      const second = this.#hasSecond ? this.#held.room : 0;
      return { logits, history, count: session_length(this.#handle), second };
    };
    const piece = (/** @type {number} */ id) => (tokenizer ? core.piece(id) : NO_PIECE);
    return { size: vocab_size, place, piece, whole: false };
  }

  /**
   * The next-token distribution under these settings, and a token drawn from it. The chain runs
   * once; the model does not run, and the timeline does not change. In a loop, give `rng` or `step`,
   * as for `draw`.
   * @param {Settings} [settings]
   * @param {import('./types.js').ReadChoice} [choice]
   * @returns {import('./types.js').Reading}
   */
  read(settings, choice) {
    return this.#open().chain.read(this.#source(), settings, choice);
  }

  /**
   * Returns only the trace of `read`.
   * @param {Settings} [settings]
   * @param {{ step?: number }} [options] step: number of tokens drawn so far, default 0; XTC's coin
   *   and samplers that count new tokens depend on it
   * @returns {import('./types.js').Trace}
   */
  distribution(settings, options) {
    checkOptions('options of distribution', options, ['step']);
    return this.#open().chain.distribution(this.#source(), settings, options?.step ?? 0);
  }

  /**
   * Returns only the drawn token of `read`, which is faster. `choice` gives the random number, for
   * example `{ rng: Math.random }`, or a `step` of `settings.seed`. Without `choice` it uses step 0, so
   * repeated calls on the same text draw the same token. `raw: false` sets p_raw to 0, which saves a pass over the vocabulary.
   * @param {Settings} [settings]
   * @param {import('./types.js').DrawChoice} [choice]
   * @returns {import('./types.js').Drawn}
   */
  draw(settings, choice) {
    return this.#open().chain.draw(this.#source(), settings, choice);
  }

  /**
   * The next-token distribution at each value of one setting; the other settings do not change.
   * Lists the first `top` tokens in the order of the draw.
   * @param {Settings} settings
   * @param {string} knob a setting that is a number
   * @param {ArrayLike<number>} values
   * @param {{ top?: number, step?: number, token?: number }} [options]
   * @returns {import('./types.js').Landscape}
   */
  landscape(settings, knob, values, options) {
    return this.#open().chain.landscape(this.#source(), settings, knob, values, options);
  }

  /**
   * Feeds the prompt, yields each drawn token, and returns the result. During a step the timeline is
   * the text before the drawn token, so `distribution` returns the distribution of that draw.
   * Breaking out of the loop ends the generation.
   * @param {GenerateOptions & Settings} options
   * @returns {AsyncGenerator<Step, Generated, void>}
   */
  async *generate(options) {
    const core = this.#open();
    if (this.#busy) throw new LogitscopeError('busy', 'busy');
    this.#busy = true;
    /** @type {Session | undefined} */
    let beside;
    try {
      const { generate } = await import('./generate.js');
      return yield* generate(
        core,
        {
          timeline: () => this.timeline(),
          feed: (ids, cache = true, signal) => core.later(() => this.#feed(ids, cache), signal),
          handle: () => {
            this.second(null);
            return this.#handle;
          },
          logitsAfter: async (ids, cache) => {
            const session = (beside ??= new Session(core, this.#owned));
            await core.later(() => session.#feed(ids, cache));
            return session.logits();
          },
          second: (logits) => this.second(logits),
          draw: (resolved, choice) => core.chain.step(this.#source(), resolved, choice),
        },
        options,
      );
    } finally {
      this.#busy = false;
      beside?.close();
    }
  }

  /**
   * Runs `generate` to its end; the result has all steps.
   * @param {GenerateOptions & Settings} options
   * @returns {Promise<Generated & { steps: Step[] }>}
   */
  async write(options) {
    const steps = [];
    const generation = this.generate(options);
    for (;;) {
      const { done, value } = await generation.next();
      if (done) return { ...value, steps };
      steps.push(value);
    }
  }

  /**
   * Writes `n` texts for one prompt, which is evaluated once. Text i equals the result of `write`
   * with the seed + i.
   * @param {GenerateOptions & Settings & { n?: number }} options n: number of texts; default 1
   * @returns {Promise<(Generated & { steps: Step[] })[]>}
   */
  async writeMany(options) {
    return (await import('./compound-calls.js')).writeMany(this, options);
  }

  /**
   * The log-probability of a text after a prompt, and of each of the text's tokens, under the
   * model's own distribution. Afterwards the timeline is prompt and text without the last token.
   * @param {string | ArrayLike<number>} prompt
   * @param {string | ArrayLike<number>} completion
   * @returns {Promise<Score>}
   */
  async score(prompt, completion) {
    const { score } = await import('./compound-calls.js');
    return score(this.#open(), this, prompt, completion);
  }

  /** Opens a session with a copy of the timeline; the model evaluates nothing. @returns {Session} */
  fork() {
    const core = this.#open();
    const fork = new Session(core, this.#owned);
    core.module.calls.session_copy(fork.#handle, this.#handle);
    if (this.#hasSecond)
      fork.second(core.module.float32(this.#held.room, core.needModel().vocab_size));
    return fork;
  }

  /** Frees the timeline. Every later call throws an error with code `closed`. */
  close() {
    this.#free();
  }

  /** Calls `close` for `using`. */
  [Symbol.dispose]() {
    this.close();
  }
}
