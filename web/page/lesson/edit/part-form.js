/** Renders the fields of a part: text, figure, questions. Only one part and one question are unfolded. */
import { html, nothing } from 'lit';
import { freeId, newQuestion, placeName, questionNumber } from '../../../lessons/draft.js';
import { t } from '../../../locale/locale.js';
import { renderFigure } from './figure-form.js';
import { renderQuestion } from './question-form.js';

/** @import { Form } from './form.js' */
/** @import { Engine } from './measure-form.js' */
/** @import { Draft } from '../../../lessons/draft.js' */

/**
 * `open` is true if this part is open; `question` is the index of the open question.
 * @typedef {import('./figure-form.js').Moves & { open: boolean, toggle: (open: boolean) => void,
 *   question: number, show: (question: number) => void }} Fold
 */

/**
 * Renders the number of faults in a folded part or question.
 * @param {Form} form @param {import('./form.js').Place} place
 */
function renderBadge(form, place) {
  const n = form.faultsAt(place, true).length;
  return n === 0 ? nothing : html`<span class="badge">${t('editor.badge', { n })}</span>`;
}

/** @param {(open: boolean) => void} toggle */
const folding = (toggle) => (/** @type {Event} */ event) => {
  event.stopPropagation();
  toggle(/** @type {HTMLDetailsElement} */ (event.target).open);
};

/**
 * @param {Form} form
 * @param {number} i
 * @param {Engine} engine
 * @param {Fold} fold
 */
export function renderPart(form, i, engine, fold) {
  const place = ['parts', i];
  const { title, questions = [], figure } = form.get(place);
  const name = t('editor.part', { n: i + 1 });
  const list = [...place, 'questions'];
  const sound = figure && form.faultsAt([...place, 'figure', 'state'], true).length === 0;
  const add = () => form.add(list, newQuestion(freeId(form.draft), 'number'), ['ask']);
  return html`<details class="card part" .open=${fold.open} @toggle=${folding(fold.toggle)}>
    <summary id=${placeName(place)}><span class="name">${name}</span> ${title || nothing} ${renderBadge(form, place)}</summary>
    ${
      fold.open
        ? html`<div class="body">${form.acts(['parts'], i, name)}
          ${form.text([...place, 'title'])} ${form.area([...place, 'text'], { paragraphs: true })}
          ${renderFigure(form, [...place, 'figure'], engine, fold)}
          <section class="questions" id=${placeName(list)} tabindex="-1" aria-label=${t('editor.questions')}>
            ${questions.map((/** @type {Draft} */ question, /** @type {number} */ j) => {
              const open = fold.question === j;
              const called = t('lesson.question', { n: questionNumber(form.draft, i, j) });
              return html`<details class="card" id="${placeName([...list, j])}-card" .open=${open} @toggle=${folding((to) => to !== open && fold.show(to ? j : -1))}>
                <summary><span class="name">${called}</span> ${question.ask || nothing} ${renderBadge(form, [...list, j])}</summary>
                ${open ? html`<div class="body">${form.acts(list, j, called)}${renderQuestion(form, [...list, j], engine, sound ? figure.state : null)}</div>` : nothing}
              </details>`;
            })}
            <button type="button" data-command="question" @click=${add}>${t('editor.question.add')}</button>
            ${form.faults(list)}</section>
          ${form.faults(place)}</div>`
        : nothing
    }
  </details>`;
}
