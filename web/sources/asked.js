/**
 * Sources that the page asks for logits: the folder ask/ beside the page, or the host page of its frame.
 * Each answer is checked for kind and length; the engine checks the numbers.
 */
import { LogitscopeError, toFault } from '../engine/errors.js';
import { askBeside } from './beside.js';
import { askHost } from './host.js';

/** @import { AskedSource } from '../engine/types.js' */

/**
 * Puts one question. `limit` is the most bytes of an answer.
 * @typedef {(what: What, body: string | Uint32Array<ArrayBuffer> | undefined,
 *   how: { signal: AbortSignal, limit: number }) => unknown} Ask
 * @typedef {'info' | 'pieces' | 'encode' | 'logits'} What
 */

/** The sources by their names in the address. @type {Record<string, Ask>} */
const ASKS = { asked: askBeside, host: askHost };

/** The kind of each answer; pieces are bytes or a list. */
const KINDS = { info: Object, pieces: Object, encode: Uint32Array, logits: Float32Array };

/** The most bytes of an answer; the engine checks the exact number of logits. */
const LIMITS = { info: 1e6, pieces: 1 << 26, encode: 1 << 20, logits: 1 << 20 };

/** The time to begin, in ms; the engine limits the time of later answers. */
const BEGIN_MS = 60_000;

/**
 * The tokens: a list, or from their bytes: for each a length (uint32, little-endian), then its bytes.
 * @param {Uint8Array | (Uint8Array | string)[]} bytes
 */
function readPieces(bytes) {
  if (Array.isArray(bytes)) return bytes;
  if (!(bytes instanceof Uint8Array))
    throw new LogitscopeError('asked', 'asked_form', { what: 'pieces' });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces = [];
  for (let at = 0; at < bytes.length; ) {
    const from = at + 4;
    at = from <= bytes.length ? from + view.getUint32(at, true) : Infinity;
    if (at > bytes.length) throw new LogitscopeError('asked', 'asked_form', { what: 'pieces' });
    pieces.push(bytes.slice(from, at));
  }
  return pieces;
}

/** The error for a server that the user has not named in this visit. */
export const serverUnasked = () => new LogitscopeError('unanswered', 'server_unasked');

/** A source and its state. Emits "change". */
export class Door extends EventTarget {
  /** The number of questions without an answer. */
  asking = 0;
  /** Why the last question has no answer; null if it has one. @type {import('../engine/errors.js').Fault | null} */
  fault = null;
  /** The prompt and the settings with which the page begins. @type {{ prompt: string, settings: object }} */
  first = { prompt: '', settings: {} };
  name = '';
  #ask;
  /** @type {Set<AbortController>} */
  #open = new Set();

  /** @param {string | Ask} kind a key of ASKS, or a function that puts a question */
  constructor(kind) {
    super();
    this.#ask = typeof kind === 'string' ? ASKS[kind] : kind;
  }

  /**
   * Opens the source for an engine.
   * @param {AbortSignal} signal
   * @returns {Promise<AskedSource>}
   */
  async open(signal) {
    const late = new AbortController();
    const reason = new LogitscopeError('unanswered', 'asked_late', { limit: BEGIN_MS / 1000 });
    const timer = setTimeout(() => late.abort(reason), BEGIN_MS);
    const abort = () => late.abort(new LogitscopeError('cancelled', 'load_cancelled'));
    signal.addEventListener('abort', abort);
    try {
      const how = { signal: late.signal };
      const { prompt = '', settings = {}, ...info } = await this.#put('info', undefined, how);
      const bytes = await this.#put('pieces', undefined, how);
      this.first = { prompt: typeof prompt === 'string' ? prompt : '', settings };
      this.name = String(info.name);
      return {
        info,
        pieces: readPieces(bytes),
        encode: (text, with_) => this.#put('encode', text, with_),
        logits: (ids, with_) => this.#put('logits', ids, with_),
      };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Drops the questions that have no answer yet. */
  cancel() {
    const reason = new LogitscopeError('cancelled', 'asked_cancelled');
    for (const control of this.#open) control.abort(reason);
  }

  /** Forgets the fault. */
  forget() {
    this.fault = null;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }

  /**
   * Puts a question and checks the kind of its answer.
   * @param {What} what
   * @param {any} body
   * @param {{ signal: AbortSignal }} how
   * @returns {Promise<any>}
   */
  async #put(what, body, { signal }) {
    const control = new AbortController();
    const abort = () => control.abort(signal.reason);
    signal.addEventListener('abort', abort);
    this.#open.add(control);
    this.asking++;
    this.#changed();
    try {
      const how = { signal: control.signal, limit: LIMITS[what] };
      const answer = await this.#ask(what, body, how);
      if (!(answer instanceof KINDS[what]))
        throw new LogitscopeError('asked', 'asked_form', { what });
      this.fault = null;
      return answer;
    } catch (error) {
      const fault = control.signal.aborted ? control.signal.reason : error;
      // The page shows beside the prompt that the vocabulary cannot spell it.
      const said = what === 'encode' && !['unanswered', 'cancelled'].includes(toFault(fault).code);
      if (!signal.aborted && !said) this.fault = toFault(fault);
      throw fault;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#open.delete(control);
      this.asking--;
      this.#changed();
    }
  }
}
