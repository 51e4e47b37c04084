/**
 * <logit-programs>: settings of other programs. The user pastes, drops or chooses a preset, a command line, a request
 * or a configuration. The dialog shows the chain as that program runs it beside the present one, and every key with
 * its effect. It also writes settings for another program. Emits "logit-adopt" for the settings to use, and
 * "logit-programs-end" when it closes.
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { locales } from '#locales/programs';
import { locales as conventions } from '#locales/conventions';
import { copyText } from '../base/copy.js';
import { LogitElement, define, elementWith, valueOf } from '../base/element.js';
import { reasonOf, sentenceOf } from '../base/fault-words.js';
import { capitalise, describeDifference, settingName } from '../base/setting-words.js';
import { effectOf } from '../base/stage-words.js';
import { toFault } from '../engine/errors.js';
import { LONGEST } from '../import/settings/forms.js';
import { programs, readSettings, writeSettings } from '../import/settings/index.js';
import { addMessages, list, measure, number, t } from '../locale/locale.js';
import '../panels/stages/stages.js';
import { cssom } from '../plots/cssom.js';
import { recall, remember } from '../state/memory.js';
import { readBoth } from '../state/other-settings.js';
import dialogStyles from '../style/dialog.css';
import { arrange, chainOf, printed } from './program-keys.js';
import programsStyles from './programs.css';

addMessages(locales);
addMessages(conventions);

/** @import { Reading } from '../import/settings/read.js' */
/** @import { Fault, Phrase } from '../engine/errors.js' */
/** @import { Stage } from './program-keys.js' */
/** @import { Reading as Result } from '../state/reader.js' */

/** Keys of the sentences about the different tokens of two results. */
const DIFFERENCE = {
  only: 'conventions.only',
  lost: 'conventions.lost',
  shifted: 'conventions.shifted',
  same: 'conventions.same',
};
/** Most keys in a list. */
const MOST = 100;
/** A few of the forms of settings that can be pasted. */
const ACCEPTED = [
  'llama-server --temp 0.7 --min-p 0.05',
  '{ "rep_pen": 1.1, "top_k": 100 }',
  'PARAMETER temperature 0.7',
].join('\n');

const nameOf = (/** @type {string} */ id) => programs.find((one) => one.id === id)?.name ?? id;

export class LogitPrograms extends elementWith(LogitElement, () => ({
  /** @type {import('./scope.js').LogitScope} */
  scope: /** @type {any} */ (null),
  /** A request to open the dialog, with the text to read. @type {{ text?: string, name?: string }} */
  request: {},
  text: recall('programs') ?? '',
  /** Id of the program that the user has chosen; '' for the one that is recognised. */
  program: '',
  /** Id of the program to write settings for; '' for none. */
  target: '',
  /**
   * Results under the read settings, if there are any, and under the present ones; null until computed.
   * @type {Result[] | null}
   */
  results: null,
  /** True after the text for another program was copied. */
  copied: false,
})) {
  static styles = [...LogitElement.styles, dialogStyles, programsStyles];

  /** @type {Reading | null} */
  #reading = null;
  /** Why the text cannot be read; null if it can. @type {Fault | null} */
  #fault = null;
  #fileName = '';
  /** Number of the comparison that was asked last; results of older ones are dropped. */
  #asked = 0;

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const { text, name = '' } = this.request;
    if (changed.has('request') && text !== undefined) {
      Object.assign(this, { text, program: '' });
      this.#fileName = name;
    }
    if (changed.has('text')) remember('programs', this.text.length > LONGEST ? '' : this.text);
    if (['request', 'text', 'program'].some((each) => changed.has(each))) this.#read();
    if (changed.has('target') || changed.has('text')) this.copied = false;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has('target') && this.target)
      this.renderRoot.querySelector('[data-command=copy]')?.scrollIntoView({ block: 'nearest' });
    if (!changed.has('request')) return;
    if (!this.#dialog.open) this.#dialog.showModal();
    const field = /** @type {HTMLTextAreaElement} */ (this.renderRoot.querySelector('textarea'));
    field.focus();
    field.select(); // so that a paste replaces the last text
  }

  get #dialog() {
    return /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector('dialog'));
  }

  /** Reads the text; without a text, the defaults of the chosen program. Every program takes an empty object. */
  #read() {
    const { text, program } = this;
    this.#reading = this.#fault = this.results = null;
    this.#asked++;
    if (!text.trim() && !program) return void this.#compare(null);
    try {
      const options = { program: program || undefined, fileName: this.#fileName };
      this.#reading = readSettings(text.trim() ? text : '{}', options);
      this.#compare(this.#reading.settings);
    } catch (error) {
      this.#fault = toFault(error);
    }
  }

  /**
   * Computes the results under other settings and the present ones, if a model is open.
   * @param {Record<string, any> | null} settings null for the present ones alone
   */
  async #compare(settings) {
    const { instrument } = this.scope;
    if (!instrument.live || !instrument.trace) return;
    const asked = this.#asked;
    try {
      const results = await readBoth(instrument, settings && this.#usable(settings));
      if (asked === this.#asked) this.results = results;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.#fault = toFault(error);
      this.requestUpdate();
    }
  }

  render() {
    const reading = this.#reading;
    return html`
      <dialog aria-labelledby="title" @close=${() => this.emit('logit-programs-end')}>
        <div class="top">
          <h2 id="title">${t('programs.title')}</h2>
          <button class="close" aria-label=${t('programs.close')} @click=${() => this.#dialog.close()}>✕</button>
        </div>
        <div class="body">
          <div class="side">
            <div class="in">${this.#renderInput()}</div>
            <div class="copy">${this.#renderCopy()}</div>
          </div>
          <div class="out">
            ${reading ? this.#renderReading(reading) : this.#renderPresent()}
          </div>
        </div>
      </dialog>`;
  }

  #renderInput() {
    const reading = this.#reading;
    const fault = this.#fault;
    const take = (/** @type {File | undefined} */ file) => file && this.#takeFile(file);
    return html`
      <div class="row">
        <label class="label" for="text">${t('programs.paste')}</label>
        <input type="file" id="file" @change=${(/** @type {any} */ { target }) => take(target.files[0])}>
        <label for="file" class="button">${t('programs.file')}</label>
      </div>
      <textarea id="text" rows="6" spellcheck="false" autocomplete="off" autocapitalize="off" dir="ltr" translate="no"
        placeholder=${ACCEPTED} aria-describedby="fault" aria-invalid=${fault ? 'true' : 'false'}
        .value=${live(this.text)} @input=${this.#onInput} @paste=${this.#onPaste}></textarea>
      <p id="fault" class="error" role="alert">${fault ? sentenceOf(fault) : ''}</p>
      <div class="row">
        <label class="label" for="program">${t('programs.program')}</label>
        <select id="program" @change=${(/** @type {Event} */ event) => (this.program = valueOf(event))}>
          ${reading ? nothing : html`<option value="" ?selected=${!this.program}>${t('programs.any')}</option>`}
          ${programs.map(({ id, name }) => html`<option value=${id} ?selected=${id === (this.program || reading?.program)}>${name}</option>`)}
        </select>
      </div>
      <button class="primary" data-command="use" aria-disabled=${!reading} @click=${this.#use}>${t('programs.use')}</button>`;
  }

  /** Renders the settings that were read: general notes, the chain, the keys without effect, both pictures. @param {Reading} reading */
  #renderReading(reading) {
    const { table } = this.scope;
    const { chain, idle, off, read, prompts, others, general } = arrange(reading, table);
    const name = nameOf(reading.program);
    const names = (/** @type {{ key: string, value: unknown }[]} */ keys) => {
      const more = keys.length - MOST;
      const shown = keys
        .slice(0, MOST)
        .map(({ key, value }) => (keys === others || keys === prompts ? key : printed(key, value)));
      return list(more > 0 ? [...shown, t('programs.more', { n: more })] : shown);
    };
    const rest = /** @type {const} */ ([
      ['programs.off', off],
      ['programs.read', read],
      ['programs.prompts', prompts],
      ['programs.others', others],
    ]);
    return html`
      <p class="visually-hidden" role="status">${t('programs.said', { name, n: chain.length })}</p>
      <h3>${t('programs.chain', { name })} <span class="about">${reading.version}</span></h3>
      ${general.map((note) => html`<p class="note">${this.#say(note)}</p>`)}
      ${this.#renderChain(chain, this.results?.[0] ?? null)}
      ${
        idle.length > 0
          ? html`<h3>${t('programs.idle')}</h3>
            <ul class="keys idle">${idle.slice(0, MOST).map(
              ({ key, value, notes }) => html`
              <li data-key=${key}><code translate="no">${printed(key, value)}</code><p>${notes.map((note) => this.#say(note)).join(' ')}</p></li>`,
            )}${idle.length > MOST ? html`<li>${t('programs.more', { n: idle.length - MOST })}</li>` : nothing}</ul>`
          : nothing
      }
      ${rest.map(([words, keys]) => (keys.length > 0 ? html`<p class="about rest">${t(words)} <span translate="no">${names(keys)}</span></p>` : nothing))}
      ${this.#renderPictures(name)}`;
  }

  #renderPresent() {
    const chain = chainOf(this.#present, this.scope.table);
    return html`
      <h3>${t('programs.present')}</h3>
      ${chain.length === 0 ? html`<p class="about">${t('programs.plain')}</p>` : this.#renderChain(chain, this.results?.[0] ?? null)}
      ${this.#renderPictures()}`;
  }

  /** @param {Stage[]} chain @param {Result | null} result */
  #renderChain(chain, result) {
    const { table } = this.scope;
    const neutral = (/** @type {string} */ name) => table.find((row) => row.name === name)?.neutral;
    return html`
      <ol class="keys">${chain.map(({ name, value, parts, from, notes }) => {
        const at = result?.trace.stages.findIndex((stage) => stage.name === name) ?? -1;
        const effect = effectOf(result?.trace ?? null, at, neutral(name));
        const did = effect ? (effect.works ? effect.brief : effect.sentence) : '';
        const said = notes.map((note) => this.#say(note));
        if (this.#reading && name === 'logit_bias')
          said.unshift(
            t(this.#fits(this.#reading.settings) ? 'programs.biases' : 'programs.biases.outside'),
          );
        const stop = did && said.length > 0 && !did.endsWith('.') ? '.' : '';
        return html`
          <li data-stage=${name} class=${effect?.works ? 'works' : ''}>
            <p><b>${capitalise(settingName(name))}</b> ${printed('', value)}
              ${parts.map((part) => html`<span class="part">${settingName(part.name)} ${printed('', part.value)}</span>`)}</p>
            <p class="did">${did}${stop} ${said.join(' ')}</p>
            <p class="from" translate="no">${from.length > 0 ? from.map(({ key, value: given }) => html`<code>${printed(key, given)}</code> `) : this.#reading ? html`<span class="about">${t('programs.default')}</span>` : nothing}</p>
          </li>`;
      })}</ol>`;
  }

  /** @param {string} [name] of the program; without one the picture needs no title */
  #renderPictures(name) {
    if (!this.results) return nothing;
    const { table, instrument } = this.scope;
    const eos = instrument.info?.eos_token_id ?? -1;
    const [{ beside }] = this.results;
    const titles = name ? [name, t('programs.present')] : [];
    const words = { one: name ?? '', other: t('programs.bench') };
    return html`
      ${beside ? html`<p class="differs">${capitalise(describeDifference(beside.difference, eos, DIFFERENCE, words))}</p>` : nothing}
      <div class="pictures">${this.results.map(
        ({ trace, drawn, further }, i) => html`
        <section aria-label=${titles[i] ?? nothing} ${cssom({ '--columns': 1 + trace.stages.filter(({ active }) => active).length })}>
          <h3>${titles[i] ?? ''} <span class="about">${t('programs.keeps', { n: trace.kept, kept: number(trace.kept), bits: measure(trace.entropy) })}</span></h3>
          <logit-stages .trace=${trace} .drawn=${drawn} .further=${further} .eos=${eos} .table=${table} fixed within></logit-stages>
        </section>`,
      )}</div>`;
  }

  #renderCopy() {
    const written = this.target ? this.#written : null;
    return html`
      <div class="row">
        <label class="label" for="target">${t('programs.copy')}</label>
        <select id="target" @change=${(/** @type {Event} */ event) => (this.target = valueOf(event))}>
          <option value="" ?selected=${!this.target}>${t('programs.any')}</option>
          ${programs.map(({ id, name }) => html`<option value=${id} ?selected=${id === this.target}>${name}</option>`)}
        </select>
      </div>
      ${
        written
          ? html`
            <textarea id="written" class="written" readonly rows="6" dir="ltr" translate="no" spellcheck="false" aria-label=${t('programs.written', { name: nameOf(this.target) })} .value=${written.text}></textarea>
            <div class="row"><button data-command="copy" @click=${() => this.#copy(written.text)}>${t('programs.do-copy')}</button>
              <span class="about" role="status">${this.copied ? t('programs.copied') : ''}</span></div>
            ${
              written.notes.length > 0
                ? html`<p class="label">${t('programs.cannot', { name: nameOf(this.target), n: written.notes.length })}</p>
                  <ul class="cannot">${written.notes.map((note) => html`<li>${this.#say(note)}</li>`)}</ul>`
                : html`<p class="about">${t('programs.whole', { name: nameOf(this.target) })}</p>`
            }
            ${written.left ? html`<p class="about">${this.#say(written.left)}</p>` : nothing}`
          : nothing
      }`;
  }

  /** The settings for another program: those that were read, else the present ones. */
  get #written() {
    try {
      return writeSettings(this.#reading?.settings ?? this.#present, this.target);
    } catch (error) {
      return { text: '', notes: [toFault(error)], left: null };
    }
  }

  /** The bench's settings, with their order. */
  get #present() {
    const { asked, canonicalOrder } = this.scope.instrument;
    const { seed: _, draw: __, ...settings } = /** @type {Record<string, any>} */ (asked);
    return { order: canonicalOrder, ...settings };
  }

  /** @param {Phrase} note */
  #say(note) {
    const words = reasonOf(note);
    const { key } = note.values;
    // The name of a key keeps its spelling.
    return `${key !== undefined && words.startsWith(String(key)) ? words : capitalise(words)}.`;
  }

  /** @param {Event} event */
  #onInput(event) {
    const { inputType } = /** @type {InputEvent} */ (event);
    this.text = valueOf(event);
    // A correction of the program holds while the user edits the text, not for another text.
    if (this.text && !/^insertFrom(Paste|Drop)$/.test(inputType)) return;
    this.#fileName = '';
    this.program = '';
  }

  /**
   * Refuses a text that is too long before the field has it: the browser takes seconds to lay it out.
   * @param {ClipboardEvent} event
   */
  #onPaste(event) {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text.length <= LONGEST) return;
    event.preventDefault();
    this.#refuse(text.length);
  }

  /** @param {File} file */
  async #takeFile(file) {
    if (file.size > LONGEST) return this.#refuse(file.size);
    this.request = { text: await file.text(), name: file.name };
  }

  /** @param {number} n size of a text that is too long */
  #refuse(n) {
    this.#fault = { code: 'settings', key: 'settings_long', values: { n, limit: LONGEST } };
    this.requestUpdate();
  }

  #use() {
    const reading = this.#reading;
    if (!reading) return;
    this.#dialog.close();
    this.scope.kept?.deeds.name(nameOf(reading.program));
    this.emit('logit-adopt', { settings: this.#usable(reading.settings) });
    this.scope.deed = {
      words: this.scope.speak(() => t('programs.used', { name: nameOf(reading.program) })),
    };
  }

  /** Returns true if the open model has every token that the settings bias. @param {Record<string, any>} settings */
  #fits({ logit_bias = {} }) {
    const { vocab_size = 0 } = this.scope.instrument.info ?? {};
    const ids = Object.keys(logit_bias).flatMap((key) => key.split(' '));
    return ids.every((id) => Number(id) < vocab_size);
  }

  /** Leaves out biases if one is of a token that the open model lacks. @param {Record<string, any>} settings */
  #usable(settings) {
    const { logit_bias: _, ...others } = settings;
    return this.#fits(settings) ? settings : others;
  }

  /** @param {string} text */
  async #copy(text) {
    this.copied = await copyText(text);
    if (!this.copied)
      /** @type {HTMLTextAreaElement} */ (this.renderRoot.querySelector('#written')).select();
  }
}

define('logit-programs', LogitPrograms);
