/**
 * <logit-text>: the prompt, the text drawn so far with its figures, its branches, and Step, Run,
 * Stop, Reset; where the model has a chat template also what is said to it. Asks with "logit-prompt",
 * "logit-chat", "logit-command" and "logit-option" ({ pace } or
 * { stopAtEnd }).
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { fixed, measure, number, percent, plain, t } from '../../locale/locale.js';
import { LogitElement, define, valueOf } from '../../base/element.js';
import { help } from '../../base/help.js';
import { Debounce } from '../../base/debounce.js';
import './tape.js';
import { term } from '../../base/term.js';
import { NumberInput } from '../../base/number-input.js';
import { field } from '../../state/fields.js';
import { readWhole } from '../../base/setting-words.js';
import tableStyles from '../../style/table.css';
import textStyles from './text.css';
import { spoken, spokenText, visibleHtml } from '../../base/visible.js';
import { renderFold } from '../distribution/distribution-table.js';

/**
 * @typedef {import('../../plots/trace.js').Step} Step
 * @typedef {import('../../engine/grammar.js').Verdict} Verdict
 */

/** How long typing rests before the prompt is read, in ms. */
const REST = 180;
const COLOURS = /** @type {const} */ (['after', 'before', 'none']);

const LIMIT = field('max_new_tokens');

/** What a model with a chat template needs, once it is there. @type {typeof import('./chat.js') | null} */
let chatPart = null;

export class LogitText extends LogitElement {
  static properties = {
    prompt: { attribute: false },
    draft: { state: true },
    chatty: { attribute: false },
    chat: { attribute: false },
    chatBefore: { attribute: false },
    chatDate: { attribute: false },
    promptThinks: { type: Boolean },
    contextLength: { attribute: false },
    fixed: { type: Boolean },
    pieces: { attribute: false },
    steps: { attribute: false },
    examples: { attribute: false },
    finished: { attribute: false },
    running: { type: Boolean },
    ready: { type: Boolean },
    fault: { attribute: false },
    verdict: { attribute: false },
    json: { attribute: false },
    checked: { type: Boolean },
    limit: { attribute: false },
    eos: { attribute: false },
    loop: { attribute: false },
    alternatives: { attribute: false },
    branches: { attribute: false },
    distinct: { attribute: false },
    marks: { attribute: false },
    sought: { attribute: false },
    pace: { attribute: false },
    paces: { attribute: false },
    stopAtEnd: { attribute: false },
    colour: { state: true },
    said: { state: true },
    unfolded: { state: true },
  };

  static styles = [...LogitElement.styles, tableStyles, textStyles];

  #debounce = new Debounce();
  #typedLimit = new NumberInput(
    this,
    (text) => readWhole(t('text.limit'), text, LIMIT.minimum ?? 1, LIMIT.maximum ?? Infinity),
    (max_new_tokens) =>
      max_new_tokens !== this.limit && this.emit('logit-option', { max_new_tokens }),
  );
  /** How many tokens there were when the run began. */
  #ranFrom = 0;

  constructor() {
    super();
    this.prompt = '';
    /** Whether the model has a chat template. */
    this.chatty = false;
    /** @type {import('../../state/text-bench.js').Said | null} What is said to it; null for a text. */
    this.chat = null;
    /** @type {import('../../state/text-bench.js').Said | null} What was said when there last was a chat. */
    this.chatBefore = null;
    /** The template's today. */
    this.chatDate = '';
    /** Whether the prompt ends where the model thinks. */
    this.promptThinks = false;
    /** How many tokens the model sees at most. */
    this.contextLength = 0;
    /** @type {string | null} What is being typed and has not been read yet. */
    this.draft = null;
    /** Whether prompt and tokens only show. */
    this.fixed = false;
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
    /** @type {string | null} The text that was to be JSON, once it has ended. */
    this.json = null;
    /** Whether a grammar judges finished texts. */
    this.checked = false;
    this.limit = LIMIT.initial;
    this.eos = -1;
    /** @type {import('../../engine/text-loops.js').Loop | null} */
    this.loop = null;
    /** @type {import('../../state/text-bench.js').Alternatives | null} */
    this.alternatives = null;
    /** @type {import('../../state/tree.js').Branch[]} */
    this.branches = [];
    /** @type {[number, number]} Type-token ratio and distinct-2. */
    this.distinct = [0, 0];
    /** @type {import('../../state/watermark.js').FoundWatermarks | null} What it bears of watermarks. */
    this.marks = null;
    /** Whether watermarks are looked for while none is on. */
    this.sought = false;
    /** The speed of a run, from 0 to below `paces`. */
    this.pace = 0;
    this.paces = 1;
    this.stopAtEnd = true;
    /** @type {typeof COLOURS[number]} */
    this.colour = 'after';
    this.said = '';
    /** Whether the table shows. */
    this.unfolded = false;
  }

  /** Whether there is a chat to show: a link may ask for one where the model has no template. */
  get #chats() {
    return this.chatty || this.chat !== null;
  }

  /** @param {Map<string, unknown>} changes */
  willUpdate(changes) {
    if (this.#chats && !chatPart)
      import('./chat.js').then((part) => {
        chatPart = part;
        this.requestUpdate();
      });
    if (this.marks) import('./watermark.js');
    const stepped = changes.has('steps');
    const earlier = /** @type {unknown[] | undefined} */ (changes.get('steps'));
    const before = stepped ? (earlier?.length ?? 0) : this.steps.length;
    if (changes.has('running') && this.running) this.#ranFrom = before;
    if (changes.get('running') && this.steps.length > this.#ranFrom) {
      this.said = this.#sayRun();
      return;
    }
    if (this.running || !stepped) return;
    const { loop } = this;
    const begins = loop && !changes.get('loop');
    if (this.steps.length > before)
      this.said = [this.#sayLast(), begins ? this.#sayLoop(loop) : '', this.#saySight(before)]
        .join(' ')
        .trim();
    else if (before > 0)
      this.said =
        this.steps.length > 0 ? t('text.went', { n: this.steps.length }) : t('text.cleared');
  }

  /** A run is heard as a whole once it ends: token by token it would be talked over. */
  #sayRun() {
    if (this.finished === 'eos') return this.#sayLast();
    const drawn = this.steps.slice(this.#ranFrom);
    const text = spokenText(drawn.map(({ text: part }) => part).join(''));
    return t('text.ran', { n: drawn.length, text });
  }

  /** Once, when the first token is too far back to be seen. @param {number} before */
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

  /** Which steps are thought. @type {boolean[]} */
  get thinking() {
    return (this.#chats && chatPart?.findThinking(this.steps, this.promptThinks)) || [];
  }

  render() {
    return html`
      <div class="top">
        <h2>${t('text.title')}</h2>
        ${help(t('text.title'), `${t('text.about')} ${t('text.legend')}`)}
        ${(this.#chats && chatPart?.renderModes(this)) || nothing}
        ${this.chat ? html`<span class="room"></span>` : this.#renderPrompt()}
        ${this.#renderButtons()}
      </div>
      ${this.chat ? html`<logit-chat .chat=${this.chat} .date=${this.chatDate} ?fixed=${this.fixed}></logit-chat>` : nothing}
      <p id="fault" class="error" role="alert">${this.fault}</p>
      ${this.#renderOutput()}
      ${this.#renderMore()}
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
        <button popovertarget="examples" data-command="examples">${t('text.examples')}</button>
        <div id="examples" class="examples" popover role="group" aria-label=${t('text.examples')} @toggle=${this.#placeExamples}>
          ${this.examples.map(
            (example) => html`
            <button lang="en" translate="no" aria-pressed=${example === shown}
              popovertarget="examples" popovertargetaction="hide"
              @click=${() => this.#ask(example)}>${example}</button>`,
          )}
        </div>
      </div>
    `;
  }

  #renderOutput() {
    return html`
      <div class="output">
        <logit-tape .pieces=${this.pieces} .steps=${this.steps} ?marked=${this.chat !== null} .thinking=${this.thinking} .green=${this.marks?.green} .finished=${this.finished}
          ?ready=${this.ready} .contextLength=${this.contextLength} .limit=${this.limit} .eos=${this.eos} .colour=${this.colour}
          .loop=${this.loop} .looping=${this.loop ? this.#sayLoop(this.loop) : ''}
          .alternatives=${this.alternatives} ?fixed=${this.fixed}></logit-tape>
        ${this.marks ? html`<logit-watermark .found=${this.marks.found}></logit-watermark>` : nothing}
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
      <details class="more">
        <summary>${t('text.more')}</summary>
        <div class="shelf">
          <logit-branches .branches=${this.branches} .eos=${this.eos}></logit-branches>
          <div>${this.#renderMeasures()}${this.#renderOptions()}</div>
        </div>
        ${this.#renderTable()}
      </details>
    `;
  }

  #renderTable() {
    const { steps, unfolded } = this;
    const fold = {
      open: unfolded,
      onToggle: (/** @type {boolean} */ open) => (this.unfolded = open),
    };
    const heads = [
      'distribution.rank',
      'distribution.token',
      'distribution.before.long',
      'distribution.after.long',
      'text.bits',
    ];
    const thought = (/** @type {number} */ i) =>
      this.thinking[i] ? html` <span class="label">${t('text.thought')}</span>` : nothing;
    /** @param {Step} step @param {number} i */
    const row = (step, i) => html`<tr>
      <td>${number(step.rank)}</td>
      <th scope="row" class="token" translate="no">${step.id === this.eos ? `‹${t('text.end')}›` : visibleHtml(step)}${thought(i)}</th>
      <td>${percent(step.p_raw)}</td><td>${percent(step.p)}</td>
      <td>${figureOf(-Math.log2(step.p))}</td></tr>`;
    return renderFold(
      fold,
      t('text.table'),
      heads.map((head) => t(head)),
      () => steps.map(row),
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
    const text = cycle.map((step) => (step.id === this.eos ? ` ‹${t('text.end')}›` : step.text));
    return t('text.loop', { text: spokenText(text.join('')), n: loop.times, at: loop.start + 1 });
  }

  /** Figures of the drawn text. */
  #renderMeasures() {
    const { steps, distinct } = this;
    /** @param {string} key @param {unknown} value @param {string} note */
    const figure = (key, value, note) => html`
      <div data-measure=${key}><dt class="label">${term(key, t(`measure.${key}`))}</dt>
        <dd translate="no">${value}</dd><dd class="note">${t(note)}</dd></div>`;
    const surprisal = { raw: meanSurprisal(steps, 'p_raw'), final: meanSurprisal(steps, 'p') };
    /** @param {(bits: number) => number} of */
    const change = (of) =>
      steps.length === 0
        ? '–'
        : html`<span class="from">${figureOf(of(surprisal.raw))} →</span>
          ${figureOf(of(surprisal.final))}`;
    return html`
      <dl class="measures">
        ${figure('ttr', steps.length > 0 ? fixed(distinct[0], 2) : '–', 'measure.ttr.note')}
        ${figure('distinct', steps.length > 1 ? fixed(distinct[1], 2) : '–', 'measure.distinct.note')}
        ${figure(
          'surprisal',
          change((bits) => bits),
          'measure.note',
        )}
        ${figure(
          'perplexity',
          change((bits) => 2 ** bits),
          'measure.note',
        )}
      </dl>
    `;
  }

  #renderOptions() {
    const { error, text } = this.#typedLimit;
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
          @change=${(/** @type {Event} */ event) =>
            this.emit('logit-option', {
              stopAtEnd: /** @type {HTMLInputElement} */ (event.target).checked,
            })}>${t('text.stop-at-end')}</label>
        <label class="label"><input type="checkbox" id="seek" .checked=${live(this.sought)}
          @change=${(/** @type {Event} */ event) =>
            this.emit('logit-option', {
              sought: /** @type {HTMLInputElement} */ (event.target).checked,
            })}>${t('text.seek')}</label>
        <p id="limit-error" class="error" role="alert">${error && t('error.kept', { sentence: error, kept: plain(this.limit) })}</p>
      </div>
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
    // Run and Stop are one button, which keeps the focus.
    return html`
      <div class="buttons">
        ${button('step', may, 'primary')}${button(running ? 'stop' : 'run', running || may)}
        ${button('reset', steps.length > 0)}
      </div>
    `;
  }

  /** Under their button, inside the window. */
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
    this.#debounce.schedule(REST, () => this.#ask(draft));
  }

  /** @param {string} prompt */
  #ask(prompt) {
    this.#debounce.cancel();
    this.draft = null;
    this.prompt = prompt;
    this.emit('logit-prompt', { prompt });
  }

  /** Enter reads the prompt at once; a line break takes Shift. @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    this.#ask(this.draft ?? this.prompt);
  }
}

/**
 * The mean surprisal of the drawn tokens in bits, by one of their two probabilities.
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
