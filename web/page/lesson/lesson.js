/**
 * <logit-lesson>: a lesson, or the list of shipped lessons. Emits the learner's marks as "logit-result". The browser
 * stores the marks, unless a course system does.
 */
import { html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { locales } from '#locales/lesson';
import { centre } from '../../base/centre.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { questionIds, readLesson } from '../../lessons/lesson-file.js';
import { answer, markOf, merge, readMarks, report, showSolution } from '../../lessons/marks.js';
import { figureReport } from '../../lessons/measures.js';
import { writeCode } from '../../lessons/codes.js';
import { addMessages, language, t } from '../../locale/locale.js';
import { SHIPPED } from '../../lessons/shipped.js';
import { patched, readFigureChange } from '../../lessons/figure-change.js';
import { LessonReader } from './reader.js';
import '../model-placeholder.js';
import { inLanguage } from '../site-links.js';
import { fetchLesson, fetchList, isNamed } from './fetch-lesson.js';
import { forgetMarks, keyOf, recallMarks, rememberMarks } from './progress.js';
import { inline } from './inline.js';
import { renderLessons } from './lesson-list.js';
import { placeAddress, renderPlaces } from './places.js';
import './class-code.js';
import './figure.js';
import './guess.js';
import './question.js';
import headerStyles from './header.css';
import inlineStyles from './inline.css';
import lessonStyles from './lesson.css';

addMessages(locales);

/** @import { Lesson, Part, Question } from '../../lessons/lesson-file.js' */
/** @import { Marks } from '../../lessons/marks.js' */
/** @import { LessonState } from '../../lessons/measures.js' */

/** Names of course systems that store a learner's state. Others only receive marks. */
const KEEPER = /\b(splice|scorm\w+|jsinput)\b/;

/** Kinds of figures that show a single distribution. */
const READ = ['landscape', 'sweep'];
/** The patch of an unchanged figure. It is always the same object, so that the figure is not rendered again. */
const NOTHING = {};
/** @type {string[]} */
const NO_TOKENS = [];

export class LogitLesson extends elementWith(LogitElement, () => ({
  /** The name of a shipped lesson, the address of a file of this origin, or '' for the list. */
  lesson: '',
  /** Names of the course systems that get the marks, as in web/page/marks/connect.js; '' for none. */
  report: '',
  /** Address of an xAPI store; '' for none. Only the page can set it, never the file of a lesson. */
  xapi: '',
  /** The learner, an xAPI agent as JSON; '' for none. */
  actor: '',
  /**
   * Kind of links to other lessons: '' for this page with another query, "pages" for files beside it, "none" for no
   * links.
   */
  links: '',
  /**
   * For each course system that did not accept marks: a sentence about it.
   * @type {Record<string, { text: string, again?: () => void }>}
   */
  unreported: {},
  /** The editor's draft, which has no marks; null for none. @type {Lesson | null} */
  given: null,
  /** @type {Lesson | null} */
  read: null,
  /** @type {Lesson[]} */
  list: [],
  /** The reasons why the lesson cannot be shown. @type {string[]} */
  faults: [],
  /** @type {Marks} */
  marks: {},
  /**
   * For each part: the changes to its figures, and the present state of its first figure.
   * @type {Record<number, { patch: Partial<LessonState>, now: LessonState }>}
   */
  patches: {},
  /** True while the page asks if the learner really wants to start again. */
  forgets: false,
  /** Indices of the parts with a finished guess. @type {number[]} */
  guessed: [],
})) {
  static properties = { lesson: {}, report: {}, xapi: {}, actor: {}, links: {} };

  static styles = [...LogitElement.styles, headerStyles, inlineStyles, lessonStyles];

  #reader = new LessonReader();
  /** The engine's table of settings. @type {import('../../engine/types.js').TableRow[]} */
  #table = [];
  /** Name and language of the lesson that was requested last. */
  #asked = '';
  #fetching = 0;
  /** Number of restarts. A restart makes new elements. */
  #round = 0;
  /** The key under which the browser keeps the marks. */
  #key = '';
  /** Index of the part that the learner has used last. */
  #part = 0;
  /** The verdict on the last answer; null before one. @type {{ question: string, right: boolean } | null} */
  #verdict = null;
  /** @type {() => void} */
  #open = () => {};
  /** Resolves when a lesson is displayed. @type {Promise<void>} */
  opened = new Promise((resolve) => (this.#open = resolve));

  get busy() {
    return this.#fetching > 0 || this.#reader.busy;
  }

  /** The marks in the form that course systems and "logit-result" get. */
  get result() {
    const { read, marks } = this;
    return { lesson: read?.name ?? null, ...report(marks, read ? questionIds(read) : []) };
  }

  /** Returns the last verdict, and the distribution of the figure that was used last. */
  async reading() {
    const { figure } = this.read?.parts[this.#part] ?? {};
    const state = this.patches[this.#part]?.now ?? figure?.state;
    const readable = state && READ.includes(figure?.show ?? '');
    const read =
      readable && (await this.#reader.read(state, { measure: 'kept' }).catch(() => null));
    return { verdict: this.#verdict, ...figureReport(read ? read.trace : null) };
  }

  /** Adds the marks of a stored state. @param {string} state */
  restore(state) {
    this.#keepMarks(merge(this.marks, readMarks(state)));
  }

  /**
   * True if the browser stores the marks. If a course system stores them, the browser does not: the next person at
   * this computer may be another learner.
   */
  get #storesMarks() {
    return !KEEPER.test(this.report) && !(this.xapi && this.actor);
  }

  firstUpdated() {
    const places = this.renderRoot.querySelector('.top nav');
    centre(places, places?.querySelector('[aria-current]'));
    const framed = this.parentElement?.localName === 'main' && window.parent !== window;
    if (framed || this.report || this.xapi)
      import('../marks/connect.js').then(
        ({ connect }) => connect(this, framed),
        ({ message: reason }) => {
          const text = () => t('lesson.unreported.failed', { host: t('lesson.system'), reason });
          if (this.report || this.xapi) this.unreported = { connect: { text: this.speak(text) } };
        },
      );
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#reader.close();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('given')) this.#preview();
    if (this.given) return;
    const asked = `${t('language')} ${this.lesson}`;
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#fetch(this.lesson, asked);
  }

  async #preview() {
    this.read = this.given;
    if (this.given && this.#table.length === 0) this.#table = await this.#reader.table();
    this.requestUpdate();
  }

  /** @param {string} name @param {string} asked */
  async #fetch(name, asked) {
    this.#fetching++;
    try {
      if (isNamed(name)) {
        const text = await fetchLesson(name);
        if (asked === this.#asked) await this.#takeLesson(name, text);
      } else {
        const list = await fetchList();
        if (asked === this.#asked) this.list = list;
      }
    } catch {
      this.faults = [this.speak(() => t('lesson.unfetched', { name }))];
    }
    this.#fetching--;
  }

  /** @param {string} name of the lesson in the address @param {string} text */
  async #takeLesson(name, text) {
    this.#table = await this.#reader.table();
    const { lesson, faults } = readLesson(text, this.#table);
    const another = lesson?.name !== this.read?.name;
    this.read = lesson;
    this.faults = faults.map(({ key, values }) =>
      this.speak(() => t(`lesson.fault.${key}`, values)),
    );
    if (!lesson) return;
    const key = keyOf(name, lesson);
    const { marks } = this;
    const kept = key === this.#key ? marks : {};
    this.#key = key;
    this.marks = this.#storesMarks ? merge(kept, recallMarks(key)) : kept;
    if (another) this.patches = {}; // another lesson, not only another language
    if (another) this.guessed = [];
    if (another) this.#part = lesson.parts.findIndex(({ figure }) => figure);
    this.#open();
    if (this.parentElement?.localName === 'main') document.title = `${lesson.title} · Logitscope`;
    this.emit('logit-ready', this.result);
  }

  /** @param {{ id: string, right: boolean }} answered */
  #onAnswer({ id, right }) {
    const parts = this.read?.parts ?? [];
    const part = parts.findIndex(({ questions = [] }) => questions.some((each) => each.id === id));
    if (parts[part]?.figure) this.#part = part;
    this.#verdict = { question: id, right };
    this.#keepMarks(answer(this.marks, id, right));
  }

  /** @param {Marks} marks */
  #keepMarks(marks) {
    if (!this.read || marks === this.marks) return;
    this.marks = marks;
    if (this.given) return;
    const ids = questionIds(this.read);
    if (this.#storesMarks) rememberMarks(this.#key, marks, (all) => report(all, ids).state);
    this.emit('logit-result', this.result);
  }

  /** Returns the address of a lesson; '' means the list. @param {string} name */
  #addressOf(name) {
    if (this.links === 'pages') return `${name || 'index'}.${language()}.html`;
    return inLanguage(`?lesson=${encodeURIComponent(name)}`);
  }

  /** Path of the instrument's folder, from this page. */
  get #folder() {
    return this.links === 'pages' ? '../' : '';
  }

  #renderNav() {
    if (this.links === 'none') return nothing;
    const here = this.read === null;
    return renderPlaces({ folder: this.#folder, lessons: this.#addressOf(''), here });
  }

  render() {
    const { read, faults, lesson, unreported } = this;
    if (this.given && read) return this.#renderLesson(read);
    return html`
      <div class="top"><slot name="name"></slot>${this.#renderNav()}<slot name="preferences"></slot></div>
      <div role="status">${Object.values(unreported).map(
        ({ text, again }) => html`<p class="unreported">${text}
          ${again ? html`<button data-command="again" @click=${again}>${t('lesson.unreported.again')}</button>` : nothing}</p>`,
      )}</div>
      ${
        faults.length > 0
          ? html`<div class="panel" role="alert"><p>${t('lesson.refused')}</p><ul>${faults.map((fault) => html`<li>${fault}</li>`)}</ul></div>`
          : read
            ? this.#renderLesson(read)
            : lesson === '' && this.list.length > 0
              ? this.#renderList()
              : nothing
      }`;
  }

  #renderList() {
    const linked = this.links !== 'none';
    return renderLessons(this.list, {
      link: (name) => this.#addressOf(name),
      view: linked ? (place) => placeAddress(place, this.#folder) : null,
      guide: linked ? this.#folder + inLanguage('?lesson&guide') : '',
      reader: this.#reader,
    });
  }

  /** @param {Lesson} lesson */
  #renderLesson(lesson) {
    const ids = questionIds(lesson);
    const mine = ids.map((id) => markOf(this.marks, id));
    const done = mine.filter(({ end }) => end !== null).length;
    const right = mine.filter(({ end }) => end === 'right').length;
    const { title, minutes, aim, result, extension, parts } = lesson;
    return keyed(
      this.#round,
      html`<article aria-labelledby="title"
        @logit-answer=${(/** @type {CustomEvent} */ { detail }) => this.#onAnswer(detail)}
        @logit-solution=${(/** @type {CustomEvent} */ { detail }) => this.#keepMarks(showSolution(this.marks, detail.id))}>
      <header>
        <p class="count">${lesson.number ? html`<span>${t('lesson.number', { number: lesson.number })}</span>` : nothing}
          ${minutes ? html`<span>${t('lesson.minutes', { n: minutes })}</span>` : nothing}</p>
        <h2 id="title">${title}</h2>
        <p class="lead"><strong>${t('lesson.aim')}:</strong> ${inline(aim)}</p>
        ${language() === 'en' ? nothing : html`<p class="english">${t('lesson.english')}</p>`}
        <label class="progress"><span>${t('lesson.progress.score', { done, right, n: ids.length })}</span>
          <progress max=${ids.length} .value=${done}></progress></label>
      </header>
      ${parts.map((part, i) => this.#renderPart(part, i, ids))}
      <footer>
        <h3>${t('lesson.result')}</h3>
        <p>${done === ids.length ? inline(result) : t('lesson.result.wait')}</p>
        ${extension && done === ids.length ? html`<h3>${t('lesson.extension')}</h3><p>${inline(extension)}</p>` : nothing}
        ${mine.some(({ attempts, end }) => attempts > 0 || end !== null) ? html`<logit-class-code .code=${writeCode(lesson.name, this.marks, ids)}></logit-class-code>${this.#renderAgain()}` : nothing}
        ${this.#renderNext()}
      </footer>
    </article>`,
    );
  }

  /**
   * Renders the button that starts the lesson again. If a course system gets the marks, there is no button, because
   * marks must not decrease.
   */
  #renderAgain() {
    const alone = this.parentElement?.localName === 'main' && window.parent === window;
    if (this.given || !this.#storesMarks || !alone) return nothing;
    if (!this.forgets)
      return html`<p><button @click=${() => (this.forgets = true)}>${t('lesson.again')}</button></p>`;
    return html`<p role="alert">${t('lesson.again.ask')}
      <button @click=${this.#beginAgain}>${t('lesson.again.forget')}</button>
      <button @click=${() => (this.forgets = false)}>${t('lesson.again.keep')}</button></p>`;
  }

  #beginAgain() {
    forgetMarks(this.#key);
    this.#round++;
    this.marks = {};
    this.patches = {};
    this.guessed = [];
    this.forgets = false;
    this.emit('logit-result', this.result);
    this.scrollIntoView();
  }

  #renderNext() {
    const next = SHIPPED[SHIPPED.indexOf(this.lesson) + 1];
    if (this.links === 'none' || !SHIPPED.includes(this.lesson) || !next) return nothing;
    return html`<p><a href=${this.#addressOf(next)}>${t('lesson.next')}</a></p>`;
  }

  /**
   * Changes the figures of a part.
   * @param {number} i
   * @param {Partial<LessonState> | null} change null resets the figures
   */
  #set(i, change) {
    this.#part = i;
    const { [i]: before, ...others } = this.patches;
    const begin = this.read?.parts[i].figure?.state;
    const patch = change && patched(/** @type {any} */ (before?.patch ?? {}), change);
    this.patches =
      patch && begin ? { ...others, [i]: { patch, now: patched(begin, patch) } } : others;
  }

  /** @param {Part} part @param {number} i @param {string[]} ids */
  #renderPart({ title, text = [], figure, questions = [] }, i, ids) {
    const shown = figure?.state ?? { prompt: '' };
    const { patch = NOTHING, now = shown } = this.patches[i] ?? {};
    const waits = questions.filter(({ id, hold }) => {
      const { attempts, end } = markOf(this.marks, id);
      return hold && attempts === 0 && end === null;
    });
    const guesses = figure?.guess !== undefined;
    const answered = questions.some(({ id }) => {
      const { attempts, end } = markOf(this.marks, id);
      return attempts > 0 || end !== null;
    });
    // An answer opens the figure too, since a course system stores marks, but not the guess.
    const held = waits.length > 0 || (guesses && !answered && !this.guessed.includes(i));
    const places = waits.map(({ id }) => ids.indexOf(id) + 1);
    const name = title ?? this.read?.title ?? '';
    // Questions come before the figure up to the last one with `hold`, the others after it. A guess comes before all
    // questions.
    const holds = questions.map(({ hold }, at) => (hold ? at + 1 : 0));
    const before = guesses ? 0 : figure ? Math.max(0, ...holds) : questions.length;
    const renderQuestion = (/** @type {Question} */ question) =>
      html`<logit-question .question=${question} .key=${this.#key} .place=${ids.indexOf(question.id) + 1}
        .mark=${markOf(this.marks, question.id)} .reader=${this.#reader} .shown=${question.state ?? shown}
        .now=${question.state ?? now} ?held=${held}></logit-question>`;
    return html`<section aria-label=${name} class=${figure ? 'figured' : ''}
        @logit-show=${(/** @type {CustomEvent} */ { detail }) => this.#set(i, readFigureChange(detail.address, this.#table))}>
      <div class="said">
        ${title ? html`<h3>${title}</h3>` : nothing}
        ${[text].flat().map((paragraph) => html`<p>${inline(paragraph, held)}</p>`)}
        ${questions.slice(0, before).map(renderQuestion)}
      </div>
      ${
        figure
          ? html`<div class="figures"
                @logit-figure=${(/** @type {CustomEvent} */ { detail }) => this.#set(i, detail.change)}
                @logit-guess=${() => (this.guessed = [...this.guessed, i])}>
              ${guesses ? html`<logit-guess .guess=${figure.guess} .state=${shown} .reader=${this.#reader} .key=${this.#key} .place=${i}></logit-guess>` : nothing}
              ${[shown, ...(figure.beside ? [figure.beside] : [])].map(
                (begin) => html`<logit-figure .show=${figure.show} .begin=${begin} .patch=${patch}
                  .table=${this.#table} .knob=${figure.knob} .controls=${figure.controls}
                  .tokens=${figure.tokens ?? NO_TOKENS} .reader=${this.#reader} .name=${name} .waits=${places} .guesses=${guesses} ?held=${held}></logit-figure>`,
              )}
              ${figure.caption && !(guesses && held) ? html`<p class="caption">${inline(figure.caption, held)}</p>` : nothing}
            </div>`
          : nothing
      }
      ${before < questions.length ? html`<div class="said">${questions.slice(before).map(renderQuestion)}</div>` : nothing}
    </section>`;
  }
}

define('logit-lesson', LogitLesson);
