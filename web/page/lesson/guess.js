/**
 * <logit-guess>: the learner draws a distribution before the model shows it. The bars always add up to 1. The button
 * "Show" adds the real bars and the distance between both. There is no mark. Emits "logit-guess" when the real bars
 * are shown. The browser stores the guess.
 */
import { html, nothing } from 'lit';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { walkTo } from '../../base/handles.js';
import { shownToken } from '../../lessons/answer-words.js';
import { distanceOf, guessedTokens, sharesOf, withShare } from '../../lessons/guess-bars.js';
import { percent, t, tick } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { Asking } from './asking.js';
import { inline } from './inline.js';
import { recallCode, rememberCode } from './progress.js';
import guessStyles from './guess.css';

/** @import { LessonState } from '../../lessons/measures.js' */
/** @import { Guess } from '../../lessons/lesson-file.js' */

/** Number of steps that the keyboard has for a bar. */
const STEPS = 100;
/** If all other tokens have less than this probability together, they get no bar. */
const LEAST = 1e-9;

export class LogitGuess extends elementWith(LogitElement, () => ({
  /** @type {Guess} */
  guess: { ask: '' },
  /** The figure's state. The guess may change its settings. @type {LessonState} */
  state: { prompt: '' },
  /** @type {import('./reader.js').LessonReader | null} */
  reader: null,
  /** The key under which the browser stores the guess; '' to store nothing. */
  key: '',
  /** The index of the part, from 0. */
  place: 0,
  /** The texts of the tokens. @type {string[]} */
  tokens: [],
  /** The first lengths of the bars, as probabilities; the last one is for all other tokens. @type {number[]} */
  start: [],
  /** The probabilities that the engine computes. @type {number[]} */
  real: [],
  /** The probabilities that the learner has drawn. @type {number[]} */
  drawn: [],
  shown: false,
})) {
  static styles = [...LogitElement.styles, guessStyles];

  #asking = new Asking(this);
  /** Index of the bar that a pointer drags; -1 for none. */
  #dragged = -1;

  get busy() {
    return this.#asking.busy;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (this.reader && ['guess', 'state', 'reader'].some((name) => changed.has(name))) this.#read();
  }

  /** Reads both distributions, and the stored guess if it has the same number of bars. */
  #read() {
    const { guess, state } = this;
    const reader = /** @type {import('./reader.js').LessonReader} */ (this.reader);
    const { settings, tokens, start } = guess;
    this.#asking.ask(
      async () => [
        (await reader.read(state, { measure: 'kept' })).trace,
        (await reader.read(state, { measure: 'kept', settings })).trace,
      ],
      ([from, to]) => {
        const texts = guessedTokens(from, tokens);
        const [first, real] = [sharesOf(from, texts), sharesOf(to, texts)];
        const others = Math.max(first[texts.length], real[texts.length]);
        const n = others > LEAST ? first.length : texts.length;
        this.tokens = texts;
        this.start = start === 'even' ? Array(n).fill(1 / n) : first.slice(0, n);
        this.real = real.slice(0, n);
        this.#recall(n);
      },
      () => guess === this.guess && state === this.state,
    );
  }

  get #guessId() {
    return `guess-${this.place}`;
  }

  /** @param {number} n the number of bars */
  #recall(n) {
    const kept = this.key && recallCode(this.key, this.#guessId);
    const shares = kept ? kept.split(' ').slice(1).map(Number) : [];
    const whole = shares.length === n && shares.every((share) => share >= 0 && share <= 1);
    const { drawn } = this;
    if (drawn.length !== n) this.drawn = whole ? shares : this.start;
    if (kept?.startsWith('shown') && whole) this.#reveal();
  }

  #storeGuess() {
    const shares = this.drawn.map((share) => share.toFixed(4));
    if (this.key)
      rememberCode(this.key, this.#guessId, [this.shown ? 'shown' : 'drawn', ...shares].join(' '));
  }

  /** @param {number} at @param {number} value */
  #set(at, value) {
    this.drawn = withShare(this.drawn, at, Math.max(0, Math.min(1, value)));
    this.#storeGuess();
  }

  #reveal() {
    this.shown = true;
    this.emit('logit-guess', { place: this.place });
  }

  #show() {
    this.#reveal();
    this.#storeGuess();
  }

  /** @param {PointerEvent} event @param {number} at */
  #onDown(event, at) {
    if (this.shown || event.button !== 0) return;
    const track = /** @type {HTMLElement} */ (event.currentTarget);
    track.setPointerCapture(event.pointerId);
    track.focus({ preventScroll: true });
    this.#dragged = at;
    this.#drag(event);
  }

  /** @param {PointerEvent} event */
  #drag({ currentTarget, clientY }) {
    if (this.#dragged < 0) return;
    const { top, height } = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
    this.#set(this.#dragged, 1 - (clientY - top) / height);
  }

  /** @param {KeyboardEvent} event @param {number} at */
  #onKey(event, at) {
    if (this.shown) return;
    const to = walkTo(event, Math.round(this.drawn[at] * STEPS), STEPS);
    if (to !== undefined) this.#set(at, to / STEPS);
  }

  render() {
    const { shown, drawn, real, state } = this;
    const ready = drawn.length > 0;
    return html`
      <p class="ask" id="ask">${inline(this.guess.ask)}</p>
      ${state.prompt ? html`<p class="prompt" lang="en" translate="no">${state.prompt} …</p>` : nothing}
      <div class="bars" role="group" aria-labelledby="ask">
        ${drawn.map((_, at) => this.#renderBar(at))}</div>
      <div class="acts">
        ${
          shown
            ? html`<button data-command="redraw" @click=${() => (this.shown = false)}>${t('lesson.guess.again')}</button>`
            : html`<button class="primary" data-command="show" aria-disabled=${!ready} @click=${() => ready && this.#show()}>${t('lesson.guess.show')}</button>
              <span class="about">${t('lesson.guess.about')}</span>`
        }
      </div>
      <p class="said" role="status">${shown ? t('lesson.guess.distance', { distance: percent(distanceOf(drawn, real)) }) : this.#asking.sentence}</p>`;
  }

  /** @param {number} at */
  #renderBar(at) {
    const { drawn, real, start, shown, tokens } = this;
    const text = tokens[at] === undefined ? t('lesson.guess.others') : shownToken(tokens[at]);
    const share = Math.round(drawn[at] * STEPS);
    const values = { '--drawn': drawn[at], '--real': real[at], '--start': start[at] };
    return html`<div class="column" ${cssom(values)}>
      <p class="numbers">${shown ? html`<b>${percent(real[at])}</b> ` : nothing}<span>${tick(share / STEPS)}</span></p>
      <div class="track ${shown ? 'shown' : ''}" role="slider" tabindex="0" aria-orientation="vertical" aria-label=${text}
        aria-valuemin="0" aria-valuemax="100" aria-valuenow=${share} aria-disabled=${shown}
        aria-valuetext=${shown ? t('lesson.guess.both', { guess: tick(share / STEPS), real: percent(real[at]) }) : tick(share / STEPS)}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKey(event, at)}
        @pointerdown=${(/** @type {PointerEvent} */ event) => this.#onDown(event, at)}
        @pointermove=${(/** @type {PointerEvent} */ event) => this.#drag(event)}
        @lostpointercapture=${() => (this.#dragged = -1)}><i class="drawn"></i>${shown ? html`<i class="real"></i>` : nothing}${this.guess.start === 'even' ? nothing : html`<i class="start"></i>`}</div>
      <p class="name" translate="no">${text}</p></div>`;
  }
}

define('logit-guess', LogitGuess);
