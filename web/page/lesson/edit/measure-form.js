/** Renders the fields of a measure: its name, its token or rank, and settings that differ from the figure's. */
import { html, nothing } from 'lit';
import { settingName, usualFirst } from '../../../base/setting-words.js';
import { measureName } from '../../../lessons/answer-words.js';
import { byMeasure, faultPlace, placeName } from '../../../lessons/draft.js';
import { LESSON_MEASURES } from '../../../lessons/measures.js';
import { t } from '../../../locale/locale.js';
import '../measured-value.js';

/** @import { Form, Place } from './form.js' */
/** @import { TableRow } from '../../../engine/types.js' */
/** @import { LessonState } from '../../../lessons/measures.js' */

/**
 * @typedef {{ table: TableRow[], reader: import('../reader.js').LessonReader }} Engine
 */

/**
 * Returns the samplers' settings that are numbers, each with its name in words.
 * @param {TableRow[]} table @returns {[string, string][]}
 */
export const settingChoices = (table) =>
  usualFirst(table)
    .filter(({ kind, sampler }) => /^(real|integer)$/.test(kind) && sampler)
    .map(({ name }) => [name, settingName(name)]);

/**
 * @param {Form} form
 * @param {Place} place
 * @param {Engine} engine
 * @param {LessonState | null} state the state to measure; null if it is invalid
 * @param {(unit: string) => boolean} [fits] returns true if the question may ask for measures with a unit
 */
export function renderAsked(form, place, { table, reader }, state, fits = () => true) {
  const asked = form.get(place) ?? {};
  const { of = [] } = LESSON_MEASURES[asked.measure] ?? {};
  const choices = Object.entries(LESSON_MEASURES).filter(([, { unit }]) => fits(unit));
  // In a list of typical wrong answers, the list's item shows the faults.
  const inner = typeof place[place.length - 1] === 'number';
  const faults = form.faultsAt(place, true).filter((fault) => !/\.say$/.test(faultPlace(fault)));
  const sound = faults.length === 0;
  return html`<fieldset class="asked" id=${inner ? nothing : placeName(place)} tabindex="-1">
    <legend>${t('editor.asked')}</legend>
    <div class="row">
      ${form.select(
        [...place, 'measure'],
        choices.map(([name]) => [name, measureName(name)]),
        { set: (to) => form.set(place, byMeasure(asked, to)) },
      )}
      ${of.includes('rank') && asked.token === undefined ? form.number([...place, 'rank']) : nothing}
      ${of.includes('token') && (asked.token !== undefined || !of.includes('rank')) ? form.text([...place, 'token'], { size: 10 }) : nothing}
      ${of.includes('rank') && of.includes('token') ? renderByToken(form, place, asked) : nothing}
      ${of.includes('setting') ? form.select([...place, 'setting'], settingChoices(table)) : nothing}
      ${of.includes('u') ? form.number([...place, 'u']) : nothing}
    </div>
    ${renderSettings(form, [...place, 'settings'], table)}
    ${inner ? nothing : form.faults(place)}
    ${state && sound ? html`<logit-measured-value .reader=${reader} .shown=${state} .asked=${asked}></logit-measured-value>` : nothing}
  </fieldset>`;
}

/** Renders the choice of the token, by rank or by text. @param {Form} form @param {Place} place @param {any} asked */
function renderByToken(form, place, asked) {
  const { rank: _, token, ...others } = asked;
  const to = token === undefined ? { ...others, token: '' } : { ...others, rank: 1 };
  return html`<button type="button" class="small" @click=${() => form.set(place, to)}>
    ${t(token === undefined ? 'editor.by.token' : 'editor.by.rank')}</button>`;
}

/**
 * Renders the settings that differ from those of the figure.
 * @param {Form} form @param {Place} place @param {TableRow[]} table
 */
export function renderSettings(form, place, table) {
  const settings = form.get(place) ?? {};
  const all = settingChoices(table);
  const names = Object.keys(settings).filter((name) => all.some(([known]) => known === name));
  const free = all.filter(([name]) => !names.includes(name));
  const add = (/** @type {string} */ name) => {
    const row = table.find((each) => each.name === name);
    form.set([...place, name], row?.neutral ?? 0);
  };
  return html`<div class="settings">
    ${names.map(
      (
        name,
      ) => html`<div class="setting">${form.number([...place, name], { label: settingName(name) })}
        <button type="button" class="small" aria-label=${t('editor.remove.of', { item: settingName(name) })}
          @click=${() => form.set(place, without(settings, name))}>×</button></div>`,
    )}
    <label class="add"><span class="visually-hidden">${t('editor.setting.add')}</span>
      <select @change=${(/** @type {any} */ { target }) => {
        add(target.value);
        target.value = '';
      }}><option value="" selected>${t('editor.setting.add')}</option>
        ${free.map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select></label>
  </div>`;
}

/** @param {Record<string, any>} settings @param {string} name */
function without({ ...settings }, name) {
  delete settings[name];
  return Object.keys(settings).length > 0 ? settings : undefined;
}
