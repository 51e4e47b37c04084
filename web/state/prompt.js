/** The prompt of a text: a plain text, or a chat from which the model's template makes a prompt. */
import { LogitscopeError, toFault } from '../engine/errors.js';
import { assets } from './assets.js';

/** @import { Fault } from '../engine/errors.js' */
/** @import { Piece } from '../engine/types.js' */
/** @import { RemoteLogitscope } from '../engine/remote.js' */
/** @import { Reader } from './reader.js' */

/**
 * A message to a model with a chat template; `date` is null for today's date.
 * @typedef {{ user: string, system: string, date: string | null }} Chat
 *
 * The tokens of a prompt. `date` is the date that the template used as today; `thinks` is true if the
 * prompt ends inside the model's thinking.
 * @typedef {{ ids: number[], pieces: Piece[], date?: string, thinks?: boolean }} Tokens
 */

export class Prompt {
  text = '';
  /** The chat; null if the prompt is a plain text. @type {Chat | null} */
  chat = null;
  /** The chat that the user has left, to return to it. @type {Chat | null} */
  lastChat = null;
  date = '';
  thinks = false;
  /** @type {number[]} */
  ids = [];
  /** @type {Piece[]} */
  pieces = [];
  /**
   * The error if the model cannot read the prompt. Then `ids` is the last prompt that it could read.
   * @type {Fault | null}
   */
  fault = null;
  /** True while the model reads a newer prompt; `ids` is still the older one. */
  reading = false;

  /** @param {string} text */
  write(text) {
    this.text = text;
    this.chat = null;
    this.thinks = false;
  }

  /** @param {Chat} chat */
  say(chat) {
    this.chat = this.lastChat = chat;
  }

  /**
   * Encodes the prompt without changing it, because a newer prompt may come meanwhile.
   * @param {RemoteLogitscope} engine
   * @param {Reader} reader
   * @returns {Promise<Tokens>}
   */
  async encode(engine, reader) {
    const { ids, ...facts } = this.chat
      ? await this.#encodeChat(engine, this.chat)
      : { ids: await engine.encode(this.text) };
    const list = Array.from(ids);
    const pieces = await reader.pieces(list);
    if (list.length === 0) throw new LogitscopeError('empty', 'no_prompt');
    return { ids: list, pieces, ...facts };
  }

  /** @param {RemoteLogitscope} engine @param {Chat} chat */
  async #encodeChat(engine, { user, system, date }) {
    const made = await engine.chat([{ role: 'user', content: user }], {
      ...(system && { system }),
      ...(date && { date }),
      renderer: assets.renderer,
    });
    const last = made.parts.at(-1);
    const thinks = Boolean(last?.thinking) || /<think>$/.test(last?.text ?? '');
    return { ids: made.ids, date: made.date, thinks };
  }

  /** @param {Tokens} tokens */
  take(tokens) {
    Object.assign(this, tokens, { fault: null, reading: false });
  }

  /** Stores the error of a prompt that the model cannot read. @param {unknown} error */
  refuse(error) {
    this.reading = false;
    this.fault = toFault(error);
    return this.fault;
  }

  /** Forgets the ids. */
  clear() {
    this.ids = [];
    this.pieces = [];
  }

  /** The prompt for other views. A chat is given as ids, because its text alone would be encoded to other ids. */
  get beginning() {
    if (!this.chat) return { prompt: this.text, prompt_ids: null };
    const prompt = this.pieces.map(({ text }) => text).join('');
    return { prompt, prompt_ids: this.ids };
  }
}
