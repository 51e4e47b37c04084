/** The row of knobs above the landscape's picture. */
import { html, nothing } from 'lit';
import { settingName, usualFirst } from '../../base/setting-words.js';
import { plain, t } from '../../locale/locale.js';
import { canSwap, isSwapped } from './swap.js';
import { round } from './axis.js';

/** @typedef {import('../../engine/types.js').TableRow} TableRow */

/** The values that a sampler's button sets if the sampler is off. */
export const CHIPS = /** @type {Record<string, number>} */ ({ top_p: 0.9, top_k: 40 });

/**
 * @typedef {object} Options
 * @property {TableRow} row the knob
 * @property {TableRow[]} rows all settings that can be the knob
 * @property {boolean} bare true if there are no buttons for other stages and knobs
 * @property {Record<string, any>} settings
 * @property {TableRow[]} table
 * @property {boolean} all true if the other stages show
 * @property {() => void} swap
 * @property {() => void} showAll
 * @property {(patch: Record<string, any>) => void} set
 * @property {(knob: string) => void} choose
 */

/** Renders the row of knobs above the picture. @param {Options} options */
export function renderKnobs(options) {
  const { row, bare, settings, table } = options;
  return html`
    ${bare ? nothing : Object.keys(CHIPS).map((name) => (name === row.name ? nothing : renderChip(name, options)))}
    ${
      bare
        ? nothing
        : html`<button data-command="all" aria-expanded=${options.all} @click=${options.showAll}>${t('landscape.all')}</button>`
    }
    ${
      // A disabled button keeps its space, so that nothing moves when it appears.
      html`<button data-command="swap" ?disabled=${!canSwap(settings)}
        aria-pressed=${isSwapped(settings.order, table)}
        @click=${options.swap}>${t('landscape.swap')}</button>`
    }
    ${bare ? nothing : renderOthers(options)}`;
}

/** @param {Options} options */
function renderOthers(options) {
  const { row, rows } = options;
  return html`<span class="aside">
      <label class="axis-of"><span class="label" aria-hidden="true">${t('landscape.knob')}</span>
        <select aria-label=${t('landscape.knob')} .value=${row.name}
          @change=${(/** @type {any} */ { target }) => options.choose(target.value)}>
          ${usualFirst(rows).map(
            ({ name }) =>
              html`<option value=${name} ?selected=${name === row.name}>${settingName(name)}</option>`,
          )}
        </select></label></span>`;
}

/** @param {string} name @param {Options} options */
function renderChip(name, { rows, settings, set }) {
  const row = rows.find((each) => each.name === name);
  if (!row) return nothing;
  const value = Number(settings[name] ?? row.neutral);
  const on = value !== row.neutral;
  const words = settingName(name);
  return html`<button data-chip=${name} aria-pressed=${on}
    @click=${() => set({ [name]: on ? row.neutral : CHIPS[name] })}>${
      on ? `${words} ${plain(round(value))}` : `+ ${words}`
    }</button>`;
}
