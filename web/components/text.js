/**
 * <logit-text>: the prompt, the text drawn so far with each token's probability, and Step, Run,
 * Stop, Reset. Asks with "logit-prompt" and "logit-command".
 */
import { css, html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { fixed, percent, t } from '../locale/locale.js';
import { cssom } from '../plots/cssom.js';
import { define } from './define.js';
import { LogitElement } from './element.js';
import { textStyles } from './text-styles.js';
import { spoken, visibleHtml } from './visible.js';

/**
 * @typedef {import('../plots/trace.js').Step} Step
 * @typedef {import('../engine/grammar.js').Verdict} Verdict
 */

/** How long typing rests before the prompt is read, in ms. */
const REST = 180;
/** Surprisal that has the fullest colour, in bits. */
const FULL = 6;

export class LogitText extends LogitElement {
  static properties = {
    prompt: { attribute: false },
    pieces: { attribute: false },
    steps: { attribute: false },
    examples: { attribute: false },
    finished: { attribute: false },
    running: { type: Boolean },
    ready: { type: Boolean },
    fault: { attribute: false },
    verdict: { attribute: false },
    checked: { type: Boolean },
    limit: { attribute: false },
    eos: { attribute: false },
    active: { state: true },
    said: { state: true },
  };

  static styles = [...LogitElement.styles, textStyles];

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  constructor() {
    super();
    this.prompt = '';
    /** @type {{ id: number, text: string, special: boolean }[]} */
    this.pieces = [];
    /** @type {Step[]} */
    this.steps = [];
    /** @type {string[]} */
    this.examples = [];
    /** @type {string | null} */
    this.finished = null;
    this.running = false;
    this.ready = false;
    /** @type {string} The sentence that says why the prompt was not read. */
    this.fault = '';
    /** @type {Verdict | null} */
    this.verdict = null;
    /** Whether a grammar judges finished texts. */
    this.checked = false;
    this.limit = 100;
    this.eos = -1;
    /** @type {number} The step that is pointed at. */
    this.active = -1;
    this.said = '';
  }

  /** @param {Map<string, unknown>} changes */
  willUpdate(changes) {
    if (!changes.has('steps')) return;
    const before = /** @type {Step[] | undefined} */ (changes.get('steps'))?.length ?? 0;
    if (this.active >= this.steps.length) this.active = -1;
    if (this.steps.length > before) this.said = this.#sayLast();
    else if (before > 0) this.said = t('text.cleared');
  }

  #sayLast() {
    const last = this.steps[this.steps.length - 1];
    const drew = t('text.drew', { token: spoken(last, this.eos), p: percent(last.p) });
    if (this.finished !== 'eos') return drew;
    const text = [...this.pieces, ...this.steps]
      .map((piece) => (piece.id === this.eos ? '' : piece.text))
      .join('');
    return `${drew} ${t('text.ended', { text: text.trim() })}`;
  }

  render() {
    return html`
      <div class="words">
        <h2>${t('text.title')}</h2>
        <p class="about">${t('text.about')}</p>
      </div>
      <div class="desk">
        ${this.#renderPrompt()}
        ${this.#renderOutput()}
      </div>
      <p class="heard" aria-live="polite">${this.said}</p>
    `;
  }

  #renderPrompt() {
    return html`
      <div class="prompt">
        <label class="label" for="prompt">${t('text.prompt')}</label>
        <textarea id="prompt" rows="1" spellcheck="false" autocomplete="off" autocapitalize="off"
          aria-invalid=${this.fault ? 'true' : 'false'} aria-describedby="fault"
          .value=${live(this.prompt)} @input=${this.#onType} @keydown=${this.#onKey}></textarea>
        <p id="fault" class="error" role="alert">${this.fault}</p>
        <div class="examples" role="group" aria-label=${t('text.examples')}>
          <span class="label" aria-hidden="true">${t('text.examples')}</span>
          ${this.examples.map(
            (example) => html`
            <button lang="en" aria-pressed=${example === this.prompt}
              @click=${() => this.#ask(example)}>${example}</button>`,
          )}
        </div>
      </div>
    `;
  }

  #renderOutput() {
    const given = this.pieces.filter(({ special }) => !special);
    const empty = this.ready && this.steps.length === 0 ? t('text.empty') : '';
    return html`
      <div class="output">
        <div class="label row"><span id="output-label">${t('text.output')}</span>
          <span class="legend" aria-hidden="true">
            ${t('text.legend.low')}<i></i>${t('text.legend.high')}</span></div>
        <div class="tape" role="group" aria-labelledby="output-label" lang="en"
          @pointerleave=${() => (this.active = -1)}>
          <span class="given">${given.map((piece) => visibleHtml({ ...piece, text: tidy(piece.text) }))}</span>
          <ol>${repeat(
            this.steps,
            (_, i) => i,
            (step, i) => this.#renderStep(step, i),
          )}</ol>
          <span class="empty" ?hidden=${!empty}>${empty}</span>
        </div>
        <p class="numbers" id="numbers" aria-hidden="true">${this.#describe(this.active)}</p>
        <div class="foot">
          ${this.#renderButtons()}
          ${this.checked ? this.#renderVerdict() : nothing}
        </div>
      </div>
    `;
  }

  /**
   * @param {Step} step
   * @param {number} i
   */
  #renderStep(step, i) {
    const bits = -Math.log2(step.p);
    const end = step.id === this.eos;
    return html`
      <li class="step ${end ? 'end' : ''}" ${cssom({ '--heat': Math.min(1, bits / FULL).toFixed(3) })}>
        <button tabindex=${i === Math.max(0, this.active) || (this.active < 0 && i === 0) ? 0 : -1}
          aria-describedby=${this.active === i ? 'numbers' : nothing}
          data-id=${step.id} data-p=${String(step.p)}
          @pointerenter=${() => (this.active = i)} @focus=${() => (this.active = i)}
          @blur=${() => (this.active = -1)}
          @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onTokenKey(event, i)}>
          <span class="token">${end ? t('text.end') : visibleHtml(step)}</span>
          <span class="share">${percent(step.p)}</span>
        </button>
      </li>
    `;
  }

  #renderButtons() {
    const { ready, running, finished, steps } = this;
    const may = ready && !running && !finished;
    /** @param {string} command @param {boolean} enabled @param {string} kind */
    const button = (command, enabled, kind = '') => html`
      <button class=${kind} data-command=${command} aria-disabled=${!enabled}
        @click=${() => enabled && this.emit('logit-command', { command })}>
        ${t(`text.${command}`)}</button>`;
    return html`
      <div class="buttons">
        ${button('step', may, 'primary')}${button('run', may)}${button('stop', running)}
        ${button('reset', steps.length > 0)}
      </div>
    `;
  }

  #renderVerdict() {
    const { verdict } = this;
    if (!verdict)
      return html`<p class="verdict"><span class="label">${t('verdict.title')}</span>
        <span class="waiting">${t('verdict.waiting')}</span></p>`;
    const { right, code, values } = verdict;
    const [kind, title] = right ? ['yes', 'verdict.right'] : ['no', 'verdict.wrong'];
    const passed = ['syntax', 'tense', 'person'].map(
      (name) => html`<span class="yes">${t(`verdict.${name}.yes`)}</span>`,
    );
    return html`
      <p class="verdict" data-right=${right}>
        <b class=${kind}>${t(title)}</b>
        ${right ? passed : html`<span>${t(`verdict.${code}`, values)}</span>`}
      </p>
    `;
  }

  /** @param {number} i */
  #describe(i) {
    const step = this.steps[i];
    if (!step) {
      if (this.finished) return t(`text.finished.${this.finished}`, { n: this.limit });
      return this.steps.length > 0 ? t('text.hint') : '';
    }
    const params = {
      token: spoken(step, this.eos),
      p: percent(step.p),
      bits: fixed(-Math.log2(step.p), 2),
    };
    return t('text.token', { ...params, raw: percent(step.p_raw) });
  }

  /** @param {Event} event */
  #onType(event) {
    this.prompt = /** @type {HTMLTextAreaElement} */ (event.target).value;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.emit('logit-prompt', { prompt: this.prompt }), REST);
  }

  /** @param {string} prompt */
  #ask(prompt) {
    clearTimeout(this.#timer);
    this.prompt = prompt;
    this.emit('logit-prompt', { prompt });
  }

  /** Enter reads the prompt at once; a line break takes Shift. @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    this.#ask(this.prompt);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} i
   */
  #onTokenKey(event, i) {
    const last = this.steps.length - 1;
    const to = {
      ArrowRight: Math.min(last, i + 1),
      ArrowLeft: Math.max(0, i - 1),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    /** @type {NodeListOf<HTMLElement>} */ (this.renderRoot.querySelectorAll('.step button'))[
      to
    ].focus();
  }
}

/** A prompt is read as text: only line breaks and tabs need a mark in it. @param {string} text */
function tidy(text) {
  return text.replaceAll(' ', '\u00A0');
}

define('logit-text', LogitText);
