/**
 * A server of the user's own as a source of logits. It gets the prompt, so callers open one only when the user has
 * named it. The key stays in memory. Every answer is checked; the engine draws.
 */
import { checkChoice } from '../engine/checks.js';
import { LogitscopeError } from '../engine/errors.js';
import { parse, readBody } from './body.js';
import { KINDS, TOKENS_MAX } from './server-kinds.js';

/** @import { AskedSource } from '../engine/types.js' */
/** @import { Ask, Entry, Kind } from './server-kinds.js' */

/** @typedef {NonNullable<Kind['encode']>} Encode */
/** @typedef {NonNullable<Kind['logits']>} Logits */
/** @typedef {NonNullable<Kind['entries']>} Entries */

/**
 * @typedef {object} ServerOptions
 * @property {string} [kind] id of a kind; by default the server is asked
 * @property {string} [model] the model's name on the server; by default its first one
 * @property {string} [key] a secret that the server wants; sent to this server only
 * @property {boolean} [cache] false: the server evaluates the whole text for each question, so that equal questions
 *   have equal answers even if its numbers depend on an earlier evaluation
 * @property {AbortSignal} [signal]
 */

/** The most bytes of an answer: a token of a list has some 100. */
const ANSWER_MAX = 1 << 26;
/** The most models of a list, and the most characters of a text of the server. */
const MODELS_MAX = 1000;
const TEXT_MAX = 200;
/** The time before a question is repeated, in ms. */
const AGAIN_MS = 250;
/** Servers write this number or a lower one for a probability of 0. */
const IMPOSSIBLE = -9999;
/** The status of a refused question. */
const REFUSED = 400;
/** The text after which a new server is asked twice. */
const PROBE = 'The answer is';

/** The largest error of the sum of probabilities in float32. */
const NEAR_1 = 0.01;
/** The line break, as a byte. */
const LINE_BREAK = 10;

const cut = (/** @type {unknown} */ text) => String(text).slice(0, TEXT_MAX);

/**
 * The address of a server, without the path of its API.
 * @param {string} text
 * @returns {URL}
 */
export function readAddress(text) {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new LogitscopeError('invalid_argument', 'server_address', { value: cut(text) });
  const path = url.pathname.replace(/\/(v1\/?)?$/, '');
  return new URL(`${url.origin}${path}`);
}

/** The connection to one server. */
class Line {
  host;
  #base;
  /** @type {Record<string, string>} */
  #headers;

  /** @param {URL} address @param {string} key */
  constructor(address, key) {
    this.host = address.host;
    this.#base = address.href.replace(/\/$/, '');
    this.#headers = key ? { authorization: `Bearer ${key}` } : {};
  }

  /**
   * Puts a question, if need be twice.
   * @param {string} path
   * @param {object | undefined} body
   * @param {AbortSignal} [signal]
   */
  async ask(path, body, signal) {
    try {
      return await this.#askOnce(path, body, signal);
    } catch (error) {
      const { code } = /** @type {LogitscopeError} */ (error);
      if (code !== 'unanswered' || signal?.aborted) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    signal?.throwIfAborted();
    return this.#askOnce(path, body, signal);
  }

  /** @param {string} path @param {object | undefined} body @param {AbortSignal} [signal] */
  async #askOnce(path, body, signal) {
    const { host } = this;
    let response;
    let bytes;
    try {
      response = await fetch(this.#base + path, {
        method: body ? 'POST' : 'GET',
        headers: { ...this.#headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: signal ?? null,
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
      });
      bytes = await readBody(response, ANSWER_MAX);
    } catch (error) {
      // fetch and a cut body reject with a TypeError.
      if (!(error instanceof TypeError)) throw error;
      throw new LogitscopeError('unanswered', 'server_gone', { host });
    }
    const answer = parse(bytes);
    if (response.ok && answer !== null) return answer;
    const { status } = response;
    const said = cut(sentenceOf(answer));
    const values = { host, path, status, reason: said && `: ${said}` };
    throw new LogitscopeError(status >= 500 ? 'unanswered' : 'asked', 'server_status', values);
  }
}

/** The sentence of a server's error; '' if it has none. @param {any} answer */
function sentenceOf(answer) {
  const { error, message, detail } = answer ?? {};
  const found = [error?.message, error, message, detail].find((text) => typeof text === 'string');
  return found ?? '';
}

/**
 * Tells the kind of a server from its list of models.
 * @param {any} model an entry of the list
 * @param {(path: string) => Promise<any>} ask
 * @returns {Promise<Kind>}
 */
async function kindOf(model, ask) {
  const known = KINDS.find(({ owner }) => owner && owner === model?.owned_by);
  if (known) return known;
  for (const kind of KINDS) {
    const [path, key] = kind.sign ?? [];
    const answer = path && (await ask(path).catch(() => null));
    if (answer?.[String(key)] !== undefined) return kind;
  }
  return /** @type {Kind} */ (KINDS.at(-1));
}

/**
 * The logits of an answer, and the tokens' pieces if it has them.
 * @param {Entry[]} list
 * @param {number} size of the vocabulary; 0 for the number of entries
 */
function readEntries(list, size) {
  const n = size || list.length;
  const values = { limit: n, n: list.length };
  if (list.length !== n || n > TOKENS_MAX)
    throw new LogitscopeError('asked', 'asked_length', values);
  const logits = new Float32Array(n).fill(NaN);
  /** @type {unknown[]} */
  const pieces = [];
  for (const { id, logprob, piece } of list) {
    const at = Number.isInteger(id) && Number(id) < n ? Number(id) : -1;
    const isNew = at >= 0 && Number.isNaN(logits[at]);
    if (!isNew || typeof logprob !== 'number' || !(logprob < Infinity))
      throw new LogitscopeError('asked', 'server_entry', { id: cut(id), value: cut(logprob) });
    logits[at] = logprob <= IMPOSSIBLE ? -Infinity : logprob;
    pieces[at] = piece;
  }
  return { logits, pieces };
}

/**
 * True for log-probabilities; false for logits, which a server may give too (vLLM with --logprobs-mode raw_logits).
 * @param {Float32Array} logits
 */
const isNormal = (logits) => Math.abs(logits.reduce((sum, l) => sum + Math.exp(l), 0) - 1) < NEAR_1;

/** The bytes or the text of a token. @param {unknown} piece @returns {Uint8Array | string} */
function readPiece(piece) {
  if (typeof piece === 'string') return piece;
  const bytes = Array.isArray(piece) ? piece : [];
  if (bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256))
    return Uint8Array.from(bytes);
  throw new LogitscopeError('asked', 'asked_form', { what: 'pieces' });
}

/** A server with an open model. */
export class Server {
  /** @type {Kind} */
  kind;
  /** The model's name on the server, and all names there. */
  model = '';
  /** @type {string[]} */
  models = [];
  /** For the engine; null if the server gives only the most probable tokens. @type {AskedSource | null} */
  source = null;
  /** True if two equal questions had equal answers. */
  reproducible = false;
  /** The number of answers with logits, and the time of all and of the last, in ms. */
  speed = { answers: 0, ms: 0, last: 0 };
  #line;
  #cache;

  /** @param {Line} line @param {Kind} kind @param {boolean} cache */
  constructor(line, kind, cache) {
    this.#line = line;
    this.#cache = cache;
    this.kind = kind;
  }

  /** The model's name without folder and ending. */
  get name() {
    return this.model.replace(/^.*[/\\]|\.gguf$/g, '');
  }

  get host() {
    return this.#line.host;
  }

  /**
   * Opens a server: finds its kind, its model, the tokens, and asks one question twice.
   * @param {string} address
   * @param {ServerOptions} [options]
   * @returns {Promise<Server>}
   */
  static async open(address, { kind, model, key = '', cache = true, signal } = {}) {
    const ids = KINDS.map(({ id }) => id);
    if (kind !== undefined) checkChoice('kind', kind, ids);
    const line = new Line(readAddress(address), key);
    /** @type {Ask} */
    const ask = (path, body) => line.ask(path, body, signal);
    const given = KINDS.find(({ id }) => id === kind);
    const list = await ask('/v1/models').catch((error) => {
      if (given && error.code === 'asked') return null; // an older version may have no such list
      throw error;
    });
    const entries = Array.isArray(list?.data) ? list.data.slice(0, MODELS_MAX) : [];
    const models = entries.map((/** @type {any} */ entry) => cut(entry?.id));
    const at = model === undefined ? 0 : models.indexOf(model);
    if (at < 0) {
      const values = { host: line.host, value: cut(model), list: cut(models.join(', ')) };
      throw new LogitscopeError('invalid_argument', 'server_model', values);
    }
    const server = new Server(line, given ?? (await kindOf(entries[at], ask)), cache);
    server.models = models;
    server.model = models[at] ?? '';
    await server.#begin(entries[at] ?? {}, ask, signal);
    return server;
  }

  /**
   * Asks for the model's facts, tokens and first logits. Without the whole vocabulary the server stays without a source.
   * @param {any} entry of the list of models
   * @param {Ask} ask
   * @param {AbortSignal} [signal]
   */
  async #begin(entry, ask, signal) {
    const { kind } = this;
    const { vocab_size, context_length } = (await kind.facts?.(entry, ask)) ?? { vocab_size: -1 };
    if (!Number.isInteger(context_length) || vocab_size < 0) return;
    const { begin, end } = await this.#findEnds(ask, signal);
    const spelt = [...begin, ...(await this.#spell(PROBE, {}, signal))];
    const probe = spelt.slice(-Number(context_length));
    const cache = this.#cache;
    let first;
    try {
      first = await this.#read(probe, vocab_size, { pieces: true, cache: false }, signal);
    } catch (error) {
      // The server may limit the number of probabilities.
      const { key, values } = /** @type {LogitscopeError} */ (error);
      if (kind.top && key === 'server_status' && values.status === REFUSED) return;
      throw error;
    }
    const { logits } = first;
    const { length: size } = logits;
    const read = (/** @type {number[]} */ ids, /** @type {AbortSignal | undefined} */ until) =>
      this.#read(ids, size, { pieces: false, cache }, until).then((again) => again.logits);
    const again = [await read(probe, signal), await read(probe, signal)];
    this.reproducible = again.every((other) => other.every((l, id) => l === logits[id]));
    const ids = { bos_token_id: begin[0] ?? null, eos_token_id: end };
    this.source = {
      info: {
        logprobs: isNormal(logits),
        name: this.name,
        vocab_size: size,
        context_length: Number(context_length),
        ...ids,
      },
      pieces: await this.#nameSpecial(first.pieces.map(readPiece), ask),
      encode: async (text, how) => [...begin, ...(await this.#spell(text, {}, how.signal))],
      logits: (given, how) => read([...given], how.signal),
    };
  }

  /**
   * The ids with which a text begins, and the id that ends one.
   * @param {Ask} ask
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ begin: number[], end: number | null }>}
   */
  async #findEnds(ask, signal) {
    const plain = await this.#spell('a', {}, signal);
    const begun = await this.#spell('a', { begin: true }, signal);
    const text = await this.kind.end?.(ask).catch(() => null);
    const end = typeof text === 'string' ? await this.#spell(text, { special: true }, signal) : [];
    const begin = begun.slice(0, Number(begun.length > plain.length));
    return { begin, end: end.length === 1 ? end[0] : null };
  }

  /**
   * Asks for the texts of tokens without bytes: llama.cpp gives none for special tokens.
   * @param {(Uint8Array | string)[]} pieces
   * @param {Ask} ask
   */
  async #nameSpecial(pieces, ask) {
    const nameless = [...pieces.keys()].filter((id) => pieces[id].length === 0);
    const line = pieces.findIndex((piece) => piece.length === 1 && piece[0] === LINE_BREAK);
    if (!this.kind.decode || line < 0 || nameless.length === 0) return pieces;
    // A line break between them separates their texts.
    const ids = nameless.flatMap((id) => [id, line]);
    const { content } = await ask(...this.kind.decode(ids, this.model)).catch(() => ({}));
    const texts = typeof content === 'string' ? content.split('\n') : [];
    if (texts.length !== nameless.length + 1) return pieces;
    for (const [at, id] of nameless.entries()) pieces[id] = cut(texts[at]);
    return pieces;
  }

  /**
   * The ids of a text.
   * @param {string} text
   * @param {{ begin?: boolean, special?: boolean }} how
   * @param {AbortSignal} [signal]
   * @returns {Promise<number[]>}
   */
  async #spell(text, how, signal) {
    const [path, body] = /** @type {Encode} */ (this.kind.encode)(text, this.model, how);
    const { tokens } = await this.#line.ask(path, body, signal);
    const fits = (/** @type {unknown} */ id) => Number.isInteger(id) && Number(id) >= 0;
    if (Array.isArray(tokens) && tokens.every(fits)) return tokens;
    throw new LogitscopeError('asked', 'asked_form', { what: 'encode' });
  }

  /**
   * The logits after ids.
   * @param {number[]} ids
   * @param {number} size of the vocabulary; 0 if it is not known yet
   * @param {{ pieces: boolean, cache: boolean }} how with `pieces`, asks for the tokens' bytes or texts too
   * @param {AbortSignal} [signal]
   */
  async #read(ids, size, how, signal) {
    const { kind } = this;
    const [path, body] = /** @type {Logits} */ (kind.logits)(ids, this.model, size, how);
    const begun = performance.now();
    const answer = await this.#line.ask(path, body, signal);
    /** @type {Entry[]} */
    let entries;
    try {
      entries = [.../** @type {Entries} */ (kind.entries)(answer, how.pieces)];
    } catch {
      throw new LogitscopeError('asked', 'asked_form', { what: 'logits' });
    }
    const read = readEntries(entries, size);
    const last = performance.now() - begun;
    this.speed = { answers: this.speed.answers + 1, ms: this.speed.ms + last, last };
    return read;
  }

  /**
   * The server's own answer with the most probable tokens after a text.
   * @param {string} text
   * @param {AbortSignal} [signal]
   */
  top(text, signal) {
    const { top, most } = this.kind;
    if (!top) throw new LogitscopeError('asked', 'asked_form', { what: 'logits' });
    return this.#line.ask(...top(text, this.model, most), signal);
  }
}

/**
 * The error for a server that gives only the most probable tokens.
 * @param {Server} server
 */
export function partialError({ host, kind: { name, most: n, whole } }) {
  if (!whole) return new LogitscopeError('unsupported', 'server_partial', { host, name, n });
  const values = { host, name, n, whole };
  return new LogitscopeError('unsupported', 'server_partial_unless', values);
}
