/**
 * The row of controls above the picture: the choice of the knob, and a text that names the other active settings.
 * Frequent knobs are radio buttons; a menu has all others.
 */
import { html, nothing } from 'lit';
import { capitalise, settingName } from '../../base/setting-words.js';
import { list, plain, t } from '../../locale/locale.js';
import { groupSettings } from '../../state/settings.js';
import { round } from './axis.js';
import { openBox } from './handles.js';
import { canonical } from './swap.js';

/** @typedef {import('../../engine/types.js').TableRow} TableRow */

/** The knobs that have their own button. */
const NAMED = ['temperature', 'top_k', 'top_p', 'min_p'];
/** Settings that are not in the engine's table of settings. */
const OTHERS = ['constraint', 'banned_words', 'forced_first'];

/**
 * @typedef {object} Options
 * @property {TableRow} row the knob
 * @property {TableRow[]} rows the settings that can be chosen, the knob among them
 * @property {string[]} also the other active settings, in words
 * @property {(() => void) | null} openBench shows the bench; null if there is none
 * @property {(knob: string) => void} choose
 * @property {unknown} beside more controls of the row
 */

/** @param {Options} options */
export function renderKnobs({ row, rows, also, openBench, choose, beside }) {
  const said = alsoWords(also);
  return html`
    ${rows.length > 1 ? renderSegments(row, rows, choose) : nothing}
    ${beside}
    ${
      !said
        ? nothing
        : openBench
          ? html`<button class="also" title=${said} @click=${openBench}>${said}</button>`
          : html`<p class="also" title=${said}>${said}</p>`
    }`;
}

/** @param {TableRow} row @param {TableRow[]} rows @param {Options['choose']} choose */
function renderSegments({ name: knob }, rows, choose) {
  const named = NAMED.filter((name) => rows.some((row) => row.name === name));
  const others = rows.filter(({ name }) => !NAMED.includes(name));
  return html`
    <div class="segments">
      <div class="named" role="radiogroup" aria-label=${t('landscape.knob')}
        @keydown=${(/** @type {KeyboardEvent} */ event) => openBox(event, 'knob')}>${named.map(
          (name) =>
            html`<button role="radio" data-knob=${name} aria-checked=${name === knob}
            @click=${() => choose(name)}>${capitalise(settingName(name))}</button>`,
        )}</div>${others.length > 0 ? renderMore(knob, others, choose) : nothing}
    </div>`;
}

/** @param {string} knob @param {TableRow[]} others @param {Options['choose']} choose */
function renderMore(knob, others, choose) {
  const chosen = others.some(({ name }) => name === knob);
  const option = (/** @type {string} */ name) =>
    html`<option value=${name} ?selected=${name === knob}>${capitalise(settingName(name))}</option>`;
  return html`<select class=${chosen ? 'more chosen' : 'more'} aria-label=${t('landscape.more.label')}
    .value=${chosen ? knob : ''}
    @change=${(/** @type {any} */ { target }) => choose(target.value)}>
    <option value="" disabled hidden ?selected=${!chosen}>${t('landscape.more')}</option>
    ${groupSettings(others).map(({ group, names }) =>
      group === null
        ? names.map(option)
        : html`<optgroup label=${t(`group.${group}`)}>${names.map(option)}</optgroup>`,
    )}</select>`;
}

/** Returns the sentence about the other active settings; '' if there are none. @param {string[]} also */
export function alsoWords(also) {
  return also.length > 0 ? t('landscape.also', { settings: list(also) }) : '';
}

/**
 * Returns the active settings in words, except the knob.
 * @param {Record<string, any>} settings
 * @param {TableRow[]} table
 * @param {string} knob
 */
export function alsoActive(settings, table, knob) {
  const said = [];
  for (const { name, sampler, neutral, kind } of table) {
    const value = settings[name];
    if (!sampler || name === knob || value === undefined) continue;
    if (kind === 'map') said.push(...(Object.keys(value ?? {}).length ? [settingName(name)] : []));
    else if (value !== neutral) said.push(`${settingName(name)} ${plain(round(value))}`);
  }
  const others = OTHERS.filter((name) => settings[name] != null && settings[name].length !== 0);
  said.push(...others.map(settingName));
  const { order } = settings;
  if (order && order.join() !== canonical(table).join()) said.push(t('landscape.also.order'));
  return said;
}
