/** The buttons beside the landscape's picture: Play, other luck, many draws. */
import { html } from 'lit';
import { number, t } from '../../locale/locale.js';
import { DRAWS } from './rain.js';

/** The icon of a die that shows five. */
const DIE = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <rect x="1.5" y="1.5" width="13" height="13" rx="2.5"></rect>
  <circle cx="4.75" cy="4.75" r="1"></circle><circle cx="11.25" cy="4.75" r="1"></circle>
  <circle cx="4.75" cy="11.25" r="1"></circle><circle cx="11.25" cy="11.25" r="1"></circle>
  <circle cx="8" cy="8" r="1"></circle></svg>`;

/**
 * @param {{ playing: boolean, play: () => void, roll: () => void, drawMany: () => void }} deeds
 */
export function renderDeeds({ playing, play, roll, drawMany }) {
  return html`
    <button class="primary play" data-command="play" @click=${play}>${t(playing ? 'landscape.stop' : 'landscape.play')}</button>
    <button class="quiet" data-command="roll" @click=${roll}>${DIE} ${t('landscape.roll')}</button>
    <button class="quiet" data-command="rain" @click=${drawMany}>× ${number(DRAWS)}</button>`;
}
