/**
 * <logit-scope>: the whole instrument. It owns the state, passes plain properties down to the
 * panels and takes their requests; outside it announces logit-ready, logit-change, logit-step and
 * logit-error.
 */
import { css, html, nothing } from 'lit';
import { cache } from 'lit/directives/cache.js';
import { presets, strategies } from '../engine/presets.js';
import { number, t } from '../locale/locale.js';
import './chain.js';
import { define } from './define.js';
import './distribution.js';
import { sayDropped } from './dropped.js';
import './draw.js';
import { LogitElement } from './element.js';
import './glance.js';
import { Instrument, PACES } from './instrument.js';
import { recall, remember } from './memory.js';
import { megabytes } from './model-chooser.js';
import { MODELS, offerOf } from './models.js';
import { parseControls, parseParts } from './page-state.js';
import { listen, props } from './props.js';
import { TERMS } from './term.js';
import './text.js';
import { VIEWS } from './views.js';

/**
 * @typedef {import('./instrument.js').Fault} Fault
 * @typedef {import('./page-state.js').PageState} PageState
 * @typedef {import('../engine/types.js').TableRow} TableRow
 */

export class LogitScope extends LogitElement {
  static properties = {
    model: {},
    grammar: {},
    prompt: {},
    view: { reflect: true },
    guide: { type: Boolean },
    controls: {},
    shareable: { state: true },
    readonly: { type: Boolean, reflect: true },
    notice: { state: true },
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

      .top {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        justify-content: space-between;
        gap: 0.5rem 2rem;
        margin: 0 0 0.75rem;
        border-bottom: 1px solid var(--line);
      }

      .top logit-model {
        padding-bottom: 0.5rem;
      }

      [role='tablist'] {
        display: flex;
        gap: 0.25rem;
        margin-bottom: -1px;
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

      .said {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: space-between;
        gap: 0.5rem 1rem;
        margin-bottom: 0.75rem;
        border-color: var(--mark);
        background: var(--mark-wash);
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

        /* Beside a longer chain the chart stays in sight of the knob that is turned. */
        .distribution {
          position: sticky;
          top: 1rem;
          align-self: start;
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

        .draw {
          align-self: start;
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
  #offer = offerOf('');
  /** @type {ReturnType<typeof parseControls>} */
  #shown = null;

  /** @type {Set<LogitElement>} Panels that stand elsewhere. */
  #attached = new Set();

  /** What a panel may ask for. @type {Record<string, (event: any) => void>} */
  #asks = {
    ...this.#unlessReadonly({
      'logit-set': this.#onSet,
      'logit-preset': this.#onPreset,
      'logit-seed': this.#onSeed,
      'logit-prompt': this.#onPrompt,
      'logit-bias': this.#onBias,
      'logit-force': this.#onForce,
      'logit-order': this.#onOrder,
      'logit-constraint': this.#onConstraint,
      'logit-own-stage': this.#onOwn,
    }),
    'logit-conventions': this.#onConventions.bind(this),
    'logit-command': this.#onCommand.bind(this),
    'logit-view': this.#onView.bind(this),
    'logit-draw': this.#onDraw.bind(this),
    'logit-alternatives': this.#onAlternatives.bind(this),
    'logit-branch': this.#onBranch.bind(this),
    'logit-rewind': this.#onRewind.bind(this),
    'logit-walk': this.#onWalk.bind(this),
    'logit-option': this.#onOption.bind(this),
  };

  /** @param {Record<string, (event: any) => void>} asks */
  #unlessReadonly(asks) {
    const guarded = Object.entries(asks).map(([type, ask]) => [
      type,
      (/** @type {any} */ event) => this.readonly || ask.call(this, event),
    ]);
    return Object.fromEntries(guarded);
  }

  /** @param {string} part one of PARTS */
  #shows(part) {
    return !this.#shown || this.#shown.parts.has(part);
  }

  constructor() {
    super();
    this.model = '';
    this.grammar = '';
    this.prompt = '';
    this.view = 'bench';
    /** Whether a first visit begins with a look around. */
    this.guide = false;
    this.guiding = false;
    /** Which knobs and panels show, as parseControls reads it; all of them where empty. */
    this.controls = '';
    /** Whether prompt and settings are fixed; steps and runs are not. */
    this.readonly = false;
    /** A sentence over the views, such as what an address asked for in vain. */
    this.notice = '';
    /** Whether somebody answers logit-share. */
    this.shareable = false;
    /** @type {(table: TableRow[], info: any) => PageState | null} What a load begins with. */
    this.begin = (table, info) => {
      const names = ['order', 'draw', 'seed', 'branch', ...table.map(({ name }) => name)];
      const given = names.filter((name) => this.hasAttribute(name));
      const pairs = given.map((name) => /** @type {[string, string]} */ ([name, this.getAttribute(name)]));
      return this.heed(parseParts(pairs, table, info?.vocab_size));
    };
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

  /** Prompt, settings, seed and the ids drawn, as one plain object. */
  get state() {
    return this.#instrument.state;
  }

  /** The table of settings and the model's facts, once there is a model. */
  get table() {
    return this.#instrument.table;
  }

  get ready() {
    return this.#instrument.status === 'ready';
  }

  get info() {
    return this.#instrument.info;
  }

  /** The model's name or address; null for a file of the reader's. */
  get source() {
    const { source } = this.#instrument;
    if (typeof source !== 'string') return null;
    return MODELS.find(({ model }) => model === source)?.name ?? source;
  }

  /** Whether a run goes on, and whether the last change was that of a knob. */
  get moving() {
    const { running, direct } = this.#instrument;
    return { running, direct };
  }

  /**
   * Shows in one sentence what was left out, and returns the rest.
   * @param {import('./page-state.js').Parsed} parsed
   */
  heed({ state, dropped }) {
    this.notice = sayDropped(dropped);
    return state;
  }

  /** @param {PageState} state one that was checked against the table */
  restore(state) {
    return this.#instrument.restore(state);
  }

  /** The drawn text so far; finish_reason is null while it can go on. */
  get result() {
    const { steps, finished, verdict, prompt } = this.#instrument;
    const text = steps.map((step) => step.text).join('');
    const ids = steps.map(({ id }) => id);
    return { prompt, ids, text, finish_reason: finished, verdict };
  }

  /** Opens another model. @param {import('./engines.js').Model} model */
  open(model) {
    return this.#onModel({ detail: { model } });
  }

  /** Draws the next token. */
  step() {
    return this.#instrument.step();
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

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('controls')) this.#shown = parseControls(this.controls);
    if (!changed.has('view')) return;
    if (changed.get('view') !== undefined) this.emit('logit-show', { view: this.view });
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

  /** Opens the model of the attributes. */
  #load() {
    this.#offer = { ...offerOf(this.model), ...(this.grammar ? { grammar: this.grammar } : {}) };
    const { model, grammar, examples } = this.#offer;
    const it = this.#instrument;
    const prompt = this.prompt || examples[0];
    const begin = () => this.begin(/** @type {any} */ (it.table), it.info);
    return it.load({ model, grammar, prompt, settings: presets.balanced, begin });
  }

  /**
   * Opens another model, with the settings as they are.
   * @param {{ detail: { model: import('./engines.js').Model } }} event
   */
  async #onModel({ detail }) {
    const it = this.#instrument;
    const offer = offerOf(detail.model);
    const { model, grammar, examples } = offer;
    const settings = it.status === 'ready' ? it.settings : presets.balanced;
    await it.load({ model, grammar, prompt: examples[0], settings });
    if (it.source !== model) return;
    this.#offer = offer;
    this.requestUpdate();
  }

  render() {
    const { status } = this.#instrument;
    if (this.hidden) return nothing;
    return html`
      ${this.#renderTabs()}
      ${this.#renderSaid()}
      ${
        this.guiding && status === 'ready'
          ? html`<logit-guide .root=${this.renderRoot} @logit-guide-end=${this.#endGuide}></logit-guide>`
          : nothing
      }
      ${status === 'ready' ? this.#renderView() : this.#renderNotice()}
      ${this.#shows('footer') ? this.#renderFooter() : nothing}
    `;
  }

  #renderSaid() {
    if (!this.notice) return nothing;
    return html`
      <div class="panel said" role="alert"><p>${this.notice}</p>
        <button @click=${() => (this.notice = '')}>${t('state.close')}</button></div>`;
  }

  #renderTabs() {
    const it = this.#instrument;
    if (!this.#shows('tabs') && !this.#shows('model')) return nothing;
    return html`
      <div class="top">
      <div role="tablist" ?hidden=${!this.#shows('tabs')} aria-label=${t('view.label')} @keydown=${this.#onTabKey}>
        ${VIEWS.map(
          ({ name }) => html`
          <button role="tab" id="tab-${name}" aria-controls="view" data-view=${name}
            aria-selected=${name === this.view} tabindex=${name === this.view ? 0 : -1}
            @click=${() => (this.view = name)}>${t(`view.${name}`)}</button>`,
        )}
      </div>
      <logit-model ?hidden=${!this.#shows('model') || this.readonly} .name=${this.#offer.name} .progress=${it.status === 'ready' ? it.progress : null}
        .fault=${it.modelFault?.message ?? ''} @logit-model=${this.#onModel}></logit-model>
      </div>`;
  }

  #renderView() {
    const view = VIEWS.find(({ name }) => name === this.view);
    return html`
      <div id="view" role=${this.#shows('tabs') ? 'tabpanel' : nothing}
        aria-labelledby=${this.#shows('tabs') ? `tab-${this.view}` : nothing} @logit-adopt=${this.#onAdopt} @logit-model=${this.#onModel}>
        <div ?hidden=${this.view !== 'bench'}>${this.#renderBench()}</div>
        ${cache(view?.render?.(this.#instrument))}
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

  /** What each panel is given, here and where it stands on its own. @returns {Record<string, any>} */
  get #panels() {
    const it = this.#instrument;
    const eos = it.info?.eos_token_id ?? -1;
    const { trace, drawn, tally, finished } = it;
    const fixed = this.readonly;
    const text = {
      prompt: it.prompt, pieces: it.promptPieces, steps: it.steps, examples: this.#offer.examples,
      finished, running: it.running, ready: drawn !== null, fault: this.#sentence(it.promptFault),
      verdict: it.verdict, checked: it.grammar !== null, eos, limit: it.limit, loop: it.loop,
      alternatives: it.alternatives, branches: it.branches, distinct: it.distinct, pace: it.pace,
      paces: PACES.length, stopAtEnd: it.stopAtEnd, fixed,
    };
    const draw = {
      trace, drawn, seed: it.seed, count: it.drawStep + 1, finished, eos, method: it.method,
      whatIf: it.whatIf, tally, fixed,
    };
    const distribution = {
      trace, hit: drawn?.id ?? null, eos, view: it.view, curves: it.curves, biases: it.biases,
      tally, fixed,
    };
    const chain = {
      table: it.table, settings: it.settings, trace, presets: PRESETS, imitations: IMITATIONS,
      strategies: STRATEGIES, mu: it.mu, pair: it.pair, beside: it.beside,
      order: it.order, difference: it.difference, eos, only: this.#shown?.knobs ?? null, fixed,
      constraint: it.constraint, programmable: true, fault: it.constraint ? this.#sentence(it.fault) : '',
    };
    return { text, draw, distribution, chain };
  }

  /** Shows the state in a panel that stands elsewhere, and does what it asks. @param {LogitElement} panel */
  attach(panel) {
    if (this.#attached.has(panel)) return;
    this.#attached.add(panel);
    for (const [type, listener] of Object.entries(this.#asks)) panel.addEventListener(type, listener);
    this.requestUpdate();
  }

  updated() {
    if (this.#attached.size === 0 || !this.ready) return;
    const panels = this.#panels;
    for (const panel of this.#attached) {
      Object.assign(panel, panels[panel.localName.slice('logit-'.length)]);
      panel.toggleAttribute('still', this.#instrument.direct);
    }
  }

  #renderBench() {
    const it = this.#instrument;
    const hit = it.drawn?.id ?? null;
    const trouble = this.#sentence(it.fault);
    const { text, draw, distribution, chain } = this.#panels;
    const shows = (/** @type {string} */ part) => this.#shows(part);
    return html`
      <div class="bench" ${listen(this.#asks)}>
        <logit-text class="panel text" part="text" ?hidden=${!shows('text')} ${props(text)}></logit-text>
        <logit-draw class="panel draw" part="draw" ?hidden=${!shows('draw')} ?still=${it.direct}
          ${props(draw)}></logit-draw>
        ${it.fault ? html`<p class="panel trouble error" role="alert">${trouble}</p>` : nothing}
        <logit-distribution class="panel distribution" part="distribution"
          ?hidden=${!shows('distribution')} ?still=${it.direct} ${props(distribution)}></logit-distribution>
        <logit-chain class="panel chain" part="chain" ?hidden=${!shows('chain')}
          ${props(chain)}></logit-chain>
        <logit-glance ?hidden=${!shows('chain') || !shows('distribution')} knobs="logit-chain"
          chart="logit-distribution" .trace=${it.trace} .hit=${hit} .eos=${chain.eos}></logit-glance>
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
          ${
            this.shareable
              ? html`<button class="plain" data-command="share" @click=${() => this.emit('logit-share')}>${t('foot.share')}</button>`
              : nothing
          }
          <button class="plain" data-guide="show" @click=${this.#showGuide}>${t('foot.guide')}</button>
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
    if (detail.settings) it.usePreset(detail.settings);
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
  #onOwn({ detail }) {
    if (detail.failed) this.#instrument.stop();
    this.#instrument.setOwn(detail.own);
  }

  /** @param {CustomEvent} event */
  #onOrder({ detail }) {
    this.#instrument.setOrder(detail.order);
  }

  /** @param {CustomEvent} event */
  #onConventions({ detail }) {
    this.#instrument.setPair(detail.pair);
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
const PRESETS = ['transformers', 'balanced', 'greedy'].map(named);

/** What other programs do unless told otherwise. */
const IMITATIONS = ['llama.cpp', 'llama2.c'].map(named);

/** The nine strategies; their names must not meet those of the starting points. */
const STRATEGIES = strategies.map(({ name, settings }) => ({
  name: `strategy ${name}`,
  settings,
}));

/** @param {string} name */
function named(name) {
  return { name, settings: presets[name] };
}

define('logit-scope', LogitScope);
