/**
 * <logit-record>: recorded token probabilities. It opens a record, and shows its text with the surprise or the entropy of
 * each token; a token is the position of the bench below. Nothing leaves the page. Emits "logit-choose" with `record`,
 * `position` or `law`.
 */
import { locales } from '#locales/recorded';
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { live } from 'lit/directives/live.js';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { Debounce } from '../../base/debounce.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { NumberInput } from '../../base/number-input.js';
import { readWhole } from '../../base/setting-words.js';
import { sayAll, sentence } from '../../base/faults.js';
import { term } from '../../base/term.js';
import { visibleHtml, spoken } from '../../base/visible.js';
import { walkList } from '../../base/walk.js';
import { LogitscopeError, toFault } from '../../engine/errors.js';
import { LIMITS, readRecord } from '../../import/logprobs.js';
import { addMessages, fixed, number, percent, plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { onPick } from '../../state/files.js';
import {
  RecordedReader,
  figuresOf,
  findRecord,
  holdRecord,
  readFates,
} from '../../state/recorded.js';
import { promptOf } from '../../sources/asked-record.js';
import { positionAt } from '../../sources/record-position.js';
import './audit.js'; // loads the element
import './record-explore.js'; // loads the element
import recordedStyles from './recorded.css';
import './partial.js'; // loads the element
import { EXAMPLE_SIZE, exampleRecord } from './record-example.js';

addMessages(locales);

/**
 * @typedef {import('../../import/logprobs.js').LogprobRecord} LogprobRecord
 * @typedef {{ value: string | null, text: string | null, isHeld: boolean, lost: boolean, record: LogprobRecord | null,
 *   asked: string | null, fault: import('../../engine/errors.js').Fault | null }} OpenRecord
 */

/** The names of the programs. @type {Record<string, string>} */
const NAMES = {
  openai: 'OpenAI',
  'llama-cpp': 'llama.cpp',
  vllm: 'vLLM',
  ollama: 'Ollama',
  gemini: 'Gemini',
  tgi: 'TGI',
  sglang: 'SGLang',
  koboldcpp: 'KoboldCpp',
  'lm-studio': 'LM Studio',
  tabbyapi: 'TabbyAPI',
};
/** The endings of records. */
const ENDINGS = '.json,.jsonl,.ndjson,.txt,.log,.sse';
/** The surprise and the entropy in bits that have the strongest colour. */
const FULL = 6;
/** The settings must rest for this time before the text shows the tokens that they remove, in ms. */
const RESTS_MS = 250;
/** The largest vocabulary. */
const MOST = 1 << 24;
/** Number of tokens that are on screen together. */
const TOGETHER = 2000;

/**
 * Reads the record that a value of the state names. A refused one has `fault`.
 * @param {string | null} value
 * @param {number | null} [vocabulary] its size, if the user says it
 * @param {OpenRecord | null} [before] is not read again if it has the same value
 * @returns {OpenRecord}
 */
export function openRecord(value, vocabulary = null, before = null) {
  if (before?.value === value) {
    const same = before.record?.vocab_size === vocabulary;
    return same
      ? before
      : { ...before, record: before.record && { ...before.record, vocab_size: vocabulary } };
  }
  const found = { value, ...findRecord(value), record: null, asked: null, fault: null };
  if (!found.text?.trim()) return found;
  try {
    const record = { ...readRecord(found.text), vocab_size: vocabulary };
    return { ...found, record, asked: promptOf(found.text) };
  } catch (error) {
    return { ...found, fault: toFault(error) };
  }
}

/**
 * Returns a position for the bench.
 * @param {import('../../engine/remote.js').RemoteLogitscope} engine
 * @param {LogprobRecord} record
 * @param {number} at
 * @param {boolean} isAsked
 */
export function givenAt(engine, record, at, isAsked) {
  const { tokens = [] } = positionAt(record, at) ?? {};
  return {
    tokens: tokens.map(({ text }) => text),
    logits: tokens.map(({ logprob }) => logprob),
    reader: new RecordedReader(engine, record, at, isAsked),
  };
}

/**
 * The law that the numbers are of: as the user says, else as the program documents it.
 * @param {LogprobRecord} record
 * @param {'raw' | 'warped' | null} said
 */
export const lawOf = ({ raw }, said) => said ?? (raw === 'warped' ? raw : 'raw');

export class LogitRecord extends elementWith(LogitElement, () => ({
  /** @type {OpenRecord} */
  opened: openRecord(null),
  /** The text in the field of an asked record. @type {string | null} */
  prompt: null,
  position: 0,
  /** The user's answer to the question which law the numbers are of; null if none. @type {'raw' | 'warped' | null} */
  law: null,
  /** @type {import('../../engine/types.js').Settings} */
  settings: {},
  /** @type {import('../../engine/remote.js').RemoteLogitscope | null} */
  engine: null,
  /** For each token on screen: the stage that removes it. @type {Awaited<ReturnType<typeof readFates>>} */
  fates: [],
  /** @type {'surprise' | 'entropy'} */
  colour: 'surprise',
  /** True if the field for pasted text is visible. */
  pasting: false,
  /** Notes on parts that the record lacks, as sentences. */
  notes: '',
  /** The reason why a file was not read; null if none. @type {import('../../engine/errors.js').Fault | null} */
  fault: null,
})) {
  static styles = [...LogitElement.styles, recordedStyles];

  #debounce = new Debounce();
  /** Ends the running reading of fates. */
  #running = new AbortController();
  /** The settings and the stretch of the last reading of fates. */
  #asked = '';
  #typed = new NumberInput(
    this,
    (text) =>
      text.trim() === ''
        ? { value: 0 }
        : readWhole(t('recorded.vocabulary'), text, this.#longest, MOST),
    (vocabulary) => this.keepChoice({ vocabulary: vocabulary || null }),
  );

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#debounce.cancel();
    this.#running.abort();
  }

  /** Reads after a rest which of the tokens on screen the settings remove. @param {string} asked */
  #askFates(asked) {
    this.#asked = asked;
    this.#running.abort();
    const { record } = this.opened;
    this.fates = [];
    if (!record) return;
    this.#debounce.schedule(RESTS_MS, async () => {
      const { engine, settings } = this;
      if (!engine) return;
      this.#running = new AbortController();
      const { signal } = this.#running;
      const from = this.#from;
      const to = Math.min(record.positions.length, from + TOGETHER);
      const found = await readFates(engine, record, settings, { from, to, signal }).catch(() => []);
      if (!signal.aborted) this.fates = found;
    });
  }

  /** Index of the first token on screen. */
  get #from() {
    return TOGETHER * Math.floor(this.#at / TOGETHER);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const asked = JSON.stringify([this.settings, this.#from]);
    if (changed.has('opened') || changed.has('engine') || asked !== this.#asked)
      this.#askFates(asked);
    if (!changed.has('opened')) return;
    this.notes = '';
    const { record } = this.opened;
    if (record && record.notes.length > 0)
      sayAll(/** @type {any} */ (record.notes)).then((notes) => (this.notes = notes));
  }

  updated() {
    const list = this.renderRoot.querySelector('.text');
    for (const [i, token] of (list?.querySelectorAll('[data-at]') ?? []).entries()) {
      const fate = this.fates[i] ?? null;
      const name = fate === null ? '' : typeof fate === 'string' ? 'gone' : 'maybe';
      if ((token.getAttribute('data-fate') ?? '') !== name) token.setAttribute('data-fate', name);
    }
    const before = list?.querySelector('[aria-selected=true]');
    const now = list?.querySelector(`[data-at="${this.#at}"]`);
    if (before === now) return;
    before?.setAttribute('aria-selected', 'false');
    now?.setAttribute('aria-selected', 'true');
    if (list?.matches(':focus')) now?.scrollIntoView({ block: 'nearest' });
  }

  /** Length of the longest list of alternatives. */
  get #longest() {
    const { positions = [] } = this.opened.record ?? {};
    return positions.reduce((n, { top }) => Math.max(n, top.length), 1);
  }

  /** The position, which a shorter record may lack. */
  get #at() {
    const { length } = this.opened.record?.positions ?? [];
    return Math.min(this.position, Math.max(0, (length ?? 0) - 1));
  }

  render() {
    const { record, lost, isHeld, asked } = this.opened;
    const fault = this.fault ?? this.opened.fault;
    return html`
      <section aria-label=${t('logits.recorded')}>
        ${record ? nothing : html`<p class="about">${t('recorded.about')} ${t('recorded.private')}</p>`}
        ${this.#renderDoor(record)}
        <p class="error" role="alert">${fault ? sentence(fault, this) : lost ? t('recorded.lost') : ''}</p>
        ${isHeld && !lost ? html`<p class="about" role="status">${t('recorded.held')}</p>` : nothing}
        ${record && asked !== null ? this.#renderAsked(record, asked) : nothing}
        ${record && asked === null ? html`${this.#renderLaw(record)} ${this.#renderVocabulary(record)} ${this.#renderText(record)} ${this.#renderPosition(record)}` : nothing}
      </section>`;
  }

  /**
   * Renders the field for the prompt of an asked record. The question is for a draw without cuts, so even a program
   * that records the law after its samplers gives the model's own.
   * @param {LogprobRecord} record
   * @param {string} asked the prompt that has the answer
   */
  #renderAsked(record, asked) {
    return html`<logit-partial .opened=${this.opened} .prompt=${this.prompt ?? asked}></logit-partial>
      ${record.raw === 'unknown' ? this.#renderLaw(record) : nothing} ${this.#renderVocabulary(record)}`;
  }

  /** Renders the data of the record, and the ways to open one. @param {LogprobRecord | null} record */
  #renderDoor(record) {
    const { text } = this.opened;
    const pasting = this.pasting || !record;
    return html`
      <div class="tools">
        ${record ? this.#renderFacts(record) : nothing}
        <input type="file" accept=${ENDINGS} hidden aria-label=${t('recorded.open')} @change=${this.#onFile}
          @click=${(/** @type {Event} */ event) => onPick(event, ([file]) => this.#openFile(file))}>
        <button class=${record ? '' : 'primary'} data-command="record" @click=${() => this.renderRoot.querySelector('input')?.click()}>${t(record ? 'recorded.another' : 'recorded.open')}</button>
        <button data-command="example" @click=${() => this.#take(exampleRecord(), EXAMPLE_SIZE)}>${t('recorded.example')}</button>
        ${record ? html`<button data-command="paste" aria-expanded=${pasting} @click=${() => (this.pasting = !pasting)}>${t('recorded.text.open')}</button>` : nothing}
      </div>
      ${
        pasting
          ? html`<textarea id="record" spellcheck="false" aria-label=${t('recorded.paste')} placeholder=${t('recorded.paste')} ${boundedText(text ?? '')}
              @input=${(/** @type {Event} */ event) => this.#take(fullTextOf(event))}></textarea>`
          : nothing
      }`;
  }

  /** @param {LogprobRecord} record */
  #renderFacts({ program, positions }) {
    return html`<p class="facts"><b>${NAMES[program] ?? program}</b>
      · ${t('recorded.tokens', { n: positions.length })} · ${t('recorded.top', { n: this.#longest })}</p>`;
  }

  /** @param {string} text @param {number | null} [vocabulary] */
  #take(text, vocabulary = null) {
    this.fault = null;
    const record = text === '' ? null : holdRecord(text);
    this.keepChoice({ record, prompt: null, position: 0, law: null, vocabulary });
  }

  /** @param {Event} event */
  #onFile({ target }) {
    const input = /** @type {HTMLInputElement} */ (target);
    const [file] = input.files ?? [];
    if (file) this.#openFile(file);
    input.value = ''; // otherwise choosing the same file again would fire no event
  }

  /** @param {File} file */
  async #openFile(file) {
    try {
      if (file.size > LIMITS.text) {
        const values = { file: file.name, n: file.size, limit: LIMITS.text };
        throw new LogitscopeError('too_long', 'record_text', values);
      }
      this.#take(await file.text());
    } catch (error) {
      this.fault = toFault(error);
    }
  }

  /** Renders the question which law the numbers are of. @param {LogprobRecord} record */
  #renderLaw(record) {
    const law = lawOf(record, this.law);
    const said = this.law === null ? `recorded.law.${record.raw}` : `recorded.law.chosen.${law}`;
    return html`
      <div class="law">
        <span id="law" class="label">${t('recorded.law')}</span>
        <div class="segments" role="group" aria-labelledby="law">${['raw', 'warped'].map(
          (name) => html`<button data-law=${name} aria-pressed=${name === law}
            @click=${() => this.keepChoice({ law: name })}>${t(`recorded.law.is.${name}`)}</button>`,
        )}</div>
        <span class="about">${t(said)} ${this.notes}</span>
      </div>`;
  }

  /** Renders the field for the size of the vocabulary, which no record tells. @param {LogprobRecord} record */
  #renderVocabulary({ vocab_size }) {
    const { error, text } = this.#typed;
    return html`
      <div class="law">
        <label class="label" for="vocabulary">${t('recorded.vocabulary')}</label>
        <input id="vocabulary" type="text" inputmode="numeric" autocomplete="off" placeholder=${t('recorded.unknown')}
          aria-invalid=${error ? 'true' : 'false'} aria-describedby="vocabulary-error"
          .value=${live(text ?? (vocab_size === null ? '' : plain(vocab_size)))}
          @input=${this.#typed.onInput} @change=${this.#typed.onChange}>
        <span id="vocabulary-error" class=${error ? 'error' : 'about'}>${error || (vocab_size === null ? t('recorded.vocabulary.about') : '')}</span>
      </div>`;
  }

  /** @param {LogprobRecord} record */
  #renderText(record) {
    const { positions } = record;
    const from = this.#from;
    const to = Math.min(positions.length, from + TOGETHER);
    const go = (/** @type {number} */ position) => () => this.keepChoice({ position });
    return html`
      ${from > 0 ? html`<button data-command="earlier" @click=${go(from - 1)}>${t('recorded.earlier')}</button>` : nothing}
      <div class="text" role="listbox" tabindex="0" aria-label=${t('recorded.text')} aria-describedby="keys"
        aria-activedescendant="token-${this.#at}" lang="en" translate="no" dir="auto"
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKey(event, positions.length)}
        @click=${this.#onPress}>${guard([record, this.colour, from, t('language')], () =>
          positions.slice(from, to).map((position, i) => this.#renderToken(position, from + i)),
        )}</div>
      ${to < positions.length ? html`<button data-command="later" @click=${go(to)}>${t('recorded.later')}</button>` : nothing}
      <p class="fates" role="status">${this.#fateWords()}</p>
      <p id="keys" class="visually-hidden">${t('recorded.keys')}</p>`;
  }

  /** Says how many of the tokens on screen the settings remove. */
  #fateWords() {
    const { fates } = this;
    const gone = fates.filter((fate) => typeof fate === 'string').length;
    const maybe = fates.filter((fate) => fate !== null && typeof fate !== 'string').length;
    if (fates.length === 0) return '';
    if (gone + maybe === 0) return t('recorded.fates.none');
    const sure = t('recorded.fates', { n: gone, of: number(fates.length) });
    return maybe > 0 ? `${sure} ${t('recorded.fates.maybe', { n: maybe })}` : sure;
  }

  #renderColour() {
    return html`
      <div class="law">
        <span id="colour" class="label">${t('recorded.colour')}</span>
        <div class="segments" role="group" aria-labelledby="colour">${
          /** @type {const} */ (['surprise', 'entropy']).map(
            (name) => html`<button data-colour=${name} aria-pressed=${name === this.colour}
            @click=${() => (this.colour = name)}>${t(`recorded.colour.${name}`)}</button>`,
          )
        }</div>
      </div>`;
  }

  /** @param {import('../../import/logprobs.js').Position} position @param {number} at */
  #renderToken(position, at) {
    const { token, prompt } = position;
    const { surprise, entropy } = figuresOf(position);
    const bits = this.colour === 'surprise' ? (surprise ?? 0) : entropy;
    const named = { id: NaN, text: token.text, special: false };
    const name =
      surprise === null
        ? spoken(named, -1)
        : t('recorded.token', { token: spoken(named, -1), bits: fixed(surprise, 1) });
    // A space between two tokens, outside of both, lets the line break there.
    const gap = /^ \S/.test(token.text) ? ' ' : '';
    const shown = { ...named, text: token.text.slice(gap.length) };
    return html`${gap}<span role="option" id="token-${at}" data-at=${at} class=${prompt ? 'given' : ''} aria-selected="false"
      aria-label=${name} ${cssom({ '--heat': Math.min(1, bits / FULL).toFixed(2) })}
      >${token.text === '' ? '·' : visibleHtml(shown, true)}</span>${token.text.includes('\n') ? html`<br>` : nothing}`;
  }

  /** @param {Event} event */
  #onPress(event) {
    const token = /** @type {Element} */ (event.target).closest('[data-at]');
    if (token) this.keepChoice({ position: Number(token.getAttribute('data-at')) });
  }

  /** @param {KeyboardEvent} event @param {number} count */
  #onKey(event, count) {
    const to = walkList(event, ['ArrowLeft', 'ArrowRight'], this.#at, count - 1);
    if (to !== undefined) this.keepChoice({ position: to });
  }

  /** Renders the numbers of the position. @param {LogprobRecord} record */
  #renderPosition(record) {
    const { positions } = record;
    const position = positions[this.#at];
    const { token, top, prompt, drawn } = position;
    const { surprise, entropy, rest } = figuresOf(position);
    const { drawn: index = null } =
      positionAt({ ...record, positions: [position] }, 0, { listedOnly: true }) ?? {};
    const rank = index === null ? 0 : index + 1;
    const parts = [
      surprise === null ? '' : t('recorded.surprise', { bits: fixed(surprise, 2) }),
      top.length === 0
        ? t('recorded.alone')
        : rank === 0
          ? t('recorded.unlisted', { n: top.length })
          : t('recorded.rank', { n: rank }),
      top.length === 0
        ? ''
        : t(rest > 0 ? 'recorded.entropy.least' : 'recorded.entropy', { bits: fixed(entropy, 2) }),
      prompt ? t('recorded.prompt') : drawn ? '' : t('recorded.undrawn'),
    ];
    return html`<div class="foot">
      <p class="figures" aria-live="polite"><b>${t('recorded.at', { n: number(this.#at + 1), of: number(positions.length) })}</b>
        <span class="token" translate="no">${visibleHtml({ id: NaN, text: token.text, special: false })}</span>
        ${parts.filter(Boolean).join(' · ')}${top.length === 0 ? '' : html` · ${term('tail')} ${percent(rest)}`}</p>
      ${this.#renderColour()}</div>`;
  }
}

define('logit-record', LogitRecord);
