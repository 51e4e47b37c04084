/**
 * <logit-text>: the prompt or chat, the drawn text with its numbers and branches, and the buttons Step, Run, Stop and
 * Reset. Emits "logit-prompt", "logit-chat", "logit-command" and "logit-option".
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { fixed, measure, number, percent, plain, t } from '../../locale/locale.js';
import { LogitElement, define, elementWith, valueOf } from '../../base/element.js';
import { Debounce } from '../../base/debounce.js';
import './tape.js';
import { term } from '../../base/term.js';
import { NumberInput } from '../../base/number-input.js';
import { field } from '../../state/fields.js';
import { keptWords, readWhole } from '../../base/setting-words.js';
import tableStyles from '../../style/table.css';
import textStyles from './text.css';
import { joinTexts, namedHtml, spoken, spokenText } from '../../base/visible.js';
import { renderFold } from '../distribution/distribution-table.js';

/**
 * @typedef {import('../../plots/trace.js').Step} Step
 * @typedef {import('../../engine/grammar.js').Verdict} Verdict
 */

/** The model reads the prompt after the user has not typed for this time, in ms. */
const REST = 180;
const COLOURS = /** @type {const} */ (['after', 'before', 'none']);

const LIMIT = field('max_new_tokens');

/** The module for models with a chat template; null until it is fetched. @type {typeof import('./chat.js') | null} */
let chatPart = null;

export class LogitText extends elementWith(LogitElement, () => ({
  prompt: '',
  /** True if the model has a chat template. */
  chatty: false,
  /** The chat; null if the prompt is a plain text. @type {import('../../state/prompt.js').Chat | null} */
  chat: null,
  /**
   * The last chat, if the user has switched to a plain text; null if none.
   * @type {import('../../state/prompt.js').Chat | null}
   */
  chatBefore: null,
  /** The date that the template takes for today's. */
  chatDate: '',
  /** The settings of the text and of its thinking. @type {import('./chat.js').Parts | null} */
  parts: null,
  /** True if the prompt ends inside the model's thinking. */
  promptThinks: false,
  contextLength: 0,
  /** A prompt that the model has not read yet; null if none. @type {string | null} */
  draft: null,
  fixed: false,
  /** @type {{ id: number, text: string, special: boolean }[]} */
  pieces: [],
  /** @type {Step[]} */
  steps: [],
  /** @type {string[]} */
  examples: [],
  /** True to offer the settings of other programs, if the chain has no room for the button. */
  imports: false,
  /** @type {string | null} */
  finished: null,
  running: false,
  ready: false,
  /** The reason, as a sentence, if the prompt was not read; else ''. */
  fault: '',
  /** @type {Verdict | null} */
  verdict: null,
  /** The text if a constraint to JSON is on and the text is complete; else null. @type {string | null} */
  json: null,
  /** True if a grammar judges complete texts. */
  checked: false,
  limit: LIMIT.initial,
  eos: -1,
  /** @type {import('../../engine/text-loops.js').Loop | null} */
  loop: null,
  /** @type {import('../../state/findings.js').LoopAnswer | null} */
  loopBreaks: null,
  /** @type {import('../../state/alternatives.js').TokenAlternatives | null} */
  alternatives: null,
  /** @type {import('../../state/tree.js').Branch[]} */
  branches: [],
  /** Type-token ratio and distinct-2 of the text, 0 to 1. @type {[number, number]} */
  distinct: [0, 0],
  /** @type {import('../../state/watermark.js').FoundWatermarks | null} */
  watermarks: null,
  /** True to look for watermarks although no watermark is on. */
  sought: false,
  /** Speed of a run: an index below `paces`. */
  pace: 0,
  paces: 1,
  stopAtEnd: true,
  /** @type {typeof COLOURS[number]} */
  colour: 'after',
  said: '',
  unfolded: false,
  /**
   * True if the drawn text and the buttons come last, so that the buttons can stick to the edge of a small window.
   */
  stacked: false,
  /** True if the numbers and options are unfolded. */
  opened: false,
  /** True if a fold of the chat is open, so that the panel has no room to stick. */
  tall: false,
})) {
  static properties = {
    promptThinks: { type: Boolean },
    fixed: { type: Boolean },
    running: { type: Boolean },
    ready: { type: Boolean },
    checked: { type: Boolean },
    stacked: { type: Boolean, reflect: true },
    opened: { type: Boolean, reflect: true },
    tall: { type: Boolean, reflect: true },
  };

  static styles = [...LogitElement.styles, tableStyles, textStyles];

  #debounce = new Debounce();
  #typedLimit = new NumberInput(
    this,
    (text) => readWhole(t('text.limit'), text, LIMIT.minimum ?? 1, LIMIT.maximum ?? Infinity),
    (max_new_tokens) =>
      max_new_tokens !== this.limit && this.emit('logit-option', { max_new_tokens }),
    () => this.limit,
  );
  /** Number of drawn tokens when the run began. */
  #ranFrom = 0;

  /** True to show a chat. A link can have a chat although the model has no template. */
  get #showsChat() {
    return this.chatty || this.chat !== null;
  }

  /** @param {Map<string, unknown>} changes */
  willUpdate(changes) {
    this.tall &&= this.chat !== null;
    if (this.#showsChat && !chatPart)
      import('./chat.js').then((part) => {
        chatPart = part;
        this.requestUpdate();
      });
    if (this.watermarks) import('./watermark.js');
    if (this.loop) import('./loop-breaks.js');
    const stepped = changes.has('steps');
    const earlier = /** @type {unknown[] | undefined} */ (changes.get('steps'));
    const before = stepped ? (earlier?.length ?? 0) : this.steps.length;
    if (changes.has('running') && this.running) this.#ranFrom = before;
    if (changes.get('running') && this.steps.length > this.#ranFrom) this.said = this.#sayRun();
    else if (stepped && !this.running) this.#sayStep(before, !changes.get('loop'));
  }

  /** @param {number} before the previous number of tokens @param {boolean} fresh true if a loop is new */
  #sayStep(before, fresh) {
    const { loop, steps } = this;
    if (steps.length > before) {
      const looping = loop && fresh ? this.#sayLoop(loop) : '';
      this.said = [this.#sayLast(), looping, this.#saySight(before)].join(' ').trim();
    } else if (before > 0)
      this.said = steps.length > 0 ? t('text.went', { n: steps.length }) : t('text.cleared');
  }

  /** Speaks the tokens of a run after its end; a screen reader would not finish single tokens. */
  #sayRun() {
    if (this.finished === 'eos') return this.#sayLast();
    const drawn = this.steps.slice(this.#ranFrom);
    const text = spokenText(drawn.map(({ text: part }) => part).join(''));
    return t('text.ran', { n: drawn.length, text });
  }

  /** Returns the sentence that the model no longer reads the first token, once; '' otherwise. @param {number} before */
  #saySight(before) {
    const room = this.contextLength - this.pieces.length;
    const passed = before <= room && this.steps.length > room;
    return this.contextLength > 0 && passed ? t('text.sight', { n: this.contextLength }) : '';
  }

  #sayLast() {
    const last = this.steps[this.steps.length - 1];
    const drew = t('text.drew', { token: spoken(last, this.eos), p: percent(last.p) });
    if (this.finished !== 'eos') return drew;
    const text = [...this.pieces, ...this.steps]
      .map((piece) => (piece.special || piece.id === this.eos ? '' : piece.text))
      .join('');
    return `${drew} ${t('text.ended', { text: text.trim() })}`;
  }

  /** For each step, true if its token belongs to the model's thinking. @type {boolean[]} */
  get thinking() {
    return (this.#showsChat && chatPart?.findThinking(this.steps, this.promptThinks)) || [];
  }

  render() {
    const { stacked } = this;
    const more = this.#renderMore();
    return html`
      <div class="top">
        <h2 class="visually-hidden">${t('text.title')}</h2>
        ${(this.#showsChat && chatPart?.renderModes(this)) || nothing}
        ${this.chat ? html`<span class="room"></span>` : this.#renderPrompt()}
        ${stacked ? [this.#renderReset(), more] : this.#renderButtons()}
      </div>
      ${this.chat ? html`<logit-chat .chat=${this.chat} .date=${this.chatDate} .parts=${this.parts} ?fixed=${this.fixed} @logit-fold=${(/** @type {CustomEvent} */ { detail }) => (this.tall = detail.open)}></logit-chat>` : nothing}
      <p id="fault" class="error" role="alert">${this.fault}</p>
      <div class="bar">
        ${this.#renderOutput()}
        ${stacked ? this.#renderButtons() : nothing}
      </div>
      ${stacked ? nothing : more}
      <p class="visually-hidden" aria-live="polite">${this.said}</p>
    `;
  }

  #renderPrompt() {
    const shown = this.draft ?? this.prompt;
    return html`
      <textarea id="prompt" aria-label=${t('text.prompt')} ?readonly=${this.fixed} rows="1" spellcheck="false" autocomplete="off" autocapitalize="off"
          aria-invalid=${this.fault ? 'true' : 'false'} aria-describedby="fault"
          .value=${live(shown)} @input=${this.#onType} @keydown=${this.#onKey}></textarea>
      <div ?hidden=${this.fixed}>
        <button class="quiet" popovertarget="examples" data-command="examples">${t('text.examples')}</button>
        <div id="examples" class="examples" popover role="group" aria-label=${t('text.examples')} @toggle=${this.#placeExamples}>
          ${this.examples.map(
            (example) => html`
            <button lang="en" translate="no" aria-pressed=${example === shown}
              popovertarget="examples" popovertargetaction="hide"
              @click=${() => this.#emitPrompt(example)}>${example.replaceAll('\n', '↵')}</button>`,
          )}
        </div>
        ${
          this.imports
            ? html`<button class="quiet" data-command="programs" aria-label=${t('chain.programs')} @click=${() => this.emit('logit-programs')}>${t('chain.programs.short')}</button>`
            : nothing
        }
      </div>
    `;
  }

  #renderOutput() {
    return html`
      <div class="output">
        <logit-tape .pieces=${this.pieces} .steps=${this.steps} ?marked=${this.chat !== null} .thinking=${this.thinking} .green=${this.watermarks?.green} .finished=${this.finished}
          ?ready=${this.ready} .contextLength=${this.contextLength} .limit=${this.limit} .eos=${this.eos} .colour=${this.colour}
          .loop=${this.loop} .looping=${this.loop ? this.#sayLoop(this.loop) : ''}
          .alternatives=${this.alternatives} ?fixed=${this.fixed}></logit-tape>
        ${
          this.loop
            ? html`<logit-loop-breaks .answer=${this.loopBreaks} .eos=${this.eos} ?fixed=${this.fixed}></logit-loop-breaks>`
            : nothing
        }
        ${this.watermarks ? html`<logit-watermark .found=${this.watermarks.found}></logit-watermark>` : nothing}
        ${
          this.json !== null || this.checked
            ? html`<logit-verdict .verdict=${this.verdict} .json=${this.json}></logit-verdict>`
            : nothing
        }
      </div>
    `;
  }

  #renderMore() {
    return html`
      <details class="more" ?open=${this.opened} @toggle=${this.#onMore}>
        <summary>${t('text.more')}</summary>
        <p class="about">${t('text.about')} ${t('text.legend')}</p>
        <div class="shelf">
          <logit-branches .branches=${this.branches} .eos=${this.eos}></logit-branches>
          <div>${this.#renderMeasures()}${this.#renderOptions()}</div>
        </div>
        ${this.#renderTable()}
      </details>
    `;
  }

  /** @param {Event} event */
  #onMore({ target, currentTarget }) {
    // The event may come from the table inside, which can be folded too.
    if (target === currentTarget) this.opened = /** @type {HTMLDetailsElement} */ (target).open;
  }

  #renderTable() {
    const onToggle = (/** @type {boolean} */ open) => (this.unfolded = open);
    const fold = { open: this.unfolded, onToggle };
    const heads = ['rank', 'token', 'before.long', 'after.long'].map((it) => `distribution.${it}`);
    const thought = (/** @type {number} */ i) =>
      this.thinking[i] ? html` <span class="label">${t('text.thought')}</span>` : nothing;
    /** @param {Step} step @param {number} i */
    const row = (step, i) => html`<tr>
      <td>${number(step.rank)}</td>
      <th scope="row" class="token" translate="no">${namedHtml(step, this.eos)}${thought(i)}</th>
      <td>${percent(step.p_raw)}</td><td>${percent(step.p)}</td>
      <td>${figureOf(-Math.log2(step.p))}</td></tr>`;
    return renderFold(
      fold,
      t('text.table'),
      [...heads, 'text.bits'].map((head) => t(head)),
      () => this.steps.map(row),
    );
  }

  #renderSpeed() {
    return html`
      <label class="speed label">${t('text.speed')}
        <input type="range" min="0" max=${this.paces - 1} step="1" .value=${live(String(this.pace))}
          aria-valuetext=${t(`text.speed.${this.pace}`)}
          @input=${(/** @type {Event} */ event) => this.emit('logit-option', { pace: Number(valueOf(event)) })}>
      </label>`;
  }

  /** @param {import('../../engine/text-loops.js').Loop} loop */
  #sayLoop(loop) {
    const { steps } = this;
    const cycle = steps.slice(loop.start, loop.start + loop.period);
    return t('text.loop', {
      text: spokenText(joinTexts(cycle, this.eos)),
      n: loop.times,
      at: loop.start + 1,
    });
  }

  #renderMeasures() {
    const { steps, distinct } = this;
    /** @param {string} key @param {unknown} value @param {string} note */
    const figure = (key, value, note) => html`
      <div data-measure=${key}><dt class="label">${term(key, t(`measure.${key}`))}</dt>
        <dd translate="no">${value}</dd><dd class="note">${t(note)}</dd></div>`;
    const bits = { raw: meanSurprisal(steps, 'p_raw'), final: meanSurprisal(steps, 'p') };
    /** @param {number} raw @param {number} final */
    const change = (raw, final) =>
      steps.length === 0
        ? '–'
        : html`<span class="from">${figureOf(raw)} →</span> ${figureOf(final)}`;
    return html`
      <dl class="measures">
        ${figure('ttr', steps.length > 0 ? fixed(distinct[0], 2) : '–', 'measure.ttr.note')}
        ${figure('distinct', steps.length > 1 ? fixed(distinct[1], 2) : '–', 'measure.distinct.note')}
        ${figure('surprisal', change(bits.raw, bits.final), 'measure.note')}
        ${figure('perplexity', change(2 ** bits.raw, 2 ** bits.final), 'measure.note')}
      </dl>
    `;
  }

  #renderOptions() {
    const { error, text } = this.#typedLimit;
    const check =
      (/** @type {string} */ option) =>
      (/** @type {Event} */ { target }) =>
        this.emit('logit-option', { [option]: /** @type {HTMLInputElement} */ (target).checked });
    return html`
      <div class="options">
        ${this.#renderSpeed()}
        <label class="label">${t('text.colour')}
          <select @change=${(/** @type {Event} */ event) => (this.colour = /** @type {any} */ (valueOf(event)))}>
            ${COLOURS.map(
              (name) => html`<option value=${name} ?selected=${name === this.colour}>
              ${t(`text.colour.${name}`)}</option>`,
            )}
          </select></label>
        <label class="label">${t('text.limit')}
          <input id="limit" type="text" inputmode="numeric" autocomplete="off" ?readonly=${this.fixed}
            aria-invalid=${error ? 'true' : 'false'} aria-describedby="limit-error" .value=${live(text ?? plain(this.limit))}
            @input=${this.#typedLimit.onInput} @change=${this.#typedLimit.onChange}></label>
        <label class="label"><input type="checkbox" id="stop-at-end" ?disabled=${this.fixed} .checked=${live(this.stopAtEnd)}
          @change=${check('stopAtEnd')}>${t('text.stop-at-end')}</label>
        <label class="label"><input type="checkbox" id="seek" .checked=${live(this.sought)}
          @change=${check('sought')}>${t('text.seek')}</label>
        <p id="limit-error" class="error" role="alert">${keptWords(error, this.limit)}</p>
      </div>
    `;
  }

  /** @param {string} command @param {boolean} enabled @param {string} [kind] */
  #renderButton(command, enabled, kind = 'quiet') {
    return html`
      <button class=${kind} data-command=${command} aria-disabled=${!enabled}
        @click=${() => enabled && this.emit('logit-command', { command })}>
        ${t(`text.${command}`)}</button>`;
  }

  #renderReset() {
    return this.#renderButton('reset', this.steps.length > 0);
  }

  #renderButtons() {
    const { ready, running, finished, stacked } = this;
    const may = ready && !running && !finished;
    const step = this.#renderButton('step', may, 'primary');
    // Run and Stop are the same button, so that the focus stays on it.
    const run = this.#renderButton(running ? 'stop' : 'run', running || may);
    return html`<div class="buttons">${stacked ? [step, run] : [this.#renderReset(), run, step]}</div>`;
  }

  /** Finds a place for the examples below their button and inside the window. */
  #placeExamples() {
    const button = /** @type {HTMLElement} */ (this.renderRoot.querySelector('[popovertarget]'));
    const menu = /** @type {HTMLElement} */ (this.renderRoot.querySelector('#examples'));
    const { left, bottom } = button.getBoundingClientRect();
    menu.style.left = `${Math.max(8, Math.min(left, innerWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${bottom + 6}px`;
  }

  /** @param {Event} event */
  #onType(event) {
    const draft = /** @type {HTMLTextAreaElement} */ (event.target).value;
    this.draft = draft;
    this.#debounce.schedule(REST, () => this.#emitPrompt(draft));
  }

  /** @param {string} prompt */
  #emitPrompt(prompt) {
    this.#debounce.cancel();
    this.draft = null;
    this.prompt = prompt;
    this.emit('logit-prompt', { prompt });
  }

  /** Enter reads the prompt at once; Shift+Enter adds a line break. @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    this.#emitPrompt(this.draft ?? this.prompt);
  }
}

/**
 * Returns the mean surprisal of the drawn tokens in bits, before or after the chain.
 * @param {Step[]} steps
 * @param {'p' | 'p_raw'} by
 */
function meanSurprisal(steps, by) {
  return steps.reduce((sum, step) => sum - Math.log2(step[by]), 0) / steps.length;
}

/** @param {number} value */
function figureOf(value) {
  return Number.isFinite(value) ? measure(value + 0) : '∞';
}

define('logit-text', LogitText);
