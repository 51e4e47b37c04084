/** Three prompts to press, below the sentence. */
import { html } from 'lit';
import { t } from '../../locale/locale.js';

/** The number of examples. */
const SHOWN = 3;

/** Moves the focus between the buttons, which are one stop of the Tab key. @param {KeyboardEvent} event */
function onKey(event) {
  const step = Number(event.key === 'ArrowRight') - Number(event.key === 'ArrowLeft');
  if (step === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  const bar = /** @type {HTMLElement} */ (event.currentTarget);
  const buttons = [...bar.querySelectorAll('button')];
  const turn = getComputedStyle(bar).direction === 'rtl' ? -step : step;
  const from = buttons.indexOf(/** @type {any} */ (event.target));
  buttons[(from + turn + buttons.length) % buttons.length].focus();
  event.preventDefault();
}

/**
 * Renders examples other than the present prompt. The model's first example takes the place of the present
 * prompt, so the others keep theirs.
 * @param {string[]} examples
 * @param {string} prompt
 * @param {(prompt: string) => void} choose
 */
export function renderExamples([first, ...others], prompt, choose) {
  const shown = others.slice(0, SHOWN).map((each) => (each === prompt ? first : each));
  return html`<div class="examples scroll" role="toolbar" aria-label=${t('landscape.examples')} translate="no" @keydown=${onKey}>${shown.map(
    (each, i) =>
      html`<button dir="auto" tabindex=${i === 0 ? 0 : -1} @click=${() => choose(each)}>${each}</button>`,
  )}</div>`;
}
