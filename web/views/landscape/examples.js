/** Three prompts to press, below the sentence. */
import { html } from 'lit';
import { t } from '../../locale/locale.js';

/** The number of examples. */
const SHOWN = 3;

/**
 * Renders examples other than the present prompt. The model's first example takes the place of the present
 * prompt, so the others keep theirs.
 * @param {string[]} examples
 * @param {string} prompt
 * @param {(prompt: string) => void} choose
 */
export function renderExamples([first, ...others], prompt, choose) {
  const shown = others.slice(0, SHOWN).map((each) => (each === prompt ? first : each));
  return html`<div class="examples scroll" role="toolbar" aria-label=${t('landscape.examples')} translate="no">${shown.map(
    (each) => html`<button dir="auto" @click=${() => choose(each)}>${each}</button>`,
  )}</div>`;
}
