/** The form of <logit-sweep>: settings with their ranges, measure, and number of texts. */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { MEASURES, needsGrammar, needsTexts } from '../../engine/measures.js';
import { plain, t } from '../../locale/locale.js';
import {
  capitalise,
  readNumber,
  readSetting,
  settingName,
  usualFirst,
} from '../../base/setting-words.js';
import { readField } from '../read-field.js';
import { FIGURE_NAMES } from './figures.js';
import { measureName } from './labels.js';

/** @import { Asked, Figure, Stretch } from './figures.js' */
/** @import { SettingRow } from '../../plots/trace.js' */

/**
 * @typedef {object} Form
 * @property {Figure} figure
 * @property {Asked} asked
 * @property {SettingRow[]} table
 * @property {boolean} judged true if a grammar can judge the texts
 * @property {Record<string, { text: string, error: string }>} drafts refused texts, by the box's id
 * @property {(change: Partial<Asked>) => void} set
 * @property {(box: string, draft: { text: string, error: string } | null) => void} draft
 */

/** @param {SettingRow[]} table */
const numericRows = (table) => table.filter(({ kind }) => kind === 'real' || kind === 'integer');

/** Renders the choice of a chart. @param {string} chosen @param {(name: string) => void} choose */
export function renderFigures(chosen, choose) {
  return html`<fieldset class="figures sideways"><legend class="visually-hidden">${t('sweep.figure')}</legend>
    ${FIGURE_NAMES.map(
      (name) => html`<label class="chip"><input type="radio" name="figure" value=${name}
        .checked=${name === chosen} @change=${() => choose(name)}><span>${t(`sweep.figure.${name}`)}</span></label>`,
    )}
  </fieldset>`;
}

/** @param {Form} form */
export function renderForm(form) {
  const { asked, figure, set } = form;
  const texts = asked.measures.some(needsTexts);
  return html`
    <div class="form">
      ${renderStretch(form, 'first', asked.first)}
      ${asked.second ? renderStretch(form, 'second', asked.second) : nothing}
      ${figure.kind === 'any' && !asked.second ? renderSetting(form, 'second', '') : nothing}
      ${renderMeasure(form)}
      <div class="group" ?inert=${!texts} data-off=${!texts}>
        ${renderWhole(form, 'samples')}
        ${renderWhole(form, 'max_new_tokens')}
      </div>
      <label class="keep"><input type="checkbox" id="keep" .checked=${live(asked.keep)}
        @change=${() => set({ keep: !asked.keep })}>${t('sweep.keep')}</label>
    </div>
    <p class="error" role="alert">${Object.values(form.drafts)[0]?.error ?? ''}</p>
  `;
}

/**
 * @param {Form} form
 * @param {'first' | 'second'} which
 * @param {Stretch} stretch
 */
function renderStretch(form, which, stretch) {
  const row = /** @type {SettingRow} */ (form.table.find(({ name }) => name === stretch.name));
  const name = capitalise(settingName(stretch.name));
  /** @param {'from' | 'to' | 'step'} part */
  const box = (part) =>
    renderBox(form, {
      id: `${which}-${part}`,
      label: t(`sweep.${part}`),
      about: name,
      value: stretch[part],
      read: (text) => (part === 'step' ? readStep(text) : readSetting(row, text)),
      accept: (value) => form.set({ [which]: { ...stretch, [part]: value } }),
    });
  return html`<div class="group">
    ${form.figure.kind === 'any' ? renderSetting(form, which, stretch.name) : html`<p class="what"><span class="label">${t('sweep.setting')}</span><strong>${name}</strong></p>`}
    ${box('from')}${box('to')}${box('step')}
  </div>`;
}

/**
 * @param {Form} form
 * @param {'first' | 'second'} which
 * @param {string} chosen
 */
function renderSetting({ asked, table, set }, which, chosen) {
  const other = which === 'first' ? asked.second?.name : asked.first.name;
  /** @param {Event} event */
  const choose = (event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    const row = table.find(({ name }) => name === value);
    const stretch = row ? stretchOf(row) : null;
    if (which === 'second' || stretch) set({ [which]: stretch });
  };
  return html`<label class="box wide"><span class="label">${t(`sweep.setting.${which}`)}</span>
    <select id="${which}-setting" @change=${choose}>
      ${which === 'second' ? html`<option value="" .selected=${chosen === ''}>${t('sweep.none')}</option>` : nothing}
      ${usualFirst(numericRows(table))
        .filter(({ name }) => name !== other)
        .map(
          ({ name }) =>
            html`<option value=${name} .selected=${name === chosen}>${settingName(name)}</option>`,
        )}
    </select></label>`;
}

/**
 * Returns the knob's range, with a step that divides it into about twenty parts.
 * @param {SettingRow} row
 * @returns {Stretch}
 */
function stretchOf({ name, kind, low, high, step }) {
  const every = Math.max(1, Math.round((high - low) / step / 20));
  const wanted = kind === 'integer' ? Math.max(1, Math.round(every * step)) : every * step;
  return { name, from: low, to: high, step: Number(wanted.toPrecision(3)) };
}

/** @param {Form} form */
function renderMeasure({ figure, asked, judged, set }) {
  const offers = figure.kind === 'any' ? Object.keys(MEASURES) : figure.offers;
  if (offers.length === 0) return nothing;
  const [chosen, ...others] = asked.measures;
  const possible = offers.filter((name) => judged || !needsGrammar(name));
  /** @param {Event} event */
  const choose = (event) =>
    set({ measures: [/** @type {HTMLSelectElement} */ (event.target).value, ...others] });
  return html`<label class="box wide"><span class="label">${t('sweep.measure')}</span>
    <select id="measure" @change=${choose}>
      ${possible.map(
        (name) =>
          html`<option value=${name} .selected=${name === chosen}>${measureName(name)}</option>`,
      )}
    </select></label>`;
}

/**
 * @param {Form} form
 * @param {'samples' | 'max_new_tokens'} name
 */
function renderWhole(form, name) {
  return renderBox(form, {
    id: name,
    label: t(`sweep.${name}`),
    about: '',
    value: form.asked[name],
    read: (text) => readField('sweep', name, text),
    accept: (value) => form.set({ [name]: value }),
  });
}

/**
 * @param {Form} form
 * @param {{ id: string, label: string, about: string, value: number,
 *   read: (text: string) => { value: number } | { error: string },
 *   accept: (value: number) => void }} box the box is written only when `value` changes: a running sweep
 *   must not overwrite typed text
 */
function renderBox({ drafts, draft }, { id, label, about, value, read, accept }) {
  const refused = drafts[id];
  /** @param {Event} event */
  const change = (event) => {
    const text = /** @type {HTMLInputElement} */ (event.target).value;
    const found = read(text);
    draft(id, 'error' in found ? { text, error: found.error } : null);
    if ('value' in found) accept(found.value);
  };
  return html`<label class="box"><span class="label">${about ? html`<span class="visually-hidden">${about}: </span>` : nothing}${label}</span>
    <input id=${id} type="text" inputmode="decimal" autocomplete="off" spellcheck="false"
      aria-invalid=${refused ? 'true' : 'false'} .value=${refused?.text ?? plain(value)}
      @change=${change}></label>`;
}

/** @param {string} text */
function readStep(text) {
  const above = { minimum: 0, minimum_included: false, maximum: Number.MAX_VALUE };
  return readNumber(capitalise(t('sweep.step')), text, { kind: 'real', ...above });
}
