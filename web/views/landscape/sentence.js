/**
 * The sentence above the picture: the prompt, which the user can edit, and the words drawn after it. A press on a
 * word moves the picture to this position.
 */
import { html, nothing } from 'lit';
import { Debounce } from '../../base/debounce.js';
import { MAX_BRANCH_TOKENS } from '../../state/fields.js';
import { t } from '../../locale/locale.js';
import { renderExamples } from './examples.js';
import { PromptField } from './prompt-field.js';
import { chosenWord, writeWords } from './words.js';

/**
 * @typedef {import('./words.js').Word} Word
 *
 * @typedef {object} SentenceOwner
 * @property {string} prompt of the page
 * @property {number[] | null} prompt_ids
 * @property {number[]} ids drawn before the picture
 * @property {number | null} u of the draw in the picture
 * @property {boolean} fixed true if the user cannot change the prompt
 * @property {unknown} engine null until the engine is open: a prompt that is typed before waits for it
 * @property {ParentNode} renderRoot
 * @property {(type: string, detail?: object) => void} emit
 * @property {(patch: object) => void} keepChoice
 * @property {() => void} requestUpdate
 */

/** The page gets an edited prompt after the user has not typed for this time, in ms. */
const REST_MS = 300;
/** If the engine needs longer than this (in ms), the page says that the model computes. */
const LATE_MS = 150;
/** Number of characters of a long prompt that a saved picture shows. */
const TAIL = 90;

/** Returns the last TAIL characters of a text, starting at a word. @param {string} text */
export function tailOf(text) {
  if (text.length <= TAIL) return text;
  const tail = text.slice(-TAIL);
  return `…${tail.slice(Math.max(0, tail.indexOf(' ')))}`;
}

export class Sentence {
  #owner;
  #field = new PromptField(
    (text) => this.#type(text),
    () => this.#onBlur(),
  );
  #debounce = new Debounce();
  /** The edited prompt until the page confirms it; null without one. @type {string | null} */
  #typed = null;
  /** The last prompt that was sent to the page. */
  #told = '';
  /** @type {Word[]} */
  #words = [];
  /**
   * The u of each position that the picture has left, so that it is restored when the picture returns there.
   * @type {Map<number, number | null>}
   */
  #left = new Map();

  /** True if the engine needs long for the present request. */
  late = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** Pixels by which the sentence is scrolled. To read it from the box, the browser would lay out the page. */
  #scrolled = 0;

  /** @param {SentenceOwner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** Starts or stops the timer for `late`: `waits` is true while a request is open. @param {boolean} waits */
  wait(waits) {
    if (waits) this.#timer ??= setTimeout(() => this.#setLate(true), LATE_MS);
    else {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#setLate(false);
    }
  }

  /** @param {boolean} late */
  #setLate(late) {
    if (this.late === late) return;
    this.late = late;
    this.#owner.requestUpdate();
  }

  get prompt() {
    return this.#typed ?? this.#owner.prompt;
  }

  /** The prompt as the engine gets it: a text or token ids. */
  get begin() {
    return this.#typed ?? this.#owner.prompt_ids ?? this.#owner.prompt;
  }

  /** @param {string} text */
  #type(text) {
    this.#typed = text;
    this.#forget();
    this.#debounce.schedule(REST_MS, () => this.#tell());
    this.#owner.requestUpdate();
  }

  /** Moves the picture back to the first position after the prompt. */
  #forget() {
    const owner = this.#owner;
    this.#left.clear();
    if (owner.ids.length > 0) owner.keepChoice({ ids: [], u: null });
  }

  #tell() {
    this.#debounce.cancel();
    if (!this.#owner.engine || this.#typed === null || this.#typed === this.#told) return;
    this.#told = this.#typed;
    this.#owner.emit('logit-prompt', { prompt: this.#typed });
  }

  /** Drops the edited prompt, because the page has another state now. */
  drop() {
    this.#debounce.cancel();
    this.#typed = null;
  }

  /** The engine is open: gives the page a prompt that was typed before. */
  opened() {
    if (this.#typed === null) return;
    this.#forget();
    this.#tell();
  }

  #onBlur() {
    this.#tell();
    this.#reveal();
  }

  /** Replaces the whole prompt and reports it to the page at once. @param {string} prompt */
  #replace(prompt) {
    this.#type(prompt);
    this.#tell();
  }

  /**
   * Adopts new properties of the owner. If the page has changed the prompt, the user's edited prompt is dropped.
   * @param {Map<string, unknown>} changed
   */
  take(changed) {
    const owner = this.#owner;
    if (!changed.has('prompt')) return;
    if (!owner.engine && this.#typed !== null) return void (this.#told = owner.prompt);
    const echo = owner.prompt === this.#told;
    if (!echo || owner.prompt === this.#typed) this.#typed = null;
    if (echo) return;
    this.#told = owner.prompt;
    this.#debounce.cancel();
    this.#left.clear();
    const known = changed.get('prompt') !== undefined && !changed.has('ids');
    if (known && owner.ids.length > 0) owner.ids = [];
  }

  /** Moves the picture to the position of a word. @param {number} at */
  #moveTo(at) {
    const owner = this.#owner;
    const { length } = owner.ids;
    if (at === length || at >= this.#words.length) return;
    this.#left.set(length, owner.u);
    const u = at < length ? (this.#left.get(at) ?? null) : null;
    owner.keepChoice({ ids: this.#words.slice(0, at).map(({ id }) => id), u });
  }

  get #last() {
    return Math.min(this.#words.length - 1, MAX_BRANCH_TOKENS);
  }

  /** @param {MouseEvent | KeyboardEvent} event */
  #onWord = (event) => {
    const at = chosenWord(event, this.#owner.ids.length, this.#last);
    if (at === null) return;
    event.preventDefault();
    this.#moveTo(at);
  };

  /**
   * Writes the words after the prompt.
   * @param {Word[]} words
   * @param {number} at the index of the drawn token
   * @param {number[] | null} before
   */
  write(words, at, before) {
    this.#words = words;
    const into = this.#owner.renderRoot.querySelector('.words');
    if (!into) return;
    writeWords(/** @type {HTMLElement} */ (into), words, at, before, this.#last);
    this.#reveal();
  }

  /** Shows the present prompt in its field. */
  show() {
    this.#field.write(this.prompt);
  }

  /** @param {Event} event */
  #onScroll = ({ target }) => (this.#scrolled = /** @type {HTMLElement} */ (target).scrollTop);

  /** Scrolls to the drawn word of a long sentence, unless the user is editing the prompt. */
  #reveal() {
    const before = this.#words.slice(0, this.#owner.ids.length);
    const length = before.reduce((sum, { text }) => sum + text.length, this.prompt.length);
    const box = this.#owner.renderRoot.querySelector('.sentence');
    if (!box || this.#field.focused || (length < TAIL && this.#scrolled === 0)) return;
    const mark = /** @type {HTMLElement | null} */ (box.querySelector('mark'));
    if (!mark) return;
    const line = Number.parseFloat(getComputedStyle(box).lineHeight);
    const row = Math.round(mark.offsetTop / line);
    const early = mark.offsetLeft < box.clientWidth / 2;
    box.scrollTop = Math.max(0, row - (early ? 1 : 0)) * line;
  }

  /**
   * @param {{ hidden: boolean, invalid: boolean, examples: string[] }} state `examples`: empty for no
   *   buttons
   */
  render({ hidden, invalid, examples }) {
    const { fixed, prompt_ids } = this.#owner;
    const field = this.#field.render({
      editable: !fixed && prompt_ids === null,
      label: t('landscape.prompt'),
      hint: t('landscape.hint'),
      invalid,
      example: examples.includes(this.prompt),
    });
    return html`<div class="sentence" @scroll=${this.#onScroll} translate="no" dir="auto" ?hidden=${hidden}>${field}<span class="words"
      ?inert=${!this.#owner.engine} role="listbox" aria-orientation="horizontal" aria-label=${t('landscape.words')}
      @click=${this.#onWord} @keydown=${this.#onWord}></span></div>
      ${hidden || fixed || examples.length === 0 ? nothing : renderExamples(examples, this.prompt, (each) => this.#replace(each))}`;
  }
}
