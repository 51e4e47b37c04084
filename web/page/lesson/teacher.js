/**
 * <logit-lesson-guide>: the guide for teachers of a lesson: text for the class, the answers as the engine computes
 * them, typical wrong answers, and the results of a class.
 */
import { html, nothing } from 'lit';
import { locales as lessonLocales } from '#locales/lesson';
import { locales } from '#locales/teacher';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { toFault } from '../../engine/errors.js';
import { rightInWords, wrongInWords } from '../../lessons/answer-words.js';
import { answersOf } from '../../lessons/answers.js';
import { questionIds, readLesson } from '../../lessons/lesson-file.js';
import { addMessages, t } from '../../locale/locale.js';
import { inLanguage } from '../site-links.js';
import { renderPlaces } from './places.js';
import { refusalSentence } from './asking.js';
import { fetchLesson, fetchList, isNamed } from './fetch-lesson.js';
import { inline } from './inline.js';
import { LessonReader } from './reader.js';
import './class-plot.js';
import headerStyles from './header.css';
import inlineStyles from './inline.css';
import teacherStyles from './teacher.css';

addMessages(lessonLocales);
addMessages(locales);

/** @import { Lesson } from '../../lessons/lesson-file.js' */
/** @import { Answer } from '../../lessons/answers.js' */

/** @param {string} name @param {boolean} guide */
const link = (name, guide) =>
  inLanguage(`?lesson=${encodeURIComponent(name)}${guide ? '&guide' : ''}`) +
  (name === '' ? location.hash : '');

export class LogitLessonGuide extends elementWith(LogitElement, () => ({
  /** The lesson, as in the attribute of <logit-lesson>. */
  lesson: '',
  /** @type {Lesson | null} */
  read: null,
  /** @type {Answer[]} */
  answers: [],
  /** @type {Lesson[]} */
  list: [],
  /** Sentences about why the lesson cannot be shown. @type {(() => string)[]} */
  faults: [],
})) {
  static properties = { lesson: {} };

  static styles = [...LogitElement.styles, headerStyles, inlineStyles, teacherStyles];

  #reader = new LessonReader();
  #asked = '';
  #fetching = 0;

  get busy() {
    return this.#fetching > 0 || this.#reader.busy;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#reader.close();
  }

  willUpdate() {
    const asked = `${t('language')} ${this.lesson}`;
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#fetch(this.lesson, asked);
  }

  /** @param {string} name @param {string} asked */
  async #fetch(name, asked) {
    this.#fetching++;
    try {
      if (isNamed(name)) await this.#takeLesson(await fetchLesson(name), asked);
      else this.list = await fetchList();
    } catch (error) {
      const fault = toFault(error);
      const said = this.read
        ? () => refusalSentence(fault, this)
        : () => t('lesson.unfetched', { name });
      this.faults = [said];
    }
    this.#fetching--;
  }

  /** @param {string} text @param {string} asked */
  async #takeLesson(text, asked) {
    const { lesson, faults } = readLesson(text, await this.#reader.table());
    if (asked !== this.#asked) return;
    this.faults = faults.map(
      ({ key, values }) =>
        () =>
          t(`lesson.fault.${key}`, values),
    );
    this.read = lesson;
    if (!lesson) return;
    document.title = `${this.speak(() => t('teacher.title', { title: lesson.title }))} · Logitscope`;
    const answers = await answersOf(lesson, (state, of) => this.#reader.measure(state, of));
    if (asked === this.#asked) this.answers = answers;
  }

  render() {
    const { read, faults } = this;
    return html`
      <div class="top"><slot name="name"></slot>
        ${renderPlaces({ lessons: inLanguage('?lesson') })}
        <slot name="preferences"></slot></div>
      ${
        faults.length > 0
          ? html`<div class="panel" role="alert"><p>${t('lesson.refused')}</p><ul>${faults.map((say) => html`<li>${say()}</li>`)}</ul></div>`
          : nothing
      }
      <p class="links">
        ${read ? html`<a href=${link(this.lesson, false)}>${t('teacher.lesson')}</a> <a href=${inLanguage('?lesson&guide')}>${t('teacher.all')}</a>` : nothing}
        <a href=${inLanguage('?lesson=new')}>${t('teacher.write')}</a></p>
      ${read ? this.#renderGuide(read) : this.list.length > 0 ? this.#renderList() : nothing}`;
  }

  #renderList() {
    return html`<section class="list" aria-labelledby="title">
      <h2 id="title">${t('lesson.teach')}</h2><p class="lead">${t('teacher.about')}</p>
      <ol>${this.list.map(
        ({ name, number, title, aim, minutes }) => html`<li>
          <span class="count">${number}</span>
          <span class="of"><strong>${title}</strong><span>${inline(aim)}</span></span>
          <span class="links">${minutes ? html`<span>${t('lesson.minutes', { n: minutes })}</span>` : nothing}
            <a href=${link(name, true)} aria-label=${t('teacher.title', { title })}>${t('teacher.guide')}</a>
            <a href=${link(name, false)} aria-label=${t('teacher.lesson.of', { title })}>${t('teacher.lesson')}</a></span></li>`,
      )}</ol></section>`;
  }

  /** @param {Lesson} lesson */
  #renderGuide({ name, number, title, minutes, aim, result, guide = [], extension, ...lesson }) {
    const said = [guide].flat();
    return html`<article aria-labelledby="title">
      <header>
        <p class="count">${number ? html`<span>${t('lesson.number', { number })}</span>` : nothing}
          ${minutes ? html`<span>${t('lesson.minutes', { n: minutes })}</span>` : nothing}
          <span>${t('teacher.sheet')}</span></p>
        <h2 id="title">${title}</h2>
        <p class="lead"><strong>${t('lesson.aim')}:</strong> ${inline(aim)}</p>
        <p class="lead"><strong>${t('lesson.result')}:</strong> ${inline(result)}</p>
        <button data-command="print" @click=${() => window.print()}>${t('teacher.print')}</button>
      </header>
      ${
        said.length > 0
          ? html`<section aria-labelledby="say"><h3 id="say">${t('teacher.say')}</h3>${said.map((text) => html`<p>${inline(text)}</p>`)}</section>`
          : nothing
      }
      <section aria-labelledby="answers"><h3 id="answers">${t('teacher.answers')}</h3>
        <p class="about">${t('teacher.answers.about')}</p>
        ${this.answers.length === 0 ? html`<p role="status">${t('teacher.computing')}</p>` : html`<ol class="answers">${this.answers.map((answer) => this.#renderAnswer(answer))}</ol>`}
      </section>
      ${extension ? html`<section aria-labelledby="further"><h3 id="further">${t('lesson.extension')}</h3><p>${inline(extension)}</p></section>` : nothing}
      <logit-class-plot .name=${name} .ids=${questionIds({ ...lesson, name, title, aim, result })}
        .asks=${lesson.parts.flatMap(({ questions = [] }) => questions.map(({ ask }) => ask))}></logit-class-plot>
    </article>`;
  }

  /** @param {Answer} answer */
  #renderAnswer(answer) {
    const { question, wrong } = answer;
    const { ask, right, solution, hint } = question;
    return html`<li><p class="ask">${inline(ask)}</p>
      <p class="right"><strong>${t('teacher.right')}:</strong> <span class="value">${inline(rightInWords(answer) || (solution ?? right))}</span></p>
      <p>${inline(right)}</p>
      ${
        wrong.length > 0
          ? html`<table><caption class="visually-hidden">${t('teacher.wrongs')}</caption>
            <thead><tr><th scope="col">${t('teacher.wrongs')}</th><th scope="col">${t('teacher.hear')}</th></tr></thead>
            <tbody>${wrong.map((each) => html`<tr><th scope="row">${inline(wrongInWords(answer, each))}</th><td>${inline(each.say)}</td></tr>`)}</tbody></table>`
          : nothing
      }
      ${hint ? html`<p class="hint"><strong>${t('lesson.hint')}:</strong> ${inline(hint)}</p>` : nothing}</li>`;
  }
}

define('logit-lesson-guide', LogitLessonGuide);
