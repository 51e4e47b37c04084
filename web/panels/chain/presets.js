/** The menu of presets: general ones, the defaults of other programs, and the nine strategies. */
import { html } from 'lit';
import { live } from 'lit/directives/live.js';
import { valueOf } from '../../base/element.js';
import { describeSettings } from '../../base/setting-words.js';
import { t } from '../../locale/locale.js';

/** @typedef {{ name: string, settings: import('../../plots/trace.js').Settings }} Preset */

/**
 * @param {{ presets: Preset[], imitations: Preset[], strategies: Preset[] }} groups
 * @param {string} current the name of the preset in use; '' for none
 * @param {(name: string) => void} choose
 */
export function renderPresets({ presets, imitations, strategies }, current, choose) {
  /** @param {Preset[]} group @param {string} title @param {(preset: Preset) => string} label */
  const options = (group, title, label) => html`
    <optgroup label=${t(title)}>${group.map(
      (preset) =>
        html`<option value=${preset.name} ?selected=${preset.name === current}>${label(preset)}</option>`,
    )}</optgroup>`;
  const named = (/** @type {Preset} */ { name }) => t(`preset.${name}`);
  return html`
    <div class="preset">
      <select id="preset" aria-label=${t('chain.preset')} .value=${live(current)}
        @change=${(/** @type {Event} */ event) => choose(valueOf(event))}>
        <option value="" ?selected=${current === ''} disabled>${t('chain.preset.custom')}</option>
        ${options(presets, 'preset.group.basic', named)}
        ${options(imitations, 'chain.imitations', named)}
        ${options(strategies, 'preset.group.nine', strategyName)}
      </select>
    </div>
  `;
}

/** @param {Preset} preset */
function strategyName({ settings }) {
  return settings.temperature === 0 ? t('preset.greedy') : describeSettings(settings);
}
