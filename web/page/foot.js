/** Renders the foot of the page: a sentence about it, the button for the tour, and the glossary. */
import { html, nothing } from 'lit';
import { hasMessage, t } from '../locale/locale.js';
import { TERMS } from '../base/term.js';

/**
 * @param {{ onGuide: (() => void) | null, licences: boolean, elsewhere: boolean }} asked `onGuide` is null if the view has a
 *   button for the tour; `licences` is true if the site has LICENSES.txt;
 *   `elsewhere` is true if another program computes the logits
 */
export function renderFoot({ onGuide, licences, elsewhere }) {
  return html`
    <footer>
      <p>${t(elsewhere && hasMessage('asking.foot') ? 'asking.foot' : 'foot.numbers')}
        ${onGuide ? html`<button class="plain" data-guide="show" @click=${onGuide}>${t('foot.guide')}</button>` : nothing}
        ${licences ? html`<a href="LICENSES.txt">${t('foot.licences')}</a>` : nothing}</p>
      ${hasMessage('term.title') ? renderGlossary() : nothing}
    </footer>
  `;
}

function renderGlossary() {
  return html`
    <details class="glossary">
      <summary>${t('term.title')}</summary>
      <dl>${TERMS.map(
        (name) => html`<div><dt>${t(`term.${name}`)}</dt><dd>${t(`term.${name}.about`)}</dd></div>`,
      )}</dl>
    </details>`;
}
