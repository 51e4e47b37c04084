/**
 * The state that all timelines of one instance share: module, open model, table of settings, chain.
 * Callers must check the arguments; Logitscope and Session, the public interface, do.
 */
import { Chain } from './chain.js';
import { checkBoolean, checkIds, checkInteger, checkOptions } from './checks.js';
import { LogitscopeError, mustBe, show } from './errors.js';
import { Gates } from './gates.js';
import { openImage } from './model-file.js';
import * as layout from './layout.js';
import { Module, fromUtf8, toUtf8 } from './module.js';
import { SEED_MAX, applySettings, openResolver, readTable } from './settings.js';

/** @import { Info, Piece } from './types.js' */
/** @import { Resolved } from './settings.js' */

/** llama.cpp's names of general.file_type, by number. */
const FILE_TYPES =
  'F32,F16,Q4_0,Q4_1,,,,Q8_0,Q5_0,Q5_1,Q2_K,Q3_K_S,Q3_K_M,Q3_K_L,Q4_K_S,Q4_K_M,Q5_K_S,Q5_K_M,Q6_K,,,Q2_K_S,,,,IQ4_NL,,,,,IQ4_XS,,BF16'.split(
    ',',
  );

/** The values of enum tokenizer_bos of src/tokenizer.h. */
const BOS_AUTO = 0;
const BOS_YES = 1;
const BOS_NO = 2;
/** TOKENIZER_SPECIAL and TOKENIZER_AS_IT_IS of src/tokenizer.h. */
const SPECIAL = 1;
const AS_IT_IS = 2;
/** A quantised matrix is multiplied in 1, 2 or 4 blocks at once (streams); no result depends on it. */
export const STREAMS = [1, 2, 4];
/** Weights of at most this many bytes fit into the processor's cache, so the number of streams hardly matters. */
const IN_CACHE = 8e6;

/** TOKENIZER_TEXT_MAX of src/tokenizer.h, in bytes. */
const TEXT_MAX = 1 << 26;

/**
 * The UTF-8 bytes of a text to encode. A text that is too long is refused before it enters the
 * module, whose memory never shrinks.
 * @param {string} text
 */
function toBytes(text) {
  const check = (/** @type {number} */ n) => {
    if (n > TEXT_MAX) throw new LogitscopeError('too_long', 'text_bytes', { limit: TEXT_MAX, n });
  };
  check(text.length);
  const bytes = toUtf8(text);
  check(bytes.length);
  return bytes;
}

export class Core {
  /** @type {Module} */
  module;
  /** @type {import('./types.js').TableRow[]} */
  table;
  /** @type {Info | null} */
  info = null;
  /** Handle of the open model, 0 if none is open. */
  model = 0;
  /** @type {Map<number, Piece>} */
  #pieces = new Map();
  /** The texts of all tokens; null until they are needed. @type {readonly string[] | null} */
  #texts = null;
  /** For each text of dry_sequence_breakers, the sequences of ids that end a repeat. @type {Map<string, number[][]>} */
  #breakers = new Map();
  /** Cache of `tokenOf`: a token's id by its text, null if no token has it. @type {Map<string, number | null>} */
  #tokens = new Map();
  /** Number of ids that a session sees; 0 means the default. */
  context = 0;
  /** True if timelines keep their KV cache by default. */
  cache = true;
  /** Loads a further model with the compiled modules of this instance. @param {any} _model @returns {Promise<any>} */
  loadBeside = (_model) => Promise.reject();
  /**
   * Addresses of the file's chat templates in memory, by name.
   * @type {Map<string, { at: number, length: number }>}
   */
  chatTemplates = new Map();
  /**
   * The object that asks another program for logits; null if this engine computes the forward pass.
   * @type {import('./asked.js').Asked | null}
   */
  asked = null;
  resolve;
  #closed = false;
  gates = new Gates(this);
  chain = new Chain(this);

  /** @param {Module} module */
  constructor(module) {
    this.module = module;
    this.table = readTable(module);
    this.resolve = openResolver(this.table);
  }

  /**
   * @param {import('./load.js').Stream} stream
   * @param {number} context number of ids that sessions see; 0: the default; -1: no session will be
   *   opened
   * @param {'auto' | number} streams one of STREAMS, or 'auto'
   * @param {import('./types.js').OnProgress} [onprogress]
   */
  async openModel(stream, context, streams, onprogress) {
    this.context = Math.max(context, 0);
    this.model = await openImage(this.module, stream, context, onprogress);
    this.readChatTemplates();
    const info = this.readInfo();
    // The number of streams matters only to the relaxed loops: they are so fast that memory limits them.
    const fast = info.variant === 'relaxed' && info.weight_bytes > IN_CACHE;
    if (streams === 'auto' && fast && context >= 0)
      streams = (await import('./weight-streams.js')).chooseStreams(
        this.module.calls,
        this.model,
        STREAMS,
      );
    streams = Number(streams) || 1; // 'auto': not timed
    this.info = { ...info, streams, threads: 1 };
    this.module.calls.kernels_streams(streams);
    this.chain.open(this.info.vocab_size, 0);
    this.module.exchange(0); // allocates the exchange now, so that no later step allocates it
  }

  readChatTemplates() {
    const { module, model } = this;
    let [at, n] = module.uint32(model + layout.MODEL_FILE_CHAT_TEMPLATES, 2);
    for (; n > 0; n--) {
      const [head, length] = module.uint32(at, 2);
      const name = module.text(at + 2 * Uint32Array.BYTES_PER_ELEMENT);
      this.chatTemplates.set(name, { at: at + head, length });
      at += (head + length + 3) & ~3;
    }
  }

  /** @returns {Omit<Info, 'streams' | 'threads'>} */
  readInfo() {
    const { module, model } = this;
    const { u32, f64 } = module.fields(model);
    const id = (/** @type {number} */ offset) => {
      const value = u32(offset) | 0;
      return value < 0 ? null : value;
    };
    const fileType = u32(layout.MODEL_FILE_FILE_TYPE);
    const architecture = u32(layout.MODEL_FILE_ARCHITECTURE);
    const tokenizer = u32(layout.MODEL_FILE_TOKENIZER_KIND);
    const pre = u32(layout.MODEL_FILE_PRE);
    return {
      name: module.text(model + layout.MODEL_FILE_NAME),
      architecture: architecture ? module.text(architecture) : null,
      vocab_size: u32(layout.MODEL_FILE_VOCAB_SIZE),
      context_length: u32(layout.MODEL_FILE_CONTEXT_LENGTH),
      model_context_length: u32(layout.MODEL_FILE_MODEL_CONTEXT_LENGTH),
      n_layer: u32(layout.MODEL_FILE_N_LAYER),
      n_head: u32(layout.MODEL_FILE_N_HEAD),
      n_head_kv: u32(layout.MODEL_FILE_N_HEAD_KV),
      n_embd: u32(layout.MODEL_FILE_N_EMBD),
      n_ff: u32(layout.MODEL_FILE_N_FF),
      parameters: f64(layout.MODEL_FILE_PARAMETERS),
      file_type: architecture ? FILE_TYPES[fileType] || String(fileType) : null,
      bytes: f64(layout.MODEL_FILE_BYTES),
      tokenizer: tokenizer ? module.text(tokenizer) : null,
      pre: pre ? module.text(pre) : null,
      chat_template: this.chatTemplates.size > 0,
      chat_templates: [...this.chatTemplates.keys()],
      bos_token_id: id(layout.MODEL_FILE_BOS_ID),
      eos_token_id: id(layout.MODEL_FILE_EOS_ID),
      end_token_ids: [
        ...module.uint32(u32(layout.MODEL_FILE_END_IDS), u32(layout.MODEL_FILE_N_END_IDS)),
      ],
      weight_bytes: f64(layout.MODEL_FILE_WEIGHT_BYTES),
      session_bytes: f64(layout.MODEL_FILE_SESSION_BYTES),
      variant: module.variant,
    };
  }

  /**
   * Calls a function. If another program computes the forward pass, asked.js replaces this method: it then returns a
   * promise while an answer is missing.
   * @template T
   * @param {() => T} call
   * @param {AbortSignal} [_signal] ends the wait
   * @returns {T}
   */
  later(call, _signal) {
    return call();
  }

  /**
   * Makes the timeline of a session equal to these ids. If another program computes the forward pass, asked.js
   * replaces this method.
   * @param {number} handle of the session in C
   * @param {ArrayLike<number>} ids
   * @param {boolean} cache
   * @returns {number} address of the numbers of evaluated and kept ids, 0 after a failure
   */
  feed(handle, ids, cache) {
    const { module } = this;
    return module.calls.session_feed(handle, module.place(ids), ids.length, Number(cache));
  }

  /** Facts of the model; throws without a model, or after `close`. */
  needModel() {
    if (this.#closed) throw new LogitscopeError('closed', 'instance_closed');
    if (!this.info) throw new LogitscopeError('no_model', 'no_model');
    return this.info;
  }

  /**
   * @param {string} text
   * @param {import('./types.js').EncodeOptions} [options]
   * @returns {Uint32Array}
   */
  encode(text, options) {
    this.needModel();
    checkOptions('options of encode', options, ['bos', 'special', 'normalize']);
    const { bos = 'auto', special = false, normalize = 'auto' } = options ?? {};
    if (typeof text !== 'string') {
      throw mustBe('text', 'a_string', text);
    }
    if (bos !== 'auto' && typeof bos !== 'boolean') {
      throw mustBe('bos', 'auto_or_boolean', bos);
    }
    checkBoolean('special', special);
    if (normalize !== 'auto' && normalize !== false)
      throw mustBe('normalize', 'auto_or_false', normalize);
    let bosChoice = BOS_AUTO;
    if (bos !== 'auto') bosChoice = bos ? BOS_YES : BOS_NO;
    const { module } = this;
    const bytes = toBytes(text);
    const idsAt = (bytes.length + 3) & ~3;
    /** @param {number} capacity @returns {Uint32Array} */
    const call = (capacity) => {
      const at = module.exchange(idsAt + 4 * capacity);
      module.writeBytes(at, bytes);
      const count = module.calls.tokenizer_encode(
        this.model,
        at,
        bytes.length,
        bosChoice,
        (special ? SPECIAL : 0) | (normalize ? 0 : AS_IT_IS),
        at + idsAt,
        capacity,
      );
      if (count < 0) module.fail();
      return count > capacity ? call(count) : module.uint32(at + idsAt, count);
    };
    return call(bytes.length + 2);
  }

  /** @param {ArrayLike<number>} ids @param {{ special?: boolean }} [options] */
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
   * A token's text and bytes, cached because every trace asks for them.
   * @param {number} id below vocab_size
   * @returns {Piece}
   */
  piece(id) {
    let piece = this.#pieces.get(id);
    if (!piece) {
      piece = this.#readPiece(id);
      this.#pieces.set(id, piece);
    }
    return piece;
  }

  /** @param {number} id @returns {Piece} */
  #readPiece(id) {
    const { module } = this;
    const at = module.need(module.calls.tokenizer_piece(this.model, id));
    const { u8, u32 } = module.fields(at);
    const bytes = module.bytes(
      u32(layout.TOKENIZER_PIECE_DATA),
      u32(layout.TOKENIZER_PIECE_LENGTH),
    );
    const special = u8(layout.TOKENIZER_PIECE_SPECIAL) !== 0;
    return { id, text: fromUtf8(bytes), bytes, special };
  }

  /** The texts of all tokens. They are read once, and without their bytes. */
  texts() {
    const { vocab_size } = this.needModel();
    this.#texts ??= Object.freeze(
      Array.from({ length: vocab_size }, (_, id) => this.#readPiece(id).text),
    );
    return this.#texts;
  }

  /**
   * The settings, in the form in which results report them.
   * @param {Resolved} resolved
   * @returns {import('./types.js').UsedSettings}
   */
  report({ values, order, draw, negative_prompt, ends, gates: { grammar: _, ...gates } }) {
    const beside = negative_prompt === null ? {} : { negative_prompt };
    const ending = ends === null ? {} : { end_tokens: Array.from(ends) };
    const used = { ...values, order: [...order], draw, ...beside, ...ending, ...gates };
    return /** @type {any} */ (used);
  }

  /**
   * The sequences of ids that break a repeat: given ids, and the sequences found for each given text.
   * @param {Resolved} resolved
   * @param {number} vocabSize
   * @returns {number[][]}
   */
  breakers({ values }, vocabSize) {
    if (!values.dry_multiplier) return [];
    /** @type {(number | number[] | string)[]} */
    const given = values.dry_sequence_breakers;
    return given.flatMap((breaker) => {
      if (typeof breaker !== 'string') return [[breaker].flat()];
      if (!this.info?.tokenizer || this.info.vocab_size !== vocabSize) {
        throw new LogitscopeError('no_model', 'breakers_tokenizer', { value: show(breaker) });
      }
      return this.#breakers.get(breaker) ?? this.#findBreakers(breaker, vocabSize);
    });
  }

  /**
   * The tokens that end a text: given ids, else the model's. Empty for logits of another vocabulary.
   * @param {Resolved} resolved
   * @param {number} vocabSize
   */
  ends({ ends }, vocabSize) {
    return ends ?? (this.info?.vocab_size === vocabSize ? this.info.end_token_ids : []);
  }

  /**
   * Finds every token that contains the text; also the text's own ids if there are several.
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
   * The id of the token with exactly this text, or null. (The tokenizer may still encode the text as
   * several tokens.)
   * @param {string} text
   */
  tokenOf(text) {
    let found = this.#tokens.get(text);
    if (found === undefined) {
      const { vocab_size } = this.needModel();
      found = null;
      for (let id = 0; id < vocab_size && found === null; id++) {
        const piece = this.piece(id);
        if (piece.text === text && !piece.special) found = id;
      }
      this.#tokens.set(text, found);
    }
    return found;
  }

  /**
   * The ids of a text; empty if the vocabulary cannot spell it.
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
   * The random number u in [0, 1) of a step; it depends only on seed and step.
   * @param {number} seed
   * @param {number} step
   */
  random(seed, step) {
    checkInteger('seed', seed, 0, SEED_MAX);
    checkInteger('step', step, 0, SEED_MAX);
    return this.module.calls.draw_random(seed, step);
  }

  /** @param {ArrayLike<number>} ids @param {number} n */
  distinct(ids, n) {
    checkIds('ids', ids, 2 ** 32);
    checkInteger('n', n, 1, 2 ** 32 - 1);
    const { module } = this;
    const ratio = module.calls.measure_distinct(module.place(ids), ids.length, n);
    return ratio < 0 ? module.fail() : ratio;
  }

  /**
   * The watermark values of each id, computed by C, for the watermarks that are on.
   * @param {ArrayLike<number>} ids
   * @param {unknown} settings
   * @returns {import('./types.js').Marks}
   */
  marks(ids, settings) {
    const { module, table } = this;
    const resolved = this.resolve(settings);
    const { values } = resolved;
    checkIds('ids', ids, 2 ** 32);
    applySettings(module, table, resolved, [], [], [], 0);
    const read = (/** @type {string} */ name) => {
      if (!values[name]) return null;
      const at = module.exchange(8 * ids.length);
      const marksAt = at + 4 * ids.length;
      module.writeUint32(at, ids);
      const index = table.findIndex((row) => row.name === name);
      module.calls.watermark_read(index, at, ids.length, marksAt);
      return module.uint32(marksAt, ids.length);
    };
    return { green: read('green_bias'), synthid: read('synthid_depth'), values };
  }

  close() {
    this.chain.close();
    this.gates.close();
    this.module.calls.model_close(this.model);
    this.model = 0;
    this.info = null;
    this.#closed = true;
  }
}
