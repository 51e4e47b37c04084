/**
 * <logit-loop>: the five steps of the decode loop, with one of them highlighted. Emits "logit-count" to ask for
 * another step, counted from 1 over all rounds.
 */
import { html, nothing } from 'lit';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { unturned } from '../../base/visible.js';
import { fixed, number, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { Asking } from './asking.js';
import loopStyles from './loop.css';

/** @import { LoopRound } from '../../lessons/measures.js' */

const STEPS = [1, 2, 3, 4, 5];
/** Most rounds, and the time that each step stays highlighted, in ms. */
const [ROUNDS, PACE_MS] = [8, 1200];
/** Number of tokens shown with their logits: the last ones. */
const ROWS = 5;

export class LogitLoop extends elementWith(LogitElement, () => ({
  /** @type {import('./reader.js').LessonReader | null} */
  reader: null,
  /** @type {import('../../lessons/measures.js').LessonState} */
  state: { prompt: '' },
  /** The highlighted step, counted from 1 over all rounds; 0 for none. */
  step: 0,
  held: false,
  /** @type {LoopRound[]} */
  rounds: [],
  running: false,
})) {
  static properties = { step: { type: Number }, held: { type: Boolean } };

  static styles = [...LogitElement.styles, loopStyles];

  #asking = new Asking(this);
  #read = '';
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  get busy() {
    return this.#asking.busy;
  }

  get #lastStep() {
    return STEPS.length * this.rounds.length;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#run(false);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (this.held && this.running) this.#run(false);
    const { reader, state } = this;
    if (!reader || !(changed.has('state') || changed.has('reader'))) return;
    const { choices: _, ...read } = state;
    const asked = JSON.stringify(read);
    if (asked === this.#read) return;
    this.#read = asked;
    this.#asking.ask(
      () => reader.loop(state, ROUNDS),
      (rounds) => (this.rounds = rounds),
      () => asked === this.#read,
    );
  }

  /** Asks for the next step, or for the first one after the last. */
  #emitNext() {
    this.emit('logit-count', { step: this.step >= this.#lastStep ? 1 : this.step + 1 });
  }

  /** @param {boolean} on */
  #run(on) {
    clearInterval(this.#timer);
    this.running = on;
    if (!on) return;
    this.#emitNext();
    this.#timer = setInterval(() => {
      if (this.step < this.#lastStep) this.#emitNext();
      else this.#run(false);
    }, PACE_MS);
  }

  #stepOnce() {
    this.#run(false);
    this.#emitNext();
  }

  render() {
    const at = Math.max(0, this.step - 1);
    const round = this.rounds[Math.floor(at / STEPS.length)];
    const lit = this.step === 0 ? 0 : (at % STEPS.length) + 1;
    const unable = this.#asking.sentence;
    return html`
      <div class="acts">
        <button class="primary" data-command="next" @click=${this.#stepOnce}>${t('lesson.loop.next')}</button>
        <button data-command="run" @click=${() => this.#run(!this.running)}>${t(this.running ? 'landscape.stop' : 'landscape.play')}</button>
        <span class="round">${t('lesson.loop.round', { n: Math.floor(at / STEPS.length) + 1 })}</span>
      </div>
      ${unable ? html`<p class="fault" role="alert">${unable}</p>` : nothing}
      <ol>${STEPS.map(
        (
          n,
        ) => html`<li class=${n === lit ? 'lit' : ''} aria-current=${n === lit ? 'step' : nothing}>
          <h4>${t(`lesson.loop.${n}`)}</h4>${round ? this.#renderStep(n, round) : nothing}</li>`,
      )}</ol>`;
  }

  /** @param {number} n @param {LoopRound} round */
  #renderStep(n, round) {
    const { pieces, size, tokens, drawn, u, ends } = round;
    if (n === 1) return html`<p class="pieces">${pieces.map(renderPiece)}</p>`;
    if (n === 2)
      return html`<div class="rows">${pieces
        .slice(-ROWS)
        .map(
          (piece, i, all) =>
            html`<span class="of">${unturned(piece)}</span><span class="row ${i === all.length - 1 ? 'last' : ''}"></span>`,
        )}</div><p>${t('lesson.loop.rows', { n: number(size), rows: pieces.length })}</p>`;
    if (n === 3)
      return html`<div class="bar" aria-hidden="true">${tokens.map(
        ({ id, text, p }) =>
          html`<span class=${id === drawn.id ? 'drawn' : ''} ${cssom({ width: `${100 * p}%` })}>${p > 0.07 ? unturned(text.trim()) : nothing}</span>`,
      )}<i ${cssom({ left: `${100 * u}%` })}></i></div>
      <p>${t('lesson.loop.draw', { u: fixed(u, 3), token: drawn.text.trim(), p: percent(drawn.p) })}</p>`;
    if (n === 4)
      return html`<p class="text" lang="en" translate="no">${unturned(pieces.join(''))}<mark>${unturned(drawn.text)}</mark></p>`;
    return html`<p>${t(ends ? 'lesson.loop.ends' : 'lesson.loop.again', { token: drawn.text.trim() })}</p>`;
  }
}

/** @param {string} text */
const renderPiece = (text) => html`<span class="piece">${unturned(text)}</span>`;

define('logit-loop', LogitLoop);
