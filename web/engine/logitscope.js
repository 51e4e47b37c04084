/** The engine's main class, for workers and Node: load, encode, feed, read, generate. */
import {
  checkBoolean,
  checkChoice,
  checkFunction,
  checkIds,
  checkInteger,
  checkOptions,
  checkSignal,
  isObject,
} from './checks.js';
import { Core, STREAMS } from './core.js';
import { LogitscopeError, mustBe } from './errors.js';
import { openSource } from './load.js';
import { Module } from './module.js';
import { presets, strategies } from './presets.js';
import { Session } from './session.js';

export { LogitscopeError, presets, strategies };

/** @import { Beside, Drawn, Info, Landscape, Piece, Settings, TableRow } from './types.js' */

/** The longest context that a model file may have. */
const CONTEXT_MAX = 2 ** 20;
const VARIANTS = ['auto', 'scalar', 'simd', 'relaxed'];
const LOAD_OPTIONS =
  'model source wasm simd relaxed variant streams context cache session onprogress keep signal threads'.split(
    ' ',
  );

/**
 * Checks the options of a call and returns them.
 * @template T
 * @param {T | undefined} options
 * @returns {T}
 */
function besides(options) {
  if (options !== undefined && !isObject(options)) throw mustBe('options', 'an_object', options);
  return options ?? /** @type {T} */ ({});
}

/**
 * The engine with one model, or without a model for the caller's logits. The methods of `Session`
 * act on its default timeline; `session` opens other timelines. Every error is a `LogitscopeError`.
 */
export class Logitscope extends Session {
  #core;
  /** @type {import('./session.js').Owned} */
  #sessions;
  #closed = false;

  /**
   * @private
   * @param {Core} core
   * @param {boolean} [session] true to open the default timeline now; false: at its first call
   */
  constructor(core, session = true) {
    const sessions = new Map();
    super(core, sessions, true);
    this.#core = core;
    this.#sessions = sessions;
    if (session && core.info?.architecture) this.timeline();
  }

  /**
   * Loads the engine, and a model if one is given.
   * @param {import('./types.js').LoadOptions} [options]
   * @returns {Promise<Logitscope>}
   */
  static async load(options) {
    checkOptions('options of load', options, LOAD_OPTIONS);
    const {
      model,
      source,
      wasm,
      simd,
      relaxed,
      variant = 'auto',
      streams = 'auto',
      threads,
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
    checkChoice('variant', variant, VARIANTS);
    checkChoice('streams', streams, ['auto', ...STREAMS]);
    if (threads !== undefined) checkInteger('threads', threads, 1, 16);
    const asked = source && (await import('./asked.js')).askedFor(source, model);
    const opening =
      asked?.stream ?? (model === undefined ? null : openSource('model', model, { keep, signal }));
    // A page that is not isolated cannot share memory.
    const several =
      globalThis.crossOriginIsolated !== false &&
      (await Promise.all([import('./threads.js'), opening]).then(([{ load }, stream]) =>
        load(stream, options, Module),
      ));
    const [module, stream] = await Promise.all([
      several ? several.module : Module.load(wasm, variant, { simd, relaxed }),
      opening,
    ]);
    const core = new Core(module);
    core.cache = cache;
    core.loadBeside = (given) =>
      Logitscope.load({ model: given, wasm, simd, relaxed, variant, streams, threads });
    if (stream)
      await core.openModel(
        stream,
        !asked && (session || context) ? context : -1,
        streams,
        onprogress,
      );
    asked?.open(core, context);
    if (several) await several.open(core);
    return new Logitscope(core, session);
  }

  #open() {
    if (this.#closed) throw new LogitscopeError('closed', 'instance_closed');
    return this.#core;
  }

  /** Facts of the model, null if none is open. @returns {Info | null} */
  get info() {
    return this.#core.info && { ...this.#core.info };
  }

  /** The table of settings, canonical order. @returns {TableRow[]} */
  get table() {
    return this.#core.table.map((row) => ({ ...row }));
  }

  /** The variant of the inner loops in use: 'scalar', 'simd' or 'relaxed'. */
  get variant() {
    return this.#core.module.variant;
  }

  /** Bytes of the module's memory. */
  get memoryBytes() {
    return this.#core.module.memoryBytes;
  }

  /**
   * The ids of a text by the model's tokenizer.
   * @param {string} text
   * @param {import('./types.js').EncodeOptions} [options]
   * @returns {Uint32Array}
   */
  encode(text, options) {
    return this.#open().encode(text, options);
  }

  /**
   * The text of ids. Bytes that are not UTF-8 become U+FFFD; special tokens are left out by
   * default.
   * @param {ArrayLike<number>} ids
   * @param {{ special?: boolean }} [options]
   * @returns {string}
   */
  decode(ids, options) {
    return this.#open().decode(ids, options);
  }

  /**
   * Makes a prompt from messages by the model's chat template. A worker renders the template; the
   * time limit is one second.
   * @param {import('./types.js').Message[]} messages
   * @param {import('./types.js').ChatOptions} [options]
   */
  async chat(messages, options) {
    const core = this.#open();
    return (await import('./chat.js')).chat(core, messages, options);
  }

  /**
   * A token's text and bytes.
   * @param {number} id
   * @returns {Piece}
   */
  piece(id) {
    const core = this.#open();
    if (typeof id !== 'number') throw mustBe('id', 'a_number', id);
    checkIds('id', [id], core.needModel().vocab_size);
    const piece = core.piece(id);
    return { ...piece, bytes: piece.bytes.slice() };
  }

  /**
   * The texts of all tokens, by id: always the same list. A caller's sampler gets it as `tokens`.
   * @returns {readonly string[]}
   */
  tokens() {
    return this.#open().texts();
  }

  /**
   * The number u in [0, 1) that a generation with this seed uses in this step.
   * @param {number} seed
   * @param {number} step
   */
  random(seed, step) {
    return this.#open().random(seed, step);
  }

  /**
   * The number of distinct n-grams of a text divided by the number of all its n-grams.
   * @param {ArrayLike<number>} ids
   * @param {number} n
   */
  distinct(ids, n) {
    return this.#open().distinct(ids, n);
  }

  /**
   * The watermark values of each id, for the watermarks that are on. `detect` counts them.
   * @param {ArrayLike<number>} ids
   * @param {Settings} [settings]
   */
  marks(ids, settings) {
    return this.#open().marks(ids, settings);
  }

  /**
   * The law of whole texts: the complete texts after a prompt in decreasing probability until they hold `mass`, and
   * the exact probability of all others.
   * @param {string | ArrayLike<number>} prompt
   * @param {Settings} [settings]
   * @param {import('./law-types.js').LawOptions} [options]
   * @returns {Promise<import('./law-types.js').Law>}
   */
  async law(prompt, settings, options) {
    const core = this.#open();
    return (await import('./law.js')).law(core, this, prompt, settings, options);
  }

  /**
   * For the first loop of a text: the mildest value of each setting that would have broken it, and the token at which.
   * Null if the text has no loop.
   * @param {import('./types.js').LoopOptions & Settings} options
   * @returns {Promise<import('./types.js').LoopBreaks | null>}
   */
  async breakLoop(options) {
    const core = this.#open();
    return (await import('./loop-breaks.js')).breakLoop(core, this, options);
  }

  /**
   * The trace of any logits, with the complete result; needs no model.
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {{ step?: number } & Beside} [options]
   * @returns {import('./types.js').WarpTrace}
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
   * Runs `warp` on several rows of logits with equal settings.
   * @param {ArrayLike<number>[]} rows
   * @param {Settings} [settings]
   * @param {{ step?: number, histories?: ArrayLike<number>[] }} [options]
   *   histories: the ids before each row
   * @returns {import('./types.js').WarpTrace[]}
   */
  warpRows(rows, settings, options) {
    checkOptions('options of warpRows', options, ['histories', 'step']);
    const { histories, step } = options ?? {};
    for (const [name, list] of Object.entries({ rows, histories: histories ?? [] }))
      if (!Array.isArray(list)) throw mustBe(name, 'a_list', list);
    return rows.map((row, i) => this.warp(row, settings, { history: histories?.[i], step }));
  }

  /**
   * The arguments that a caller's sampler (`own`) would receive: its input logits, every setting, the
   * ids so far. The caller can pass the sampler's result as `own` instead of the function.
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {{ step?: number } & Beside} [options]
   * @returns {Parameters<import('./types.js').Own>}
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
   * Returns the trace of `warp` and the token of `drawFrom`, but runs the chain only once.
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {import('./types.js').ReadChoice & Beside} [choice]
   * @returns {import('./types.js').WarpReading}
   */
  readFrom(logits, settings, choice) {
    const { chain } = this.#open();
    const { history, second, ...how } = besides(choice);
    return /** @type {import('./types.js').WarpReading} */ (
      chain.read(chain.given(logits, history, second), settings, how)
    );
  }

  /**
   * Draws one token from any logits; needs no model. In a loop, give `rng` or `step`, as for `draw`.
   * @param {ArrayLike<number>} logits
   * @param {Settings} [settings]
   * @param {import('./types.js').DrawChoice & Beside} [choice]
   * @returns {Drawn}
   */
  drawFrom(logits, settings, choice) {
    const { chain } = this.#open();
    const { history, second, ...how } = besides(choice);
    return chain.draw(chain.given(logits, history, second), settings, how);
  }

  /**
   * The `landscape` of any logits; needs no model.
   * @param {ArrayLike<number>} logits
   * @param {Settings} settings
   * @param {string} knob
   * @param {ArrayLike<number>} values
   * @param {{ top?: number, step?: number, token?: number } & Beside} [options]
   * @returns {Landscape}
   */
  landscapeFrom(logits, settings, knob, values, options) {
    const { chain } = this.#open();
    const { history, second, ...how } = besides(options);
    return chain.landscape(chain.given(logits, history, second), settings, knob, values, how);
  }

  /** The parts that crowd-calls.js copies. @internal */
  get parts() {
    return { core: this.#open(), sessions: this.#sessions };
  }

  /** Opens an empty timeline over the model. */
  session() {
    return Session.open(this.#open(), this.#sessions);
  }

  /** Frees everything. Every later call throws an error with code `closed`. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    for (const free of this.#sessions.keys()) free();
    this.#core.close();
  }
}
