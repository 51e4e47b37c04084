/**
 * Renders a button for each of the frequent samplers. A press adds the sampler or removes it; the button stays in its
 * place.
 */
import { html } from 'lit';
import { t } from '../../locale/locale.js';

/**
 * @param {object} options
 * @param {string[]} options.names of the stages
 * @param {Set<string>} options.taken the names of the stages in the chain
 * @param {(name: string) => void} options.add
 * @param {(name: string) => void} options.remove
 */
export function renderChips({ names, taken, add, remove }) {
  return names.map((name) => {
    const on = taken.has(name);
    const text = t(`chain.chip.${name}`);
    const label = t(on ? 'chain.remove' : 'chain.add', { name: text });
    return html`
      <button class="quiet chip ${on ? 'on' : ''}" data-chip=${name} aria-label=${label}
        @click=${() => (on ? remove(name) : add(name))}>
        <span aria-hidden="true"><i>${on ? '✓' : '+'}</i> ${text}</span></button>`;
  });
}
