/** The list of lessons: three to begin with, with pictures, then all others by theme. */
import { html, nothing } from 'lit';
import { t } from '../../locale/locale.js';
import { markOf } from '../../lessons/marks.js';
import { questionIds } from '../../lessons/lesson-file.js';
import { inline } from './inline.js';
import './lesson-picture.js';
import { recallMarks } from './progress.js';

/** @import { Lesson } from '../../lessons/lesson-file.js' */

/** The lessons to begin with. */
const FIRST = ['one-token', 'temperature', 'top-p'];
/** The other lessons by theme. @type {Record<string, string[]>} */
const THEMES = {
  choose: ['greedy', 'top-k', 'order'],
  text: ['repetition', 'diversity', 'strategies', 'sentences', 'same-seed'],
  steer: ['bias', 'constrained'],
  inside: ['cost', 'write-it'],
};
/** Views of the instrument that the last theme names. @type {import('./places.js').Place[]} */
const VIEWS = [
  { name: 'cost', view: 'cost' },
  { name: 'speculative', view: 'speculative' },
  { name: 'sentences', view: 'sweep', model: 'verbs', choices: { sweep_figure: 'sentences' } },
];

/**
 * @param {Lesson[]} list
 * @param {object} options
 * @param {(name: string) => string} options.link the address of a lesson
 * @param {((place: import('./places.js').Place) => string) | null} options.view the address of a view; null without links
 * @param {string} options.guide the address of the teacher's guide; '' without a link
 * @param {import('./reader.js').LessonReader} options.reader reads the pictures
 */
export function renderLessons(list, { link, view, guide, reader }) {
  const named = (/** @type {string[]} */ names) =>
    names.flatMap((name) => list.find((lesson) => lesson.name === name) ?? []);
  return html`<section class="list" aria-labelledby="title">
    <h2 id="title">${t('lesson.begin')}</h2>
    <p class="lead">${t('lesson.index.about')}</p>
    <ol class="first">${named(FIRST).map(
      (lesson) => html`<li class=${stateOf(lesson).state}><a href=${link(lesson.name)}>
        <logit-lesson-picture .lesson=${lesson} .reader=${reader}></logit-lesson-picture>
        <strong>${lesson.title}</strong><span class="aim">${inline(lesson.aim)}</span>${renderState(lesson)}</a></li>`,
    )}</ol>
    <div class="themes">${Object.entries(THEMES).map(
      ([theme, names]) => html`<section aria-labelledby=${theme}>
        <h3 id=${theme}>${t(`lesson.theme.${theme}`)}</h3>
        <ol>${named(names).map(
          (lesson) => html`<li class=${stateOf(lesson).state}><a href=${link(lesson.name)}>
            <span>${lesson.title}</span>${renderState(lesson)}</a></li>`,
        )}${
          view && theme === 'inside'
            ? VIEWS.map(
                (place) =>
                  html`<li class="view"><a href=${view(place)}><span>${t(`lesson.view.${place.name}`)}</span></a></li>`,
              )
            : nothing
        }</ol></section>`,
    )}</div>
    ${guide ? html`<p class="teach"><a href=${guide}>${t('lesson.teach')}</a></p>` : nothing}
  </section>`;
}

/** Returns how many questions a lesson has and how many are done, from the stored marks. @param {Lesson} lesson */
function stateOf(lesson) {
  const ids = questionIds(lesson);
  const mine = ids.map((id) => markOf(recallMarks(lesson.name), id));
  const done = mine.filter(({ end }) => end !== null).length;
  const right = mine.filter(({ end }) => end === 'right').length;
  const begun = done > 0 ? 'begun' : 'new';
  return { done, right, n: ids.length, state: done === ids.length ? 'done' : begun };
}

/** Renders the duration of a lesson, or the progress if the learner has begun. @param {Lesson} lesson */
function renderState(lesson) {
  const { state, ...counts } = stateOf(lesson);
  const { minutes } = lesson;
  if (state === 'new')
    return html`<span class="done">${minutes ? t('lesson.minutes', { n: minutes }) : nothing}</span>`;
  return html`<span class="done">${t(`lesson.state.${state}`, counts)}</span>`;
}
