/**
 * <logit-tape>: prompt and drawn tokens, coloured by surprisal; at each drawn token the tokens that
 * could have come instead. Asks with "logit-alternatives", "logit-branch" and "logit-rewind".
 */
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { fixed, percent, t } from '../locale/locale.js';
import { cssom } from '../plots/cssom.js';
import './alternatives.js';
import { define } from './define.js';
import { LogitElement } from './element.js';
import { tapeStyles } from './tape-styles.js';
import { spoken, visibleHtml } from './visible.js';

/**
 * @typedef {import('../plots/trace.js').Step} Step
 */

/** Surprisal that has the fullest colour, in bits. */
const FULL = 6;
/** How long a pointer rests before the alternatives come, and how long they stay, in ms. */
const SHOW = 140;
const HIDE = 260;

export class LogitTape extends LogitElement {
  static properties = {
    pieces: { attribute: false },
    steps: { attribute: false },
    finished: { attribute: false },
    ready: { type: Boolean },
    limit: { attribute: false },
    eos: { attribute: false },
    colour: { attribute: false },
    loop: { attribute: false },
    looping: { attribute: false },
    alternatives: { attribute: false },
    active: { state: true },
    open: { state: true },
  };

  static styles = [...LogitElement.styles, tapeStyles];

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** While a token gets the focus back from its alternatives. */
  #quiet = false;
  /** Where the alternatives stand. */
  #place = { x: 0, y: 0 };

  constructor() {
    super();
    /** @type {{ id: number, text: string, special: boolean }[]} */
    this.pieces = [];
    /** @type {Step[]} */
    this.steps = [];
    /** @type {string | null} */
    this.finished = null;
    this.ready = false;
    this.limit = 100;
    this.eos = -1;
    /** @type {'after' | 'before' | 'none'} What the colour of a token stands for. */
    this.colour = 'after';
    /** @type {import('../engine/loops.js').Loop | null} */
    this.loop = null;
    /** The sentence about it. */
    this.looping = '';
    /** @type {import('./instrument.js').Alternatives | null} */
    this.alternatives = null;
    /** The step that is pointed at. */
    this.active = -1;
    /** The step whose alternatives show. */
    this.open = -1;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  /** @param {Map<string, unknown>} changes */
  willUpdate(changes) {
    if (!changes.has('steps')) return;
    if (this.open >= this.steps.length) this.open = -1;
  }

  render() {
    const given = this.pieces.filter(({ special }) => !special);
    const empty = this.ready && this.steps.length === 0 ? t('text.empty') : '';
    return html`
      <div class="tape" role="group" aria-label=${t('text.output')} lang="en"
        @pointerleave=${() => this.#rest(-1, HIDE)} @scroll=${this.#onScroll}>
        <span class="given">${given.map((piece) => visibleHtml({ ...piece, text: tidy(piece.text) }))}</span>
        <ol>${repeat(
          this.steps,
          (_, i) => i,
          (step, i) => this.#renderStep(step, i),
        )}</ol>
        <span class="empty" ?hidden=${!empty}>${empty}</span>
      </div>
      <p class="numbers ${this.looping && this.active < 0 ? 'loop' : ''}" id="numbers"
        aria-hidden="true">${this.#describe(this.active)}</p>
      ${this.#renderAlternatives()}
    `;
  }

  /**
   * @param {Step} step
   * @param {number} i
   */
  #renderStep(step, i) {
    const end = step.id === this.eos;
    const { loop } = this;
    const looped = loop !== null && i >= loop.start && i < loop.end;
    const again = looped && (i - loop.start) % loop.period === 0;
    const kinds = { end, looped, again, forced: Boolean(step.forced) };
    const names = Object.entries(kinds).filter(([, on]) => on);
    const tabbed = i === Math.max(0, this.active);
    return html`
      <li class="step ${names.map(([name]) => name).join(' ')}"
        ${cssom({ '--heat': this.#heat(step).toFixed(3) })}>
        <button tabindex=${tabbed ? 0 : -1} aria-haspopup="menu" aria-expanded=${this.open === i}
          aria-describedby=${this.active === i ? 'numbers' : nothing}
          data-id=${step.id} data-p=${String(step.p)}
          @pointermove=${() => this.#point(i)}
          @focus=${() => this.#quiet || this.#show(i)} @click=${() => this.#show(i)} @blur=${this.#onBlur}
          @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKey(event, i)}>
          <span class="token">${end ? t('text.end') : visibleHtml(step)}</span>
          <span class="share">${percent(step.p)}</span>
        </button>
      </li>
    `;
  }

  #renderAlternatives() {
    const step = this.steps[this.open];
    if (!step) return nothing;
    const { alternatives, open } = this;
    const { x, y } = this.#place;
    return html`
      <logit-alternatives .step=${step} .index=${open} .eos=${this.eos} .x=${x} .y=${y}
        .trace=${alternatives?.index === open ? alternatives.trace : null}
        @pointerenter=${() => clearTimeout(this.#timer)} @pointerleave=${() => this.#rest(-1, HIDE)}
        @logit-menu-close=${this.#onClose}></logit-alternatives>`;
  }

  /** The newest token stays in sight. @param {Map<string, unknown>} changes */
  updated(changes) {
    const before = /** @type {Step[] | undefined} */ (changes.get('steps'))?.length ?? 0;
    const { length } = this.steps;
    // The token that had the focus is gone: the last one takes it.
    if (length < before && this.active >= length) this.#focus(length - 1);
    if (!changes.has('steps') || length <= before) return;
    const tape = /** @type {HTMLElement} */ (this.renderRoot.querySelector('.tape'));
    tape.scrollTop = tape.scrollHeight;
  }

  #onScroll() {
    if (this.open >= 0) this.#hide();
  }

  /** How full the colour of a token is, from 0 to 1. @param {Step} step */
  #heat({ p, p_raw }) {
    if (this.colour === 'none') return 0;
    return Math.min(1, -Math.log2(this.colour === 'after' ? p : p_raw) / FULL);
  }

  /** @param {number} i */
  #describe(i) {
    const step = this.steps[i];
    if (!step) {
      if (this.looping) return this.looping;
      if (this.finished) return t(`text.finished.${this.finished}`, { n: this.limit });
      return this.steps.length > 0 ? t('text.hint') : '';
    }
    const params = {
      token: spoken(step, this.eos),
      p: percent(step.p),
      bits: step.p > 0 ? fixed(-Math.log2(step.p), 2) : '∞',
      raw: percent(step.p_raw),
    };
    return t(step.forced ? 'text.token.forced' : 'text.token', params);
  }

  /**
   * Points at a step, or at none, once the pointer has rested.
   * @param {number} i
   * @param {number} delay
   */
  #rest(i, delay) {
    clearTimeout(this.#timer);
    if (i >= 0) this.active = i;
    this.#timer = setTimeout(() => (i < 0 ? this.#hide() : this.#show(i)), delay);
  }

  /**
   * A pointer moves on a token; tokens that come to lie below one at rest are not meant.
   * @param {number} i
   */
  #point(i) {
    if (i !== this.active) this.#rest(i, this.open < 0 ? SHOW : HIDE / 2);
    else if (this.open === i) clearTimeout(this.#timer);
  }

  /** @param {number} i */
  #show(i) {
    clearTimeout(this.#timer);
    this.active = i;
    if (this.open === i) return;
    this.open = i;
    const token = this.#buttons()[i].getBoundingClientRect();
    const { left, top } = this.getBoundingClientRect();
    this.#place = { x: token.left - left, y: token.bottom - top };
    this.emit('logit-alternatives', { index: i });
  }

  #hide() {
    clearTimeout(this.#timer);
    this.active = -1;
    if (this.open < 0) return;
    this.open = -1;
    this.emit('logit-alternatives', { index: null });
  }

  #buttons() {
    return /** @type {NodeListOf<HTMLElement>} */ (this.renderRoot.querySelectorAll('.step button'));
  }

  #menu() {
    return /** @type {import('./alternatives.js').LogitAlternatives | null} */ (
      this.renderRoot.querySelector('logit-alternatives')
    );
  }

  /** @param {FocusEvent} event */
  #onBlur = ({ relatedTarget }) => {
    const to = /** @type {Node | null} */ (relatedTarget);
    if (!to || !this.renderRoot.contains(to)) this.#hide();
  };

  /** @param {CustomEvent} event */
  #onClose({ detail }) {
    const { open } = this;
    this.#hide();
    if (!detail.refocus || open < 0) return;
    this.#focus(open);
  }

  /** Gives a token the focus without showing its alternatives. @param {number} i */
  #focus(i) {
    this.#quiet = true;
    this.#buttons()[i]?.focus();
    this.#quiet = false;
    this.active = i;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} i
   */
  #onKey(event, i) {
    const last = this.steps.length - 1;
    const to = {
      ArrowRight: Math.min(last, i + 1),
      ArrowLeft: Math.max(0, i - 1),
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === 'Escape') this.#hide();
    if (event.key === 'ArrowDown' || event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.#show(i);
      this.updateComplete.then(() => this.#menu()?.enter());
    }
    if (to === undefined) return;
    event.preventDefault();
    this.#buttons()[to].focus();
  }
}

/** A prompt is read as text: only line breaks and tabs need a mark in it. @param {string} text */
function tidy(text) {
  return text.replaceAll(' ', '\u00A0');
}

define('logit-tape', LogitTape);
