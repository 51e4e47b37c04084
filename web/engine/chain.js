/**
 * Runs the chain on one vector of logits. A caller's sampler runs first; then C gets settings,
 * logits, history and constraint. The C function chain_apply runs the chain and records each stage
 * for a trace. A call that needs only a token uses chain_sample, which draws the same token and
 * records nothing (except with Gumbel-max).
 */
import { carried } from './presets.js';
import {
  checkBoolean,
  checkFunction,
  checkIds,
  checkInteger,
  checkLogits,
  checkNumbers,
  checkOptions,
  checkOwn,
  checkSecond,
} from './checks.js';
import { LogitscopeError, phrase, shown } from './errors.js';
import { GATES } from './gates.js';
import * as layout from './layout.js';
import { SEED_MAX, applySettings, biasesAfter, checkBiased } from './settings.js';
import { readTrace } from './trace.js';

/** @import { Resolved } from './settings.js' */
/** @import { DrawChoice, Trace } from './types.js' */

/**
 * A source of logits. `place` writes them into C's memory and returns addresses; call it after all
 * other writes to the exchange (C's buffer for inputs). `room` is the address of free memory for the
 * result of a caller's sampler, present if the logits are in the exchange. `second` is the address of
 * the logits of a second distribution. `piece` returns a token's text. `whole` is true if the trace
 * shall contain logits and p of the whole vocabulary.
 * @typedef {object} Source
 * @property {number} size size of the vocabulary
 * @property {() => { logits: number, history: number, count: number, room?: number,
 *   second?: number }} place
 * @property {(id: number) => { text: string, special: boolean }} piece
 * @property {boolean} whole
 *
 * A chain that can now run once, since C has settings, logits, history and constraint.
 * @typedef {object} Ready
 * @property {number} chain
 * @property {number[]} at arguments of C: addresses of logits and history, length of the history
 * @property {number} top number of tokens to list
 * @property {number} mask address of the constraint's mask, 0 if there is none
 * @property {Resolved} resolved
 * @property {Source} source
 *
 * The options of a draw: `u` replaces the seed's number; p_raw is computed only if `raw` is true.
 * @typedef {{ step: number, u?: number, raw: boolean }} Choice
 *
 * A drawn token, with the number of survivors, the entropy, and the listed tokens if asked for.
 * @typedef {{ drawn: import('./types.js').Drawn, kept: number, entropy: number,
 *   tokens?: import('./types.js').TraceToken[] }} Sample
 */

/** A chain is opened with room to list at least this many tokens, so a larger `top` rarely needs a new chain. */
const MIN_TOP_MAX = 64;
/** A token without a text. */
export const NO_PIECE = { text: '', special: false };

/** Largest landscape: the number of the setting's values times the number of listed tokens. */
const CELLS_MAX = 1 << 24;

/**
 * Checks the options of a draw and fills in the defaults.
 * @param {string} what name of the options, for errors
 * @param {DrawChoice | undefined} given
 * @param {string} draw
 * @param {string[]} names known options
 * @returns {Choice}
 */
export function resolveChoice(what, given, draw, names) {
  checkOptions(`options of ${what}`, given, names);
  const { step = 0, u, rng, raw = true } = given ?? {};
  checkInteger('step', step, 0, SEED_MAX);
  checkBoolean('raw', raw);
  if (u === undefined && rng === undefined) return { step, raw };
  if (draw === 'gumbel' || (u !== undefined && rng !== undefined)) {
    throw new LogitscopeError('invalid_argument', draw === 'gumbel' ? 'u_gumbel' : 'u_and_rng');
  }
  checkFunction('rng', rng);
  const value = rng ? rng() : u;
  if (typeof value !== 'number' || !(value >= 0 && value < 1)) {
    const code = typeof value === 'number' ? 'out_of_range' : 'invalid_argument';
    throw new LogitscopeError(code, 'must_be_at_least_below', {
      setting: rng ? phrase('what_rng_returns') : 'u',
      minimum: 0,
      maximum: 1,
      value: shown(value),
    });
  }
  return { step, u: value, raw };
}

/** True if a bias depends on the history. @param {Record<string, number | false>} map */
const namesSequence = (map) => Object.keys(map).some((key) => key.includes(' '));

/** True if neither the history nor a caller's sampler changes the settings that C gets. @param {Resolved} resolved */
const isLasting = ({ values, order, gates }) =>
  !namesSequence(values.logit_bias) &&
  !order.includes('own') &&
  !GATES.some((name) => name in gates);

export class Chain {
  #core;
  /** The chain in C that was opened last (handle 0: none). Calls with the same vocabulary size reuse it. */
  #scratch = { handle: 0, vocabSize: 0, topMax: 0 };

  /** @param {import('./core.js').Core} core */
  constructor(core) {
    this.#core = core;
  }

  /**
   * Runs the chain once; returns its trace and a token drawn from its result.
   * @param {Source} source
   * @param {unknown} settings
   * @param {DrawChoice} [given]
   * @returns {{ trace: Trace, drawn: import('./types.js').Drawn }}
   */
  read(source, settings, given) {
    const asked = this.#core.resolve(settings);
    const choice = resolveChoice('read', given, asked.draw, ['step', 'u', 'rng']);
    const ready = this.#prepareRunNow(source, asked, choice.step);
    const trace = this.#trace(ready);
    const { drawn } = this.#draw(ready, choice); // first, since #addWholeResult overwrites the exchange
    return { trace: this.#addWholeResult(ready, trace), drawn };
  }

  /**
   * Runs the chain and returns only the trace; draws no token.
   * @param {Source} source
   * @param {unknown} settings
   * @param {number} step
   */
  distribution(source, settings, step) {
    const asked = this.#core.resolve(settings);
    checkInteger('step', step, 0, SEED_MAX);
    const ready = this.#prepareRunNow(source, asked, step);
    return this.#addWholeResult(ready, this.#trace(ready));
  }

  /**
   * Runs the chain and returns only the drawn token, not the trace.
   * @param {Source} source
   * @param {unknown} settings
   * @param {DrawChoice} [given]
   */
  draw(source, settings, given) {
    const asked = this.#core.resolve(settings);
    const choice = resolveChoice('draw', given, asked.draw, ['step', 'u', 'rng', 'raw']);
    return this.#sample(this.#prepareRunNow(source, asked, choice.step, 0), choice).drawn;
  }

  /**
   * Draws the token of one step of a generation. Returns a promise only if the caller's sampler
   * returns one.
   * @param {Source} source
   * @param {Resolved} asked
   * @param {Choice} choice
   * @returns {Sample | Promise<Sample>}
   */
  step(source, asked, choice) {
    const { step } = choice;
    const settled = this.#withOwnResult(source, asked, step);
    const sample = (/** @type {Resolved} */ resolved) =>
      this.#sample(this.prepareRun(source, resolved, step), choice);
    return settled instanceof Promise ? settled.then(sample) : sample(settled);
  }

  /**
   * Computes the distribution at each value of one setting.
   * @param {Source} source
   * @param {any} settings
   * @param {string} knob a setting that is a number
   * @param {ArrayLike<number>} values
   * @param {{ top?: number, step?: number, token?: number }} [options] `token` is
   *   reported at every value, even if it is not among the `top`
   * @returns {import('./types.js').Landscape}
   */
  landscape(source, settings, knob, values, options) {
    checkOptions('options of landscape', options, ['top', 'step', 'token']);
    const { top: most = MIN_TOP_MAX, step = 0, token: id } = options ?? {};
    checkInteger('step', step, 0, SEED_MAX);
    if (id !== undefined) checkInteger('token', id, 0, source.size - 1);
    checkNumbers('values', values);
    const top = Math.min(most, source.size);
    const { module } = this.#core;
    const n = values.length;
    checkInteger('values * top', n * Math.max(1, top), 0, CELLS_MAX);
    const ids = new Uint32Array(n * top);
    const p = new Float64Array(n * top);
    const token = id !== undefined && { id, before: new Float64Array(n), p: new Float64Array(n) };
    for (let i = 0; i < n; i++) {
      const resolved = this.#core.resolve({ ...settings, [knob]: values[i], top });
      const ready = this.#prepareRunNow(source, resolved, step);
      const at = this.#apply(ready);
      const { u32, f64 } = module.fields(module.fields(at).u32(layout.CHAIN_TRACE_TOKENS));
      for (let k = 0; k < top; k++) {
        ids[i * top + k] = u32(layout.CHAIN_TOKEN_SIZE * k + layout.CHAIN_TOKEN_ID);
        p[i * top + k] = f64(layout.CHAIN_TOKEN_SIZE * k + layout.CHAIN_TOKEN_P);
      }
      if (token) [token.before[i], token.p[i]] = this.#massBefore(ready, token.id);
    }
    return { values: Float64Array.from(values), top, ids, p, ...(token && { token }) };
  }

  /**
   * Returns a token's p, and the sum of p of all tokens before it in the order of the draw.
   * @param {Ready} ready after its chain has run
   * @param {number} id
   */
  #massBefore(ready, id) {
    const { logits, p } = this.#wholeResult(ready);
    const own = logits[id];
    let before = 0;
    for (let j = 0; j < p.length; j++)
      if (logits[j] > own || (logits[j] === own && j < id)) before += p[j];
    return [Math.min(1, before), p[id]];
  }

  /**
   * Returns the arguments that a caller's sampler would receive.
   * @param {Source} source
   * @param {any} settings
   * @param {number} step
   */
  ownInput(source, settings, step) {
    checkInteger('step', step, 0, SEED_MAX);
    return this.#ownArguments(source, this.#core.resolve({ ...settings, own: [] }), step);
  }

  /**
   * Refuses settings that do not fit a vocabulary.
   * @param {Resolved} resolved
   * @param {number} vocabSize
   */
  check(resolved, vocabSize) {
    checkBiased(resolved.values.logit_bias, vocabSize);
    this.#prepare(resolved, vocabSize, 0, 0);
  }

  /**
   * Makes a source from the caller's logits. It writes logits, history and the logits of a second
   * distribution into the exchange, with room for a sampler's result.
   * @param {ArrayLike<number>} logits
   * @param {ArrayLike<number>} [history]
   * @param {ArrayLike<number>} [second]
   * @returns {Source}
   */
  given(logits, history = [], second = []) {
    const size = checkLogits(logits);
    checkIds('history', history, size);
    if (second.length) checkSecond(second, size);
    const { module } = this.#core;
    const place = () => {
      const at = module.exchange(4 * (2 * size + second.length + history.length));
      const room = at + 4 * size;
      const secondAt = room + 4 * size;
      const historyAt = secondAt + 4 * second.length;
      module.writeFloat32(at, logits);
      module.writeFloat32(secondAt, second);
      module.writeUint32(historyAt, history);
      return {
        logits: at,
        room,
        history: historyAt,
        count: history.length,
        second: second.length ? secondAt : 0,
      };
    };
    return { size, place, piece: () => NO_PIECE, whole: true };
  }

  /**
   * Calls the caller's sampler and replaces it in the settings by its result. Returns a promise if
   * the sampler returns one.
   * @param {Source} source
   * @param {Resolved} asked
   * @param {number} step
   * @returns {Resolved | Promise<Resolved>}
   */
  #withOwnResult(source, asked, step) {
    const { own } = asked;
    if (!own) return asked;
    const take = (/** @type {ArrayLike<number>} */ result) => ({
      ...asked,
      own: checkOwn(result, source.size),
    });
    if (typeof own !== 'function') return take(own);
    const result = own(...this.#ownArguments(source, asked, step));
    return result instanceof Promise ? result.then(take) : take(result);
  }

  /**
   * Does prepareRun for a call that cannot wait; throws if the caller's sampler returns a promise.
   * @param {Source} source
   * @param {Resolved} asked
   * @param {number} step
   * @param {number} [top]
   */
  #prepareRunNow(source, asked, step, top) {
    const settled = this.#withOwnResult(source, asked, step);
    if (!(settled instanceof Promise)) return this.prepareRun(source, settled, step, top);
    settled.catch(() => {}); // prevents an unhandled rejection
    throw new LogitscopeError('invalid_argument', 'own_once');
  }

  /**
   * Runs the chain up to the caller's sampler; returns the sampler's arguments.
   * @param {Source} source
   * @param {Resolved} asked
   * @param {number} step
   * @returns {Parameters<import('./types.js').Own>}
   */
  #ownArguments(source, asked, step) {
    const { module } = this.#core;
    const ready = this.prepareRun(source, { ...asked, own: null }, step, 0);
    const [, historyAt, count] = ready.at;
    const history = Array.from(module.uint32(historyAt, count));
    this.#apply(ready);
    const logits = module.float32(module.calls.chain_logits(ready.chain), source.size);
    const core = this.#core;
    const { tokenizer, vocab_size } = core.info ?? {};
    const texts = () => (tokenizer && vocab_size === source.size ? core.texts() : undefined);
    // Not enumerable, so that a message to another thread does not copy the whole vocabulary.
    const context = Object.defineProperty({ history }, 'tokens', { get: texts });
    return [logits, core.report(asked), /** @type {any} */ (context)];
  }

  /**
   * Gives C everything that the chain reads. It calls `place` last, because other writes to the
   * exchange would overwrite the logits.
   * @param {Source} source
   * @param {Resolved} resolved
   * @param {number} step selects the samplers' coins
   * @param {number} [top]
   * @returns {Ready}
   */
  prepareRun(source, resolved, step, top = resolved.top) {
    const { module, gates } = this.#core;
    const chain = this.#prepare(resolved, source.size, step, top, source);
    const { logits, history, count, room, second } = source.place();
    const place = resolved.order.indexOf('own');
    const result = /** @type {ArrayLike<number>} */ (resolved.own);
    const resultAt = result && (room ?? module.exchange(4 * source.size));
    if (result) module.writeFloat32(resultAt, result);
    if (place >= 0) module.calls.settings_own(resultAt ?? 0, place);
    module.calls.settings_second(second ?? 0);
    const mask = gates.follow(resolved.gates, history, count);
    return { chain, at: [logits, history, count], top, mask, resolved, source };
  }

  /**
   * The biases for a source's history. The history is read only if a bias depends on it.
   * @param {Resolved} resolved
   * @param {Source} [source]
   */
  #biases({ values: { logit_bias: map } }, source) {
    if (!source || !namesSequence(map)) return biasesAfter(map, null);
    checkBiased(map, source.size);
    const { history, count } = source.place();
    return biasesAfter(map, this.#core.module.uint32(history, count));
  }

  /**
   * Opens a chain and gives C the settings, unless C has them from an earlier call.
   * @param {Resolved} resolved
   * @param {number} vocabSize
   * @param {number} step
   * @param {number} top
   * @param {Source} [source] without one, all biases apply
   */
  #prepare(resolved, vocabSize, step, top, source) {
    const core = this.#core;
    const { module, table, gates } = core;
    const chain = this.open(vocabSize, Math.min(top, vocabSize));
    if (module.prepared === resolved) {
      module.calls.settings_step(resolved.seed, step);
      return chain;
    }
    applySettings(
      module,
      table,
      resolved,
      core.breakers(resolved, vocabSize),
      core.ends(resolved, vocabSize),
      this.#biases(resolved, source),
      step,
    );
    gates.prepare(resolved.gates, vocabSize);
    if (module.calls.settings_check(vocabSize)) module.fail();
    if (isLasting(resolved)) module.prepared = resolved;
    return chain;
  }

  /**
   * Returns the handle of a chain with this vocabulary size and room for `top` tokens. Opens a chain
   * if the one in use does not fit.
   * @param {number} vocabSize
   * @param {number} top number of tokens to list
   */
  open(vocabSize, top) {
    const scratch = this.#scratch;
    if (scratch.vocabSize === vocabSize && top <= scratch.topMax) return scratch.handle;
    this.close();
    const topMax = Math.min(vocabSize, Math.max(MIN_TOP_MAX, top));
    const { module } = this.#core;
    const handle = module.need(module.calls.chain_open(vocabSize, topMax));
    this.#scratch = { handle, vocabSize, topMax };
    return handle;
  }

  /**
   * Runs the chain and records every stage; returns the address of the record, struct chain_trace.
   * @param {Ready} ready
   */
  #apply({ chain, at, top }) {
    const { module } = this.#core;
    return module.need(module.calls.chain_apply(chain, ...at, top));
  }

  /**
   * @param {Ready} ready
   * @returns {Trace}
   */
  #trace(ready) {
    const { module, table, gates } = this.#core;
    const trace = readTrace(module, this.#apply(ready), table, ready.source.piece);
    if (ready.mask) trace.constraint = gates.read(ready.mask);
    return trace;
  }

  /**
   * If the source asks for it (`whole`), adds logits and p of the whole vocabulary to the trace. This
   * overwrites the exchange.
   * @param {Ready} ready
   * @param {Trace} trace
   * @returns {Trace}
   */
  #addWholeResult(ready, trace) {
    return ready.source.whole ? Object.assign(trace, this.#wholeResult(ready)) : trace;
  }

  /**
   * Returns logits and p of the whole vocabulary after the chain. This overwrites the exchange.
   * @param {Ready} ready
   */
  #wholeResult({ chain, source: { size } }) {
    const { module } = this.#core;
    const logits = module.float32(module.calls.chain_logits(chain), size);
    const pAt = module.exchange(8 * size);
    module.calls.chain_probabilities(chain, pAt, size);
    return { logits, p: module.float64(pAt, size) };
  }

  /**
   * Runs the chain without recording its stages, which is faster. Draws the same token as #draw.
   * @param {Ready} ready
   * @param {Choice} choice
   */
  #sample(ready, choice) {
    const { chain, at, top, resolved } = ready;
    if (top) return { tokens: this.#trace(ready).tokens, ...this.#draw(ready, choice) };
    if (resolved.draw === 'gumbel') {
      this.#apply(ready);
      return this.#draw(ready, choice);
    }
    const u = this.#random(resolved, choice);
    const { chain_sample } = this.#core.module.calls;
    return this.readSample(chain_sample(chain, ...at, u, Number(choice.raw)), resolved, u);
  }

  /**
   * Draws from the tokens that the chain has kept.
   * @param {Ready} ready
   * @param {Choice} choice
   */
  #draw({ chain, resolved }, choice) {
    const { calls } = this.#core.module;
    const u = resolved.draw === 'gumbel' ? null : this.#random(resolved, choice);
    const sample =
      u === null
        ? calls.chain_draw_gumbel(chain, resolved.seed, choice.step)
        : calls.chain_draw(chain, u);
    return this.readSample(sample, resolved, u);
  }

  /**
   * @param {Resolved} resolved
   * @param {Choice} choice
   */
  #random({ seed }, { step, u }) {
    return u ?? this.#core.module.calls.draw_random(seed, step);
  }

  /**
   * @param {number} pointer
   * @param {Resolved} resolved
   * @param {number | null} u
   * @returns {Sample}
   */
  readSample(pointer, { values }, u) {
    const { module } = this.#core;
    const { u32, f64 } = module.fields(module.need(pointer));
    const drawn = layout.CHAIN_SAMPLE_DRAWN;
    return {
      drawn: {
        id: u32(drawn + layout.CHAIN_DRAWN_ID),
        u,
        p: f64(drawn + layout.CHAIN_DRAWN_P),
        p_raw: f64(drawn + layout.CHAIN_DRAWN_P_RAW),
        logprob: f64(drawn + layout.CHAIN_DRAWN_LOGPROB),
        rank: u32(drawn + layout.CHAIN_DRAWN_RANK),
        mu: carried(values)
          ? module.calls.warp_next(f64(drawn + layout.CHAIN_DRAWN_P_BEFORE))
          : null,
      },
      kept: u32(layout.CHAIN_SAMPLE_KEPT),
      entropy: f64(layout.CHAIN_SAMPLE_ENTROPY),
    };
  }

  close() {
    this.#core.module.prepared = null; // another vocabulary has other end tokens
    this.#core.module.calls.chain_close(this.#scratch.handle);
    this.#scratch = { handle: 0, vocabSize: 0, topMax: 0 };
  }
}
