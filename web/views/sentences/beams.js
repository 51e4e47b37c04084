/** The texts that beam searches of several widths find, each with its probability and rank. */
import { html } from 'lit';
import { briefPercent, number, t } from '../../locale/locale.js';

/**
 * @param {(import('../../engine/law-types.js').LawText & { beam_width: number })[]} beams
 * @param {number} listed number of listed texts; a text with no rank comes after them
 * @param {(text: { text: string }) => string} words
 */
export const renderBeams = (beams, listed, words) =>
  html`<div class="scroll" tabindex="0" role="region" aria-label=${t('sentences.beams')}><table class="beams">
    <thead><tr>${['width', 'finds', 'p', 'rank'].map((key) => html`<th scope="col">${t(`sentences.beams.${key}`)}</th>`)}</tr></thead>
    <tbody>${beams.map(
      (found) => html`<tr><th scope="row">${number(found.beam_width)}</th>
        <td translate="no">${words(found)}</td><td>${briefPercent(found.p)}</td>
        <td>${found.rank ? number(found.rank) : t('sentences.beyond', { n: number(listed) })}</td></tr>`,
    )}</tbody></table></div>`;
