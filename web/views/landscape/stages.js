/** The other stages of the chain as plain sliders. */
import { html } from 'lit';
import { plain, t } from '../../locale/locale.js';
import { aboutSetting, settingName, valueInWords } from '../../base/setting-words.js';

/**
 * @typedef {object} Options
 * @property {import('../../engine/types.js').TableRow[]} rows
 * @property {Record<string, any>} settings
 * @property {import('../../engine/types.js').TraceStage[]} stages from the trace
 * @property {(name: string, value: number) => void} set
 */

/** @param {Options} options */
export function renderStages({ rows, settings, stages, set }) {
  return html`<div class="stages">${rows.map((row) => {
    const { name, low, high, kind, step, neutral } = row;
    const value = Number(settings[name] ?? neutral);
    const removed = stages.find((stage) => stage.name === name)?.removed ?? 0;
    const take = (/** @type {Event} */ { target }) =>
      set(name, Number(/** @type {HTMLInputElement} */ (target).value));
    return html`<label data-stage=${name} class=${value === neutral ? 'off' : ''} title=${aboutSetting(name)}>
      <span>${settingName(name)}</span>
      <input type="range" min=${low} max=${high} step=${kind === 'integer' ? 1 : step} .value=${String(value)}
        aria-valuetext=${valueInWords(row, value)} @input=${take}>
      <output translate="no">${value === neutral ? t('landscape.off') : plain(value)}</output>
      <small>${removed > 0 ? t('landscape.removed', { n: removed }) : ''}</small></label>`;
  })}</div>`;
}
