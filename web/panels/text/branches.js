/**
 * <logit-branches>: every road taken from the prompt, as a tree that is walked by pointer or arrow
 * keys; each is named by the words in which it parts from the one above. Asks with "logit-walk".
 */
import { locales } from '#locales/branches';
import { html } from 'lit';
import { addMessages, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { LogitElement, define } from '../../base/element.js';
import { unturned } from '../../base/visible.js';
import branchesStyles from './branches.css';

addMessages(locales);

/** @typedef {import('../../state/tree.js').Branch} Branch */

export class LogitBranches extends LogitElement {
  static properties = {
    branches: { attribute: false },
    eos: { attribute: false },
  };

  static styles = [...LogitElement.styles, branchesStyles];

  constructor() {
    super();
    /** @type {Branch[]} */
    this.branches = [];
    this.eos = -1;
  }

  render() {
    const { branches } = this;
    const chosen = Math.max(
      0,
      branches.findIndex(({ here }) => here > 0),
    );
    return html`
      <p class="label" id="title">${t('branches.title')}</p>
      <div class="roads">
        ${
          branches.length === 0
            ? html`<p class="hint">${t('branches.none')}</p>`
            : html`<div role="listbox" aria-labelledby="title" @keydown=${this.#onKey}>
                ${branches.map((branch, i) => this.#renderBranch(branch, i, i === chosen))}</div>`
        }
        ${branches.length === 1 ? html`<p class="hint">${t('branches.one')}</p>` : ''}
      </div>
    `;
  }

  /**
   * @param {Branch} branch
   * @param {number} i
   * @param {boolean} chosen
   */
  #renderBranch({ node, steps, shared, level, here }, i, chosen) {
    const selected = chosen && here > 0;
    /** @param {number} from @param {number} to */
    const words = (from, to) =>
      steps
        .slice(from, to)
        .map(({ id, text }) => (id === this.eos ? ` ‹${t('text.end')}›` : text))
        .join('');
    const on = selected ? Math.max(shared, here) : steps.length;
    return html`
      <button role="option" aria-selected=${selected} tabindex=${chosen ? 0 : -1} data-branch=${i}
        ${cssom({ '--level': Math.min(level, 6) })}
        @click=${() => this.emit('logit-walk', { node })}>
        <span class="knot" aria-hidden="true"></span>
        <span class="words" translate="no" dir="auto">${shared > 0 ? '… ' : ''}${unturned(words(shared, on).trim())}<span
          class="ahead">${unturned(words(on, steps.length))}</span></span>
      </button>
    `;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const buttons = /** @type {HTMLElement[]} */ ([...this.renderRoot.querySelectorAll('button')]);
    const at = buttons.indexOf(/** @type {HTMLElement} */ (event.target));
    const last = buttons.length - 1;
    const to = {
      ArrowDown: Math.min(last, at + 1),
      ArrowUp: Math.max(0, at - 1),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    buttons[to].focus();
    buttons[to].click();
  }
}

define('logit-branches', LogitBranches);
