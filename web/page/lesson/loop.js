/**
 * <logit-loop>: a token's trip through the five steps by which every text is written, one of them
 * lit. Tells by "logit-count" which step comes next: the places go on counting round after round.
 */
import { html, nothing } from 'lit';
import { LogitElement, define } from '../../base/element.js';
import { unturned } from '../../base/visible.js';
import { toFault } from '../../engine/errors.js';
import { fixed, number, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { unread } from './unread.js';
import loopStyles from './loop.css';

/** @typedef {import('../../lessons/measures.js').LoopRound} LoopRound */

const STEPS = [1, 2, 3, 4, 5];
/** How many rounds there are at most, and how long a step stays lit. */
const [ROUNDS, PACE_MS] = [8, 1200];
/** How many rows of logits show: the last ones of the text. */
const ROWS = 5;

export class LogitLoop extends LogitElement {
  static properties = {
    reader: { attribute: false },
    state: { attribute: false },
    step: { type: Number },
    held: { type: Boolean },
    rounds: { state: true },
    running: { state: true },
    fault: { state: true },
  };

  static styles = [...LogitElement.styles, loopStyles];

  constructor() {
    super();
    /** @type {import('./reader.js').LessonReader | null} */
    this.reader = null;
    /** @type {import('../../lessons/measures.js').LessonState} */
    this.state = { prompt: '' };
    /** The lit step, counted on over all rounds; 0 where none is. */
    this.step = 0;
    this.held = false;
    /** @type {LoopRound[]} */
    this.rounds = [];
    this.running = false;
    /** @type {import('../../engine/errors.js').Fault | null} */
    this.fault = null;
  }

  #asking = 0;
  #read = '';
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  get busy() {
    return this.#asking > 0;
  }

  /** The last step there is. */
  get #last() {
    return STEPS.length * this.rounds.length;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#run(false);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (this.held && this.running) this.#run(false);
    if (!this.reader || !(changed.has('state') || changed.has('reader'))) return;
    const { choices: _, ...read } = this.state;
    if (JSON.stringify(read) === this.#read) return;
    this.#read = JSON.stringify(read);
    this.#follow(this.#read);
  }

  /** @param {string} asked */
  async #follow(asked) {
    this.#asking++;
    try {
      const reader = /** @type {import('./reader.js').LessonReader} */ (this.reader);
      const rounds = await reader.loop(this.state, ROUNDS);
      if (asked === this.#read) [this.rounds, this.fault] = [rounds, null];
    } catch (error) {
      if (asked === this.#read) this.fault = toFault(error);
    } finally {
      this.#asking--;
    }
  }

  /** After the last step it begins again. */
  #next() {
    this.emit('logit-count', { step: this.step >= this.#last ? 1 : this.step + 1 });
  }

  /** @param {boolean} on */
  #run(on) {
    clearInterval(this.#timer);
    this.running = on;
    if (!on) return;
    this.#next();
    this.#timer = setInterval(() => {
      if (this.step < this.#last) this.#next();
      else this.#run(false);
    }, PACE_MS);
  }

  /** @param {() => void} act by hand, which stops the run */
  #byHand(act) {
    this.#run(false);
    act();
  }

  render() {
    const at = Math.max(0, this.step - 1);
    const round = this.rounds[Math.floor(at / STEPS.length)];
    const lit = this.step === 0 ? 0 : (at % STEPS.length) + 1;
    const unable = unread(this.fault, this);
    return html`
      <div class="acts">
        <button class="primary" data-command="next" @click=${() => this.#byHand(() => this.#next())}>${t('lesson.loop.next')}</button>
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
