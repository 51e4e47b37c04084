/**
 * <logit-lesson-editor>: a form for writing a lesson, with a preview. It can begin with the instrument's state, from
 * the address. The browser stores the draft. The teacher gets the lesson as a file, a link or a line of HTML.
 */
import { html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { locales } from '#locales/editor';
import { copyText } from '../../../base/copy.js';
import { download } from '../../../base/download.js';
import { LogitElement, define, elementWith } from '../../../base/element.js';
import {
  LINK_LIMIT,
  embedOf,
  faultPlace,
  fileText,
  filled,
  guideOf,
  linkOf,
  newLesson,
  newPart,
  questionNumber,
  slug,
} from '../../../lessons/draft.js';
import { decodeText } from '../../../engine/decode-text.js';
import { LARGEST_FILE, checkLesson, readLesson } from '../../../lessons/lesson-file.js';
import { patched } from '../../../lessons/figure-change.js';
import { addMessages, language, list, t } from '../../../locale/locale.js';
import { recall, remember } from '../../../state/memory.js';
import { inLanguage } from '../../site-links.js';
import { renderPlaces } from '../places.js';
import { LessonReader } from '../reader.js';
import '../lesson.js';
import { Form, faultWords, fieldLabel } from './form.js';
import { FIRST_STATE } from './figure-form.js';
import { renderPart } from './part-form.js';
import { handoverFromAddress } from './handover.js';
import headerStyles from '../header.css';
import inlineStyles from '../inline.css';
import editorStyles from './editor.css';

addMessages(locales);

/** @import { Draft, Handover } from '../../../lessons/draft.js' */
/** @import { Lesson } from '../../../lessons/lesson-file.js' */
/** @import { LessonFault } from '../../../lessons/faults.js' */
/** @import { TableRow } from '../../../engine/types.js' */

/** Most changes that can be undone. */
const MOST_UNDOS = 200;
/** Kinds of faults for which the form has no field. A file with such a fault is refused. */
const HARD_FAULTS = 'unreadable encoding large unknown endpoint text texts flag list object'.split(
  ' ',
);

export class LogitLessonEditor extends elementWith(LogitElement, () => ({
  /** The name in the address: "new". */
  lesson: '',
  /** @type {Draft} */
  draft: {},
  /** A sentence about the last action; '' for none. */
  notice: '',
  /**
   * The instrument's state from the address, until the teacher chooses its place; null if none.
   * @type {Handover | null}
   */
  handover: null,
  /** The half that a narrow screen shows: form or preview. @type {'form' | 'preview'} */
  side: 'form',
  openPart: 0,
  openQuestion: 0,
  /**
   * Changes that the teacher has made in the live figure of the open part; null if none.
   * @type {Partial<import('../../../lessons/measures.js').LessonState> | null}
   */
  moved: null,
})) {
  static properties = { lesson: {} };

  static styles = [...LogitElement.styles, headerStyles, inlineStyles, editorStyles];

  #reader = new LessonReader();
  /** @type {TableRow[]} */
  #table = [];
  /** @type {Draft[]} */
  #before = [];
  #lastPlace = '';
  /** The last draft without faults, which the preview shows; null if none. @type {Lesson | null} */
  #shown = null;
  /** Number of times that the preview was started again. */
  #round = 0;
  #form = new Form(this);
  #focus = '';
  /** Resolves when the pointer is released. Until then nothing may move, or the click would miss its button. */
  #pressing = Promise.resolve();

  /** @type {LessonFault[]} */
  faults = [];

  constructor() {
    super();
    this.addEventListener('pointerdown', () => {
      this.#pressing = new Promise((done) =>
        addEventListener('pointerup', () => setTimeout(done), { once: true }),
      );
    });
  }

  get busy() {
    return this.#table.length === 0 || this.#reader.busy;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#beginDraft();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#reader.close();
  }

  async #beginDraft() {
    const table = await this.#reader.table();
    const handover = await handoverFromAddress(table, this.#reader);
    this.#table = table;
    const kept = this.#recall();
    if (kept && handover) this.handover = handover;
    this.draft = kept ?? newLesson(handover ?? { state: FIRST_STATE, left: [] });
    if (!kept && handover) this.#onPlaced(handover);
    if (kept && !handover) this.#showNotice(() => t('editor.again', { title: this.#title(kept) }));
    this.requestUpdate();
  }

  #recall() {
    try {
      const kept = JSON.parse(recall('draft') ?? '');
      return this.#canShow(kept) ? kept : null;
    } catch {
      return null;
    }
  }

  /** Returns true if the form has a field for every fault of a lesson. @param {any} lesson */
  #canShow(lesson) {
    return checkLesson(lesson, this.#table).every(({ key }) => !HARD_FAULTS.includes(key));
  }

  /** @param {Draft} draft */
  #title = ({ title }) => String(title || t('editor.untitled'));

  /** @param {() => string} words */
  #showNotice(words) {
    this.notice = this.speak(words);
  }

  /** The draft has the instrument's state now, so removes it from the address. @param {Handover} handover */
  #onPlaced({ left }) {
    this.handover = null;
    this.#showNotice(() =>
      left.length > 0 ? t('editor.left', { parts: list(left) }) : t('editor.taken'),
    );
    try {
      history.replaceState(null, '', inLanguage('?lesson=new'));
    } catch {
      // In a sandboxed frame or a page from disk, the address keeps the state, which a reload offers again.
    }
  }

  /** @param {Draft} draft @param {string} [place] */
  change(draft, place = '') {
    if (place === '' || place !== this.#lastPlace)
      this.#before = [...this.#before, this.draft].slice(-MOST_UNDOS);
    this.#lastPlace = place;
    const named = place === 'title' && this.draft.name === (slug(this.draft.title) || 'lesson');
    this.draft = named ? { ...draft, name: slug(draft.title) || 'lesson' } : draft;
    remember('draft', JSON.stringify(this.draft));
    this.requestUpdate();
  }

  /** @param {string} place */
  focusAt(place) {
    const [, part] = /^parts\[(\d+)\]/.exec(place) ?? [];
    const [, question] = /questions\[(\d+)\]/.exec(place) ?? [];
    if (part !== undefined) this.openPart = Number(part);
    if (question !== undefined) this.openQuestion = Number(question);
    this.side = 'form';
    this.#focus = place;
    this.requestUpdate();
  }

  /**
   * If the preview is beside the form, scrolls it to the part of the focused field.
   * @param {FocusEvent} event of a field that gets the focus
   */
  #onFocusIn({ target }) {
    const { id = '' } = /** @type {HTMLElement} */ (target).closest('[id^="parts["]') ?? {};
    const [, part, , question] = /^parts\[(\d+)\](\.questions\[(\d+)\])?/.exec(id) ?? [];
    const lesson = /** @type {LogitElement | null} */ (
      this.renderRoot.querySelector('logit-lesson')
    );
    const section = lesson?.renderRoot.querySelectorAll('section')[Number(part)];
    const place = section?.querySelectorAll('logit-question')[Number(question)] ?? section;
    const preview = this.renderRoot.querySelector('.preview');
    if (!place || !preview || getComputedStyle(preview).overflowY !== 'auto') return;
    const [within, at] = [preview.getBoundingClientRect(), place.getBoundingClientRect()];
    if (at.top < within.top || at.bottom > within.bottom) preview.scrollTop += at.top - within.top;
  }

  /** @param {FocusEvent} event of a field that loses the focus */
  async #onFocusOut({ target }) {
    const { id } = /** @type {HTMLElement} */ (target);
    await this.#pressing;
    this.#form.touch(id);
    this.requestUpdate();
  }

  /** Shows all faults, also in fields that the teacher has not visited yet. */
  #press() {
    for (const fault of this.faults) this.#form.touch(faultPlace(fault));
    this.requestUpdate();
  }

  #undo() {
    const before = this.#before.pop();
    if (!before) return;
    this.#lastPlace = '';
    this.draft = before;
    remember('draft', JSON.stringify(before));
    this.#showNotice(() => t('editor.undone'));
  }

  /** @param {Handover} handover @param {boolean} anew */
  #takeHandover(handover, anew) {
    const parts = [...(this.draft.parts ?? []), newPart(handover)];
    this.change(anew ? newLesson(handover) : { ...this.draft, parts });
    if (anew) this.#form.untouch();
    this.openPart = anew ? 0 : parts.length - 1;
    this.#onPlaced(handover);
    this.focusAt(anew ? 'title' : `parts[${this.openPart}].title`);
  }

  #beginNew() {
    this.change(newLesson({ state: FIRST_STATE, left: [] }));
    this.#form.untouch();
    this.openPart = 0;
    this.#showNotice(() => t('editor.begun'));
    this.focusAt('title');
  }

  /** @param {Event} event */
  async #open({ target }) {
    const input = /** @type {HTMLInputElement} */ (target);
    const [file] = input.files ?? [];
    if (!file) return;
    const bytes = new Uint8Array(await file.slice(0, LARGEST_FILE).arrayBuffer());
    const text = decodeText(bytes, file.size > LARGEST_FILE);
    const { read, faults } = readLesson(text, this.#table);
    input.value = '';
    const hard = faults.find(({ key }) => HARD_FAULTS.includes(key));
    if (hard) {
      const reason = this.speak(() => t(`lesson.fault.${hard.key}`, hard.values));
      return this.#showNotice(() => t('editor.refused', { name: file.name, reason }));
    }
    this.change(read);
    this.#form.untouch();
    [this.openPart, this.openQuestion] = [0, 0];
    this.#showNotice(() => t('editor.opened', { name: file.name }));
  }

  /** Returns the finished lesson; if it has faults, shows them and returns null. */
  #finishedLesson() {
    this.#press();
    if (this.faults.length === 0) return /** @type {Lesson} */ (filled(this.draft));
    this.#showNotice(() => t('editor.unfinished', { n: this.faults.length }));
    this.focusAt(faultPlace(this.faults[0]));
    return null;
  }

  #download() {
    this.#press();
    const lesson = filled(this.draft);
    const name = `${lesson.name ?? 'lesson'}.json`;
    download(name, fileText(lesson), 'application/json');
    this.#showNotice(() => t('editor.downloaded', { name }));
  }

  /** @param {'link' | 'embed'} what */
  async #copy(what) {
    const lesson = this.#finishedLesson();
    if (!lesson) return;
    const { href } = location;
    const link = linkOf(lesson, href, language());
    const text = what === 'link' ? link : embedOf(lesson, href, language());
    const copied = await copyText(text);
    const long = link.length > LINK_LIMIT;
    const numbers = { n: link.length, limit: LINK_LIMIT, name: `${lesson.name}.json` };
    const said = copied ? `editor.copied.${what}` : 'editor.uncopied';
    this.#showNotice(() => t(said) + (long ? ` ${t(`editor.long.${what}`, numbers)}` : ''));
    this.#out = copied ? '' : text;
    this.requestUpdate();
  }

  /** The lesson as a text, if it could not be copied; the teacher then selects it. '' otherwise. */
  #out = '';

  willUpdate() {
    if (this.#table.length === 0) return;
    this.faults = checkLesson(filled(this.draft), this.#table);
    const shown = { ...filled(this.draft, false), title: this.#title(this.draft) };
    if (checkLesson(shown, this.#table).length === 0) this.#shown = shown;
  }

  updated() {
    if (!this.#focus) return;
    let place = this.#focus;
    this.#focus = '';
    for (; place !== ''; place = place.replace(/(\.[^.[\]]*|\[\d+\]|^[^.[\]]*)$/, '')) {
      const found = this.renderRoot.querySelector(`[id="${place}"]`);
      if (!found) continue;
      /** @type {HTMLElement} */ (found).focus();
      found.scrollIntoView({ block: 'nearest' });
      return;
    }
  }

  render() {
    return html`
      <div class="top"><slot name="name"></slot>
        ${renderPlaces({ lessons: inLanguage('?lesson') })}
        <slot name="preferences"></slot></div>
      <header><h2 id="heading">${t('editor.title')}</h2><p class="lead">${t('editor.about')}</p></header>
      ${this.#table.length === 0 ? nothing : this.#renderAll()}`;
  }

  #renderAll() {
    return html`
      ${this.handover ? this.#renderHandover(this.handover) : nothing}
      ${this.#renderBar()}
      <div class="sides ${this.side}">
        <div class="form" role="form" aria-labelledby="heading" @focusin=${this.#onFocusIn} @focusout=${this.#onFocusOut}>
          ${this.#renderFaults()} ${this.#renderWhole()} ${this.#renderParts()}</div>
        <section class="preview" aria-label=${t('editor.preview')}>
          <p class="head"><strong>${t('editor.preview')}</strong>
            <button type="button" class="small" @click=${() => {
              this.#round++;
              this.requestUpdate();
            }}>${t('editor.round')}</button></p>
          ${this.#shown ? keyed(this.#round, html`<logit-lesson .given=${this.#shown}></logit-lesson>`) : html`<p>${t('editor.preview.none')}</p>`}
        </section>
      </div>`;
  }

  /** @param {Handover} handover */
  #renderHandover(handover) {
    const title = this.#title(this.draft);
    return html`<div class="handover" role="region" aria-label=${t('editor.handed')}>
      <p><strong>${t('editor.handed')}</strong> ${t('editor.handed.about', { title })}</p>
      <p class="row"><button class="primary" data-command="add" @click=${() => this.#takeHandover(handover, false)}>${t('editor.handed.add')}</button>
        <button data-command="anew" @click=${() => this.#takeHandover(handover, true)}>${t('editor.handed.anew')}</button>
        <button data-command="leave" @click=${() => this.#onPlaced({ ...handover, left: [] })}>${t('editor.handed.leave')}</button></p></div>`;
  }

  #renderBar() {
    const undos = this.#before.length;
    return html`<div class="bar" role="group" aria-label=${t('editor.tools')}>
      <span class="segments">${
        /** @type {const} */ (['form', 'preview']).map(
          (side) =>
            html`<button type="button" aria-pressed=${this.side === side} @click=${() => (this.side = side)}>${t(`editor.side.${side}`)}</button>`,
        )
      }</span>
      <button type="button" data-command="undo" aria-disabled=${undos === 0} @click=${this.#undo}>${t('editor.undo')}</button>
      <label class="file">${t('editor.open')}<input type="file" accept=".json,.md,.markdown,.txt,application/json,text/markdown" @change=${this.#open}></label>
      <button type="button" data-command="begin" @click=${this.#beginNew}>${t('editor.anew')}</button>
      <span class="out"><button type="button" class="primary" data-command="download" @click=${this.#download}>${t('editor.download')}</button>
        <button type="button" data-command="link" @click=${() => this.#copy('link')}>${t('editor.link')}</button>
        <button type="button" data-command="embed" @click=${() => this.#copy('embed')}>${t('editor.embed')}</button>
        ${this.faults.length > 0 ? nothing : html`<a href=${guideOf(filled(this.draft), location.href, language())} target="_blank">${t('editor.guide')}</a>`}</span>
      <p class="notice" role="status">${this.notice}</p>
      ${this.#out ? html`<textarea readonly aria-label=${t('editor.uncopied')} .value=${this.#out}></textarea>` : nothing}
    </div>`;
  }

  #renderFaults() {
    const { faults } = this;
    if (faults.length === 0) return html`<p class="sound">${t('editor.sound')}</p>`;
    return html`<details class="faults"><summary>${t('editor.faults', { n: faults.length })}</summary>
      <ul>${faults.map((fault) => {
        const place = faultPlace(fault);
        return html`<li><button type="button" class="jump" @click=${() => this.focusAt(place)}>${placeWords(this.draft, place)}</button>: ${faultWords(fault)}</li>`;
      })}</ul></details>`;
  }

  #renderWhole() {
    const form = this.#form;
    return html`<section class="card" aria-labelledby="whole"><h3 id="whole">${t('editor.whole')}</h3>
      ${form.text(['title'])} ${form.area(['aim'])} ${form.area(['result'])} ${form.area(['extension'])}
      ${form.area(['guide'], { paragraphs: true })}
      <div class="row">${form.number(['minutes'])} ${form.text(['name'], { size: 16 })}</div></section>`;
  }

  #renderParts() {
    const form = this.#form;
    const parts = /** @type {Draft[]} */ (this.draft.parts ?? []);
    const engine = { table: this.#table, reader: this.#reader };
    return html`<section class="parts" id="parts" tabindex="-1" aria-label=${t('editor.parts')}>
      ${parts.map((_, i) =>
        renderPart(form, i, engine, {
          open: this.openPart === i,
          toggle: (open) => {
            if (open === (this.openPart === i)) return;
            [this.openPart, this.openQuestion, this.moved] = [open ? i : -1, 0, null];
          },
          question: this.openQuestion,
          show: (question) => (this.openQuestion = question),
          moved: this.openPart === i ? this.moved : null,
          move: (change) => {
            const { moved } = this;
            this.moved = change && patched(/** @type {any} */ (moved ?? {}), change);
          },
        }),
      )}
      <button type="button" data-command="part" @click=${() => this.#addPart(parts)}>${t('editor.part.add')}</button>
      ${form.faults(['parts'])}</section>`;
  }

  /**
   * Adds a part. If another part has a landscape, the new part begins with a copy of the last one.
   * @param {Draft[]} parts
   */
  #addPart(parts) {
    const last = [...parts].reverse().find((part) => part.figure?.show === 'landscape')?.figure;
    this.moved = null;
    this.openQuestion = 0;
    this.#form.add(['parts'], newPart(last ? { ...last, left: [] } : null), ['title']);
  }
}

/** Matches places inside a text. A setting of a button in a text has no field of its own. */
const IN_TEXT =
  /(aim|ask|caption|extension|guide|hint|result|right|say|solution|text)(?:\[\d+\])?\.[a-z_]+$/;

/** Names a place of the draft in words. @param {Draft} draft @param {string} place */
function placeWords(draft, place) {
  const [, part] = /^parts\[(\d+)\]/.exec(place) ?? [];
  const [, question] = /questions\[(\d+)\]/.exec(place) ?? [];
  const [, last] = IN_TEXT.exec(place) ?? /(?:^|[.\]])([a-z_]+)(?:\[\d+\])?$/.exec(place) ?? [];
  return [
    ...(part === undefined ? [] : [t('editor.part', { n: Number(part) + 1 })]),
    ...(question === undefined
      ? []
      : [t('lesson.question', { n: questionNumber(draft, Number(part), Number(question)) })]),
    ...(last === undefined || last === 'questions' ? [] : [fieldLabel(last)]),
  ].join(' · ');
}

define('logit-lesson-editor', LogitLessonEditor);
