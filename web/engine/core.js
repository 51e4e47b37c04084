/**
 * What all timelines of one instance share: the module, the open model, the table, the chains. Its
 * methods take checked arguments; Logitscope and Session are the public face.
 */
import { checkBoolean, checkIds, checkInteger, checkLogits, checkOptions } from './checks.js';
import { resolveChoice } from './choice.js';
import { LogitscopeError, show } from './errors.js';
import { Gates } from './gates.js';
import { openImage } from './image.js';
import * as layout from './layout.js';
import { OwnStage } from './own.js';
import { Module, fromUtf8, toUtf8 } from './module.js';
import { SEED_MAX, applySettings, readTable, resolveSettings } from './settings.js';
import { readTrace } from './trace.js';

/** @typedef {import('./types.js').Info} Info */
/** @typedef {import('./types.js').Piece} Piece */
/** @typedef {import('./types.js').Drawn} Drawn */
/** @typedef {import('./settings.js').Resolved} Resolved */

const FILE_TYPES = new Map([
  [0, 'F32'],
  [1, 'F16'],
  [2, 'Q4_0'],
  [3, 'Q4_1'],
  [7, 'Q8_0'],
  [32, 'BF16'],
]);
const LISTED = 64;
const NO_PIECE = { text: '', special: false };

export class Core {
  /** @type {Module} */
  module;
  /** @type {import('./types.js').TableRow[]} */
  table;
  /** @type {Info | null} */
  info = null;
  /** The open model's handle, 0 without one. */
  model = 0;
  /** @type {Map<number, Piece>} */
  #pieces = new Map();
  /** Sequences that break a repeat, by the text that they spell. @type {Map<string, number[][]>} */
  #breakers = new Map();
  /** The scratch for one vocabulary size; the last one used is kept. */
  #chain = { handle: 0, vocabSize: 0, topMax: 0 };
  gates = new Gates(this);
  own = new OwnStage(this);

  /** @param {Module} module */
  constructor(module) {
    this.module = module;
    this.table = readTable(module);
  }

  /**
   * @param {import('./load.js').Stream} stream
   * @param {import('./types.js').OnProgress} [onprogress]
   */
  async openModel(stream, onprogress) {
    this.model = await openImage(this.module, stream, onprogress);
    this.info = this.#readInfo();
    this.#useChain(this.info.vocab_size, LISTED);
    this.module.exchange(0); // all that a step needs is there from the beginning
  }

  /** @returns {Info} */
  #readInfo() {
    const { module, model } = this;
    const view = module.view();
    const u32 = (/** @type {number} */ offset) => view.getUint32(model + offset, true);
    const f64 = (/** @type {number} */ offset) => view.getFloat64(model + offset, true);
    const id = (/** @type {number} */ offset) => {
      const value = view.getInt32(model + offset, true);
      return value < 0 ? null : value;
    };
    const fileType = u32(layout.OPENED_FILE_TYPE);
    const architecture = u32(layout.OPENED_ARCHITECTURE);
    const tokenizer = u32(layout.OPENED_TOKENIZER_KIND);
    return {
      name: module.text(model + layout.OPENED_NAME),
      architecture: architecture ? module.text(architecture) : null,
      vocab_size: u32(layout.OPENED_VOCAB_SIZE),
      context_length: u32(layout.OPENED_CONTEXT_LENGTH),
      n_layer: u32(layout.OPENED_N_LAYER),
      n_head: u32(layout.OPENED_N_HEAD),
      n_head_kv: u32(layout.OPENED_N_HEAD_KV),
      n_embd: u32(layout.OPENED_N_EMBD),
      n_ff: u32(layout.OPENED_N_FF),
      parameters: f64(layout.OPENED_PARAMETERS),
      file_type: architecture ? (FILE_TYPES.get(fileType) ?? String(fileType)) : null,
      bytes: f64(layout.OPENED_BYTES),
      tokenizer: tokenizer ? module.text(tokenizer) : null,
      bos_token_id: id(layout.OPENED_BOS_ID),
      eos_token_id: id(layout.OPENED_EOS_ID),
      weight_bytes: f64(layout.OPENED_WEIGHT_BYTES),
      session_bytes: f64(layout.OPENED_SESSION_BYTES),
      variant: module.variant,
    };
  }

  /** What the file says; an error without one. */
  needModel() {
    if (!this.info) {
      throw new LogitscopeError(
        'no_model',
        'no model is loaded, only warp and random work without one',
      );
    }
    return this.info;
  }

  /**
   * @param {string} text
   * @param {{ bos?: 'auto' | boolean, special?: boolean }} [options]
   * @returns {Uint32Array}
   */
  encode(text, options) {
    this.needModel();
    checkOptions('options of encode', options, ['bos', 'special']);
    const { bos = 'auto', special = false } = options ?? {};
    if (typeof text !== 'string') {
      throw new LogitscopeError('invalid_argument', `text must be a string, got ${show(text)}`);
    }
    if (bos !== 'auto' && typeof bos !== 'boolean') {
      throw new LogitscopeError(
        'invalid_argument',
        `bos must be "auto", true or false, got ${show(bos)}`,
      );
    }
    checkBoolean('special', special);
    const { module } = this;
    const bytes = toUtf8(text);
    const capacity = bytes.length + 2;
    const idsAt = (bytes.length + 3) & ~3;
    const at = module.exchange(idsAt + 4 * capacity);
    module.writeBytes(at, bytes);
    const count = module.calls.tokenizer_encode(
      this.model,
      at,
      bytes.length,
      bos === 'auto' ? 0 : bos ? 1 : 2,
      Number(special),
      at + idsAt,
      capacity,
    );
    if (count < 0) module.fail();
    return module.uint32(at + idsAt, count);
  }

  /**
   * @param {ArrayLike<number>} ids
   * @param {{ special?: boolean }} [options]
   */
  decode(ids, options) {
    const { vocab_size } = this.needModel();
    checkOptions('options of decode', options, ['special']);
    const special = options?.special ?? false;
    checkBoolean('special', special);
    checkIds('ids', ids, vocab_size);
    const { module } = this;
    const call = (/** @type {number} */ capacity) => {
      const at = module.exchange(4 * ids.length + capacity);
      module.writeUint32(at, ids);
      const textAt = at + 4 * ids.length;
      const length = module.calls.tokenizer_decode(
        this.model,
        at,
        ids.length,
        Number(special),
        textAt,
        capacity,
      );
      if (length < 0) module.fail();
      return { textAt, length };
    };
    const { textAt, length } = call(call(0).length);
    return fromUtf8(module.bytes(textAt, length));
  }

  /**
   * A token's text; kept, since traces ask for the same ones again and again.
   * @param {number} id a valid id
   * @returns {Piece}
   */
  piece(id) {
    let piece = this.#pieces.get(id);
    if (!piece) {
      const { module } = this;
      const at = module.need(module.calls.tokenizer_piece(this.model, id));
      const view = module.view();
      const bytes = module.bytes(
        view.getUint32(at + layout.TOKENIZER_PIECE_DATA, true),
        view.getUint32(at + layout.TOKENIZER_PIECE_LENGTH, true),
      );
      const special = view.getUint8(at + layout.TOKENIZER_PIECE_SPECIAL) !== 0;
      piece = { id, text: fromUtf8(bytes), bytes, special };
      this.#pieces.set(id, piece);
    }
    return piece;
  }

  /**
   * @param {unknown} settings
   * @param {readonly string[]} [also]
   */
  resolve(settings, also) {
    return resolveSettings(this.table, settings, also);
  }

  /**
   * The settings as a result reports them.
   * @param {Resolved} resolved
   */
  report({ values, order, draw, gates: { grammar: _, ...gates } }) {
    return { ...values, order: [...order], draw, ...gates };
  }

  /**
   * @param {number} vocabSize
   * @param {number} top
   */
  #useChain(vocabSize, top) {
    const chain = this.#chain;
    if (chain.vocabSize === vocabSize && top <= chain.topMax) return chain.handle;
    const { calls } = this.module;
    const topMax = Math.min(vocabSize, Math.max(LISTED, top));
    calls.chain_close(chain.handle);
    this.#chain = { handle: 0, vocabSize: 0, topMax: 0 };
    const handle = this.module.need(calls.chain_open(vocabSize, topMax));
    this.#chain = { handle, vocabSize, topMax };
    return handle;
  }

  /**
   * Gives C the settings, and the chain that is to apply them; the exchange is free afterwards.
   * @param {Resolved} resolved
   * @param {number} vocabSize
   * @param {number} top
   * @param {number} step whose coins the warpers toss
   */
  prepare(resolved, vocabSize, top, step) {
    const chain = this.#useChain(vocabSize, Math.min(top, vocabSize));
    const { dry_multiplier: active, dry_sequence_breakers: given } = resolved.values;
    const breakers = active ? this.#spell(given, vocabSize) : [];
    applySettings(this.module, this.table, resolved, breakers, step);
    this.gates.prepare(resolved.gates, vocabSize);
    if (this.module.calls.settings_check(vocabSize)) this.module.fail();
    return chain;
  }

  /**
   * The sequences of ids that break a repeat: as given, or those that spell a text.
   * @param {(number | number[] | string)[]} given
   * @param {number} vocabSize
   * @returns {number[][]}
   */
  #spell(given, vocabSize) {
    return given.flatMap((breaker) => {
      if (typeof breaker !== 'string') return [[breaker].flat()];
      if (!this.info?.tokenizer || this.info.vocab_size !== vocabSize) {
        throw new LogitscopeError(
          'no_model',
          `dry_sequence_breakers must be token ids where there is no tokenizer, got ${show(breaker)}`,
        );
      }
      return this.#breakers.get(breaker) ?? this.#findBreakers(breaker, vocabSize);
    });
  }

  /**
   * Every token that holds the text, and the text's own ids if they are several.
   * @param {string} text
   * @param {number} vocabSize
   */
  #findBreakers(text, vocabSize) {
    const found = [];
    for (let id = 0; id < vocabSize; id++) {
      if (this.piece(id).text.includes(text)) found.push([id]);
    }
    const ids = this.spelling(text);
    if (ids.length > 1) found.push(ids);
    this.#breakers.set(text, found);
    return found;
  }

  /**
   * The ids of a text, none where the vocabulary cannot spell it.
   * @param {string} text
   * @returns {number[]}
   */
  spelling(text) {
    try {
      return Array.from(this.encode(text, { bos: false }));
    } catch (error) {
      if (error instanceof LogitscopeError && error.code === 'unknown_token') return [];
      throw error;
    }
  }

  /**
   * Gives C what depends on the text: the constraint's mask, the result of a sampler of one's own.
   * Returns where the mask is, 0 without a constraint.
   * @param {Resolved} resolved
   * @param {{ history: number, count: number, room?: number }} at with `room` for that result, where
   *   the exchange is in use
   */
  follow({ order, own, gates }, { history, count, room }) {
    const { module } = this;
    const place = order.indexOf('own');
    const result = /** @type {ArrayLike<number>} */ (own);
    const at = result && (room ?? module.exchange(4 * result.length));
    if (result) module.writeFloat32(at, result);
    if (place >= 0) module.calls.settings_own(at ?? 0, place);
    return this.gates.follow(gates, history, count);
  }

  /**
   * Applies a prepared chain to logits and history in the heap; returns the trace's address.
   * @param {number} chain
   * @param {number} logits
   * @param {number} history
   * @param {number} count
   * @param {number} top
   */
  apply(chain, logits, history, count, top) {
    return this.module.need(this.module.calls.chain_apply(chain, logits, history, count, top));
  }

  /**
   * The trace at an address, and what the constraint whose mask is at the other expects.
   * @param {number} at
   * @param {number} mask 0 without a constraint
   * @returns {import('./types.js').Trace}
   */
  readTrace(at, mask) {
    const piece = this.info?.tokenizer
      ? (/** @type {number} */ id) => this.piece(id)
      : () => NO_PIECE;
    const trace = readTrace(this.module, at, this.table, piece);
    return mask ? { ...trace, constraint: this.gates.read(mask) } : trace;
  }

  /**
   * The same trace for any logits, with the whole result; no token has a text.
   * @param {ArrayLike<number>} logits
   * @param {unknown} settings
   * @param {ArrayLike<number>} history
   * @param {number} step
   * @returns {import('./types.js').WarpTrace}
   */
  warp(logits, settings, history, step) {
    const size = checkLogits(logits);
    checkIds('history', history, size);
    checkInteger('step', step, 0, SEED_MAX);
    const { module } = this;
    const place = () => this.place(logits, history);
    const resolved = this.own.settleNow(this.resolve(settings), size, step, place);
    const chain = this.prepare(resolved, size, resolved.top, step);
    const at = place();
    this.follow(resolved, at);
    const trace = this.apply(chain, at.logits, at.history, at.count, resolved.top);
    const read = readTrace(module, trace, this.table, () => NO_PIECE);
    const warped = module.float32(module.calls.chain_logits(chain), size);
    const pAt = module.exchange(8 * size);
    module.calls.chain_probabilities(chain, pAt, size);
    return { ...read, logits: warped, p: module.float64(pAt, size) };
  }

  /**
   * Draws from any logits.
   * @param {ArrayLike<number>} logits
   * @param {unknown} settings
   * @param {ArrayLike<number>} history
   * @param {import('./types.js').DrawChoice} choice
   */
  drawFrom(logits, settings, history, choice) {
    const size = checkLogits(logits);
    checkIds('history', history, size);
    const asked = this.resolve(settings);
    const [step, options] = resolveChoice(choice, asked.draw);
    const place = () => this.place(logits, history);
    const resolved = this.own.settleNow(asked, size, step, place);
    const chain = this.prepare(resolved, size, 0, step);
    const at = place();
    this.follow(resolved, at);
    return this.sample(chain, at, resolved, step, options).drawn;
  }

  /**
   * Puts logits and history into the heap, beside room for a result of one's own.
   * @param {ArrayLike<number>} logits
   * @param {ArrayLike<number>} history
   */
  place(logits, history) {
    const at = this.module.exchange(4 * (2 * logits.length + history.length));
    const room = at + 4 * logits.length;
    const historyAt = room + 4 * logits.length;
    this.module.writeFloat32(at, logits);
    this.module.writeUint32(historyAt, history);
    return { logits: at, room, history: historyAt, count: history.length };
  }

  /**
   * Draws from logits in the heap under a prepared chain, without a trace.
   * @param {number} chain
   * @param {{ logits: number, history: number, count: number }} at
   * @param {Resolved} resolved
   * @param {number} step
   * @param {{ u?: number, raw?: boolean }} [options] `u` replaces the seed's own; p_raw only if `raw`
   * @returns {{ drawn: Drawn, kept: number, entropy: number }}
   */
  sample(chain, { logits, history, count }, resolved, step, { u: given, raw = false } = {}) {
    const { draw, seed, values } = resolved;
    const { calls } = this.module;
    const gumbel = draw === 'gumbel';
    const u = gumbel ? null : (given ?? calls.draw_random(seed, step));
    if (gumbel) this.apply(chain, logits, history, count, 0);
    const at = this.module.need(
      gumbel
        ? calls.chain_draw_gumbel(chain, seed, step)
        : calls.chain_sample(chain, logits, history, count, Number(u), Number(raw)),
    );
    const view = this.module.view();
    const f64 = (/** @type {number} */ offset) => view.getFloat64(at + offset, true);
    const u32 = (/** @type {number} */ offset) => view.getUint32(at + offset, true);
    const p = f64(layout.CHAIN_SAMPLE_DRAWN + layout.CHAIN_DRAWN_P);
    return {
      drawn: {
        id: u32(layout.CHAIN_SAMPLE_DRAWN + layout.CHAIN_DRAWN_ID),
        u,
        p,
        p_raw: f64(layout.CHAIN_SAMPLE_DRAWN + layout.CHAIN_DRAWN_P_RAW),
        logprob: f64(layout.CHAIN_SAMPLE_DRAWN + layout.CHAIN_DRAWN_LOGPROB),
        rank: u32(layout.CHAIN_SAMPLE_DRAWN + layout.CHAIN_DRAWN_RANK),
        mu: values.mirostat ? calls.mirostat_next(p) : null,
      },
      kept: u32(layout.CHAIN_SAMPLE_KEPT),
      entropy: f64(layout.CHAIN_SAMPLE_ENTROPY),
    };
  }

  /**
   * The u of a step: a pure function of both.
   * @param {number} seed
   * @param {number} step
   */
  random(seed, step) {
    checkInteger('seed', seed, 0, SEED_MAX);
    checkInteger('step', step, 0, SEED_MAX);
    return this.module.calls.draw_random(seed, step);
  }

  /**
   * @param {ArrayLike<number>} ids
   * @param {number} n
   */
  distinct(ids, n) {
    checkIds('ids', ids, 2 ** 32);
    checkInteger('n', n, 1, 2 ** 32 - 1);
    const at = this.module.exchange(4 * ids.length);
    this.module.writeUint32(at, ids);
    const ratio = this.module.calls.measure_distinct(at, ids.length, n);
    return ratio < 0 ? this.module.fail() : ratio;
  }

  close() {
    const { calls } = this.module;
    calls.chain_close(this.#chain.handle);
    this.gates.close();
    calls.model_close(this.model);
    this.#chain = { handle: 0, vocabSize: 0, topMax: 0 };
    this.model = 0;
    this.info = null;
  }
}
