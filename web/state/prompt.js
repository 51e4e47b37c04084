/** The prompt of a text: the user's text, or a chat that the model's template converts to a prompt. */
import { LogitscopeError, toFault } from '../engine/errors.js';
import { assets } from './assets.js';

/**
 * @typedef {import('../engine/errors.js').Fault} Fault
 * @typedef {import('../engine/types.js').Piece} Piece
 * @typedef {import('../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 * @typedef {import('./reader.js').Reader} Reader
 *
 * A message to a model with a chat template; `date` is null for today's date.
 * @typedef {{ user: string, system: string, date: string | null }} Chat
 *
 * The tokens of a prompt. `date` is the date that the template used as today; `thinks` is true if the
 * prompt ends inside the model's thinking.
 * @typedef {{ ids: number[], pieces: Piece[], date?: string, thinks?: boolean }} Tokens
 */

export class Prompt {
  text = '';
  /** The current chat; null while `text` is the prompt. @type {Chat | null} */
  chat = null;
  /** The last chat, kept so that the user can return to it. @type {Chat | null} */
  lastChat = null;
  date = '';
  thinks = false;
  /** @type {number[]} */
  ids = [];
  /** @type {Piece[]} */
  pieces = [];
  /** Why the model cannot read the prompt; `ids` then belong to the last readable prompt. @type {Fault | null} */
  fault = null;
  /** True while the model reads a newer prompt; `ids` then belong to the previous prompt. */
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
   * Tokenizes the prompt. It changes only `reading`, since a newer prompt may replace this prompt.
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

  /** Records the error and keeps the tokens of the previous prompt. @param {unknown} error */
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

  /** The prompt for other views. A chat is passed as ids, since its text does not give the template's tokens. */
  get beginning() {
    if (!this.chat) return { prompt: this.text, prompt_ids: null };
    const prompt = this.pieces.map(({ text }) => text).join('');
    return { prompt, prompt_ids: this.ids };
  }
}
