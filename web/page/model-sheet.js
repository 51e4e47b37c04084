/**
 * <logit-sheet>: the sheet below the model's button: a list of models, ways to open another one, and data of the open
 * model. Emits "logit-model", "logit-more" for a model from elsewhere, "logit-context", and "logit-go" for a view.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/sheet';
import { LogitElement, define, elementWith } from '../base/element.js';
import { download } from '../base/download.js';
import { addMessages, megabytes, number, t } from '../locale/locale.js';
import { ENDINGS, modelOf, onPick } from '../state/files.js';
import { MODELS } from '../state/models.js';
import { hasProbes, opened } from '../state/probes.js';
import { convertedOf } from '../state/own-model.js';
import './context.js';
import modelSheetStyles from './model-sheet.css';

addMessages(locales);

/** Space between the button and the sheet, in CSS pixels. */
const GAP_PX = 4;

const ICONS = {
  file: 'M2.5 15.5v-11h5l2 2h8v9z',
  server: 'M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01',
  hub: 'M3 10a7 7 0 1 0 14 0 7 7 0 1 0-14 0M3 10h14M10 3c-5 4-5 10 0 14M10 3c5 4 5 10 0 14',
  pasted: 'M3 6h14M3 10h9M3 14h11',
  recorded: 'M3 16V9M7.5 16V4M12 16v-5M16.5 16V7',
  bigram: 'M3 3h14v14H3zM3 7.7h14M3 12.3h14M7.7 3v14M12.3 3v14',
};

export class LogitSheet extends elementWith(LogitElement, () => ({
  /** Name of the open or loading model. */
  name: '',
  /** Data of the open model. @type {import('../engine/types.js').Info | null} */
  info: null,
  /** Origin of the open model, as in state/engines.js. @type {unknown} */
  source: null,
  /** Names of the views that the sheet has buttons for. @type {readonly string[]} */
  views: [],
  /**
   * Undo steps and last texts; null before they are read, and on another website.
   * @type {import('./scope.js').LogitScope['kept']}
   */
  kept: null,
  /** True if the user cannot open another model. */
  fixed: false,
})) {
  static properties = { name: {} };

  static styles = [...LogitElement.styles, modelSheetStyles];

  constructor() {
    super();
    this.tabIndex = -1;
    this.addEventListener('toggle', (event) => this.#onToggle(/** @type {ToggleEvent} */ (event)));
    // The Tab key leaves the sheet, which closes it.
    this.addEventListener('focusout', ({ relatedTarget: to }) => {
      if (to && to !== this.#openButton && to !== this) this.#hide();
    });
  }

  async connectedCallback() {
    super.connectedCallback();
    this.setAttribute('role', 'dialog');
    if (this.matches(':popover-open')) this.#onOpen(); // opened before this code had loaded: no event comes
  }

  /** @param {ToggleEvent} event */
  #onToggle({ newState }) {
    if (newState === 'open') this.#onOpen();
    else this.#returnFocus();
  }

  #hide() {
    if (this.matches(':popover-open')) this.hidePopover();
  }

  /**
   * If the focus is in the closed sheet or nowhere, moves it to the button. Browsers do not do this for a button in a
   * shadow tree.
   */
  #returnFocus() {
    const lost = document.activeElement === document.body || this.matches(':focus-within');
    if (lost) this.#openButton.focus();
  }

  get #openButton() {
    const root = /** @type {ShadowRoot} */ (this.getRootNode());
    return /** @type {HTMLElement} */ (root.querySelector('#model'));
  }

  /** Finds a place for the sheet below its button and moves the focus into it. */
  async #onOpen() {
    this.requestUpdate(); // shows texts that have changed while it was closed
    await this.updateComplete;
    const { left, right, bottom } = this.#openButton.getBoundingClientRect();
    const wide = document.documentElement.clientWidth;
    const rtl = this.matches(':dir(rtl)');
    const [from, to] = rtl ? [left, wide] : [wide - right, right];
    const fits = to - (rtl ? from : 0) >= this.offsetWidth;
    this.style.insetInlineEnd = fits ? `${from}px` : `${(wide - this.offsetWidth) / 2}px`;
    this.style.top = `${bottom + GAP_PX}px`;
    this.style.maxHeight = `calc(100dvh - ${bottom + GAP_PX}px - 0.75rem)`;
    const first = this.renderRoot.querySelector('[aria-current], button');
    /** @type {HTMLElement} */ (first ?? this).focus();
  }

  /** Closes the sheet and emits an event. @param {string} type @param {object} [detail] */
  #hideAndEmit(type, detail) {
    this.#hide();
    this.#returnFocus();
    this.emit(type, detail);
  }

  /** @param {Iterable<File> | null} files */
  #openFiles(files) {
    const model = modelOf(files);
    if (model) this.#hideAndEmit('logit-model', { model });
  }

  render() {
    return html`
      <div class="columns">
        ${this.fixed ? nothing : html`<div>${this.#renderModels()} ${this.#renderWays()}</div>`}
        <div class="facts">
          ${this.info ? this.#renderFacts(this.info) : nothing}
        </div>
        ${this.kept ? this.#renderTexts(this.kept) : nothing}
      </div>`;
  }

  willUpdate() {
    this.setAttribute('aria-label', t('sheet.title'));
  }

  #renderModels() {
    // A model elsewhere may have the same name.
    const open = this.info?.remote ? null : this.name;
    const known = MODELS.some(({ name }) => name === open);
    return html`
      <ul aria-label=${t('sheet.models')}>
        ${known ? nothing : html`<li><button class="line" aria-current="true"><bdi>${this.name}</bdi></button></li>`}
        ${MODELS.map(
          ({ name, bytes = 0, tokens = 0 }) => html`
          <li><button class="line" data-model=${name} aria-current=${name === open ? 'true' : nothing}
            @click=${() => (name === open ? this.#hide() : this.#hideAndEmit('logit-model', { model: name }))}>
            <span>${t(`model.${name}`)}</span>
            <small>${t('sheet.about', { size: megabytes(bytes), context: number(tokens) })}</small></button></li>`,
        )}
      </ul>`;
  }

  #renderWays() {
    const logits = this.views.includes('logits');
    const view = (/** @type {string} */ source) => () =>
      this.#hideAndEmit('logit-go', { view: 'logits', choices: { logits_source: source } });
    return html`
      <ul class="ways">
        <li>
          <input type="file" accept=${ENDINGS} multiple hidden aria-label=${t('model.open')} @change=${this.#onPick}
            @click=${(/** @type {Event} */ event) => onPick(event, (files) => this.#openFiles(files))}>
          <button class="line" data-command="file" @click=${() => this.renderRoot.querySelector('input')?.click()}>${renderIcon('file')}${t('model.open')}</button></li>
        <li><button class="line" data-command="more" @click=${() => this.#hideAndEmit('logit-more')}>${renderIcon('hub')}${t('sheet.hub')}</button></li>
        ${hasProbes() ? html`<li><button class="line" data-command="server" @click=${this.#showServer}>${renderIcon('server')}${t('sheet.server')}</button></li>` : nothing}
        ${
          logits
            ? html`<li><button class="line" data-view="logits" @click=${view('pasted')}>${renderIcon('pasted')}${t('sheet.pasted')}</button></li>
              <li><button class="line" data-command="bigram" @click=${view('bigram')}>${renderIcon('bigram')}${t('sheet.bigram')}</button></li>
              <li><button class="line" data-command="recorded" @click=${view('recorded')}>${renderIcon('recorded')}${t('sheet.recorded')}</button></li>`
            : nothing
        }
      </ul>`;
  }

  /** @param {import('../engine/types.js').Info} info */
  #renderFacts(info) {
    /** @param {string} name @param {unknown} value */
    const fact = (name, value) => html`<div><dt>${t(`sheet.${name}`)}</dt><dd>${value}</dd></div>`;
    return html`
      <h2><bdi>${info.name}</bdi></h2>
      <dl>
        ${info.remote ? fact('source', this.#nameSource()) : fact('architecture', html`<bdi>${info.architecture}</bdi>`)}
        ${info.remote ? nothing : fact('parameters', number(info.parameters))}
        ${fact('vocabulary', t('sheet.tokens', { n: info.vocab_size }))}
        ${fact('context', this.fixed || info.remote ? t('sheet.tokens', { n: info.context_length }) : html`<logit-context .info=${info}></logit-context>`)}
        ${info.remote ? nothing : fact('layers', number(info.n_layer))}
        ${fact('engine', `WebAssembly, ${info.variant}`)}
        ${this.#serverFacts().map(([name, value]) => fact(name, value))}
      </dl>
      ${this.#renderMade()}
      <p class="links">${this.views
        .filter((view) => view !== 'logits')
        .map(
          (view) =>
            html`<button class="plain" data-view=${view} @click=${() => this.#hideAndEmit('logit-go', { view })}>${t(`sheet.${view}`)}</button>`,
        )}</p>`;
  }

  /** @param {Event} event */
  async #showServer(event) {
    const isScope = (/** @type {any} */ { localName }) => localName === 'logit-scope';
    const scope = /** @type {any} */ (event.composedPath().find(isScope));
    this.#hide();
    this.#returnFocus();
    (await import('./server.js')).showServer(scope);
  }

  #nameSource() {
    const server = opened.server();
    if (server) return t('sheet.source.server', { kind: server.kind.name, host: server.host });
    return t(`sheet.source.${this.source === 'source:host' ? 'host' : 'asked'}`);
  }

  /** Names and values of facts about the server of the open model. @returns {[string, string][]} */
  #serverFacts() {
    const server = opened.server();
    if (!server) return [];
    const { reproducible } = server;
    const { answers, ms } = server.speed;
    return [
      ['answers', t('sheet.answers.speed', { n: answers, ms: number(Math.round(ms / answers)) })],
      ['again', t(reproducible ? 'sheet.again.equal' : 'sheet.again.differs')],
    ];
  }

  /** Renders the button that saves the GGUF file that was made from a checkpoint. */
  #renderMade() {
    const made = convertedOf(this.source);
    if (!made) return nothing;
    const { name, size } = made.file;
    return html`<p><button data-command="save-model" @click=${() => download(name, made.file, made.file.type)}>${t('sheet.save', { size: megabytes(size) })}</button></p>`;
  }

  /** @param {NonNullable<LogitSheet['kept']>} kept */
  #renderTexts({ deeds, sessions }) {
    const change = (/** @type {() => unknown} */ act) => async () => {
      await act();
      this.requestUpdate();
      await this.updateComplete;
      // If the pressed button is gone, focus the first one.
      if (!this.matches(':focus-within')) this.renderRoot.querySelector('button')?.focus();
    };
    const restore = (/** @type {string} */ id) => {
      this.#hide();
      this.#returnFocus();
      sessions.restore(id);
    };
    const { all } = sessions;
    if (all.length === 0 && !deeds.undoable && !deeds.redoable) return nothing;
    return html`
      <section aria-labelledby="texts">
        <div class="head"><h2 id="texts">${t('sheet.texts')}</h2>
          <button class="plain" data-command="undo" aria-disabled=${!deeds.undoable} @click=${change(() => deeds.undo())}>${t('undo.undo')}</button>
          <button class="plain" data-command="redo" aria-disabled=${!deeds.redoable} @click=${change(() => deeds.redo())}>${t('undo.redo')}</button>
          ${all.length > 0 ? html`<button class="plain end" data-command="remove-all" @click=${change(() => sessions.removeAll())}>${t('sheet.remove-all')}</button>` : nothing}
        </div>
        <ul class="texts">${all.map(
          ({ id, text, name, drawn }) => html`
          <li><button class="line" data-session=${id} @click=${() => restore(id)}>
              <bdi class="text">${text}</bdi>
              <small><bdi>${name}</bdi> · ${t('sheet.tokens', { n: drawn })}</small></button>
            <button class="ring" data-remove=${id} aria-label="${t('sheet.remove')}: ${text.slice(0, 40)}" @click=${change(() => sessions.remove(id))}>×</button></li>`,
        )}</ul>
      </section>`;
  }

  /** @param {Event} event */
  #onPick({ target }) {
    const input = /** @type {HTMLInputElement} */ (target);
    this.#openFiles([...(input.files ?? [])]);
    input.value = ''; // otherwise choosing the same file again would fire no event
  }
}

/** @param {keyof typeof ICONS} name */
const renderIcon = (name) =>
  html`<svg viewBox="0 0 20 20" aria-hidden="true"><path d=${ICONS[name]}></path></svg>`;

define('logit-sheet', LogitSheet);
