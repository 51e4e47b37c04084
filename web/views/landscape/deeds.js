/** The buttons beside the landscape's picture: Play, other luck, many draws, the explanation. */
import { html } from 'lit';
import { help } from '../../base/help.js';
import { settingName } from '../../base/setting-words.js';
import { number, t } from '../../locale/locale.js';
import { DRAWS } from './rain.js';

/** The icon of a die that shows five. */
const DIE = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <rect x="1.5" y="1.5" width="13" height="13" rx="2.5"></rect>
  <circle cx="4.75" cy="4.75" r="1"></circle><circle cx="11.25" cy="4.75" r="1"></circle>
  <circle cx="4.75" cy="11.25" r="1"></circle><circle cx="11.25" cy="11.25" r="1"></circle>
  <circle cx="8" cy="8" r="1"></circle></svg>`;

/**
 * @typedef {object} Deeds
 * @property {string} knob its name
 * @property {boolean} single true if there is no line of u
 * @property {boolean} playing
 * @property {() => void} play
 * @property {() => void} roll
 * @property {() => void} drawMany
 */

/** @param {Deeds} deeds */
export function renderDeeds({ knob, single, playing, play, roll, drawMany }) {
  const stacked = t('landscape.stacked', { knob: settingName(knob) });
  const about = single ? stacked : `${stacked} ${t('landscape.crossing')}`;
  return html`
    <button class="primary play" data-command="play" @click=${play}>${t(playing ? 'landscape.stop' : 'landscape.play')}</button>
    <button class="quiet" data-command="roll" @click=${roll}>${DIE} ${t('landscape.roll')}</button>
    <button class="quiet" data-command="rain" @click=${drawMany}>× ${number(DRAWS)}</button>
    ${help(t('view.landscape'), about)}`;
}
