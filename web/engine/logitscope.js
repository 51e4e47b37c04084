/**
 * The engine for worker and Node: load, encode, feed, read, generate.
 * Methods on an instance act on its default session; `session()` opens more over the same model.
 */
import {
  checkBoolean,
  checkFunction,
  checkIds,
  checkInteger,
  checkOptions,
  checkSignal,
  isObject,
} from './checks.js';
import { Core, STREAMS } from './core.js';
import { LogitscopeError, mustBe, show, shown } from './errors.js';
import { openSource } from './load.js';
import { Module } from './module.js';
import { presets, strategies } from './presets.js';
import { Session } from './session.js';

export { LogitscopeError, presets, strategies };

/** @import { GenerateOptions, Settings } from './types.js' */
/** @typedef {{ history?: ArrayLike<number>, second?: ArrayLike<number> }} GivenBeside */

/** The longest context that a model file may have. */
const CONTEXT_MAX = 2 ** 20;
const VARIANTS = ['auto', 'scalar', 'simd', 'relaxed'];

/**
 * What a call was told beside logits and settings.
 * @template T
 * @param {T | undefined} options
 * @returns {T}
 */
function besides(options) {
  if (options !== undefined && !isObject(options)) throw mustBe('options', 'an_object', options);
  return options ?? /** @type {T} */ ({});
}

export class Logitscope {
  #core;
  /** @type {Set<Session>} */
  #sessions = new Set();
  /** @type {Session | null} */
  #default = null;
  #closed = false;

  /**
   * Use `Logitscope.load()`.
   * @param {Core} core
   * @param {boolean} [session] whether there is a default one
   */
  constructor(core, session = true) {
    this.#core = core;
    if (session && core.info?.architecture) this.#default = new Session(core, this.#sessions);
  }

  /**
   * @param {import('./types.js').LoadOptions} [options]
   * @returns {Promise<Logitscope>}
   */
  static async load(options) {
    checkOptions('options of load', options, [
      'model',
      'wasm',
      'simd',
      'relaxed',
      'variant',
      'streams',
      'context',
      'cache',
      'session',
      'onprogress',
      'keep',
      'signal',
    ]);
    const {
      model,
      wasm,
      simd,
      relaxed,
      variant = 'auto',
      streams = 'auto',
      context = 0,
      cache = true,
      session = true,
      keep = false,
      onprogress,
      signal,
    } = options ?? {};
    if (options?.context !== undefined) checkInteger('context', context, 1, CONTEXT_MAX);
    checkBoolean('cache', cache);
    checkBoolean('session', session);
    checkFunction('onprogress', onprogress);
    checkSignal(signal);
    if (typeof variant !== 'string' || !VARIANTS.includes(variant)) {
      throw new LogitscopeError('invalid_argument', 'must_be_one_of', {
        setting: 'variant',
        names: VARIANTS.map(show).join(', '),
        value: shown(variant),
      });
    }
    if (streams !== 'auto' && !STREAMS.includes(streams)) {
      throw new LogitscopeError('invalid_argument', 'must_be_one_of', {
        setting: 'streams',
        names: ['auto', ...STREAMS].map(show).join(', '),
        value: shown(streams),
      });
    }
    const [module, stream] = await Promise.all([
      Module.load(wasm, variant, { simd, relaxed }),
      model === undefined ? null : openSource('model', model, { keep, signal }),
    ]);
    const core = new Core(module);
    core.cache = cache;
    core.loadBeside = (given) =>
      Logitscope.load({ model: given, wasm, simd, relaxed, variant, streams });
    if (stream)
      await core.openModel(stream, session || context ? context : -1, streams, onprogress);
    return new Logitscope(core, session);
  }

  #open() {
    if (this.#closed) throw new LogitscopeError('closed', 'instance_closed');
    return this.#core;
  }

  #session() {
    const core = this.#open();
    core.needModel();
    // A file without tensors leaves none, of which opening one says so; or none was wanted at first.
    return (this.#default ??= this.session());
  }

  /** Facts of the model, null without one. */
  get info() {
    return this.#core.info && { ...this.#core.info };
  }

  /** The table of settings, canonical order. */
  get table() {
    return this.#core.table.map((row) => ({ ...row }));
  }

  /** The inner loops in use; they never change a bit. */
  get variant() {
    return this.#core.module.variant;
  }

  /** Bytes of the module's memory, for those who watch that it does not grow. */
  get memoryBytes() {
    return this.#core.module.memoryBytes;
  }

  /**
   * @param {string} text
   * @param {import('./types.js').EncodeOptions} [options]
   */
  encode(text, options) {
    return this.#open().encode(text, options);
  }

  /**
   * What is not UTF-8 becomes U+FFFD; special tokens are left out unless asked for.
   * @param {ArrayLike<number>} ids
   * @param {{ special?: boolean }} [options]
   */
  decode(ids, options) {
    return this.#open().decode(ids, options);
  }

  /**
   * The prompt that the model's own template makes of messages. Rendered in a worker, which is ended
   * after a second.
   * @param {import('./types.js').Message[]} messages
   * @param {import('./types.js').ChatOptions} [options]
   */
  async chat(messages, options) {
    const core = this.#open();
    return (await import('./chat.js')).chat(core, messages, options);
  }

  /** @param {number} id */
  piece(id) {
    const core = this.#open();
    if (typeof id !== 'number') throw mustBe('id', 'a_number', id);
    checkIds('id', [id], core.needModel().vocab_size);
    const piece = core.piece(id);
    return { ...piece, bytes: piece.bytes.slice() };
  }

  /**
   * The u in [0, 1) of a step; step n of any generation with that seed uses it.
   * @param {number} seed
   * @param {number} step
   */
  random(seed, step) {
    return this.#open().random(seed, step);
  }

  /**
   * Distinct n-grams over all n-grams of a text.
   * @param {ArrayLike<number>} ids
   * @param {number} n
   */
  distinct(ids, n) {
    return this.#open().distinct(ids, n);
  }

  /**
   * What each id bears of the watermarks that are on; `detect` counts it.
   * @param {ArrayLike<number>} ids
   * @param {Settings} [settings]
   */
  marks(ids, settings) {
    return this.#open().marks(ids, settings);
  }

  /**
   * The trace of any logits, with the whole result; needs no model.
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {{ step?: number } & GivenBeside} [options]
   */
  warp(logits, settings, options) {
    const { chain } = this.#open();
    checkOptions('options of warp', options, ['history', 'second', 'step']);
    const trace = chain.distribution(
      chain.given(logits, options?.history, options?.second),
      settings,
      options?.step ?? 0,
    );
    return /** @type {import('./types.js').WarpTrace} */ (trace);
  }

  /**
   * What a function in the place of `own` would be called with: the logits as they reach it, every
   * setting, the ids so far. Its result can then be given as `own` in place of the function.
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {{ step?: number } & GivenBeside} [options]
   */
  ownInput(logits, settings, options) {
    const { chain } = this.#open();
    checkOptions('options of ownInput', options, ['history', 'second', 'step']);
    return chain.ownInput(
      chain.given(logits, options?.history, options?.second),
      settings,
      options?.step ?? 0,
    );
  }

  /**
   * What `warp` and `drawFrom` give of the same logits: the chain runs once.
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {import('./types.js').ReadChoice & GivenBeside} [choice]
   */
  readFrom(logits, settings, choice) {
    const { chain } = this.#open();
    const { history, second, ...how } = besides(choice);
    return /** @type {import('./types.js').WarpReading} */ (
      chain.read(chain.given(logits, history, second), settings, how)
    );
  }

  /**
   * Draws one token from any logits; needs no model.
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {import('./types.js').DrawChoice & GivenBeside} [choice]
   */
  drawFrom(logits, settings, choice) {
    const { chain } = this.#open();
    const { history, second, ...how } = besides(choice);
    return chain.draw(chain.given(logits, history, second), settings, how);
  }

  /**
   * What `landscape` gives of any logits; needs no model.
   * @param {ArrayLike<number>} logits
   * @param {Settings} settings
   * @param {string} knob
   * @param {ArrayLike<number>} values
   * @param {{ top?: number, step?: number, token?: number } & GivenBeside} [options]
   */
  landscapeFrom(logits, settings, knob, values, options) {
    const { chain } = this.#open();
    const { history, second, ...how } = besides(options);
    return chain.landscape(chain.given(logits, history, second), settings, knob, values, how);
  }

  /**
   * @param {ArrayLike<number>} ids
   * @param {{ cache?: boolean }} [options]
   */
  feed(ids, options) {
    return this.#session().feed(ids, options);
  }

  timeline() {
    return this.#session().timeline();
  }

  logits() {
    return this.#session().logits();
  }

  hidden() {
    return this.#session().hidden();
  }

  /** @param {ArrayLike<number> | null} logits */
  second(logits) {
    return this.#session().second(logits);
  }

  /**
   * @template {number | ArrayLike<number>} T
   * @param {T} ids
   */
  surprisal(ids) {
    return this.#session().surprisal(ids);
  }

  /**
   * @param {Settings} [settings]
   * @param {import('./types.js').ReadChoice} [choice]
   */
  read(settings, choice) {
    return this.#session().read(settings, choice);
  }

  /**
   * @param {Settings} [settings]
   * @param {{ step?: number }} [options]
   */
  distribution(settings, options) {
    return this.#session().distribution(settings, options);
  }

  /**
   * @param {Settings} [settings]
   * @param {import('./types.js').DrawChoice} [choice]
   */
  draw(settings, choice) {
    return this.#session().draw(settings, choice);
  }

  /**
   * @param {Settings} settings
   * @param {string} knob
   * @param {ArrayLike<number>} values
   * @param {{ top?: number, step?: number, token?: number }} [options]
   */
  landscape(settings, knob, values, options) {
    return this.#session().landscape(settings, knob, values, options);
  }

  /**
   * The whole of `generate` at once.
   * @param {GenerateOptions & Settings} options
   * @returns {Promise<import('./types.js').Generated & { steps: import('./types.js').Step[] }>}
   */
  write(options) {
    return this.#session().write(options);
  }

  /** @param {GenerateOptions & Settings} options */
  generate(options) {
    return this.#session().generate(options);
  }

  /** Another session with the default one's timeline. */
  fork() {
    return this.#session().fork();
  }

  /** Another timeline over the same model. */
  session() {
    return new Session(this.#open(), this.#sessions);
  }

  /** Frees everything; every later call is the error `closed`. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    for (const session of [...this.#sessions]) session.close();
    this.#core.close();
  }
}
