/** The prompt of a text: the words of the user, or a chat that the model's template makes a prompt of. */
import { LogitscopeError, toFault } from '../engine/errors.js';
import { assets } from './assets.js';

/**
 * @typedef {import('../engine/errors.js').Fault} Fault
 * @typedef {import('../engine/types.js').Piece} Piece
 * @typedef {import('../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 * @typedef {import('./reader.js').Reader} Reader
 *
 * A message to a model with a chat template; date null: the engine's own today.
 * @typedef {{ user: string, system: string, date: string | null }} Chat
 *
 * The tokens of a prompt. `date` is the day that the template took for today; `thinks` says that the
 * prompt ends inside the model's thinking.
 * @typedef {{ ids: number[], pieces: Piece[], date?: string, thinks?: boolean }} Tokens
 */

export class Prompt {
  text = '';
  /** Null while the prompt is the text itself. @type {Chat | null} */
  chat = null;
  /** The last chat, for the return to it. @type {Chat | null} */
  lastChat = null;
  date = '';
  thinks = false;
  /** @type {number[]} */
  ids = [];
  /** @type {Piece[]} */
  pieces = [];
  /** Why the model cannot read the prompt; `ids` are then those of the last one that it read. @type {Fault | null} */
  fault = null;
  /** True while the model reads a newer prompt; `ids` then belong to the one before. */
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
   * Tokenizes the prompt; it changes nothing but `reading`, since a newer prompt may overtake this one.
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

  /** Keeps the tokens of the prompt before. @param {unknown} error */
  refuse(error) {
    this.reading = false;
    this.fault = toFault(error);
    return this.fault;
  }

  /** Forgets the tokens. */
  clear() {
    this.ids = [];
    this.pieces = [];
  }

  /** The beginning for other views, which cannot make a template's tokens from its text. */
  get beginning() {
    if (!this.chat) return { prompt: this.text, prompt_ids: null };
    const prompt = this.pieces.map(({ text }) => text).join('');
    return { prompt, prompt_ids: this.ids };
  }
}
