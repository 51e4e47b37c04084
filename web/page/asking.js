/**
 * <logit-asking>: says that the page asks a model elsewhere, with a button to cancel; or that there is no
 * answer, with a button to try again. Emits "logit-retry". The page fetches it for `source` in its address.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/asking';
import { LogitElement, define, elementWith } from '../base/element.js';
import { detailOf, explain } from '../base/faults.js';
import { addMessages, t } from '../locale/locale.js';
import { Door, serverUnasked } from '../sources/asked.js';
import { assets } from '../state/assets.js';
import { MODELS } from '../state/models.js';
import { opened } from '../state/probes.js';
import { checkState } from '../state/page-state.js';
import askingStyles from './asking.css';

/** @import { LogitScope } from './scope.js' */
/** @import { Server } from '../sources/server.js' */

addMessages(locales);

/** The beginning of the name of a model that is asked. */
const SOURCE = 'source:';
/** The source that is a server of the user's own. */
const SERVER = 'server';

/** Shorter questions are not shown, in ms. */
const SHORT_MS = 400;

export class LogitAsking extends elementWith(LogitElement, () => ({
  /** @type {import('../sources/asked.js').Door | null} */
  door: null,
  /** True if a question takes longer than SHORT_MS. */
  long: false,
})) {
  static styles = [...LogitElement.styles, askingStyles];

  #timer = 0;
  #follow = () => this.#change();

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.door?.removeEventListener('change', this.#follow);
  }

  /** @param {Map<string, any>} changed */
  willUpdate(changed) {
    if (!changed.has('door')) return;
    changed.get('door')?.removeEventListener('change', this.#follow);
    this.door?.addEventListener('change', this.#follow);
    this.#change();
  }

  #change() {
    clearTimeout(this.#timer);
    const asking = Boolean(this.door?.asking);
    // Between two questions of one run the sentence stays.
    this.#timer = window.setTimeout(() => (this.long = asking), SHORT_MS);
    this.requestUpdate();
  }

  #retry() {
    this.door?.forget();
    this.emit('logit-retry');
  }

  render() {
    const { door, long } = this;
    if (!door) return nothing;
    const name = `\u2068${door.name}\u2069`;
    // The view says why.
    if (door.fault && !door.asking && door.name)
      return html`<div class="asking"><p>${t('asking.unanswered', { name })}</p>
        <button class="primary" data-command="retry" @click=${this.#retry}>${t('asking.retry')}</button></div>`;
    if (!long || !door.name) return nothing;
    return html`<div class="asking" role="status"><p>${t('asking.asks', { name })}</p>
      <button data-command="cancel" @click=${() => door.cancel()}>${t('asking.cancel')}</button></div>`;
  }
}

define('logit-asking', LogitAsking);

/** The bar of each instrument. @type {WeakMap<LogitScope, LogitAsking>} */
const bars = new WeakMap();
/** The opened servers by the names of their models. @type {Map<unknown, Server>} */
const servers = new Map();

/**
 * The door of a model that is asked; null for another model.
 * @param {unknown} model
 */
function doorOf(model) {
  const [, kind = ''] = (typeof model === 'string' && /^source:(\w+)/.exec(model)) || [];
  if (kind !== SERVER) return kind ? new Door(kind) : null;
  return new Door(async (what, body, how) => {
    const source = servers.get(model)?.source;
    if (!source) throw serverUnasked();
    if (what === 'info' || what === 'pieces') return source[what];
    if (what === 'encode') return Uint32Array.from(await source.encode(String(body), how));
    return source.logits(/** @type {Uint32Array} */ (body), how);
  });
}

/**
 * Lets the page open models that are asked, and shows its questions.
 * @param {LogitScope} scope
 */
function prepare(scope) {
  if (bars.has(scope)) return;
  const { instrument } = scope;
  const bar = /** @type {LogitAsking} */ (document.createElement('logit-asking'));
  bars.set(scope, bar);
  document.body.append(bar);
  bar.addEventListener('logit-retry', () => retry(scope));
  assets.openSource = (model, signal) => {
    const door = doorOf(model);
    if (!door) return null;
    bar.door = door;
    return door.open(signal);
  };
  scope.meet = (offer, engine) => {
    const { door } = bar;
    if (!door || !String(offer.model).startsWith(SOURCE)) return;
    offer.name = door.name;
    // Fetches the sentences now: the program that serves the page may end.
    const gone = /** @type {const} */ ({ code: 'unanswered', key: 'asked_gone', values: {} });
    Promise.all([explain(gone), detailOf(gone)]);
    if (servers.has(offer.model)) {
      // The text stays, if the model can read it.
      offer.examples = [...new Set([instrument.prompt.text, ...MODELS[0].examples])].filter(
        Boolean,
      );
      return;
    }
    offer.examples = [door.first.prompt];
    begin(scope, door, engine);
    return true;
  };
  instrument.addEventListener('ready', () => {
    bar.hidden = !instrument.info?.remote;
  });
  hurry(instrument);
}

/**
 * Opens the model that the page asks.
 * @param {LogitScope} scope
 * @param {string} kind a value of the field `source`
 */
export function enterSource(scope, kind) {
  prepare(scope);
  scope.model = SOURCE + kind;
}

/**
 * Opens the model of a server after the user has agreed.
 * @param {LogitScope} scope
 * @param {Server} server
 */
export async function enterServer(scope, server) {
  prepare(scope);
  const { host, model } = server;
  const name = `${SOURCE}${SERVER}#${encodeURIComponent(`${host} ${model}`)}`;
  servers.set(name, server);
  opened.server = () => (scope.source === name ? server : null);
  await scope.open(name);
}

/**
 * Begins with the settings of a source, unless the address has a state. The page says which of them are
 * refused.
 * @param {LogitScope} scope
 * @param {Door} door
 * @param {import('../engine/remote.js').RemoteLogitscope} engine the scope itself has no table yet
 */
function begin({ address }, { first: { settings } }, { table, info }) {
  const { state, dropped } = checkState({ settings }, table, info?.vocab_size);
  const { complete } = address;
  address.dropped = [...address.dropped, ...dropped];
  address.complete = (given) => {
    address.complete = complete; // only for the first state
    const whole = complete(given);
    return whole ?? (state && { settings: state.settings });
  };
}

/** A newer text does not wait for the answer about an older text. @param {LogitScope['instrument']} instrument */
function hurry(instrument) {
  const refresh = instrument.refresh.bind(instrument);
  /** @type {unknown} */
  let read = null;
  instrument.refresh = () => {
    if (instrument.info?.remote && read !== instrument.subject) instrument.dropPass();
    read = instrument.subject;
    return refresh();
  };
}

/** Repeats the work without an answer: the bench's reading and the visible view. @param {LogitScope} scope */
function retry({ instrument, renderRoot, view }) {
  const { prompt } = instrument;
  if (prompt.fault) instrument.setPrompt(prompt.text);
  else instrument.refresh();
  // An element opens its model again when it is connected.
  const shown = renderRoot.querySelector(`#view > logit-${view}:not(logit-bench)`);
  shown?.replaceWith(shown);
}
