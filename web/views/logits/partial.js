/**
 * <logit-partial>: the prompt of an asked record. The server that the user has connected gets it once, when the user
 * has typed; no knob, address or undo asks. Emits "logit-choose" with `prompt`, or with a new `record`.
 */
import { html, nothing } from 'lit';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { Debounce } from '../../base/debounce.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { sentence } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import { percent, t } from '../../locale/locale.js';
import { askRecord } from '../../sources/asked-record.js';
import { asked, figuresOf, holdRecord } from '../../state/recorded.js';
import recordedStyles from './recorded.css';

/** The text must rest for this time before the server gets it, in ms. */
const RESTS_MS = 500;

export class LogitPartial extends elementWith(LogitElement, () => ({
  /** @type {import('./recorded.js').OpenRecord | null} */
  opened: null,
  /** The prompt as the user has typed it, which the server may not have got yet. */
  prompt: '',
  /** The open question; null while there is none. @type {AbortController | null} */
  asking: null,
  /** The reason why the last question has no answer; null if it has. @type {import('../../engine/errors.js').Fault | null} */
  fault: null,
})) {
  static styles = [...LogitElement.styles, recordedStyles];

  #debounce = new Debounce();

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#stop();
  }

  #stop() {
    this.#debounce.cancel();
    const { asking } = this;
    asking?.abort();
    this.asking = null;
  }

  get #isOld() {
    return this.prompt !== this.opened?.asked;
  }

  /** @param {Event} event */
  #onInput(event) {
    this.#stop();
    this.fault = null;
    this.prompt = fullTextOf(event);
    this.emit('logit-choose', { prompt: this.prompt });
    if (asked.server) this.#debounce.schedule(RESTS_MS, () => this.#ask());
  }

  async #ask() {
    this.#stop();
    const { prompt } = this;
    const { server } = asked;
    if (!server || !this.#isOld) return;
    const control = new AbortController();
    this.asking = control;
    this.fault = null;
    try {
      const text = await askRecord(server, prompt, control.signal);
      if (this.asking === control) this.emit('logit-choose', { record: holdRecord(text) });
    } catch (error) {
      if (this.asking === control) this.fault = toFault(error);
    } finally {
      if (this.asking === control) this.asking = null;
    }
  }

  render() {
    const { record = null } = this.opened ?? {};
    const [position] = record?.positions ?? [];
    if (!position) return nothing;
    const { server } = asked;
    const values = { n: position.top.length, p: percent(figuresOf(position).rest) };
    return html`
      <label class="label" for="prompt">${server ? t('recorded.asked.prompt', { host: server.host }) : t('recorded.asked.prompt.closed')}</label>
      <textarea id="prompt" class="prompt" lang="" dir="auto" spellcheck="false" aria-describedby="state" ${boundedText(this.prompt)} @input=${this.#onInput}></textarea>
      <div class="law" id="state" role="status">${this.#renderState(server)}</div>
      <p class="about">${t('recorded.asked.bounds', values)} ${t('recorded.asked.cannot')}</p>`;
  }

  /** @param {import('../../sources/server.js').Server | null} server */
  #renderState(server) {
    if (this.asking)
      return html`<span>${t('recorded.asked.asking', { host: server?.host ?? '' })}</span>
        <button data-command="cancel" @click=${this.#stop}>${t('recorded.asked.cancel')}</button>`;
    const fault = this.fault
      ? html`<span class="error">${sentence(this.fault, this)}</span>`
      : nothing;
    const old = this.#isOld ? html`<span>${t('recorded.asked.old')}</span>` : nothing;
    if (!server) return html`${old}<span>${t('recorded.asked.closed')}</span>`;
    if (!this.#isOld) return fault;
    return html`${fault}${old}<button data-command="ask" @click=${this.#ask}>${t('recorded.asked.ask', { host: server.host })}</button>`;
  }
}

define('logit-partial', LogitPartial);
