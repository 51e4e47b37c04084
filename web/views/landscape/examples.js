/** Three example prompts as buttons below the sentence. */
import { html } from 'lit';
import { t } from '../../locale/locale.js';

/** The number of examples. */
const SHOWN = 3;

/**
 * Renders the examples. If one of them is the present prompt, the model's first example replaces it; the other
 * buttons stay in their places.
 * @param {string[]} examples
 * @param {string} prompt
 * @param {(prompt: string) => void} choose
 */
export function renderExamples([first, ...others], prompt, choose) {
  const shown = others.slice(0, SHOWN).map((each) => (each === prompt ? first : each));
  return html`<div class="examples scroll sideways" role="toolbar" aria-label=${t('landscape.examples')} translate="no">${shown.map(
    (each) =>
      html`<button dir="auto" @click=${() => choose(each)}>${each.replaceAll('\n', '↵')}</button>`,
  )}</div>`;
}
