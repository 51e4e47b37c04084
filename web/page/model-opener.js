/**
 * Which model an instrument opens, what the reader is asked before, and what shows until it is there.
 * A model of another host is asked for by name and opened at a press.
 */
import { html, nothing } from 'lit';
import { reason } from '../base/faults.js';
import { glossary } from '../base/term.js';
import { presets } from '../engine/presets.js';
import { t } from '../locale/locale.js';
import { isSlow } from '../state/engines.js';
import { FIRST_SCREEN } from '../state/first-frame.js';
import { agreeTo, isUnasked } from '../state/hosts.js';
import { MODELS, findModel } from '../state/models.js';
import { megabytes } from './model-chooser.js';

/** @typedef {import('../state/page-state.js').PageState} PageState */
/** @typedef {{ model: import('../state/engines.js').Model, context?: number | null, anew?: boolean }} Wanted */

/** What comes over the panels: fetched beside the model, and there with the instrument. */
const overlays = Promise.allSettled([glossary, import('./overlays.js')]);

export class ModelOpener {
  /** The model that shows, or is to: its name, address, grammar and examples. */
  offer = findModel('');
  #scope;
  #instrument;
  #choices;
  #begin;

  /**
   * @param {import('./scope.js').LogitScope} scope whose attributes name the model; of which it sets
   *   `asking`, `more` and `context`
   * @param {import('../state/instrument.js').Instrument} instrument
   * @param {import('../state/choices.js').Choices} choices what the views chose
   * @param {(prompt: string) => PageState | null} begin the state that a load begins with, where the
   *   prompt would be that one
   */
  constructor(scope, instrument, choices, begin) {
    this.#scope = scope;
    this.#instrument = instrument;
    this.#choices = choices;
    this.#begin = begin;
  }

  /**
   * Opens the model of the attributes: one of another host once the reader agrees.
   * @param {boolean} [named] whether the prompt is the attribute's, whatever was typed
   * @returns {Promise<void>}
   */
  load(named = false) {
    const scope = this.#scope;
    scope.asking = '';
    if (scope.missing) return this.#loadAgain();
    if (isUnasked(scope.model)) return this.#askFirst(scope.model);
    const { examples: known } = this.offer;
    const offer = {
      ...findModel(scope.model),
      ...(scope.grammar ? { grammar: scope.grammar } : {}),
    };
    this.offer = offer;
    const { model, grammar } = offer;
    return this.#instrument.load({
      context: scope.context,
      model,
      grammar,
      meet: (engine) => keepReadable(offer, engine),
      begin: (before) => {
        const prompt = scope.prompt || exampleOf(offer);
        const first = before ? this.#carry(before, known, prompt) : this.#firstState(prompt);
        if (named) first.prompt = prompt;
        return { ...first, ...this.#begin(prompt) };
      },
      beside: this.#beside,
    });
  }

  /** The modules and state that a load waits for beside its model. */
  get #beside() {
    return Promise.all([overlays, this.#scope.address.coming]);
  }

  /** The landscape shows one knob, so it starts from that knob's settings only. @param {string} prompt */
  #firstState(prompt) {
    const settings =
      this.#scope.view === 'landscape' ? FIRST_SCREEN.settings : presets.transformers;
    return { prompt, settings };
  }

  /** The reader's own file that showed before, if no question is needed for it. */
  async #loadAgain() {
    const { missing } = this.#scope;
    await import('./reopen.js');
    const { findFiles } = await import('./local-files.js');
    const files = missing && (await findFiles(missing));
    if (files) return this.takeFile(files);
    this.#scope.requestUpdate();
  }

  /**
   * Opens the reader's own file that is missing, at the state of its entry in the history.
   * @param {File[]} files
   */
  async takeFile(files) {
    const scope = this.#scope;
    const { context = null } = scope.missing ?? {};
    await this.open({ model: files.length > 1 ? files : files[0], context });
  }

  /** @param {string} name @returns {Promise<void>} */
  async #askFirst(name) {
    if (await isKept(name)) {
      agreeTo(name);
      return this.load();
    }
    if (this.#scope.ready) return this.showMore(name);
    await import('./open-model.js');
    this.offer = findModel(name);
    this.#scope.asking = name;
  }

  /** Offers what else can be opened. @param {string} [name] what it begins with */
  async showMore(name = '') {
    await import('./open-model.js');
    this.#scope.more = name;
  }

  /** Opens another model, with settings and prompt as they are. @param {Wanted} wanted */
  async open({ model: wanted, context = null, anew = false }) {
    if (isUnasked(wanted) && !(await isKept(wanted))) return this.showMore(String(wanted));
    const instrument = this.#instrument;
    const offer = { ...findModel(wanted) };
    const { model, grammar } = offer;
    const { examples: known } = this.offer;
    await instrument.load({
      model,
      context,
      grammar,
      meet: (engine) => keepReadable(offer, engine),
      begin: (before) => {
        const prompt = exampleOf(offer);
        if (before && !anew) return this.#carry(before, known, prompt);
        return { ...this.#firstState(prompt), ...(before ? null : this.#begin(prompt)) };
      },
      beside: this.#beside,
    });
    if (instrument.source !== model) return;
    this.#scope.missing = null;
    this.offer = offer;
    this.#scope.context = instrument.context;
    this.#scope.requestUpdate();
  }

  /**
   * The state that another model goes on with: all that was typed and set. An example becomes one of
   * that model; ids of tokens mean nothing in another vocabulary.
   * @param {PageState} before
   * @param {string[]} examples of the model before
   * @param {string} example of the new one
   * @returns {PageState}
   */
  #carry({ branch: _, saved: __, chat, settings, ...before }, examples, example) {
    const { logit_bias: ___, forced_first: first, ...others } = settings;
    const forced = typeof first === 'string' ? { forced_first: first } : {};
    const untouched = examples.includes(chat) && before.system === '';
    const typed = before.prompt && !examples.includes(before.prompt);
    const prompt = typed ? before.prompt : example;
    this.#choices.move(String(prompt));
    return {
      ...before,
      ...(chat === undefined || untouched ? {} : { chat }),
      prompt,
      settings: { ...others, ...forced },
    };
  }

  /**
   * Opens the same model with another context, and goes on where the text is.
   * @param {number | null} context
   */
  async changeContext(context) {
    const instrument = this.#instrument;
    const { model, grammar } = this.offer;
    const begin = (/** @type {PageState | null} */ before) => before ?? { settings: {} };
    await instrument.load({ model, context, grammar, begin });
    this.#scope.context = instrument.context;
  }

  /** The model of the attributes is agreed to, or another one taken in its place. @param {Wanted} wanted */
  #agree({ model, context }) {
    const scope = this.#scope;
    scope.asking = '';
    if (typeof model !== 'string') return this.open({ model, context });
    scope.model = model;
    scope.context = context ?? scope.context;
    return this.load();
  }

  /** What shows in place of the views. */
  renderInstead() {
    const { status, fault, modelFault } = this.#instrument;
    const { asking, missing } = this.#scope;
    if (missing && !this.#instrument.coming)
      return html`<logit-reopen class="panel notice" role="group" .file=${missing}
        .other=${this.offer.name || findModel(this.#scope.model).name}
        .fault=${reason(fault ?? modelFault, this.#scope)}
        @logit-model=${(/** @type {CustomEvent} */ { detail }) => this.#scope.emit('logit-found', detail)}></logit-reopen>`;
    if (asking)
      return html`<logit-open .asked=${asking} @logit-model=${(/** @type {CustomEvent} */ { detail }) => this.#agree(detail)}></logit-open>`;
    const why = reason(fault, this.#scope);
    if (status === 'failed' && why) {
      return html`
        <div class="panel notice" role="alert">
          <p>${t('load.failed', { reason: why })}</p>
          <button class="primary" @click=${() => this.load()}>${t('load.retry')}</button>
        </div>`;
    }
    const far = this.renderFetching();
    if (far !== nothing) return far;
    return html`<div class="panel notice pending ${this.#scope.shareable ? 'tall' : ''}" role="status">${this.renderProgress()}</div>`;
  }

  renderFetching() {
    const { progress, coming } = this.#instrument;
    if (!isSlow(progress)) return nothing;
    import('./open-model.js');
    return html`
      <logit-fetching class="panel notice fetching" .name=${findModel(coming).name} .progress=${progress}
        @logit-cancel=${() => this.#instrument.cancel()}></logit-fetching>`;
  }

  renderProgress() {
    const { progress } = this.#instrument;
    const sizes = progress?.total
      ? { done: megabytes(progress.loaded), total: megabytes(progress.total) }
      : null;
    const done = progress?.total ? progress.loaded / progress.total : 0;
    return html`
      <label for="progress">${sizes ? t('load.progress', sizes) : t('load.working')}</label>
      <progress id="progress" max="1" .value=${done}></progress>`;
  }

  /** What else can be opened, over the page. */
  renderMore() {
    const { more } = this.#scope;
    if (more === null) return nothing;
    return html`<logit-open dialog .asked=${more} @logit-model=${(/** @type {CustomEvent} */ { detail }) => this.open(detail)}
      @logit-open-end=${() => (this.#scope.more = null)}></logit-open>`;
  }
}

/** The prompt that a model shows at first. @param {import('../state/models.js').Offer} offer */
export const exampleOf = ({ examples: [first = ''] }) => first;

/**
 * Leaves of a model's examples those that it can read; without any, those of other models.
 * @param {import('../state/models.js').Offer} offer
 * @param {import('../engine/remote.js').RemoteLogitscope} engine
 */
async function keepReadable(offer, engine) {
  if (MODELS.some(({ model }) => model === offer.model)) return;
  const reads = (/** @type {string} */ text) =>
    engine.encode(text).then(
      ({ length }) => length > 0,
      () => false,
    );
  for (const texts of [offer.examples, MODELS.flatMap(({ examples }) => examples)]) {
    const read = await Promise.all(texts.map(reads));
    offer.examples = texts.filter((_, i) => read[i]);
    if (offer.examples.length > 0) return;
  }
}

/** @param {any} name */
async function isKept(name) {
  return (await import('../engine/browser-store.js')).isKept(name);
}
