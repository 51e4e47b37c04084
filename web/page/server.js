/**
 * <logit-server>: the dialog for a server of the user's own. A press of its button, which names the host, sends the
 * text there; no address, state or message does. The key stays in memory.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/server';
import { LogitElement, define, elementWith } from '../base/element.js';
import { onEnter } from '../base/enter.js';
import { explain } from '../base/faults.js';
import { LogitscopeError, toFault } from '../engine/errors.js';
import { addMessages, t } from '../locale/locale.js';
import { KINDS } from '../sources/server-kinds.js';
import { askRecord } from '../sources/asked-record.js';
import { Server, readAddress } from '../sources/server.js';
import { hasProbes, mayProbe } from '../state/probes.js';
import { MODELS } from '../state/models.js';
import dialogStyles from '../style/dialog.css';
import { enterServer } from './asking.js';
import openStyles from './open-model.css';
import serverStyles from './server.css';

addMessages(locales);

/** @import { LogitScope } from './scope.js' */

const ADDRESS = 'http://127.0.0.1:8080';
/** The key of sessionStorage for this tab's last address, which fills the field alone. */
const KEPT = 'logitscope:server';
/** The time to open a server, in ms. */
const OPEN_MS = 60_000;

/** The address in the field at the beginning. */
function firstAddress() {
  try {
    return sessionStorage.getItem(KEPT) ?? ADDRESS;
  } catch {
    return ADDRESS; // the browser refuses storage
  }
}

/** @param {string} address */
function keepAddress(address) {
  try {
    sessionStorage.setItem(KEPT, address);
  } catch {}
}

/** The address of a text; null if it is none. @param {string} text */
function addressOf(text) {
  try {
    return readAddress(text.trim());
  } catch {
    return null;
  }
}

export class LogitServer extends elementWith(LogitElement, () => ({
  /** @type {LogitScope | null} */
  scope: null,
  address: firstAddress(),
  /** The open questions; null while there are none. @type {AbortController | null} */
  opening: null,
  /** A sentence about the last attempt, and one about the remedy; '' for none. */
  fault: '',
  hint: '',
})) {
  static styles = [...LogitElement.styles, dialogStyles, openStyles, serverStyles];

  firstUpdated() {
    this.#dialog?.showModal();
    /** @type {HTMLInputElement} */ (this.renderRoot.querySelector('#address')).select();
  }

  get #dialog() {
    return /** @type {HTMLDialogElement | null} */ (this.renderRoot.querySelector('dialog'));
  }

  get #host() {
    return addressOf(this.address)?.host ?? '';
  }

  /** @param {string} id of an input */
  #valueOf(id) {
    return /** @type {HTMLInputElement} */ (this.renderRoot.querySelector(`#${id}`)).value.trim();
  }

  async #connect() {
    const { scope, opening } = this;
    if (opening || !scope) return;
    const url = addressOf(this.address);
    this.hint = '';
    if (!url)
      return this.#refuse(
        new LogitscopeError('invalid_argument', 'server_address', { value: this.address }),
      );
    if (!mayProbe(url.origin)) {
      this.fault = t('server.hosts', { host: url.host });
      return;
    }
    const control = new AbortController();
    const late = new LogitscopeError('unanswered', 'asked_late', { limit: OPEN_MS / 1000 });
    const timer = setTimeout(() => control.abort(late), OPEN_MS);
    let forbidden = false;
    const onForbidden = (/** @type {SecurityPolicyViolationEvent} */ { blockedURI }) => {
      forbidden ||= blockedURI.startsWith(url.origin);
    };
    document.addEventListener('securitypolicyviolation', onForbidden);
    this.opening = control;
    this.fault = '';
    try {
      const [model, key] = [this.#valueOf('name'), this.#valueOf('key')];
      const { signal } = control;
      const given = { ...(model && { model }), ...(key && { key }), signal };
      const server = await Server.open(this.address.trim(), given);
      const show = server.source
        ? () => enterServer(scope, server)
        : await preparePartial(scope, server, signal);
      keepAddress(this.address.trim());
      await show();
      this.#dialog?.close();
    } catch (error) {
      const reason = control.signal.aborted ? control.signal.reason : error;
      await this.#refuse(reason);
      this.hint = forbidden
        ? t('server.hosts', { host: url.host })
        : await hintOf(url, toFault(reason));
    } finally {
      clearTimeout(timer);
      document.removeEventListener('securitypolicyviolation', onForbidden);
      this.opening = null;
    }
  }

  /** @param {unknown} error */
  async #refuse(error) {
    this.fault = await explain(toFault(error));
  }

  #cancel() {
    this.opening?.abort(new LogitscopeError('cancelled', 'asked_cancelled'));
  }

  #onClose() {
    this.#cancel();
    this.remove();
    // Without a model the page shows its first one.
    if (this.scope && !this.scope.ready) openFirst(this.scope);
  }

  render() {
    const host = this.#host;
    const [first] = MODELS;
    return html`<dialog aria-labelledby="title" @close=${this.#onClose}>
      <div class="top"><h2 id="title">${t('server.title')}</h2>
        <button @click=${() => this.#dialog?.close()}>${this.scope?.ready ? t('server.close') : t('server.other', { name: t(`model.${first.name}`) })}</button></div>
      <p class="about">${t('server.about')}</p>
      <div class="fields" @keydown=${(/** @type {KeyboardEvent} */ event) => onEnter(event, () => this.#connect())}>
        <label class="label" for="address">${t('server.address')}</label>
        <input id="address" type="url" spellcheck="false" autocomplete="off" autocapitalize="off" dir="ltr" aria-describedby="said"
          aria-invalid=${this.fault ? 'true' : 'false'} .value=${this.address}
          @input=${(/** @type {any} */ { target }) => (this.address = target.value)}>
        <label class="label" for="name">${t('server.model')}</label>
        <input id="name" type="text" spellcheck="false" autocomplete="off" autocapitalize="off" placeholder=${t('server.model.first')}>
        <label class="label" for="key">${t('server.key')}</label>
        <input id="key" type="password" autocomplete="off" placeholder=${t('server.key.none')}>
      </div>
      <p id="said" class="error" role="alert">${this.fault}</p>
      ${this.hint ? html`<p class="about warning">${this.hint}</p>` : nothing}
      <div class="buttons">
        ${
          this.opening
            ? html`<p role="status">${t('server.opening', { host })}</p><button data-command="cancel" @click=${this.#cancel}>${t('server.cancel')}</button>`
            : html`<button class="primary" data-command="connect" aria-disabled=${host === ''} @click=${this.#connect}>${host ? t('server.connect', { host }) : t('server.connect.none')}</button>`
        }
      </div>
      <p class="about">${t('server.kinds')}</p>
    </dialog>`;
  }
}

/**
 * Opens the page's first model with the text of the address, without the ids of the server's vocabulary.
 * @param {LogitScope} scope
 */
export function openFirst(scope) {
  const { address } = scope;
  const { complete } = address;
  address.complete = (given) => {
    address.complete = complete; // only for the first state
    const whole = complete(given);
    if (!whole) return whole;
    const { branch: _, saved: __, settings, ...others } = whole;
    const { logit_bias: ___, forced_first: ____, ...kept } = settings;
    return { ...others, settings: kept };
  };
  return scope.take({ model: MODELS[0].name });
}

/**
 * Asks a server that shows only the most probable tokens for those after the prompt. Returns a function that shows
 * them as a record; the page keeps its model.
 * @param {LogitScope} scope
 * @param {Server} server
 * @param {AbortSignal} signal
 */
async function preparePartial(scope, server, signal) {
  if (!scope.ready) {
    await openFirst(scope);
    await scope.settled(); // the prompt of the address is there after the model
  }
  const prompt = scope.state.logits_prompt ?? scope.instrument.prompt.text;
  const text = await askRecord(server, prompt, signal);
  const { asked, holdRecord } = await import('../state/recorded.js');
  return () => {
    asked.server = server;
    scope.view = 'logits';
    scope.choose({
      logits_source: 'recorded',
      logits_record: holdRecord(text),
      logits_prompt: prompt,
      logits_position: 0,
      logits_law: null,
    });
  };
}

/**
 * A sentence about the remedy; '' without one.
 * @param {URL} url
 * @param {import('../engine/errors.js').Fault} fault
 */
async function hintOf(url, { key }) {
  const { origin } = location;
  if (key !== 'server_gone') return '';
  const kind = KINDS.find(({ port }) => String(port) === url.port);
  // An opaque answer: something is there, and does not let this page read it.
  const there = await fetch(url, { mode: 'no-cors', credentials: 'omit', cache: 'no-store' }).then(
    () => true,
    () => false,
  );
  if (there && kind?.id === 'ollama') return t('server.hint.ollama', { origin });
  if (there && kind?.id === 'lm-studio') return t('server.hint.lm-studio');
  if (there) return t('server.hint.origin', { host: url.host, origin });
  if (location.protocol === 'https:') return t('server.hint.secure', { host: url.host });
  return t('server.hint.start', { port: url.port || '80' });
}

define('logit-server', LogitServer);

/**
 * Opens the page for a server, which needs a press first. A page without network access opens its first model.
 * @param {LogitScope} scope
 */
export function enterServers(scope) {
  if (hasProbes()) showServer(scope);
  else openFirst(scope);
}

/** Shows the dialog. @param {LogitScope} scope */
export function showServer(scope) {
  const dialog = /** @type {LogitServer} */ (document.createElement('logit-server'));
  dialog.scope = scope;
  document.body.append(dialog);
}
