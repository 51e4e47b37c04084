/**
 * A model with its forward pass elsewhere. A source of the caller answers for its logits and for the
 * ids of a text; vocabulary, chain and timelines are here. Answers are kept by their ids, so only a new
 * text asks. A call that needs a missing answer throws `Waiting`; `later` repeats it once the answer is
 * there. So the engine's synchronous code needs no second form.
 */
import { SCOPE_CALLS, SESSION_CALLS } from './calls.js';
import {
  checkBoolean,
  checkFunction,
  checkIds,
  checkInteger,
  checkOptions,
  isObject,
} from './checks.js';
import { LogitscopeError, mustBe, reasonOf } from './errors.js';
import { MODEL_FILE_SESSION_BYTES } from './layout.js';
import { toUtf8 } from './module.js';

/** @import { AskedSource } from './types.js' */
/** @import { Stream } from './load.js' */

/** @typedef {{ signal: AbortSignal }} How */
/** @typedef {NonNullable<AskedSource['info']>} AskedInfo */

/** The most tokens of a vocabulary; the longest context. */
const TOKENS_MAX = 1 << 18;
const CONTEXT_MAX = 1 << 20;
const NAME_MAX = 200;
/** The time for an answer, in seconds. */
const ANSWER_S = 60;
/** The most bytes of kept answers. */
const KEPT_BYTES = 1 << 26;

/** The most questions that wait. */
const WAITING_MAX = 256;

/** Codes of errors that are no answer. */
const MISSED = ['unanswered', 'cancelled', 'superseded'];

/** Samplers with an effect that depends on a logit's sign. */
const FACTORS = ['repetition_penalty', 'encoder_repetition_penalty'];

/** Types of tokens in a GGUF file: not made from text, and special. */
const UNUSED = 5;
const CONTROL = 3;
/** Types of values in a GGUF file. */
const [UINT32, INT32, STRING, ARRAY] = [4, 5, 8, 9];

/** @param {Uint8Array[]} parts */
function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The bytes of whole numbers, little-endian. @param {(Uint32Array | BigUint64Array)} numbers */
const bytesOf = ({ buffer }) => new Uint8Array(buffer);
const uint32 = (/** @type {number[]} */ ...numbers) => bytesOf(Uint32Array.from(numbers));
const text = (/** @type {Uint8Array} */ bytes) => [uint32(bytes.length, 0), bytes];
const key = (/** @type {string} */ name) => text(toUtf8(`tokenizer.ggml.${name}`));

/**
 * Writes a vocabulary as a GGUF file without tensors. The tokens are of no kind that a tokenizer makes
 * from text, since `encode` of the source does that; so their bytes may be any.
 * @param {AskedInfo} info
 * @param {Uint8Array[]} pieces
 */
function writeVocabulary({ bos_token_id: bos, eos_token_id: eos }, pieces) {
  const ids = Object.entries({ bos, eos }).filter(([, id]) => typeof id === 'number');
  const special = ids.map(([, id]) => id);
  const types = pieces.map((_, id) => (special.includes(id) ? CONTROL : UNUSED));
  return joined([
    toUtf8('GGUF'),
    uint32(3, 0, 0, 3 + ids.length, 0),
    ...[...key('model'), uint32(STRING), ...text(toUtf8('logitscope-word'))],
    ...[...key('tokens'), uint32(ARRAY, STRING, pieces.length, 0), ...pieces.flatMap(text)],
    ...[...key('token_type'), uint32(ARRAY, INT32, pieces.length, 0), uint32(...[])],
    bytesOf(Uint32Array.from(types)),
    ...ids.flatMap(([name, id]) => [...key(`${name}_token_id`), uint32(UINT32, Number(id))]),
  ]);
}

/** @param {any} info @returns {AskedInfo} */
function checkInfo(info) {
  if (!isObject(info)) throw mustBe('info of source', 'an_object', info);
  const names = 'name vocab_size context_length bos_token_id eos_token_id complete logprobs';
  checkOptions('info of source', info, names.split(' '));
  const { name, vocab_size, context_length, complete = true, logprobs = false } = info;
  if (typeof name !== 'string') throw mustBe('name', 'a_string', name);
  checkInteger('length of name', name.length, 0, NAME_MAX);
  checkInteger('vocab_size', vocab_size, 1, TOKENS_MAX);
  checkInteger('context_length', context_length, 1, CONTEXT_MAX);
  checkBoolean('logprobs', logprobs);
  if (complete !== true) throw new LogitscopeError('unsupported', 'asked_partial');
  for (const id of ['bos_token_id', 'eos_token_id'])
    if (info[id] != null) checkInteger(id, info[id], 0, vocab_size - 1);
  const { bos_token_id = null, eos_token_id = null } = info;
  return { name, vocab_size, context_length, bos_token_id, eos_token_id, logprobs };
}

/** @param {any} pieces @param {number} size @returns {Uint8Array[]} */
function checkPieces(pieces, size) {
  if (!Array.isArray(pieces)) throw mustBe('pieces of source', 'a_list', pieces);
  checkInteger('number of pieces', pieces.length, size, size);
  return pieces.map((piece, at) => {
    if (piece instanceof Uint8Array) return piece;
    if (typeof piece !== 'string') throw mustBe('pieces of source', 'a_string', piece, at);
    return toUtf8(piece);
  });
}

/**
 * Checks a source; returns its facts, and its vocabulary as a GGUF file.
 * @param {any} source
 * @returns {{ info: AskedInfo, image: Uint8Array }}
 */
function checkSource(source) {
  checkOptions('source', source, ['info', 'pieces', 'image', 'encode', 'logits']);
  const info = checkInfo(source.info);
  for (const name of ['encode', 'logits'])
    if (source[name] === undefined) throw mustBe(name, 'a_function', source[name]);
    else checkFunction(name, source[name]);
  // A worker gets the image that the page has made.
  const image = source.image ?? writeVocabulary(info, checkPieces(source.pieces, info.vocab_size));
  return { info, image };
}

/** An error of a source as the engine's error. @param {unknown} error */
const asFault = (error) =>
  error instanceof LogitscopeError
    ? error
    : new LogitscopeError('asked', 'asked_failed', { reason: reasonOf(error) });

/** A question to the source. Each owner waits for its answer; without an owner it is dropped. */
class Question {
  /** @type {Set<unknown>} */
  owners = new Set();
  control = new AbortController();
  /** @type {(value?: undefined) => void} */
  resolve = () => {};
  /** @type {(error: unknown) => void} */
  reject = () => {};
  /** @type {Promise<undefined>} */
  answered = new Promise((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  /** @param {(how: How) => unknown} ask returns the checked answer */
  constructor(ask) {
    this.ask = ask;
    this.answered.catch(() => {}); // nobody may wait any more
  }

  /** Asks the source, within ANSWER_S. */
  async put() {
    const { signal } = this.control;
    const late = new LogitscopeError('unanswered', 'asked_late', { limit: ANSWER_S });
    const timer = setTimeout(() => this.control.abort(late), 1000 * ANSWER_S);
    const ended = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    try {
      return await Promise.race([this.ask({ signal }), ended]);
    } catch (error) {
      throw signal.aborted ? signal.reason : asFault(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** An owner no longer waits. @param {unknown} owner @param {LogitscopeError} reason */
  leave(owner, reason) {
    if (!this.owners.delete(owner) || this.owners.size > 0) return;
    this.control.abort(reason);
    this.reject(reason);
  }
}

/** Thrown by a call that needs an answer which is not there yet. */
class Waiting {
  /** @param {Question} question @param {unknown} owner */
  constructor(question, owner) {
    this.question = question;
    this.owner = owner;
  }
}

/**
 * Prepares a source for an engine in a worker: replaces it in the options by the part that a message
 * can carry. Returns a function that answers the worker's questions, { ask, what, body }.
 * @param {any} options of `load`
 * @param {any} port
 * @returns {(question: any) => Promise<void>}
 */
export function offerSource(options, port) {
  const { source } = options;
  /** @type {Map<number, AbortController>} */
  const open = new Map();
  options.source = checkSource(source);
  return async ({ ask, what, body }) => {
    if (what === 'abort') return open.get(ask)?.abort();
    const control = new AbortController();
    open.set(ask, control);
    try {
      port.postMessage({ ask, answer: await source[what](body, { signal: control.signal }) });
    } catch (error) {
      const { code, key, values } = asFault(error);
      port.postMessage({ ask, error: { code, key, values } });
    } finally {
      open.delete(ask);
    }
  };
}

/**
 * The other end of `offerSource`, in the worker: makes the options' source ask by messages. Returns a
 * function that takes the answers, { ask, answer } or { ask, error }.
 * @param {any} options of `load`
 * @param {any} port
 * @returns {(answer: any) => void}
 */
export function takeSource(options, port) {
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const open = new Map();
  let last = 0;
  const ask =
    (/** @type {string} */ what) =>
    (/** @type {unknown} */ body, /** @type {How} */ { signal }) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        open.set(id, { resolve, reject });
        signal.addEventListener('abort', () => {
          if (open.delete(id)) port.postMessage({ ask: id, what: 'abort' });
        });
        port.postMessage({ ask: id, what, body });
      });
  options.source = { ...options.source, encode: ask('encode'), logits: ask('logits') };
  return ({ ask: id, answer, error }) => {
    const waiting = open.get(id);
    open.delete(id);
    if (error) waiting?.reject(new LogitscopeError(error.code, error.key, error.values));
    else waiting?.resolve(answer);
  };
}

/** The calls that may need an answer, or that read a timeline. */
const CALLS = [...SESSION_CALLS, ...SCOPE_CALLS, 'fork'].filter((call) => call !== 'hidden');

/**
 * Refuses the samplers that need the logits themselves: log-probabilities lack a constant.
 * @param {import('./core.js').Core} core
 */
function refuseFactors(core) {
  const { resolve } = core;
  core.resolve = (...given) => {
    const resolved = resolve.apply(core, given);
    const setting = FACTORS.find((name) => resolved.values[name] !== 1);
    if (setting) throw new LogitscopeError('unsupported', 'asked_logprobs', { setting });
    return resolved;
  };
}

/** @param {AskedSource} source @param {unknown} model */
export function askedFor(source, model) {
  if (model === undefined) return new Asked(source);
  throw new LogitscopeError('invalid_argument', 'asked_and_model');
}

export class Asked {
  #source;
  /** The vocabulary, for the engine's loader. @type {Stream} */
  stream;
  info;
  /** Number of ids that the model sees. */
  #context = 0;
  /** The answers, the least recently used first. @type {Map<string, { value: any, bytes: number }>} */
  #kept = new Map();
  #bytes = 0;
  /** The questions in their order; the first is in flight. @type {Map<string, Question>} */
  #questions = new Map();
  #asking = false;

  /** @param {AskedSource} source */
  constructor(source) {
    const { info, image } = checkSource(source);
    this.#source = source;
    this.info = info;
    this.stream = { chunks: [image], total: image.length };
  }

  /**
   * Opens the model without weights over the loaded vocabulary. Its answers replace the tokenizer and
   * the forward pass.
   * @param {import('./core.js').Core} core
   * @param {number} context number of ids that sessions see; 0: the model's own
   */
  open(core, context) {
    const { module, model } = core;
    const { name, context_length } = this.info;
    if (module.calls.model_ask(model, context_length, context)) module.fail();
    this.#context = core.context = context || context_length;
    core.info = /** @type {import('./types.js').Info} */ ({
      ...core.info,
      name,
      context_length: this.#context,
      model_context_length: context_length,
      session_bytes: module.fields(model).f64(MODEL_FILE_SESSION_BYTES),
      tokenizer: 'asked',
      remote: true,
    });
    const { encode } = core;
    if (this.info.logprobs) refuseFactors(core);
    core.asked = this;
    core.later = (call, signal) => this.later(call, signal);
    core.encode = (text, options) => {
      if (typeof text !== 'string') return encode.call(core, text, options);
      core.needModel();
      return this.encode(text, options?.bos !== false);
    };
    core.spelling = (text) => Array.from(this.spell(text));
    core.feed = (handle, ids) => this.#feed(module, handle, ids);
  }

  /**
   * Lets the calls of a scope or a session wait: for answers, and for an earlier feed that waits. A
   * newer feed supersedes it.
   * @param {any} session
   */
  wrap(session) {
    /** @type {Promise<unknown> | null} */
    let feeding = null;
    let turn = 0;
    for (const name of CALLS) {
      const call = session[name];
      if (!call) continue;
      session[name] = (/** @type {any[]} */ ...args) => {
        const run = () => call.apply(session, args);
        return feeding ? feeding.then(() => this.later(run)) : this.later(run);
      };
    }
    const { feed } = Object.getPrototypeOf(session);
    session.feed = (/** @type {ArrayLike<number>} */ ids, /** @type {any} */ options) => {
      const mine = ++turn;
      const given = ArrayBuffer.isView(ids) || Array.isArray(ids) ? Array.from(ids) : ids;
      const fed = this.later(() => {
        if (mine !== turn) throw new LogitscopeError('superseded', 'superseded');
        return feed.call(session, given, options);
      });
      if (fed instanceof Promise) {
        const end = () => void (feeding === fed && (feeding = null));
        feeding = fed;
        fed.then(end, end);
      }
      return fed;
    };
    const { generate } = session;
    session.generate = (/** @type {any} */ options) =>
      this.#generate(() => generate.call(session, options));
    session.hidden = () => {
      throw new LogitscopeError('unsupported', 'no_weights');
    };
  }

  /**
   * Runs a generation. Before its first step it needs the ids of texts; until they are there, it begins
   * anew.
   * @param {() => AsyncGenerator<any, any, void>} begin
   * @returns {AsyncGenerator<any, any, void>}
   */
  async *#generate(begin) {
    for (;;) {
      const steps = begin();
      try {
        return yield* steps;
      } catch (error) {
        if (!(error instanceof Waiting)) throw error;
        await this.#wait(error);
      }
    }
  }

  /**
   * Calls a function; if an answer is missing, returns a promise that calls it again with the answer.
   * @template T
   * @param {() => T} call
   * @param {AbortSignal} [signal]
   * @returns {T}
   */
  later(call, signal) {
    try {
      return call();
    } catch (error) {
      if (!(error instanceof Waiting)) throw error;
      return /** @type {any} */ (this.#wait(error, signal).then(() => this.later(call, signal)));
    }
  }

  /** @param {Waiting} waiting @param {AbortSignal} [signal] */
  async #wait({ question, owner }, signal) {
    const reason = new LogitscopeError('cancelled', 'asked_cancelled');
    let leave = () => {};
    const left = new Promise((_, reject) => {
      leave = () => {
        question.leave(owner, reason);
        reject(reason);
      };
    });
    signal?.addEventListener('abort', leave);
    if (signal?.aborted) leave();
    try {
      await Promise.race([question.answered, left]);
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  /**
   * The ids of a text.
   * @param {string} given
   * @param {boolean} bos false to leave out a begin token that the source puts first
   * @returns {Uint32Array}
   */
  encode(given, bos) {
    const ids = this.#answer(`text ${given}`, {}, (how) => this.#encode(given, how));
    return this.#from(ids, bos);
  }

  /**
   * The ids of a text, without a begin token; empty if the source refuses the text.
   * @param {string} given
   * @returns {Uint32Array}
   */
  spell(given) {
    const ids = this.#answer(`spelling ${given}`, {}, (how) =>
      this.#encode(given, how).catch((error) => {
        if (MISSED.includes(asFault(error).code)) throw error;
        return new Uint32Array();
      }),
    );
    return this.#from(ids, false);
  }

  /** @param {string} given @param {How} how */
  async #encode(given, how) {
    const ids = await this.#source.encode(given, how);
    checkIds('ids of encode', ids, this.info.vocab_size);
    return Uint32Array.from(ids);
  }

  /** A copy of ids, with or without the begin token. @param {Uint32Array} ids @param {boolean} bos */
  #from(ids, bos) {
    return ids.slice(Number(!bos && ids[0] === this.info.bos_token_id));
  }

  /**
   * The logits after ids. A question of the same owner for other ids is dropped.
   * @param {ArrayLike<number>} ids
   * @param {unknown} owner
   * @returns {Float32Array} (vocab_size,) not a copy
   */
  logits(ids, owner) {
    const asked = Uint32Array.from(ids).slice(-this.#context);
    const name = asked.join();
    for (const [other, question] of this.#questions)
      if (other !== name) question.leave(owner, new LogitscopeError('superseded', 'superseded'));
    return this.#answer(name, owner, async (how) => {
      const logits = await this.#source.logits(asked.slice(), how);
      const n = Array.isArray(logits) || logits instanceof Float32Array ? logits.length : -1;
      if (n < 0) throw mustBe('logits of source', 'a_list_of_numbers', logits);
      const limit = this.info.vocab_size;
      if (n !== limit) throw new LogitscopeError('asked', 'asked_length', { limit, n });
      return Float32Array.from(logits);
    });
  }

  /**
   * Returns a kept answer. Without one, puts the question to the source and throws `Waiting`.
   * @param {string} name
   * @param {unknown} owner
   * @param {(how: How) => any} ask
   */
  #answer(name, owner, ask) {
    const kept = this.#kept.get(name);
    if (kept) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept.value;
    }
    let question = this.#questions.get(name);
    if (!question || question.control.signal.aborted) {
      const limit = WAITING_MAX;
      if (this.#questions.size >= limit)
        throw new LogitscopeError('unanswered', 'asked_many', { limit });
      question = new Question(ask);
      this.#questions.delete(name); // the new question is the last
      this.#questions.set(name, question);
    }
    question.owners.add(owner);
    if (!this.#asking) this.#askAll();
    throw new Waiting(question, owner);
  }

  /** Asks the questions one after another. */
  async #askAll() {
    this.#asking = true;
    for (const [name, question] of this.#questions) {
      try {
        if (question.owners.size > 0) this.#keep(name, await question.put());
        question.resolve();
      } catch (error) {
        question.reject(error);
      }
      if (this.#questions.get(name) === question) this.#questions.delete(name);
    }
    this.#asking = false;
  }

  /**
   * Copies ids, and the logits after them, into a session of the C engine.
   * @param {import('./module.js').Module} module
   * @param {number} handle of a session
   * @param {ArrayLike<number>} ids
   */
  #feed(module, handle, ids) {
    const logits = this.logits(ids, handle);
    const at = module.exchange(4 * (ids.length + logits.length));
    const logitsAt = at + 4 * ids.length;
    module.writeUint32(at, ids);
    module.writeFloat32(logitsAt, logits);
    return module.calls.session_accept(handle, at, ids.length, logitsAt);
  }

  /** @param {string} name @param {any} value */
  #keep(name, value) {
    const bytes = 2 * name.length + (value.byteLength ?? 0);
    this.#kept.set(name, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES || oldest === name) break;
      this.#kept.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
