/** Settings of the chain that are texts, and the choice of a program's rules. */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { valueOf } from '../../base/element.js';
import { liveUnfocused } from '../../base/live-unfocused.js';
import { aboutSetting, capitalise, settingName } from '../../base/setting-words.js';

/**
 * @param {{ id: string, label: unknown, about: unknown, text: string, wide?: boolean, fixed: boolean }} box
 * @param {(typed: string) => void} ask
 */
export function renderText({ id, label, about, text, wide = false, fixed }, ask) {
  return html`
    <div class="texts">
      <label class="name" for=${id}>${label}</label>
      <input class=${wide ? 'wide' : nothing} id=${id} type="text" ?readonly=${fixed} autocomplete="off"
        spellcheck=${wide} aria-describedby="about-${id}" .value=${liveUnfocused(text)}
        @change=${(/** @type {Event} */ event) => ask(valueOf(event))}>
      <p class="about" id="about-${id}">${about}</p>
    </div>`;
}

/**
 * @param {readonly string[]} choices
 * @param {string} current
 * @param {boolean} fixed
 * @param {(chosen: string) => void} ask
 */
export function renderConvention(choices, current, fixed, ask) {
  return html`
    <div class="texts">
      <label class="name" for="convention">${capitalise(settingName('convention'))}</label>
      <select id="convention" ?disabled=${fixed} aria-describedby="about-convention" .value=${live(current)}
        @change=${(/** @type {Event} */ event) => ask(valueOf(event))}>
        ${choices.map((name) => html`<option value=${name} ?selected=${name === current}>${name}</option>`)}
      </select>
      <p class="about" id="about-convention">${aboutSetting('convention')}</p>
    </div>`;
}
