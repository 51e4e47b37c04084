/**
 * <logit-scope>: the whole instrument. It owns the state, gives it to the views, and carries out their requests. It
 * emits logit-ready, logit-change, logit-step, logit-result (for a finished text) and logit-error.
 */
import { html, nothing } from 'lit';
import { cache } from 'lit/directives/cache.js';
import { guard } from 'lit/directives/guard.js';
import { keyed } from 'lit/directives/keyed.js';
import { Debounce } from '../base/debounce.js';
import { define, elementWith } from '../base/element.js';
import { detailOf, reason, sayDropped } from '../base/faults.js';
import { glossary } from '../base/term.js';
import { Toolbars } from '../base/toolbars.js';
import { hasMessage, t } from '../locale/locale.js';
import { assets } from '../state/assets.js';
import { Choices } from '../state/choices.js';
import { isSlow } from '../state/engines.js';
import { FIELDS } from '../state/fields.js';
import { FIRST_SCREEN, emptyFrame, expandFrame } from '../state/first-frame.js';
import { farAddress } from '../state/hosts.js';
import { MODELS, findModel } from '../state/models.js';
import {
  droppedControls,
  parseControls,
  parseHash,
  parseParts,
  stateParts,
} from '../state/page-state.js';
import { requestsOf } from '../views/bench/requests.js';
import panelStyles from '../style/panel.css';
import { FirstScreen } from './first-screen.js';
import { renderFoot } from './foot.js';
import { InstrumentElement, refusedPart } from './instrument-element.js';
import { renderMasthead, showTab } from './masthead.js';
import { ModelOpener } from './model-opener.js';
import scopeStyles from './scope.css';
import { VIEWS, loadView } from './views.js';

/** @import { LogitElement } from '../base/element.js' */
/** @import { PageState, Dropped } from '../state/page-state.js' */
/** @import { TableRow } from '../engine/types.js' */

/** Parts that are hidden in a presentation. */
const AROUND = ['masthead', 'tabs', 'model', 'footer'];

export class LogitScope extends elementWith(InstrumentElement, () => ({
  model: '',
  /** The context length in tokens; null for the engine's default. @type {number | null} */
  context: null,
  grammar: '',
  prompt: '',
  view: 'bench',
  /** True if the tour is offered at a first visit. */
  guide: false,
  /** Names of the visible knobs and panels, as parseControls reads them; '' for all. */
  controls: '',
  /** True if the user cannot change prompt, settings and tokens, but can step, run and go back. */
  readonly: false,
  /** True during a presentation: only the view, in large type. */
  present: false,
  /** A sentence above the views, for example about refused parts of an address; '' for none. */
  notice: '',
  /** The deed that was last undone or redone. @type {{ words: string } | null} */
  deed: null,
  /** Renders the dialog of other programs' settings; null until it is first opened. @type {(() => unknown) | null} */
  programs: null,
  /** Renders a line about the settings that the model's file brings along; null without one. @type {(() => unknown) | null} */
  offer: null,
  /**
   * A file of the user that the history names but that is not open; null if none.
   * @type {import('./local-files.js').FileRecord | null}
   */
  missing: null,
  /** True if the page can share: then there is a share button, and a link to the lessons. */
  shareable: false,
})) {
  static properties = {
    model: {},
    context: { type: Number },
    grammar: {},
    prompt: {},
    view: { reflect: true },
    guide: { type: Boolean },
    controls: {},
    readonly: { type: Boolean, reflect: true },
    present: { type: Boolean, reflect: true },
  };

  static styles = [...InstrumentElement.styles, panelStyles, scopeStyles];

  #choices = new Choices(() => this.instrument.prompt.text);
  #opener = new ModelOpener(this, this.instrument, this.#choices, (prompt) =>
    this.#beginState(prompt),
  );
  #first = new FirstScreen(this, (view) => this.#goToView(view));
  /** @type {ReturnType<typeof parseControls>} */
  #shown = null;

  /** Panels elsewhere on the page that show this state. @type {ReadonlySet<LogitElement>} */
  #attached = new Set();

  /** Parts of the last address or message that were refused. @type {Dropped[]} */
  #dropped = [];

  /** True if this element is hidden, because only panels elsewhere on the page show its state. */
  #tucked = false;

  /** True if the last change was only in fields that FIELDS marks as `typed`. */
  #typed = false;

  /** Listeners for the panels' events. */
  #requests = requestsOf(this.instrument, () => this.readonly);

  constructor() {
    super();
    new Toolbars(this);
    /**
     * Undo steps and last texts of the page's instrument; null on other websites.
     * @type {{ deeds: import('./deeds.js').Deeds, sessions: import('./sessions.js').Sessions } | null}
     */
    this.kept = null;
    glossary.then(() => this.requestUpdate());
    /**
     * The address that the first load uses. `fragment` comes before the attributes. `dropped` are refused parts of
     * the query. When `coming` has resolved, `complete` adds the state that is not in the address.
     */
    this.address = {
      fragment: '',
      dropped: /** @type {Dropped[]} */ ([]),
      coming: /** @type {Promise<unknown> | null} */ (null),
      complete: (/** @type {any} */ state) => state,
    };
    /**
     * Completes the offer of a source that is asked.
     * @type {(offer: import('../state/models.js').Offer, engine: import('../engine/remote.js').RemoteLogitscope) => true | void}
     */
    this.meet = () => {};
    this.#listen();
  }

  #listen() {
    const instrument = this.instrument;
    /** @param {string} type @param {(detail: any) => unknown} listener */
    const on = (type, listener) =>
      instrument.addEventListener(type, (event) =>
        listener(/** @type {CustomEvent} */ (event).detail),
      );
    /** The progress that was last rendered. @type {unknown[]} */
    let last = [];
    on('update', () => {
      const { direct, model } = instrument;
      const load = [model.status, model.progress, model.fault];
      const loads = load.some((part, i) => part !== last[i]);
      last = load;
      // While a knob moves, the bench renders by itself.
      if (loads || !direct || this.view !== 'bench') this.requestUpdate();
    });
    on('ready', () => this.emit('logit-ready', { info: instrument.info }));
    on('change', () => {
      this.#typed = false;
      this.emit('logit-change', this.state);
    });
    on('step', (step) => this.emit('logit-step', step));
    on('result', () => this.emit('logit-result', this.result));
    on('refused', async (parts) => {
      const refused = await Promise.all(parts.map(refusedPart));
      this.notice = this.speak(() => sayDropped([...this.#dropped, ...refused]));
    });
    on('fault', async (fault) => this.emit('logit-error', await detailOf(fault)));
  }

  /**
   * The state as plain data: prompt, settings, seed, drawn ids, view, and choices of the view.
   * @returns {PageState}
   */
  get state() {
    const { view } = this;
    const { bench_chart, bench_conventions, ...state } = this.instrument.state;
    const bench = view === 'bench' ? { bench_chart, bench_conventions } : {};
    const { beat = null } = this.#first.tour ?? {};
    const tour = beat && view === 'landscape' ? { beat } : {};
    return { ...state, ...tour, view, ...bench, ...this.#choices.of(view) };
  }

  /** Changes choices of the views. @param {Record<string, any>} patch the keys are names of FIELDS */
  choose(patch) {
    this.#choices.add(patch);
    this.#typed = FIELDS.every(({ name, typed }) => typed || !(name in patch));
    this.requestUpdate();
    this.emit('logit-change', this.state);
  }

  /**
   * Shows the view of a state with the state's choices.
   * @param {PageState} state
   * @param {string} prompt the prompt of the state
   */
  #takeChoices({ view, ...state }, prompt) {
    const { view: last } = this;
    this.#choices.replace(view ?? last, state, prompt);
    this.view = view ?? last;
    this.requestUpdate();
  }

  /** `running` is true during a run; `direct` is true after a change by a knob or by typing. */
  get moving() {
    const { generation, direct } = this.instrument;
    return { running: generation.running, direct: direct || this.#typed };
  }

  /**
   * Returns a parsed state. If parts of it were refused, shows a sentence about them.
   * @param {import('../state/page-state.js').Parsed} parsed
   */
  acceptParsed({ state: asked, dropped: parts }) {
    const { made_with: file, ...state } = /** @type {any} */ (asked ?? {});
    const dropped = [...droppedControls(this.controls, this.table), ...parts];
    this.#dropped = dropped;
    this.notice = this.speak(() => sayDropped(dropped));
    if (this.notice) this.emit('logit-error', { code: 'invalid_setting', message: this.notice });
    if (file) import('./origin.js').then(({ sayOrigin }) => sayOrigin(this, file));
    return asked && state;
  }

  /** Prompt and seed for a state that has none. */
  get unnamed() {
    return { prompt: this.prompt || this.#opener.example, seed: FIRST_SCREEN.seed };
  }

  /** The offered model that is loading now; null if none. `typed` is true if the prompt was typed meanwhile. */
  get coming() {
    const { model, prompt } = this.instrument;
    const offer = MODELS.find((each) => each.model === model.coming);
    const typed = !this.#opener.offer.examples.includes(prompt.text);
    return offer && this.ready ? { name: offer.name, typed } : null;
  }

  /** @param {PageState} asked checked against the table */
  async restore(asked) {
    const state = this.#first.takeBeat(asked);
    if (!state) return;
    this.#takeChoices(state, state.prompt ?? this.instrument.prompt.text);
    return this.instrument.restore(state);
  }

  /**
   * Opens another model.
   * @param {import('../state/engines.js').Model} model
   * @param {number | null} [context]
   * @param {boolean} [anew] true if another state will replace the current state
   */
  async open(model, context, anew) {
    if (!(await this.#opener.open({ model, context, anew }))) return;
    this.missing = null;
    this.context = this.instrument.model.context;
    this.requestUpdate();
  }

  /**
   * Opens a model after the user has agreed, or has chosen another one instead.
   * @param {import('./model-opener.js').Wanted} wanted
   */
  take({ model, context }) {
    this.#opener.asking = '';
    if (typeof model !== 'string') return this.open(model, context);
    this.model = model;
    this.context = context ?? this.context;
    return this.#opener.load();
  }

  /** Opens the model of the attributes, or the user's file that the history names. */
  begin() {
    return this.#opener.load();
  }

  /** @param {number | null} context */
  async #changeContext(context) {
    await this.#opener.changeContext(context);
    this.context = this.instrument.model.context;
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.model && this.hasUpdated) this.#opener.load();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.instrument.close();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    this.#showIfNeeded();
    if (changed.has('controls')) this.#shown = parseControls(this.controls);
    this.instrument.prefersStages = !this.#shown && !this.readonly && this.#attached.size === 0;
    const early = !this.ready && (changed.has('prompt') || changed.has('context'));
    if (this.model && (changed.has('model') || early)) this.#opener.load(changed.has('prompt'));
    else if (changed.has('context') && this.context !== this.instrument.model.context)
      this.#changeContext(this.context);
    else if (changed.has('prompt') && this.ready) this.instrument.setPrompt(this.unnamed.prompt);
    if (!changed.has('view')) return;
    if (changed.get('view') !== undefined) this.emit('logit-show', { view: this.view });
    if (!VIEWS.some(({ name }) => name === this.view)) this.view = 'bench';
    loadView(this.view);
    if (this.view === 'landscape' && !this.ready && !this.missing)
      this.#first.fetch((built) => this.#frameOf(built));
  }

  /** If this element is hidden by the page, shows it while there is a question, an error or a slow load. */
  #showIfNeeded() {
    const { status, progress } = this.instrument.model;
    this.#tucked ||= this.hasAttribute('hidden');
    const calls = this.#opener.asking !== '' || status === 'failed' || isSlow(progress);
    if (this.#tucked) this.toggleAttribute('hidden', !calls);
  }

  /**
   * Returns the first frame. Its picture is left out if the address has another state than the build.
   * @param {import('../state/first-frame.js').BuiltFrame} built
   */
  async #frameOf(built) {
    const { state: asked } = parseAddress(this, built.table, built.vocab_size);
    if (asked?.beat) await this.#first.fetchTour();
    const state = /** @type {Partial<PageState>} */ (this.#first.takeBeat(asked) ?? {});
    const { prompt, seed } = { ...this.unnamed, ...state };
    const usual =
      this.#opener.offer.name === MODELS[0].name &&
      prompt === built.prompt &&
      !this.context &&
      !this.grammar;
    if (usual && Object.keys(state).length === 0) return expandFrame(built);
    this.#takeChoices({ settings: {}, ...state }, prompt);
    return emptyFrame(built, prompt, { seed, ...(state.settings ?? FIRST_SCREEN.settings) });
  }

  /**
   * Returns the state for a load, and offers the tour if the address has no state.
   * @param {string} prompt the default prompt
   */
  #beginState(prompt) {
    const { table, info, address } = this;
    const parsed = parseAddress(this, table, info?.vocab_size);
    const dropped = [...address.dropped, ...parsed.dropped];
    const asked = address.complete(this.acceptParsed({ ...parsed, dropped }));
    const state = this.#first.takeBeat(asked);
    if (state) this.#takeChoices(state, state.prompt ?? prompt);
    // A link to another view is no first visit, so the tour is not offered.
    if (!asked && this.view === 'landscape') this.#first.offerTour();
    return state;
  }

  /**
   * Changes to another view. From the landscape to the bench and back, the user's u stays if no token is drawn; the
   * bench also draws the tokens before the position in the landscape.
   * @param {string} view
   */
  #goToView(view) {
    Debounce.flush();
    const { texts, whatIf } = this.instrument;
    const { landscape_u = null, landscape_ids = [] } = this.#choices.all;
    const [from, to] = [this.view, view];
    this.view = view;
    if (texts.steps.length > 0 || this.readonly) return;
    if (from === 'landscape' && to === 'bench' && landscape_ids.length > 0)
      return this.#drawAgain(landscape_ids, landscape_u);
    if (landscape_u === whatIf) return;
    if (from === 'landscape' && to === 'bench') this.instrument.setWhatIf(landscape_u);
    if (from === 'bench' && to === 'landscape') this.choose({ landscape_u: whatIf });
  }

  /** @param {number[]} branch @param {number | null} u of the draw after it */
  async #drawAgain(branch, u) {
    const { instrument } = this;
    await instrument.restore({ ...instrument.state, branch });
    if (u !== null && instrument.texts.steps.length === branch.length) instrument.setWhatIf(u);
  }

  /**
   * Returns true if a part is visible. A read-only instrument has no tabs, because the other views have knobs.
   * @param {string} part
   */
  #shows = (part) =>
    !(this.present && AROUND.includes(part)) &&
    (this.#shown ? this.#shown.parts.has(part) : part !== 'tabs' || !this.readonly);

  /** Opens a model, or a file that the user has dropped or chosen. @param {CustomEvent} event */
  #onModel = async ({ detail: { model, context } }) => {
    if (model instanceof File && (await (await import('./incoming.js')).showFile(this, model)))
      return;
    await this.open(model, context);
  };

  /** Listeners for events of the model's sheet. @type {Record<string, (event: CustomEvent) => void>} */
  #fromSheet = {
    'logit-model': this.#onModel,
    'logit-more': () => this.#opener.showMore(),
    'logit-context': ({ detail }) => this.#changeContext(detail.context),
    'logit-go': ({ detail: { view, choices = {} } }) => {
      this.#goToView(view);
      this.choose(choices);
    },
  };

  render() {
    if (this.#tucked)
      return html`${this.#renderBench()}${this.hidden ? nothing : this.#opener.renderInstead()}`;
    // Until the first view is known, render no placeholder.
    const unknown = this.#awaitsModel && this.#first.frame === undefined;
    return html`
      ${renderMasthead(this, {
        shows: this.#shows,
        name: this.missing?.name ?? this.#opener.offer.name,
        instrument: this.instrument,
        go: (view) => this.#goToView(view),
        asked: this.#fromSheet,
      })}
      ${this.#renderSaid()}
      ${this.#hasView ? html`${this.ready ? this.#opener.renderFetching() : nothing}${this.#renderView()}` : unknown ? nothing : this.#opener.renderInstead()}
      ${this.#opener.renderMore()}
      ${this.programs?.()}
      ${this.#shows('footer') && !unknown ? this.#renderFoot() : nothing}
      ${this.shareable ? html`<p class="deed" role="status">${this.deed ? keyed(this.deed, html`<span>${this.deed.words}</span>`) : nothing}</p>` : nothing}
    `;
  }

  /** True if the landscape waits for its model. */
  get #awaitsModel() {
    const { status } = this.instrument.model;
    if (this.view !== 'landscape' || status === 'ready' || status === 'failed') return false;
    if (this.missing) return false;
    return !farAddress(this.model);
  }

  /** True if the view is rendered now. */
  get #hasView() {
    return !this.missing && (this.ready || (this.#awaitsModel && this.#first.frame));
  }

  #renderSaid() {
    const modelFault = /** @type {any} */ (this.instrument.model.fault);
    const why = this.missing ? '' : reason(modelFault, this);
    const refused =
      why &&
      t('model.refused', { name: `\u2068${findModel(modelFault.model).name}\u2069`, reason: why });
    return html`${renderNotice('', this.notice, () => (this.notice = ''))}
      ${renderNotice('refused', refused, () => this.instrument.model.forgetFault())}${this.offer?.()}`;
  }

  #renderView() {
    const view = VIEWS.find(({ name }) => name === this.view);
    const frame = {
      first: this.#first.frame ?? null,
      knobs: this.#shown?.knobs ?? (this.readonly ? [] : null),
      fixed: this.readonly,
      examples: this.#opener.offer.examples,
      guide: this.#first.render(),
    };
    const fixed = this.readonly ? () => (this.notice = this.speak(() => t('state.fixed'))) : null;
    return html`
      <div id="view" class=${this.shareable && this.view !== 'landscape' ? 'tall' : ''} role=${this.#shows('tabs') ? 'tabpanel' : nothing}
        aria-labelledby=${this.#shows('tabs') ? `tab-${this.view}` : nothing} @logit-adopt=${fixed ?? this.adopt} @logit-model=${fixed ?? this.#onModel} @logit-choose=${this.#onChoose}>
        ${this.ready ? nothing : html`<div class="coming ${this.#first.frame?.landscape ? '' : 'bare'}" role="status">${this.#opener.renderProgress()}</div>`}
        ${this.#renderBench()}
        ${cache(view?.render?.(this.instrument, this.#choices.all, this.#requests, frame))}
      </div>`;
  }

  /**
   * Shows the state in a panel elsewhere on the page and carries out its requests. Returns a function that ends this.
   * @param {LogitElement} panel
   */
  attach(panel) {
    const listeners = Object.entries(this.#requests);
    for (const [type, listener] of listeners) panel.addEventListener(type, listener);
    this.#attached = new Set([...this.#attached, panel]);
    this.requestUpdate();
    if (isStages(panel)) {
      this.instrument.showsStages = true;
      if (this.ready) this.instrument.refresh();
    }
    return () => {
      for (const [type, listener] of listeners) panel.removeEventListener(type, listener);
      this.#attached = new Set([...this.#attached].filter((each) => each !== panel));
      this.instrument.showsStages = [...this.#attached].some(isStages);
      this.requestUpdate();
    };
  }

  /** @param {import('lit').PropertyValues} changed */
  updated(changed) {
    if (changed.has('view')) showTab(this.renderRoot);
  }

  #renderBench() {
    if (!this.ready) return nothing;
    loadView('bench');
    const shown = this.view === 'bench';
    const given = {
      instrument: this.instrument,
      requests: this.#requests,
      attached: this.#attached,
      examples: this.#opener.offer.examples,
      parts: this.#shown?.parts ?? null,
      knobs: this.#shown?.knobs ?? null,
      fixed: this.readonly,
      shown,
      bare: this.#tucked,
    };
    return html`<logit-bench exportparts="text, distribution, chain, draw" ?hidden=${!shown} .given=${given}></logit-bench>`;
  }

  /** Goes `step` beats forward in the tour, or back if negative. @param {number} step */
  turnBeat(step) {
    if (this.view === 'landscape') this.#first.turnTour(step);
  }

  #renderFoot() {
    const { shareable } = this;
    const { hasLine, onGuide } = this.#first;
    const elsewhere = hasMessage('asking.foot') && this.instrument.info?.remote === true;
    return guard([hasLine, hasMessage('term.title'), shareable, elsewhere, t('language')], () =>
      renderFoot({
        elsewhere,
        onGuide: hasLine ? null : onGuide,
        licences: shareable && assets.inside.size === 0,
      }),
    );
  }

  /** @param {CustomEvent} event of a view's element; its detail has the choices under that element's property names */
  #onChoose({ target, detail }) {
    const view = /** @type {Element} */ (target).localName.slice('logit-'.length);
    const named = Object.entries(detail).map(([name, value]) => [`${view}_${name}`, value]);
    this.choose(Object.fromEntries(named));
  }

  /** Opens the bench with the prompt and the settings of another view. @param {CustomEvent} event */
  adopt = ({ detail }) => {
    const instrument = this.instrument;
    if (detail.settings) instrument.usePreset(detail.settings);
    if (detail.seed !== undefined) instrument.setSeed(detail.seed);
    if (detail.prompt) instrument.setPrompt(detail.prompt);
    this.#goToView('bench');
  };
}

/**
 * Reads the state in the address, or else in the attributes.
 * @param {LogitScope} scope
 * @param {TableRow[]} table
 * @param {number | undefined} vocab_size
 */
function parseAddress(scope, table, vocab_size) {
  const { fragment } = scope.address;
  if (fragment.length > 1) return parseHash(fragment, table, vocab_size);
  const pairs = stateParts(table).flatMap(({ name }) => {
    const value = name === 'prompt' ? null : scope.getAttribute(name);
    return value === null ? [] : [/** @type {[string, string]} */ ([name, value])];
  });
  return parseParts(pairs, table, vocab_size);
}

/** @param {LogitElement} panel */
const isStages = ({ localName }) => localName === 'logit-stages';

/** @param {string} kind @param {string} said '' for none @param {() => void} onClose */
function renderNotice(kind, said, onClose) {
  if (!said) return nothing;
  return html`
    <div class="panel said ${kind}" role="alert"><p>${said}</p>
      <button @click=${onClose}>${t('state.close')}</button></div>`;
}

define('logit-scope', LogitScope);
