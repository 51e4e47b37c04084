/**
 * <logit-scope>: the whole instrument. It owns the state, passes plain properties down to the
 * panels and takes their requests; outside it announces logit-ready, logit-change, logit-step and
 * logit-error.
 */
import { css, html, nothing } from 'lit';
import { presets, strategies } from '../engine/presets.js';
import { fixed, number, t } from '../locale/locale.js';
import './chain.js';
import { define } from './define.js';
import './distribution.js';
import './draw.js';
import { LogitElement } from './element.js';
import './glance.js';
import { Instrument, PACES } from './instrument.js';
import { recall, remember } from './memory.js';
import { MODELS } from './models.js';
import { TERMS } from './term.js';
import './text.js';
import { VIEWS } from './views.js';

/** @typedef {import('./instrument.js').Fault} Fault */

export class LogitScope extends LogitElement {
  static properties = {
    model: {},
    grammar: {},
    prompt: {},
    view: { reflect: true },
    guide: { type: Boolean },
    guiding: { state: true },
  };

  static styles = [
    ...LogitElement.styles,
    css`
      .bench {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.75rem;
      }

      [role='tablist'] {
        display: flex;
        gap: 0.25rem;
        margin: 0 0 0.75rem;
        border-bottom: 1px solid var(--line);
      }

      [role='tab'] {
        min-height: 2.5rem;
        padding: 0 clamp(0.25rem, 1.6vw, 0.875rem);
        border: 0;
        border-bottom: 0.1875rem solid transparent;
        border-radius: 0;
        background: none;
        color: var(--soft);
        font-size: clamp(0.78rem, 3.6vw, 0.875rem);
        font-weight: 550;
      }

      [role='tab'][aria-selected='true'] {
        border-bottom-color: var(--trace);
        color: var(--ink);
      }

      [role='tab']:focus-visible {
        outline-offset: -2px;
      }

      .panel {
        padding: 1rem clamp(0.75rem, 1.2vw, 1.5rem) 1.125rem;
        border: 1px solid var(--line);
        border-radius: 0.625rem;
        background: var(--panel);
      }

      @media (min-width: 64rem) {
        .bench {
          grid-template-columns: minmax(0, 1fr) minmax(23rem, 27rem);
          gap: 1rem;
        }
      }

      @media (min-width: 105rem) {
        .bench {
          grid-template: auto 1fr / minmax(26rem, 1fr) minmax(0, 1.6fr) minmax(24rem, 30rem);
        }

        .distribution {
          grid-area: 1 / 2 / span 2;
        }

        .chain {
          grid-area: 1 / 3 / span 2;
        }
      }

      [data-guided] {
        outline: 0.1875rem solid var(--trace);
        outline-offset: 0.125rem;
        scroll-margin: 9rem 1rem 1rem;
      }

      .notice {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.75rem 1.25rem;
        min-height: 20rem;
        justify-content: center;
      }

      progress {
        width: min(20rem, 60vw);
        height: 0.5rem;
        accent-color: var(--trace);
      }

      .pending {
        min-height: 34rem;
      }

      .trouble {
        grid-column: 1 / -1;
      }

      footer {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
        gap: 0.75rem 3rem;
        margin-top: 1.5rem;
        color: var(--soft);
        font-size: 0.8125rem;
      }

      footer p {
        max-width: 72ch;
      }

      footer dl {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem 1.5rem;
        margin: 0;
      }

      footer div div {
        display: flex;
        gap: 0.375rem;
      }

      .plain {
        min-height: 0;
        margin-top: 0.375rem;
        padding: 0.125rem 0;
        border: 0;
        background: none;
        color: var(--trace);
        font-size: 0.8125rem;
        text-decoration: underline;
        text-underline-offset: 0.2em;
      }

      .glossary {
        grid-column: 1 / -1;
      }

      .glossary dl {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr));
        gap: 0.75rem 3rem;
        padding: 0.5rem 0;
      }

      .glossary dl div {
        display: block;
      }

      .glossary dt {
        color: var(--ink);
        font-weight: 600;
      }

      .glossary dd {
        color: var(--soft);
      }

      dd {
        margin: 0;
        color: var(--ink);
      }
    `,
  ];

  #instrument = new Instrument();

  constructor() {
    super();
    this.model = '';
    this.grammar = '';
    this.prompt = '';
    this.view = 'bench';
    /** Whether a first visit begins with a look around. */
    this.guide = false;
    this.guiding = false;
    const instrument = this.#instrument;
    instrument.addEventListener('update', () => this.requestUpdate());
    instrument.addEventListener('ready', () => this.emit('logit-ready', { info: instrument.info }));
    instrument.addEventListener('change', () => this.emit('logit-change', this.state));
    instrument.addEventListener('step', (event) =>
      this.emit('logit-step', /** @type {CustomEvent} */ (event).detail),
    );
    instrument.addEventListener('fault', (event) =>
      this.emit('logit-error', /** @type {CustomEvent} */ (event).detail),
    );
  }

  /** Prompt, settings and seed, as one plain object. */
  get state() {
    const { prompt, asked } = this.#instrument;
    const { seed, ...settings } = asked;
    return { prompt, settings, seed };
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.model && this.#instrument.status === 'idle') this.#load();
    if (this.guide && recall('logitscope-guide') === null) this.#showGuide();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#instrument.close();
  }

  get #examples() {
    return (MODELS.find(({ model }) => model === this.model) ?? MODELS[0]).examples;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('view')) return;
    const view = VIEWS.find(({ name }) => name === this.view);
    if (!view) this.view = 'bench';
    else view.load?.();
  }

  async #showGuide() {
    await import('./guide.js');
    this.view = 'bench';
    this.guiding = true;
  }

  #endGuide() {
    this.guiding = false;
    remember('logitscope-guide', 'seen');
  }

  #load() {
    const { model, grammar } = this;
    const prompt = this.prompt || this.#examples[0];
    return this.#instrument.load({ model, grammar, prompt, settings: numbers(presets.balanced) });
  }

  render() {
    const { status } = this.#instrument;
    return html`
      ${this.#renderTabs()}
      ${
        this.guiding && status === 'ready'
          ? html`<logit-guide .root=${this.renderRoot} @logit-guide-end=${this.#endGuide}></logit-guide>`
          : nothing
      }
      ${status === 'ready' ? this.#renderView() : this.#renderNotice()}
      ${this.#renderFooter()}
    `;
  }

  #renderTabs() {
    return html`
      <div role="tablist" aria-label=${t('view.label')} @keydown=${this.#onTabKey}>
        ${VIEWS.map(
          ({ name }) => html`
          <button role="tab" id="tab-${name}" aria-controls="view" data-view=${name}
            aria-selected=${name === this.view} tabindex=${name === this.view ? 0 : -1}
            @click=${() => (this.view = name)}>${t(`view.${name}`)}</button>`,
        )}
      </div>`;
  }

  #renderView() {
    const view = VIEWS.find(({ name }) => name === this.view);
    return html`
      <div id="view" role="tabpanel" aria-labelledby="tab-${this.view}" @logit-adopt=${this.#onAdopt}>
        <div ?hidden=${this.view !== 'bench'}>${this.#renderBench()}</div>
        ${view?.render?.(this.#instrument)}
      </div>`;
  }

  #renderNotice() {
    const { status, fault, progress } = this.#instrument;
    if (status === 'failed') {
      return html`
        <div class="panel notice" role="alert">
          <p>${t('load.failed', { reason: fault?.message ?? '' })}</p>
          <button class="primary" @click=${() => this.#load()}>${t('load.retry')}</button>
        </div>`;
    }
    const sizes = progress?.total
      ? { done: megabytes(progress.loaded), total: megabytes(progress.total) }
      : null;
    const done = progress?.total ? progress.loaded / progress.total : 0;
    return html`
      <div class="panel notice pending" role="status">
        <label for="progress">${sizes ? t('load.progress', sizes) : t('load.working')}</label>
        <progress id="progress" max="1" .value=${done}></progress>
      </div>`;
  }

  #renderBench() {
    const it = this.#instrument;
    const eos = it.info?.eos_token_id ?? -1;
    const hit = it.drawn?.id ?? null;
    const trouble = this.#sentence(it.fault);
    return html`
      <div class="bench" @logit-set=${this.#onSet} @logit-preset=${this.#onPreset}
        @logit-seed=${this.#onSeed} @logit-prompt=${this.#onPrompt} @logit-command=${this.#onCommand}
        @logit-view=${this.#onView} @logit-bias=${this.#onBias} @logit-force=${this.#onForce}
        @logit-constraint=${this.#onConstraint}
        @logit-order=${this.#onOrder} @logit-draw=${this.#onDraw}
        @logit-alternatives=${this.#onAlternatives} @logit-branch=${this.#onBranch}
        @logit-rewind=${this.#onRewind} @logit-walk=${this.#onWalk} @logit-option=${this.#onOption}>
        <logit-text class="panel text" .prompt=${it.prompt} .pieces=${it.promptPieces}
          .steps=${it.steps} .examples=${this.#examples} .finished=${it.finished} .running=${it.running}
          .ready=${it.drawn !== null} .fault=${this.#sentence(it.promptFault)}
          .verdict=${it.verdict} .checked=${it.grammar !== null} .eos=${eos} .limit=${it.limit}
          .loop=${it.loop} .alternatives=${it.alternatives} .branches=${it.branches}
          .distinct=${it.distinct} .pace=${it.pace} .paces=${PACES.length}
          .stopAtEnd=${it.stopAtEnd}></logit-text>
        <logit-draw class="panel draw" ?still=${it.direct} .trace=${it.trace} .drawn=${it.drawn}
          .seed=${it.seed} .count=${it.drawStep + 1} .finished=${it.finished} .eos=${eos}
          .method=${it.method} .whatIf=${it.whatIf} .tally=${it.tally}></logit-draw>
        ${it.fault ? html`<p class="panel trouble error" role="alert">${trouble}</p>` : nothing}
        <logit-distribution class="panel distribution" ?still=${it.direct} .trace=${it.trace}
          .hit=${hit} .eos=${eos} .view=${it.view} .curves=${it.curves}
          .biases=${it.biases} .tally=${it.tally}></logit-distribution>
        <logit-chain class="panel chain" .table=${it.table} .settings=${it.settings}
          .trace=${it.trace} .presets=${PRESETS} .strategies=${STRATEGIES}
          .order=${it.order} .difference=${it.difference} .eos=${eos}
          .constraint=${it.constraint} .fault=${it.constraint ? this.#sentence(it.fault) : ''}></logit-chain>
        <logit-glance knobs="logit-chain" chart="logit-distribution" .trace=${it.trace}
          .hit=${hit} .eos=${eos}></logit-glance>
      </div>
    `;
  }

  #renderFooter() {
    const { info } = this.#instrument;
    /** @param {string} name @param {string} value */
    const fact = (name, value) => html`<div><dt>${t(name)}</dt><dd>${value}</dd></div>`;
    return html`
      <footer>
        <div>
          <p>${t('foot.numbers')} ${t('foot.private')}</p>
          <button class="plain" data-guide="show" @click=${this.#showGuide}>${t('guide.show')}</button>
        </div>
        <dl>
          ${
            !info
              ? nothing
              : html`
            ${fact('foot.model', `${info.name} (${info.architecture})`)}
            ${fact('foot.parameters', number(info.parameters))}
            ${fact('foot.vocabulary', t('foot.tokens', { n: info.vocab_size }))}
            ${fact('foot.context', t('foot.tokens', { n: info.context_length }))}
            ${fact('foot.layers', number(info.n_layer))}
            ${fact('foot.engine', `WebAssembly, ${info.variant}`)}`
          }
        </dl>
        <details class="glossary">
          <summary>${t('term.title')}</summary>
          <dl>${TERMS.map(
            (name) => html`<div><dt>${t(`term.${name}`)}</dt><dd>${t(`term.${name}.about`)}</dd></div>`,
          )}</dl>
        </details>
      </footer>
    `;
  }

  /** @param {KeyboardEvent} event */
  #onTabKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = VIEWS.findIndex(({ name }) => name === this.view);
    this.view = VIEWS[(at + step + VIEWS.length) % VIEWS.length].name;
    const tab = this.renderRoot.querySelector(`[data-view=${this.view}]`);
    /** @type {HTMLElement | null} */ (tab)?.focus();
  }

  /**
   * A view hands its prompt and settings to the bench.
   * @param {CustomEvent} event
   */
  #onAdopt({ detail }) {
    const it = this.#instrument;
    if (detail.settings) it.usePreset(numbers(detail.settings));
    if (detail.seed !== undefined) it.setSeed(detail.seed);
    if (detail.prompt) it.setPrompt(detail.prompt);
    this.view = 'bench';
  }

  /** @param {CustomEvent} event */
  #onSet({ detail }) {
    this.#instrument.set(detail);
  }

  /** @param {CustomEvent} event */
  #onPreset({ detail }) {
    this.#instrument.usePreset(detail.settings);
  }

  /** @param {CustomEvent} event */
  #onSeed({ detail }) {
    this.#instrument.setSeed(detail.seed);
  }

  /** @param {CustomEvent} event */
  #onConstraint({ detail }) {
    this.#instrument.setConstraint(detail.constraint);
  }

  /** @param {CustomEvent} event */
  #onOrder({ detail }) {
    this.#instrument.setOrder(detail.order);
  }

  /** @param {CustomEvent} event */
  #onDraw({ detail }) {
    const it = this.#instrument;
    if (detail.method) it.setMethod(detail.method);
    else if (detail.draws) it.drawMany(detail.draws);
    else it.setWhatIf(detail.u);
  }

  /** @param {CustomEvent} event */
  #onAlternatives({ detail }) {
    this.#instrument.findAlternatives(detail.index);
  }

  /** @param {CustomEvent} event */
  #onBranch({ detail }) {
    this.#instrument.branch(detail.index, detail.id);
  }

  /** @param {CustomEvent} event */
  #onRewind({ detail }) {
    this.#instrument.rewind(detail.n);
  }

  /** @param {CustomEvent} event */
  #onWalk({ detail }) {
    this.#instrument.show(detail.node);
  }

  /** @param {CustomEvent} event */
  #onOption({ detail }) {
    const it = this.#instrument;
    if (detail.pace !== undefined) it.setPace(detail.pace);
    if (detail.stopAtEnd !== undefined) it.setStopAtEnd(detail.stopAtEnd);
  }

  /** @param {CustomEvent} event */
  #onView({ detail }) {
    this.#instrument.setView(detail.view);
  }

  /** @param {CustomEvent} event */
  #onBias({ detail }) {
    this.#instrument.setBias(detail.id, detail.bias);
  }

  /** @param {CustomEvent} event */
  #onForce({ detail }) {
    this.#instrument.force(detail.id);
  }

  /** @param {CustomEvent} event */
  #onPrompt({ detail }) {
    this.#instrument.setPrompt(detail.prompt);
  }

  /** @param {CustomEvent} event */
  #onCommand({ detail }) {
    const it = this.#instrument;
    if (detail.command === 'step') it.step();
    else if (detail.command === 'run') it.run();
    else if (detail.command === 'stop') it.stop();
    else if (detail.command === 'reset') it.reset();
  }

  /** @param {Fault | null} fault */
  #sentence(fault) {
    if (!fault) return '';
    if (fault.code === 'nothing_left' && this.#instrument.constraint) return t('constraint.stuck');
    const [, token] = /["'“«](.*)["'”»]/.exec(fault.message) ?? [];
    if (fault.code === 'unknown_token' && token !== undefined)
      return t('error.unknown_token', { token: token.trim() });
    if (fault.code === 'empty' || fault.code === 'too_long') return t(`error.${fault.code}`);
    return t('error.other', { message: fault.message });
  }
}

/** The starting points, plain first. */
const PRESETS = ['transformers', 'balanced', 'greedy'].map((name) => ({
  name,
  settings: numbers(presets[name]),
}));

/** The nine strategies; their names must not meet those of the starting points. */
const STRATEGIES = strategies.map(({ name, settings }) => ({
  name: `strategy ${name}`,
  settings: numbers(settings),
}));

/**
 * The numbers among settings: all that the page offers.
 * @param {import('../engine/types.js').Settings} settings
 * @returns {import('../plots/trace.js').Settings}
 */
function numbers(settings) {
  /** @type {import('../plots/trace.js').Settings} */
  const found = {};
  for (const [name, value] of Object.entries(settings))
    if (typeof value === 'number') found[name] = value;
  return found;
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${fixed(bytes / 1e6, 2)} MB`;
}

define('logit-scope', LogitScope);
