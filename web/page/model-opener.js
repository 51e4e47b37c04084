/**
 * Opens the models of an instrument and shows the progress. If a model is on another host, the user must agree before
 * anything is fetched.
 */
import { html, nothing } from 'lit';
import { reason, sayAll } from '../base/faults.js';
import { glossary } from '../base/term.js';
import { presets } from '../engine/presets.js';
import { megabytes, t } from '../locale/locale.js';
import { isSlow, mayConvert } from '../state/engines.js';
import { modelOf } from '../state/files.js';
import { FIRST_SCREEN } from '../state/first-frame.js';
import { agreeTo, isUnasked } from '../state/hosts.js';
import { MODELS, findModel } from '../state/models.js';

/** @import { PageState } from '../state/page-state.js' */
/** @typedef {{ model: import('../state/engines.js').Model, context?: number | null, anew?: boolean }} Wanted */

/** Modules of dialogs and glossary, fetched while the model loads. */
const overlays = Promise.allSettled([glossary, import('./overlays.js')]);

export class ModelOpener {
  /** The open or loading model: name, address, grammar, examples. */
  offer = findModel('');
  /** The model on another host for which the user's agreement is needed; '' for none. */
  asking = '';
  /** The text in the dialog of other models; null while the dialog is closed. @type {string | null} */
  more = null;
  #scope;
  #instrument;
  #choices;
  #begin;

  /**
   * @param {import('./scope.js').LogitScope} scope has the model's name as attribute
   * @param {import('../state/instrument.js').Instrument} instrument
   * @param {import('../state/choices.js').Choices} choices the views' choices
   * @param {(prompt: string) => PageState | null} begin gets the default prompt and returns the state
   *   with which a load begins
   */
  constructor(scope, instrument, choices, begin) {
    this.#scope = scope;
    this.#instrument = instrument;
    this.#choices = choices;
    this.#begin = begin;
  }

  /** The model's first example prompt. */
  get example() {
    return exampleOf(this.offer);
  }

  /**
   * Opens the model of the attributes, or the user's file that the history names. A model on another host needs the
   * user's agreement.
   * @param {boolean} [named] true if the prompt of the attribute replaces a typed prompt
   * @returns {Promise<unknown>}
   */
  load(named = false) {
    const { missing, model: asked, grammar: rules, context, prompt: given } = this.#scope;
    this.#setAsking('');
    if (missing) return this.#loadMissing(missing);
    if (isUnasked(asked)) return this.#askFirst(asked);
    const { examples: known } = this.offer;
    const offer = { ...findModel(asked), ...(rules ? { grammar: rules } : {}) };
    this.offer = offer;
    return this.#load(offer, context, (before) => {
      const prompt = given || exampleOf(offer);
      const first = before ? this.#stateForModel(before, known, prompt) : this.#firstState(prompt);
      if (named) first.prompt = prompt;
      return { ...first, ...this.#begin(prompt) };
    });
  }

  /**
   * Opens another model with the present settings and prompt, or shows the dialog that asks for agreement. Returns
   * true if the model is open.
   * @param {Wanted} wanted
   */
  async open({ model: wanted, context = null, anew = false }) {
    if (isUnasked(wanted) && !(await isKept(wanted))) {
      await this.showMore(String(wanted));
      return false;
    }
    const files = mayConvert(wanted) ? await import('../state/own-model.js') : null;
    const model = files ? await files.joinCheckpoint(wanted) : wanted;
    const offer = { ...findModel(model) };
    const { examples: known } = this.offer;
    await this.#load(offer, context, (before) => {
      const prompt = exampleOf(offer);
      if (before && !anew) return this.#stateForModel(before, known, prompt);
      return { ...this.#firstState(prompt), ...(before ? null : this.#begin(prompt)) };
    });
    if (this.#instrument.model.source !== offer.model) return false;
    this.offer = offer;
    const notes = files?.convertedOf(model)?.notes ?? [];
    if (notes.length > 0) this.#scope.notice = await sayAll(notes);
    return true;
  }

  /**
   * Opens the same model with another context length; the text stays.
   * @param {number | null} context in tokens; null for the engine's default
   */
  changeContext(context) {
    const { model, grammar } = this.offer;
    const begin = (/** @type {PageState | null} */ before) => before ?? { settings: {} };
    return this.#instrument.load({ model, context, grammar, begin });
  }

  /**
   * @param {import('../state/models.js').Offer} offer its examples are checked with the new engine
   * @param {number | null} context
   * @param {(before: PageState | null) => PageState} begin
   */
  #load(offer, context, begin) {
    const { model, grammar } = offer;
    return this.#instrument.load({
      model,
      context,
      grammar,
      begin,
      meet: (engine) => this.#scope.meet(offer, engine) ?? keepReadable(offer, engine),
      beside: Promise.all([overlays, this.#scope.address.coming]),
    });
  }

  /**
   * Returns the state of a first visit. Its landscape shows only one knob, so only this setting is set.
   * @param {string} prompt
   */
  #firstState(prompt) {
    const { settings } = FIRST_SCREEN;
    return { prompt, settings: this.#scope.view === 'landscape' ? settings : presets.transformers };
  }

  /**
   * Opens the user's file, if the browser allows it without asking.
   * @param {import('./local-files.js').FileRecord} missing
   */
  async #loadMissing(missing) {
    await import('./reopen.js');
    const { findFiles } = await import('./local-files.js');
    const files = await findFiles(missing);
    if (files) return this.#scope.open(modelOf(files), missing.context);
    this.#scope.requestUpdate();
  }

  /** @param {string} name @returns {Promise<unknown>} */
  async #askFirst(name) {
    if (await isKept(name)) {
      agreeTo(name);
      return this.load();
    }
    if (this.#scope.ready) return this.showMore(name);
    await import('./open-model.js');
    this.offer = findModel(name);
    this.#setAsking(name);
  }

  /** @param {string} name */
  #setAsking(name) {
    this.asking = name;
    this.#scope.requestUpdate();
  }

  /** Opens the dialog of other models. @param {string} [name] the name in its input at the beginning */
  async showMore(name = '') {
    await import('./open-model.js');
    this.#setMore(name);
  }

  /** @param {string | null} name */
  #setMore(name) {
    this.more = name;
    this.#scope.requestUpdate();
  }

  /**
   * Returns the present state for another model, with the user's text and settings. An example becomes an example of
   * the new model. Token ids are dropped, because the vocabulary is another one.
   * @param {PageState} before
   * @param {string[]} examples of the previous model
   * @param {string} example of the new model
   * @returns {PageState}
   */
  #stateForModel({ branch: _, saved: __, chat, settings, ...before }, examples, example) {
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

  /** Renders, in place of the views, a question, an error or the progress. */
  renderInstead() {
    const { fault, model } = this.#instrument;
    const scope = this.#scope;
    const { missing } = scope;
    if (missing && !model.coming)
      return html`<logit-reopen class="panel notice" role="group" .file=${missing}
        .other=${this.offer.name || findModel(scope.model).name}
        .fault=${reason(fault ?? model.fault, scope)}
        @logit-model=${(/** @type {CustomEvent} */ { detail }) => scope.emit('logit-found', detail)}></logit-reopen>`;
    if (this.asking)
      return html`<logit-open .asked=${this.asking} @logit-model=${(/** @type {CustomEvent} */ { detail }) => scope.take(detail)}></logit-open>`;
    const why = reason(fault, scope);
    if (model.status === 'failed' && why) {
      return html`
        <div class="panel notice" role="alert">
          <p>${t('load.failed', { reason: why })}</p>
          <button class="primary" @click=${() => this.load()}>${t('load.retry')}</button>
        </div>`;
    }
    const fetching = this.renderFetching();
    if (fetching !== nothing) return fetching;
    return html`<div class="panel notice pending ${scope.shareable ? 'tall' : ''}" role="status">${this.renderProgress()}</div>`;
  }

  renderFetching() {
    const { progress, coming } = this.#instrument.model;
    if (!isSlow(progress)) return nothing;
    import('./open-model.js');
    return html`
      <logit-fetching class="panel notice fetching" .name=${findModel(coming).name} .progress=${progress}
        @logit-cancel=${() => this.#instrument.model.cancel()}></logit-fetching>`;
  }

  renderProgress() {
    const { progress } = this.#instrument.model;
    const sizes = progress?.total
      ? { done: megabytes(progress.loaded), total: megabytes(progress.total) }
      : null;
    const done = progress?.total ? progress.loaded / progress.total : 0;
    return html`
      <label for="progress">${sizes ? t('load.progress', sizes) : t('load.working')}</label>
      <progress id="progress" max="1" .value=${done}></progress>`;
  }

  renderMore() {
    if (this.more === null) return nothing;
    return html`<logit-open dialog .asked=${this.more}
      @logit-model=${(/** @type {CustomEvent} */ { detail: { model, context } }) => this.#scope.open(model, context)}
      @logit-open-end=${() => this.#setMore(null)}></logit-open>`;
  }
}

/** Returns the prompt that a model begins with. @param {import('../state/models.js').Offer} offer */
const exampleOf = ({ examples: [first = ''] }) => first;

/**
 * Changes the examples of a model that does not come with the page to texts that it can encode.
 * @param {import('../state/models.js').Offer} offer
 * @param {import('../engine/remote.js').RemoteLogitscope} engine
 */
async function keepReadable(offer, engine) {
  if (MODELS.some(({ model }) => model === offer.model)) return;
  const { chooseExamples } = await import('./readable.js');
  return chooseExamples(offer, engine);
}

/** @param {any} name */
async function isKept(name) {
  return (await import('../engine/browser-store.js')).isKept(name);
}
