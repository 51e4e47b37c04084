/**
 * <logit-tape>: the tokens of the prompt and the drawn tokens, coloured by surprisal; each opens a menu of its
 * alternatives. Drawn tokens have the indices 0, 1, 2 …; the last token of the prompt has -1. Emits
 * "logit-alternatives", "logit-branch" and "logit-rewind".
 */
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { fixed, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { Debounce } from '../../base/debounce.js';
import tapeStyles from './tape.css';
import { listen } from '../../base/props.js';
import { joinBytes, spoken, visibleHtml } from '../../base/visible.js';
import { walkList } from '../../base/walk.js';

/** @import { Step } from '../../plots/trace.js' */
/** @import { Piece } from '../../engine/types.js' */

/** The surprisal in bits that has the strongest colour. */
const FULL = 6;
/** Height of the menu of alternatives, in rem. */
const HEIGHT = 24;
/** Time in ms for which the pointer must rest on a token until the menu opens, and off it until the menu closes. */
const SHOW = 140;
const HIDE = 260;
/** Most tokens of the prompt that are shown; more would slow the page. */
const GIVEN = 400;

export class LogitTape extends elementWith(LogitElement, () => ({
  /** @type {{ id: number, text: string, special: boolean }[]} */
  pieces: [],
  /** @type {Step[]} */
  steps: [],
  /** @type {string | null} */
  finished: null,
  ready: false,
  limit: 0,
  eos: -1,
  /** Number of tokens that the model can read, the last ones of the text; 0 if unknown. */
  contextLength: 0,
  /**
   * Colour of the tokens: surprisal after the chain, before the chain, or none.
   * @type {'after' | 'before' | 'none'}
   */
  colour: 'after',
  /** @type {import('../../engine/text-loops.js').Loop | null} */
  loop: null,
  /** A sentence about the loop in the text; '' without one. */
  looping: '',
  /** @type {import('../../state/alternatives.js').TokenAlternatives | null} */
  alternatives: null,
  /** True if the user cannot replace tokens. */
  fixed: false,
  /** True to show special tokens of the prompt. */
  marked: false,
  /** For each step, true if its token belongs to the model's thinking. @type {boolean[]} */
  thinking: [],
  /**
   * For each step, true if its token is one that the watermark prefers; empty or undefined without a watermark.
   * @type {boolean[] | undefined}
   */
  green: undefined,
  /** Index of the token that has the pointer or the focus; null if none. @type {number | null} */
  active: null,
  /** Index of the token with the open menu; null if none. @type {number | null} */
  open: null,
})) {
  static properties = {
    ready: { type: Boolean },
    fixed: { type: Boolean },
    marked: { type: Boolean },
  };

  static styles = [...LogitElement.styles, tapeStyles];

  #pointer = new Debounce();
  /** True while the focus returns from the menu to its token, which would open the menu again. */
  #quiet = false;
  /** Texts of characters that consist of several tokens, by the index of the token. @type {(string | null)[]} */
  #whole = [];
  /** Position of the menu, in pixels. */
  #place = { x: 0, y: 0, above: false };

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#pointer.cancel();
  }

  /** @param {Map<string, unknown>} changes */
  willUpdate(changes) {
    if (changes.has('pieces')) this.active = this.open = null;
    if (changes.has('pieces') || changes.has('steps'))
      this.#whole = joinBytes([...this.pieces, ...this.steps]);
    const { open, steps } = this;
    if (open !== null && open >= steps.length) this.open = null;
  }

  render() {
    const empty = this.ready && this.steps.length === 0 ? t('text.empty') : '';
    return html`
      <div class="tape" role="group" aria-label=${t('text.output')} lang="en" translate="no" dir="auto"
        @pointerleave=${() => this.#scheduleMenu(null, HIDE)} @scroll=${() => this.open === null || this.#hide()}>
        <span class="given">${this.pieces.length > GIVEN ? '…' : ''}${this.#givenIndices.map((i) =>
          this.#renderGiven(/** @type {Piece} */ (this.#tokenAt(i)), i),
        )}</span><ol>${repeat(
          this.steps,
          (_, i) => i,
          (step, i) => this.#renderStep(step, i),
        )}</ol>
        <span class="empty" translate="yes" ?hidden=${!empty}>${empty}</span>
      </div>
      <p class="numbers ${this.looping && this.active === null ? 'loop' : ''}" id="numbers"
        aria-hidden="true">${this.#describe(this.active)}</p>
      ${this.#renderAlternatives()}
    `;
  }

  /** Number of tokens at the beginning of the text that the model can no longer read. */
  get #unseenCount() {
    const { pieces, steps, contextLength } = this;
    return contextLength > 0 ? Math.max(0, pieces.length + steps.length - contextLength) : 0;
  }

  /** @param {number} i */
  #sightOf(i) {
    const at = this.pieces.length + i - this.#unseenCount;
    return at < 0 ? 'unseen' : at === 0 && this.#unseenCount > 0 ? 'edge' : '';
  }

  /** Indices of the prompt's tokens that are shown. */
  get #givenIndices() {
    const last = this.pieces.slice(-GIVEN);
    return last.flatMap(({ special }, j) => (special && !this.marked ? [] : [j - last.length]));
  }

  /** Index of the token that has the Tab stop. */
  get #tabStop() {
    return this.active ?? (this.steps.length > 0 ? 0 : -1);
  }

  /** @param {Piece} piece @param {number} i */
  #renderGiven(piece, i) {
    const { gap, shown } = inProse(piece);
    return html`${gap}<span role="button" class="${piece.special ? 'special' : ''} ${this.#sightOf(i)}" tabindex=${i === this.#tabStop ? 0 : -1} data-place=${i} data-id=${piece.id}
      aria-describedby=${this.active === i ? 'numbers' : nothing} ${listen(this.#listeners)}
      >${this.#whole[this.pieces.length + i] ?? visibleHtml(shown, true)}</span>`;
  }

  /** @param {Step} step @param {number} i */
  #renderStep(step, i) {
    const end = step.id === this.eos;
    const { loop } = this;
    const looped = loop !== null && i >= loop.start && i < loop.end;
    const again = looped && (i - loop.start) % loop.period === 0;
    const thinking = this.thinking[i] ?? false;
    const green = this.green?.[i] ?? false;
    const kinds = { end, looped, again, forced: Boolean(step.forced), thinking, green };
    const names = Object.entries(kinds).filter(([, on]) => on);
    const { gap, shown } = inProse(step);
    return html`<li class="step ${names.map(([name]) => name).join(' ')} ${this.#sightOf(i)}"
        ${cssom({ '--heat': this.#strengthOf(step).toFixed(3) })}
        >${gap}<span role="button" tabindex=${i === this.#tabStop ? 0 : -1} data-place=${i} aria-haspopup=${this.fixed ? nothing : 'menu'} aria-expanded=${this.open === i}
          aria-describedby=${this.active === i ? 'numbers' : nothing}
          data-id=${step.id} data-p=${String(step.p)} ${listen(this.#listeners)}
          ><span class="token" translate="no">${end ? t('text.end') : (this.#whole[this.pieces.length + i] ?? visibleHtml(shown, true))}</span></span></li>`;
  }

  #renderAlternatives() {
    const { alternatives, open } = this;
    const step = open === null ? undefined : this.#tokenAt(open);
    if (!step || open === null || open === -this.pieces.length) return nothing;
    const { x, y, above } = this.#place;
    return html`
      <logit-alternatives .step=${step} .index=${open} .eos=${this.eos} .x=${x} .y=${y} .above=${above} ?fixed=${this.fixed}
        .trace=${alternatives?.index === open ? alternatives.trace : null}
        @pointerenter=${() => this.#pointer.cancel()} @pointerleave=${() => this.#scheduleMenu(null, HIDE)}
        @logit-menu-close=${this.#onClose}></logit-alternatives>`;
  }

  /** Scrolls to the newest token. @param {Map<string, unknown>} changes */
  updated(changes) {
    const before = /** @type {Step[] | undefined} */ (changes.get('steps'))?.length ?? 0;
    const { length } = this.steps;
    // If the token with the focus was removed, focus the last one.
    if (length < before && this.active !== null && this.active >= length) this.#focus(length - 1);
    if (!changes.has('steps') || length <= before) return;
    const tape = /** @type {HTMLElement} */ (this.renderRoot.querySelector('.tape'));
    tape.scrollTop = tape.scrollHeight;
  }

  /** Returns the strength of a token's colour, 0 to 1. @param {Step} step */
  #strengthOf({ p, p_raw }) {
    if (this.colour === 'none') return 0;
    return Math.min(1, -Math.log2(this.colour === 'after' ? p : p_raw) / FULL);
  }

  /** @param {number} i */
  #tokenAt(i) {
    return i < 0 ? this.pieces.at(i) : this.steps[i];
  }

  /** Returns the probability and surprisal of a prompt token as text. @param {number} i */
  #describeGiven(i) {
    const token = this.#tokenAt(i);
    if (!token) return '';
    const name = spoken(token, this.eos);
    if (i === -this.pieces.length) return t('text.given.first', { token: name });
    const { given, index } = this.alternatives ?? {};
    if (!given || index !== i) return '';
    const bits = given.p_raw > 0 ? fixed(-Math.log2(given.p_raw), 2) : '∞';
    return t('text.given', { token: name, raw: percent(given.p_raw), p: percent(given.p), bits });
  }

  /** @param {number | null} i */
  #describe(i) {
    if (i !== null && i < 0) return this.#describeGiven(i);
    const step = i === null ? undefined : this.steps[i];
    if (!step) {
      const finished = this.finished ? t(`text.finished.${this.finished}`, { n: this.limit }) : '';
      if (this.looping || finished) return [this.looping, finished].filter(Boolean).join(' ');
      if (this.#unseenCount > 0) return t('text.sight', { n: this.contextLength });
      return this.steps.length > 0 ? t('text.hint') : '';
    }
    const params = {
      token: spoken(step, this.eos),
      p: percent(step.p),
      bits: step.p > 0 ? fixed(-Math.log2(step.p), 2) : '∞',
      raw: percent(step.p_raw),
    };
    const said = t(step.forced ? 'text.token.forced' : 'text.token', params);
    return i !== null && this.thinking[i] ? `${said} (${t('text.thought')})` : said;
  }

  /** Opens or closes the menu after a delay. @param {number | null} i @param {number} delay in ms */
  #scheduleMenu(i, delay) {
    if (i !== null) this.active = i;
    this.#pointer.schedule(delay, () => (i === null ? this.#hide() : this.#show(i)));
  }

  /** The pointer has moved over a token. Scrolling below a resting pointer does not count. @param {number} i */
  #onPoint(i) {
    if (i !== this.active) this.#scheduleMenu(i, this.open === null ? SHOW : HIDE / 2);
    else if (this.open === i) this.#pointer.cancel();
  }

  /** @param {number} i */
  #show(i) {
    this.#pointer.cancel();
    this.active = i;
    if (this.open === i) return;
    this.open = i;
    const token = /** @type {HTMLElement} */ (this.#buttonAt(i)).getBoundingClientRect();
    const { left, top } = this.getBoundingClientRect();
    const height = HEIGHT * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const above = innerHeight - token.bottom < height && token.top > height;
    this.#place = { x: token.left - left, y: (above ? token.top : token.bottom) - top, above };
    this.emit('logit-alternatives', { index: i });
  }

  #hide() {
    this.#pointer.cancel();
    this.active = null;
    if (this.open === null) return;
    this.open = null;
    this.emit('logit-alternatives', { index: null });
  }

  /** @param {number} i */
  #buttonAt(i) {
    return /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(`[data-place="${i}"]`));
  }

  #menuElement() {
    return /** @type {import('./alternatives.js').LogitAlternatives | null} */ (
      this.renderRoot.querySelector('logit-alternatives')
    );
  }

  /** Event listeners of every token. The element's dataset has the token's index. */
  #listeners = {
    pointermove: (/** @type {PointerEvent} */ event) => this.#onPoint(placeOf(event)),
    focus: (/** @type {FocusEvent} */ event) => this.#quiet || this.#show(placeOf(event)),
    click: (/** @type {MouseEvent} */ event) => this.#show(placeOf(event)),
    blur: (/** @type {FocusEvent} */ { relatedTarget }) => {
      const to = /** @type {Node | null} */ (relatedTarget);
      if (!to || !this.renderRoot.contains(to)) this.#hide();
    },
    keydown: (/** @type {KeyboardEvent} */ event) => this.#onKey(event, placeOf(event)),
  };

  /** @param {CustomEvent} event */
  #onClose({ detail }) {
    const { open } = this;
    this.#hide();
    if (!detail.refocus || open === null) return;
    this.#focus(open);
  }

  /** Focuses a token without opening its menu. @param {number} i */
  #focus(i) {
    this.#quiet = true;
    this.#buttonAt(i)?.focus();
    this.#quiet = false;
    this.active = i;
  }

  /** @param {KeyboardEvent} event @param {number} i */
  #onKey(event, i) {
    const places = [...this.#givenIndices, ...this.steps.keys()];
    if (event.key === 'Escape' && this.active !== null) {
      event.preventDefault();
      this.#hide();
    }
    if (
      i >= 0 &&
      !this.fixed &&
      (event.key === 'ArrowDown' || event.key === 'Enter' || event.key === ' ')
    ) {
      event.preventDefault();
      this.#show(i);
      this.updateComplete.then(() => this.#menuElement()?.enter());
    }
    const to = walkList(event, ['ArrowLeft', 'ArrowRight'], places.indexOf(i), places.length - 1);
    if (to !== undefined) this.#buttonAt(places[to])?.focus();
  }
}

/** Returns the index of the token on which an event happened. @param {Event} event */
const placeOf = ({ currentTarget }) =>
  Number(/** @type {HTMLElement} */ (currentTarget).dataset.place);

/**
 * Splits a token into its leading space and the rest, which is the button. It is no <button>, because a line could
 * break after a <button> even inside a word.
 * @template {{ text: string }} T
 * @param {T} piece
 */
function inProse(piece) {
  const gap = /^ \S/.test(piece.text) ? ' ' : '';
  return { gap, shown: gap ? { ...piece, text: piece.text.slice(1) } : piece };
}

define('logit-tape', LogitTape);
