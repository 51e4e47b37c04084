/** Renders the fields of a question: text, right answer, and typical wrong answers with a sentence for each. */
import { html, nothing } from 'lit';
import { FORM_KINDS, asKind, placeName } from '../../../lessons/draft.js';
import { t } from '../../../locale/locale.js';
import { renderState } from './figure-form.js';
import { renderAsked } from './measure-form.js';

/** @import { Form, Place } from './form.js' */
/** @import { Draft } from '../../../lessons/draft.js' */
/** @import { Engine } from './measure-form.js' */
/** @import { LessonState } from '../../../lessons/measures.js' */

/**
 * For each kind of question: a function that returns true if it may ask for a measure of this unit.
 * @type {Record<string, (unit: string) => boolean>}
 */
const UNITS = {
  number: (unit) => unit !== 'token',
  state: (unit) => unit !== 'token',
  token: (unit) => unit === 'token',
  choice: () => true,
};

/**
 * For each kind of question: the sorts of typical wrong answers that it may have.
 * @type {Record<string, string[]>}
 */
const WRONGS = {
  number: ['equals', 'measure', 'between'],
  token: ['equals', 'measure'],
  state: ['between'],
  order: ['before'],
  code: ['fault'],
};

/** Returns the sort of a typical wrong answer. @param {Draft} wrong */
const sortOf = (wrong) =>
  ['fault', 'before', 'measure', 'equals'].find((sort) => wrong[sort] !== undefined) ?? 'between';

/** @param {string} sort @param {string} kind @param {string} say @returns {Draft} */
function newWrong(sort, kind, say = '') {
  if (sort === 'fault') return { fault: '', say };
  if (sort === 'before') return { before: [1, 0], say };
  if (sort === 'equals') return { equals: kind === 'token' ? '' : 0, say };
  if (sort === 'measure')
    return kind === 'token' ? { measure: 'token', rank: 1, say } : { measure: 'p', rank: 1, say };
  return { below: 0, say };
}

/**
 * Questions as they were before the teacher changed their kind, by id and old kind; changing back restores them.
 * @type {Map<string, any>}
 */
const left = new Map();

/**
 * @param {Form} form
 * @param {Place} place
 * @param {Engine} engine
 * @param {LessonState | null} shown the state of the part's figure
 */
export function renderQuestion(form, place, engine, shown) {
  const question = form.get(place);
  const { kind } = question;
  const stateful = question.state !== undefined;
  const sound = !stateful || form.faultsAt([...place, 'state'], true).length === 0;
  const state = sound ? (question.state ?? shown) : null;
  return html`<div class="question" id=${placeName(place)} tabindex="-1">
    <div class="row">${form.select(
      [...place, 'kind'],
      FORM_KINDS.map((each) => [each, t(`editor.kind.${each}`)]),
      {
        set: (to) => {
          left.set(`${question.id} ${kind}`, question);
          form.set(place, asKind(question, to, left.get(`${question.id} ${to}`)));
        },
      },
    )}${form.flag([...place, 'hold'])}</div>
    ${form.area([...place, 'ask'])}
    ${
      stateful
        ? html`<fieldset><legend>${t('editor.state.own')}</legend>${renderState(form, [...place, 'state'], engine)}
      <button type="button" class="small" @click=${() => form.set([...place, 'state'], undefined)}>${t('editor.remove')}</button></fieldset>`
        : nothing
    }
    ${kind === 'code' ? renderCode(form, place, engine) : renderRight(form, place, engine, state)}
    ${form.area([...place, 'right'])}
    ${kind === 'choice' ? nothing : renderWrongs(form, place, engine, state)}
    ${form.area([...place, 'hint'])} ${form.area([...place, 'solution'])}
    <div class="row">${form.text([...place, 'id'], { size: 14 })}</div>
    ${form.faults(place)}
  </div>`;
}

/**
 * Renders the fields of a question about code: the function's name, the code to begin with, and a solution.
 * @param {Form} form @param {Place} place @param {Engine} engine
 */
function renderCode(form, place, { table }) {
  const samplers = table.filter(({ sampler }) => sampler).map(({ name }) => name);
  const names = [...samplers, 'chain', 'generate'];
  return html`
    <div class="row">${form.select(
      [...place, 'as'],
      names.map((name) => [name, name]),
    )}</div>
    ${form.lines([...place, 'begin'])} ${form.lines([...place, 'example'])}`;
}

/** @param {Form} form @param {Place} place @param {Engine} engine @param {LessonState | null} state */
function renderRight(form, place, engine, state) {
  const { kind, answer } = form.get(place);
  if (kind === 'choice') return renderOptions(form, place, engine, state);
  if (kind === 'order') return renderItems(form, [...place, 'items']);
  if (kind === 'state') {
    const goal = [...place, 'goal'];
    return html`${renderAsked(form, goal, engine, state, UNITS.state)}
      <div class="row">${['at_least', 'at_most', 'equals', 'tolerance'].map((name) => form.number([...goal, name]))}</div>`;
  }
  return html`${answer ? renderAsked(form, [...place, 'answer'], engine, state, UNITS[kind]) : nothing}
    <div class="row">${kind === 'number' ? html`${form.number([...place, 'tolerance'])} ${form.text([...place, 'unit'], { size: 6 })}` : form.number([...place, 'choose'])}</div>`;
}

/** @param {Form} form @param {Place} place @param {Engine} engine @param {LessonState | null} state */
function renderOptions(form, place, engine, state) {
  const { options = [], answer, id } = form.get(place);
  const list = [...place, 'options'];
  const bind = () => form.set([...place, 'answer'], answer ? undefined : { measure: 'kept' });
  const mark = (/** @type {number} */ right) =>
    form.set(
      list,
      options.map((/** @type {Draft} */ { right: _, ...option }, /** @type {number} */ i) =>
        i === right ? { ...option, right: true } : option,
      ),
    );
  return html`
    <label class="choice"><input type="checkbox" .checked=${answer !== undefined} @change=${bind}>${t('editor.bind')}</label>
    ${answer ? renderAsked(form, [...place, 'answer'], engine, state, UNITS.choice) : nothing}
    <fieldset id=${placeName(list)} tabindex="-1"><legend>${t('editor.options')}</legend>
      ${options.map((/** @type {Draft} */ option, /** @type {number} */ i) => {
        const name = t('editor.option', { n: i + 1 });
        return html`<div class="item" role="group" aria-label=${name}>
          <div class="head">${
            answer
              ? html`<strong>${name}</strong>`
              : html`<label class="choice"><input type="radio" name="${id}-right" .checked=${option.right === true} @change=${() => mark(i)}>${t('editor.option.right', { n: i + 1 })}</label>`
          }${form.acts(list, i, name)}</div>
          ${form.text([...list, i, 'text'])}
          ${answer ? html`<div class="row">${form.number([...list, i, 'value'])}</div>` : nothing}
          ${option.right && !answer ? nothing : form.text([...list, i, 'say'])}</div>`;
      })}
      <button type="button" @click=${() => form.add(list, { text: '' }, ['text'])}>${t('editor.option.add')}</button>
      ${form.faults(list)}</fieldset>`;
}

/** @param {Form} form @param {Place} list */
function renderItems(form, list) {
  const items = form.get(list) ?? [];
  return html`<fieldset id=${placeName(list)} tabindex="-1"><legend>${t('editor.items')}</legend>
    ${items.map((/** @type {string} */ _, /** @type {number} */ i) => {
      const name = t('editor.item', { n: i + 1 });
      return html`<div class="item"><div class="head">${form.text([...list, i], { label: name })}${form.acts(list, i, name)}</div></div>`;
    })}
    <button type="button" @click=${() => form.add(list, '')}>${t('editor.item.add')}</button>
    ${form.faults(list)}</fieldset>`;
}

/** @param {Form} form @param {Place} place @param {Engine} engine @param {LessonState | null} state */
function renderWrongs(form, place, engine, state) {
  const { kind, wrong = [], items = [] } = form.get(place);
  const list = [...place, 'wrong'];
  const sorts = WRONGS[kind];
  return html`<fieldset id=${placeName(list)} tabindex="-1"><legend>${t('editor.wrongs')}</legend>
    <p class="about">${t('editor.wrongs.about')}</p>
    ${wrong.map((/** @type {Draft} */ each, /** @type {number} */ i) => {
      const sort = sortOf(each);
      const at = [...list, i];
      const name = t('editor.wrong', { n: i + 1 });
      const offered = sorts.includes(sort) ? sorts : [...sorts, sort];
      return html`<div class="item" role="group" aria-label=${name} id=${placeName(at)} tabindex="-1">
        <div class="head">${form.select(
          [...at, 'sort'],
          offered.map((one) => [one, t(`editor.sort.${one}`)]),
          { value: sort, set: (to) => form.set(at, newWrong(to, kind, each.say)) },
        )}${form.acts(list, i, name)}</div>
        ${renderWrong(form, at, sort, kind, items, engine, state)}
        ${form.text([...at, 'say'])}${form.faults(at)}</div>`;
    })}
    <button type="button" @click=${() => form.add(list, newWrong(sorts[0], kind), ['say'])}>${t('editor.wrong.add')}</button>
    ${form.faults(list)}</fieldset>`;
}

/**
 * @param {Form} form
 * @param {Place} at
 * @param {string} sort
 * @param {string} kind
 * @param {string[]} items
 * @param {Engine} engine
 * @param {LessonState | null} state
 */
function renderWrong(form, at, sort, kind, items, engine, state) {
  if (sort === 'measure') return renderAsked(form, at, engine, state, UNITS[kind]);
  if (sort === 'equals')
    return html`<div class="row">${kind === 'token' ? form.text([...at, 'equals'], { size: 10 }) : form.number([...at, 'equals'])}</div>`;
  if (sort === 'fault')
    return html`<div class="row">${form.text([...at, 'fault'], { size: 18 })}</div>`;
  if (sort === 'between')
    return html`<div class="row">${form.number([...at, 'above'])} ${form.number([...at, 'below'])}</div>`;
  const choices = items.map(
    (item, i) =>
      /** @type {[string, string]} */ ([String(i), item || t('editor.item', { n: i + 1 })]),
  );
  return html`<div class="row">${[0, 1].map((end) => {
    const place = [...at, 'before', end];
    return form.select(place, choices, {
      label: t(`editor.before.${end}`),
      value: String(form.get(place)),
      set: (to) => form.set(place, Number(to)),
    });
  })}</div>`;
}
