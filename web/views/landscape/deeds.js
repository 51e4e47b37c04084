/** The buttons beside the landscape's picture: Play, next seed, many draws, help. */
import { html } from 'lit';
import { help } from '../../base/help.js';
import { settingName } from '../../base/setting-words.js';
import { number, t } from '../../locale/locale.js';
import { symbolOf } from './axis.js';
import { DRAWS } from './rain.js';

/** Longest name of a knob on its button, in characters; a longer name is left out. */
const SHORT = 6;

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
  const symbol = symbolOf(knob);
  const short = symbol.length <= SHORT ? symbol : '';
  return html`
    <button class="primary play" data-command="play" title=${t('landscape.play.about')} @click=${play}>${playing ? t('landscape.stop') : t('landscape.play', { knob: short }).trim()}</button>
    <button class="quiet" data-command="roll" @click=${roll}>${DIE} ${t('landscape.roll')}</button>
    <button class="quiet" data-command="rain" @click=${drawMany}>× ${number(DRAWS)}</button>
    ${help(t('view.landscape'), about)}`;
}
