/** A figure of a part: what it shows, as it stands in the picture below, which can be moved. */
import { html, nothing } from 'lit';
import { placeName } from '../../../lessons/draft.js';
import { patched } from '../../../lessons/shown.js';
import { parse, t } from '../../../locale/locale.js';
import { MODELS } from '../../../state/models.js';
import { renderSettings, settingChoices } from './measure-form.js';

/**
 * @typedef {import('./form.js').Form} Form
 * @typedef {import('./form.js').Place} Place
 * @typedef {import('./measure-form.js').Engine} Engine
 * @typedef {import('../../../lessons/measures.js').LessonState} LessonState
 *
 * What was set in the picture, until it is taken.
 * @typedef {{ moved: Partial<LessonState> | null, move: (change: Partial<LessonState> | null) => void }} Hand
 *   null puts it back
 */

/** What a figure begins with where the author names nothing. @type {LessonState} */
export const FIRST_STATE = { model: MODELS[0].name, prompt: MODELS[0].examples[0], settings: {} };

/** @type {Partial<LessonState>} */
const UNMOVED = {};

/** Where the numbers come from. @param {Form} form @param {Place} place */
function renderSource(form, place) {
  const state = form.get(place) ?? {};
  const { logits, tokens: _, model, prompt, ...others } = state;
  const own = logits !== undefined;
  const turn = () =>
    form.set(
      place,
      own
        ? { ...others, model: MODELS[0].name, prompt: MODELS[0].examples[0] }
        : { ...others, logits: [2, 1, 0.5], tokens: ['A', 'B', 'C'] },
    );
  const known = MODELS.map(
    ({ name }) => /** @type {[string, string]} */ ([name, t(`model.${name}`)]),
  );
  const named = model ?? MODELS[0].name;
  const all = known.some(([name]) => name === named) ? known : [...known, [named, named]];
  return html`<div class="row">
    <div class="segments" role="group" aria-label=${t('editor.source')}>
      <button type="button" aria-pressed=${!own} @click=${own ? turn : nothing}>${t('editor.source.prompt')}</button>
      <button type="button" aria-pressed=${own} @click=${own ? nothing : turn}>${t('editor.source.logits')}</button></div></div>
    ${
      own
        ? html`${form.line([...place, 'logits'], (text) => {
            const value = parse(text);
            return Number.isNaN(value) ? text : value;
          })}${form.line([...place, 'tokens'], (text) => text)}`
        : html`<div class="row">${form.select([...place, 'model'], /** @type {[string, string][]} */ (all), { value: named })}</div>
          ${form.text([...place, 'prompt'])}`
    }`;
}

/** A state: its source, its settings, its seed and u. @param {Form} form @param {Place} place @param {Engine} engine */
export function renderState(form, place, { table }) {
  return html`<div class="state" id=${placeName(place)} tabindex="-1">
    ${renderSource(form, place)}
    <div class="row">${renderSettings(form, [...place, 'settings'], table)}
      ${form.number([...place, 'seed'])} ${form.number([...place, 'u'])}</div>
    ${form.faults(place)}</div>`;
}

/**
 * @param {Form} form
 * @param {Place} place
 * @param {Engine} engine
 * @param {Hand} hand
 */
export function renderFigure(form, place, engine, { moved, move }) {
  const figure = form.get(place);
  const name = t('editor.figure');
  if (!figure)
    return html`<p><button type="button" @click=${() => form.set(place, { show: 'landscape', state: FIRST_STATE })}>${t('editor.figure.add')}</button></p>`;
  if (figure.show !== 'landscape') return form.json(place, name);
  const sound = form.faultsAt([...place, 'state'], true).length === 0;
  const take = () => {
    // A landscape has no choices; JSON drops what is unset.
    const { choices: _, ...state } = patched(figure.state, moved ?? {});
    form.set([...place, 'state'], JSON.parse(JSON.stringify(state)));
    move(null);
  };
  return html`<fieldset class="figure" id=${placeName(place)} tabindex="-1">
    <legend>${name}</legend>
    ${renderState(form, [...place, 'state'], engine)}
    <div class="row">${form.select([...place, 'knob'], settingChoices(engine.table), { value: figure.knob ?? 'temperature' })}</div>
    ${
      sound
        ? html`<logit-figure .begin=${figure.state} .patch=${moved ?? UNMOVED} .table=${engine.table} .reader=${engine.reader} .knob=${figure.knob} .name=${name}
            @logit-figure=${(/** @type {CustomEvent} */ { detail }) => move(detail.change)}></logit-figure>
          <p class="row"><button type="button" class=${moved ? 'primary' : ''} aria-disabled=${!moved} @click=${moved ? take : nothing}
            data-command="take">${t('editor.take')}</button>
            <span class="about" role="status">${t(moved ? 'editor.take.moved' : 'editor.take.still')}</span></p>`
        : nothing
    }
    ${form.text([...place, 'caption'])}
    <label class="choice"><input type="checkbox" .checked=${figure.beside !== undefined}
      @change=${() => form.set([...place, 'beside'], figure.beside === undefined ? figure.state : undefined)}>${t('editor.beside')}</label>
    ${figure.beside === undefined ? nothing : renderState(form, [...place, 'beside'], engine)}
    <p><button type="button" class="small" @click=${() => form.set(place, undefined)}>${t('editor.figure.remove')}</button></p>
    ${form.faults(place)}
  </fieldset>`;
}
