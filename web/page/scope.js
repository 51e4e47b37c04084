/**
 * <logit-scope>: the whole instrument. It owns the state, passes plain properties down to the
 * panels and takes their requests; outside it announces logit-ready, logit-change, logit-step,
 * logit-result (of a text that has ended) and logit-error.
 */
import { html, nothing } from 'lit';
import { cache } from 'lit/directives/cache.js';
import { guard } from 'lit/directives/guard.js';
import { LogitElement, define } from '../base/element.js';
import { detailOf, explain, reason, sayDropped, sentence } from '../base/faults.js';
import { UpdateThrottle } from '../base/update-throttle.js';
import { Debounce } from '../base/debounce.js';
import { settled } from '../base/settled.js';
import { glossary } from '../base/term.js';
import { t } from '../locale/locale.js';
import { Choices } from '../state/choices.js';
import { isSlow } from '../state/engines.js';
import { FIELDS, FOOT_VIEWS } from '../state/fields.js';
import { FIRST_SCREEN, expandFrame } from '../state/first-frame.js';
import { farAddress } from '../state/hosts.js';
import { Instrument } from '../state/instrument.js';
import { MODELS, findModel } from '../state/models.js';
import {
  droppedControls,
  parseControls,
  parseHash,
  parseParts,
  show,
  stateParts,
} from '../state/page-state.js';
import { renderBench } from '../views/bench/bench.js';
import { panelsOf } from '../views/bench/panels.js';
import { requestsOf } from '../views/bench/requests.js';
import { renderFoot } from './foot.js';
import { Tour } from './tour.js';
import { ModelOpener, exampleOf } from './model-opener.js';
import scopeStyles from './scope.css';
import { renderMasthead, showTab } from './masthead.js';
import { VIEWS } from './views.js';

/**
 * @typedef {import('../engine/errors.js').Fault} Fault
 * @typedef {import('../state/page-state.js').PageState} PageState
 * @typedef {import('../engine/types.js').TableRow} TableRow
 */

/** From this many rem on there are two columns, with the text above them. */
const TWO_COLUMNS = 60;

export class LogitScope extends LogitElement {
  static properties = {
    model: {},
    context: { type: Number },
    grammar: {},
    prompt: {},
    view: { reflect: true },
    guide: { type: Boolean },
    controls: {},
    shareable: { state: true },
    readonly: { type: Boolean, reflect: true },
    notice: { state: true },
    worded: { state: true },
    beat: { state: true },
    wide: { state: true },
    asking: { state: true },
    missing: { state: true },
    more: { state: true },
    moves: { state: true },
  };

  static styles = [...LogitElement.styles, scopeStyles];

  #instrument = new Instrument();
  #choices = new Choices(() => this.#instrument.prompt);
  #opener = new ModelOpener(this, this.#instrument, this.#choices, (prompt) => this.#begin(prompt));
  #tour = new Tour(this, (view) => this.#go(view));
  /** @type {ReturnType<typeof parseControls>} */
  #shown = null;

  /** @type {Set<LogitElement>} Panels that stand elsewhere. */
  #attached = new Set();

  /** What the last address or host asked for in vain. @type {import('../state/page-state.js').Dropped[]} */
  #dropped = [];

  /** Whether it was hidden, for panels that stand elsewhere. */
  #tucked = false;

  /** What shows until there is a model; null where nothing was built. @type {import('../state/first-frame.js').FirstFrame | null | undefined} */
  #first;

  /** Whether the last change was a choice that is typed. */
  #typed = false;

  /** @type {typeof import('./step-motion.js') | null} */
  #motion = null;

  #room = new ResizeObserver(() => this.#measure());
  #throttle = new UpdateThrottle(this, ['moves']);

  /** What a panel may ask for. */
  #asks = requestsOf(this.#instrument, () => this.readonly);

  constructor() {
    super();
    this.model = '';
    /** How many tokens the model sees; null is as many as the engine takes by itself. @type {number | null} */
    this.context = null;
    this.grammar = '';
    this.prompt = '';
    this.view = 'bench';
    /** Whether there is room for two columns. */
    this.wide = false;
    /** Whether a first visit begins with a look around. */
    this.guide = false;
    /** The beat of the look around, null where none is under way. @type {number | null} */
    this.beat = null;
    /** Which knobs and panels show, as parseControls reads it; all of them where empty. */
    this.controls = '';
    /** Whether prompt, settings and tokens are fixed; steps, runs and ways back are not. */
    this.readonly = false;
    /** A sentence over the views, such as what an address asked for in vain. */
    this.notice = '';
    /** Whether the words of the glossary are there. */
    this.worded = false;
    glossary.then(() => (this.worded = true));
    /** The model of another host that the reader has not agreed to yet, in place of the views. */
    this.asking = '';
    /** The reader's own file that showed here before and is to be opened again. @type {import('./local-files.js').FileRecord | null} */
    this.missing = null;
    /** What else can be opened, over the page: a name to begin with, null where it does not show. @type {string | null} */
    this.more = null;
    /** Whether somebody answers logit-share. */
    this.shareable = false;
    /**
     * The address that a load begins with: `fragment` replaces the attributes, `dropped` lists refused
     * parts of the query, `complete` adds the state kept beside the address once `coming` has resolved.
     */
    this.address = {
      fragment: '',
      dropped: /** @type {import('../state/page-state.js').Dropped[]} */ ([]),
      coming: /** @type {Promise<unknown> | null} */ (null),
      complete: (/** @type {any} */ state) => state,
    };
    const instrument = this.#instrument;
    /** Counts what a knob has changed on the bench. */
    this.moves = 0;
    instrument.addEventListener('update', () => {
      if (instrument.direct && this.view === 'bench') this.moves++;
      else this.requestUpdate();
    });
    instrument.addEventListener('ready', () => {
      this.emit('logit-ready', { info: instrument.info });
      import('./step-motion.js').then((motion) => (this.#motion = motion));
    });
    instrument.addEventListener('change', () => {
      this.#typed = false;
      this.emit('logit-change', this.state);
    });
    instrument.addEventListener('step', (event) => {
      // Before the panels show the next token. A run goes on faster than this.
      if (this.view === 'bench' && !instrument.running) this.#motion?.showStep(this.renderRoot);
      this.emit('logit-step', /** @type {CustomEvent} */ (event).detail);
    });
    instrument.addEventListener('result', () => this.emit('logit-result', this.result));
    instrument.addEventListener('refused', async (event) => {
      const refused = await Promise.all(/** @type {CustomEvent} */ (event).detail.map(refusedPart));
      this.notice = this.speak(() => sayDropped([...this.#dropped, ...refused]));
    });
    instrument.addEventListener('fault', async (event) =>
      this.emit('logit-error', await detailOf(/** @type {CustomEvent} */ (event).detail)),
    );
  }

  /**
   * Prompt, settings, seed, the ids drawn, the view and its choices, as one plain object.
   * @returns {PageState}
   */
  get state() {
    const { view } = this;
    const { bench_chart, bench_conventions, ...state } = this.#instrument.state;
    const bench = view === 'bench' ? { bench_chart, bench_conventions } : {};
    const beat = this.beat && view === 'landscape' ? { beat: this.beat } : {};
    return { ...state, ...beat, view, ...bench, ...this.#choices.of(view) };
  }

  /**
   * Takes over what a view chose.
   * @param {Record<string, any>} patch by the names of the list
   */
  choose(patch) {
    this.#choices.add(patch);
    this.#typed = FIELDS.every(({ name, typed }) => typed || !(name in patch));
    this.requestUpdate();
    this.emit('logit-change', this.state);
  }

  /**
   * Shows the beat of a state, and returns the rest; null where there is none.
   * @param {PageState | null} state
   * @returns {PageState | null}
   */
  #takeBeat(state) {
    const { beat, ...others } = /** @type {PageState} */ (state ?? { settings: {} });
    if (beat) this.#tour.show(beat);
    const { settings, view = this.view, ...parts } = others;
    const alone = beat && Object.keys({ ...settings, ...parts }).length === 0;
    if (alone) this.view = view;
    return state && !alone ? others : null;
  }

  /**
   * Takes the view of a state with its choices, in place of those that it had.
   * @param {PageState} state
   * @param {string} prompt that comes with it
   */
  #takeChoices({ view = this.view, ...state }, prompt) {
    this.#choices.replace(view, state, prompt);
    this.view = view;
    this.requestUpdate();
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

  /** The files that the model was read from; none where it is no file of the reader's. @returns {File[]} */
  get files() {
    return [this.#instrument.source].flat().filter((part) => part instanceof File);
  }

  /** All drawn texts. */
  get texts() {
    return this.#instrument.texts;
  }

  get steps() {
    return this.#instrument.steps;
  }

  /** All drawn texts with their numbers, as plain data. */
  saveTexts() {
    return this.#instrument.saveTexts();
  }

  /** Whether a run goes on, and whether the last change was that of a knob. */
  get moving() {
    const { running, direct } = this.#instrument;
    return { running, direct: direct || this.#typed };
  }

  /** Whether a model loads, a run goes on or what is on show is read anew. */
  get busy() {
    const { status, progress, pass, running } = this.#instrument;
    return status === 'loading' || progress !== null || pass !== null || running;
  }

  /**
   * Resolves once all that was asked for is on show, in every panel and view: nothing runs, no box
   * waits for typing to rest, and what is drawn in time to spare is drawn.
   */
  settled() {
    return settled();
  }

  /**
   * Shows in one sentence what was left out, and returns the rest.
   * @param {import('../state/page-state.js').Parsed} parsed
   */
  acceptParsed({ state, dropped: parts }) {
    const dropped = [...droppedControls(this.controls, this.table), ...parts];
    this.#dropped = dropped;
    this.notice = this.speak(() => sayDropped(dropped));
    if (this.notice) this.emit('logit-error', { code: 'invalid_setting', message: this.notice });
    return state;
  }

  /** Merges settings that were checked against the table. @param {import('../plots/trace.js').Settings} patch */
  set(patch) {
    return this.#instrument.set(patch, false);
  }

  /** What an address means that does not name them. */
  get unnamed() {
    return { prompt: this.prompt || exampleOf(this.#opener.offer), seed: FIRST_SCREEN.seed };
  }

  /** @param {PageState} asked one that was checked against the table */
  async restore(asked) {
    const state = this.#takeBeat(asked);
    if (!state) return;
    this.#takeChoices(state, state.prompt ?? this.#instrument.prompt);
    return this.#instrument.restore(state);
  }

  /**
   * The parts of settings that only the engine can judge and does not take.
   * @param {PageState['settings']} settings
   */
  async refused(settings) {
    return Promise.all((await this.#instrument.refused(settings)).map(refusedPart));
  }

  /**
   * The drawn text so far; finish_reason is null while it can go on. The trace is that of the bars on
   * show.
   */
  get result() {
    const { steps, finished, verdict, prompt, trace } = this.#instrument;
    const text = steps.map((step) => (step.special ? '' : step.text)).join('');
    const ids = steps.map(({ id }) => id);
    return { prompt, ids, text, finish_reason: finished, verdict, trace };
  }

  /** Why the state cannot be read as it is asked for; null where it can. @returns {Fault | null} */
  get fault() {
    const { promptFault, drawn, fault } = this.#instrument;
    return promptFault ?? (drawn ? null : fault);
  }

  /**
   * Opens another model.
   * @param {import('../state/engines.js').Model} model
   * @param {number | null} [context]
   * @param {boolean} [anew] whether another state follows in place of the one on show
   */
  open(model, context, anew) {
    return this.#opener.open({ model, context, anew });
  }

  /** Opens the model of the attributes, or the reader's own file that is missing. */
  begin() {
    return this.#opener.load();
  }

  /** Draws the next token. */
  step() {
    return this.#instrument.step();
  }

  connectedCallback() {
    super.connectedCallback();
    this.#measure();
    this.#room.observe(this);
    if (this.model && this.hasUpdated) this.#opener.load();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#room.disconnect();
    this.#instrument.close();
  }

  /** The order of the panels goes by the room, so that eyes, keys and screen readers meet the same one. */
  #measure() {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.wide = this.clientWidth >= TWO_COLUMNS * rem;
  }

  /**
   * While a knob moves, the bars alone follow each reading.
   * @param {Map<string, unknown>} changed
   */
  shouldUpdate(changed) {
    if (this.#throttle.classify(changed) !== 'motion') return true;
    const { trace, drawn, curves } = this.#instrument;
    const here = /** @type {NodeListOf<LogitElement>} */ (
      this.renderRoot.querySelectorAll('.bench > .panel, logit-glance')
    );
    /** @type {Record<string, any> | undefined} */
    let panels;
    for (const panel of [...here, ...this.#attached])
      if (panel.matches('logit-distribution, logit-glance'))
        Object.assign(panel, { trace, drawn, curves });
      // What waits for time to spare turns no knob back.
      else if (panel.isUpdatePending) {
        panels ??= this.#panels;
        Object.assign(panel, panels[panel.localName.slice('logit-'.length)]);
      }
    return false;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    this.#peek();
    if (changed.has('controls')) this.#shown = parseControls(this.controls);
    const early = !this.ready && (changed.has('prompt') || changed.has('context'));
    if (this.model && (changed.has('model') || early)) this.#opener.load(changed.has('prompt'));
    else if (changed.has('context') && this.context !== this.#instrument.context)
      this.#opener.changeContext(this.context);
    else if (changed.has('prompt') && this.ready)
      this.#instrument.setPrompt(this.prompt || exampleOf(this.#opener.offer));
    if (!changed.has('view')) return;
    if (changed.get('view') !== undefined) this.emit('logit-show', { view: this.view });
    const view = VIEWS.find(({ name }) => name === this.view);
    if (!view) this.view = 'bench';
    else view.load?.();
    if (this.view === 'landscape' && !this.ready && !this.missing) this.#comeFirst();
  }

  /** One that was hidden shows itself while there is something to press or to wait for. */
  #peek() {
    const { status, progress } = this.#instrument;
    this.#tucked ||= this.hasAttribute('hidden');
    const calls = this.asking !== '' || status === 'failed' || isSlow(progress);
    if (this.#tucked) this.toggleAttribute('hidden', !calls);
  }

  /** Shows the landscape's place before there is a model, with its picture where the first is asked for. */
  async #comeFirst() {
    const first = this.#tour.due && this.address.fragment.length < 2;
    const load = /** @type {() => Promise<unknown>} */ (VIEWS[0].load);
    const parts = /** @type {const} */ ([
      import('#first-frame'),
      load(),
      first && this.#tour.offer(),
    ]);
    const [found] = await Promise.allSettled(parts);
    if (this.ready) return;
    const built = found.status === 'fulfilled' ? found.value.built : null;
    this.#first = built && (await this.#placeOf(built));
    this.requestUpdate();
  }

  /**
   * The first frame: whole, or where another state is asked for its place with that state's settings.
   * @param {import('../state/first-frame.js').BuiltFrame} built
   * @returns {Promise<import('../state/first-frame.js').FirstFrame>}
   */
  async #placeOf(built) {
    const first = expandFrame(built);
    const { state: asked } = this.#parseAddress(first.table, built.vocab_size);
    const { beat, ...state } = /** @type {Partial<PageState>} */ (asked ?? {});
    if (beat) await this.#tour.show(beat);
    const { prompt, seed } = { ...this.unnamed, ...state };
    const usual =
      this.#opener.offer.name === MODELS[0].name &&
      prompt === first.prompt &&
      !this.context &&
      !this.grammar;
    if (usual && Object.keys(state).length === 0) return first;
    this.#takeChoices({ settings: {}, ...state }, prompt);
    const settings = { seed, ...(state.settings ?? FIRST_SCREEN.settings) };
    return {
      ...first,
      prompt,
      settings,
      landscape: null,
      reading: null,
      written: null,
      pieces: [],
    };
  }

  /**
   * The state that a load begins with, and the look around that it begins.
   * @param {string} prompt where the state names none
   */
  #begin(prompt) {
    const asked = this.#readAddress();
    const state = this.#takeBeat(asked);
    if (state) this.#takeChoices(state, state.prompt ?? prompt);
    // A view that was linked to comes before a look around.
    if (!asked && this.#tour.due && this.view === 'landscape') this.#tour.offer();
    return state;
  }

  /** The state of the address, or else that of the attributes. */
  #readAddress() {
    const { table, info, address } = this;
    const parsed = this.#parseAddress(table, info?.vocab_size);
    return address.complete(
      this.acceptParsed({ ...parsed, dropped: [...address.dropped, ...parsed.dropped] }),
    );
  }

  /**
   * @param {TableRow[]} table
   * @param {number | undefined} vocab_size
   */
  #parseAddress(table, vocab_size) {
    const { fragment } = this.address;
    const named = stateParts(table).filter(
      ({ name }) => name !== 'prompt' && this.hasAttribute(name),
    );
    const pairs = named.map(
      ({ name }) => /** @type {[string, string]} */ ([name, this.getAttribute(name)]),
    );
    return fragment.length > 1
      ? parseHash(fragment, table, vocab_size)
      : parseParts(pairs, table, vocab_size);
  }

  /**
   * Shows another view. Landscape and bench take a u of the reader's from each other, while it is for
   * the same token.
   * @param {string} view
   */
  #go(view) {
    Debounce.flush(); // a hand that goes on to another view has come to rest
    const { steps, whatIf } = this.#instrument;
    const { landscape_u = null } = this.#choices.all;
    const [from, to] = [this.view, view];
    this.view = view;
    if (steps.length > 0 || this.readonly || landscape_u === whatIf) return;
    if (from === 'landscape' && to === 'bench') this.#instrument.setWhatIf(landscape_u);
    if (from === 'bench' && to === 'landscape') this.choose({ landscape_u: whatIf });
  }

  /** The knobs that there are; null for all of them. */
  get #knobs() {
    return this.#shown?.knobs ?? (this.readonly ? [] : null);
  }

  /** Whether a part shows: the other views have knobs of their own. @param {string} part one of PARTS */
  #shows = (part) =>
    this.#shown ? this.#shown.parts.has(part) : part !== 'tabs' || !this.readonly;

  /** @param {CustomEvent} event */
  #onModel = ({ detail }) => this.#opener.open(detail);

  render() {
    if (this.#tucked) return this.hidden ? nothing : this.#opener.renderInstead();
    // While it is not known what shows, nothing stands where it will.
    const unknown = this.#coming && this.#first === undefined;
    return html`
      ${renderMasthead(this, {
        shows: this.#shows,
        name: this.missing?.name ?? this.#opener.offer.name,
        instrument: this.#instrument,
        go: (view) => this.#go(view),
        onModel: this.#onModel,
        onMore: () => this.#opener.showMore(),
      })}
      ${this.#renderSaid()}
      ${this.view === 'landscape' && this.#placed ? this.#tour.render() : nothing}
      ${this.#placed ? html`${this.ready ? this.#opener.renderFetching() : nothing}${this.#renderView()}` : unknown ? nothing : this.#opener.renderInstead()}
      ${this.#opener.renderMore()}
      ${this.#shows('footer') && !unknown ? this.#renderFoot() : nothing}
    `;
  }

  /** Whether the landscape is to show and waits for its model. */
  get #coming() {
    const { status } = this.#instrument;
    if (this.view !== 'landscape' || status === 'ready' || status === 'failed') return false;
    if (this.missing) return false;
    return !farAddress(this.model);
  }

  /** Whether the view has its place. */
  get #placed() {
    return !this.missing && (this.ready || (this.#coming && this.#first));
  }

  #renderSaid() {
    const modelFault = /** @type {any} */ (this.#instrument.modelFault);
    const why = this.missing ? '' : reason(modelFault, this);
    const refused =
      why &&
      t('model.refused', { name: `\u2068${findModel(modelFault.model).name}\u2069`, reason: why });
    return html`${renderNotice('', this.notice, () => (this.notice = ''))}
      ${renderNotice('refused', refused, () => this.#instrument.forgetRefused())}`;
  }

  #renderView() {
    const view = VIEWS.find(({ name }) => name === this.view);
    return html`
      <div id="view" class=${this.shareable && this.view !== 'landscape' ? 'tall' : ''} role=${this.#shows('tabs') ? 'tabpanel' : nothing}
        aria-labelledby=${this.#shows('tabs') ? `tab-${this.view}` : nothing} @logit-adopt=${this.readonly ? this.#onFixed : this.#onAdopt} @logit-model=${this.readonly ? this.#onFixed : this.#onModel} @logit-choose=${this.#onChoose}>
        ${this.ready ? nothing : html`<div class="coming ${this.#first?.landscape ? '' : 'bare'}" role="status">${this.#opener.renderProgress()}</div>`}
        <div ?hidden=${this.view !== 'bench'}>${this.ready ? this.#renderBench() : nothing}</div>
        ${cache(view?.render?.(this.#instrument, this.#choices.all, this.#asks, this.#first ?? null, this.#knobs))}
      </div>`;
  }

  /** @returns {Record<string, any>} */
  get #panels() {
    return panelsOf(this.#instrument, {
      examples: this.#opener.offer.examples,
      knobs: this.#shown?.knobs ?? null,
      fixed: this.readonly,
      sentence: (fault) => this.#sentence(fault),
    });
  }

  /**
   * Shows the state in a panel that stands elsewhere, and does what it asks until the returned function is called.
   * @param {LogitElement} panel
   */
  attach(panel) {
    const asks = Object.entries(this.#asks);
    this.#attached.add(panel);
    for (const [type, listener] of asks) panel.addEventListener(type, listener);
    this.requestUpdate();
    return () => {
      this.#attached.delete(panel);
      for (const [type, listener] of asks) panel.removeEventListener(type, listener);
    };
  }

  /** @param {import('lit').PropertyValues} changed */
  updated(changed) {
    if (changed.has('view')) showTab(this.renderRoot);
    if (this.#attached.size === 0 || !this.ready) return;
    const panels = this.#panels;
    for (const panel of this.#attached) {
      Object.assign(panel, panels[panel.localName.slice('logit-'.length)]);
      panel.toggleAttribute('no-glide', this.#instrument.direct);
    }
  }

  #renderBench() {
    return renderBench(this.#instrument, {
      given: this.#panels,
      asks: this.#asks,
      shows: this.#shows,
      wide: this.wide,
      trouble: this.#sentence(this.#instrument.fault),
    });
  }

  #renderFoot() {
    const { info } = this.#instrument;
    const tabs = this.#shows('tabs');
    const views = FOOT_VIEWS.filter((name) => tabs && name !== this.view);
    return guard([info, views.join(), this.worded, this.readonly, t('language')], () =>
      renderFoot(info, {
        views,
        onView: (/** @type {string} */ name) => this.#go(name),
        onGuide: ({ target }) => this.#tour.resume(/** @type {HTMLElement} */ (target)),
        onContext: this.readonly
          ? null
          : ({ detail }) => this.#opener.changeContext(detail.context),
      }),
    );
  }

  /** @param {CustomEvent} event of a view's element, with its own names for what it chose */
  #onChoose({ target, detail }) {
    const view = /** @type {Element} */ (target).localName.slice('logit-'.length);
    const named = Object.entries(detail).map(([name, value]) => [`${view}_${name}`, value]);
    this.choose(Object.fromEntries(named));
  }

  #onFixed() {
    this.notice = this.speak(() => t('state.fixed'));
  }

  /**
   * A view hands its prompt and settings to the bench.
   * @param {CustomEvent} event
   */
  #onAdopt({ detail }) {
    const instrument = this.#instrument;
    if (detail.settings) instrument.usePreset(detail.settings);
    if (detail.seed !== undefined) instrument.setSeed(detail.seed);
    if (detail.prompt) instrument.setPrompt(detail.prompt);
    this.view = 'bench';
  }

  /** @param {Fault | null} fault */
  #sentence(fault) {
    const stuck = fault?.code === 'nothing_left' && this.#instrument.gates.constraint;
    return stuck ? t('constraint.stuck') : sentence(fault, this);
  }
}

/** @param {string} kind @param {string} said '' for nothing @param {() => void} onClose */
function renderNotice(kind, said, onClose) {
  if (!said) return nothing;
  return html`
    <div class="panel said ${kind}" role="alert"><p>${said}</p>
      <button @click=${onClose}>${t('state.close')}</button></div>`;
}

/**
 * @param {{ name: string, value: unknown, fault: Fault }} refused
 * @returns {Promise<import('../state/page-state.js').Dropped>}
 */
async function refusedPart({ name, value, fault }) {
  const message = await explain(fault);
  return { part: `${name}=${show(value)}`, why: 'refused', minimum: 0, maximum: 0, message };
}

define('logit-scope', LogitScope);
