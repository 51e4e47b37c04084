/**
 * <logit-branches>: all texts that were drawn from this prompt, as a tree. A branch is named by its words after the
 * fork. Emits "logit-walk".
 */
import { locales } from '#locales/branches';
import { html } from 'lit';
import { addMessages, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { joinTexts, unturned } from '../../base/visible.js';
import { walkList } from '../../base/walk.js';
import branchesStyles from './branches.css';

addMessages(locales);

/** @import { Branch } from '../../state/tree.js' */

export class LogitBranches extends elementWith(LogitElement, () => ({
  /** @type {Branch[]} */
  branches: [],
  eos: -1,
})) {
  static styles = [...LogitElement.styles, branchesStyles];

  render() {
    const { branches } = this;
    const shown = branches.findIndex(({ here }) => here > 0);
    const chosen = Math.max(0, shown);
    return html`
      <p class="label" id="title">${t('branches.title')}</p>
      <div class="list">
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

  /** @param {Branch} branch @param {number} i @param {boolean} chosen */
  #renderBranch({ node, steps, shared, level, here }, i, chosen) {
    const selected = chosen && here > 0;
    /** @param {number} from @param {number} to */
    const words = (from, to) => joinTexts(steps.slice(from, to), this.eos);
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
    const to = walkList(event, ['ArrowUp', 'ArrowDown'], at, buttons.length - 1);
    if (to === undefined) return;
    buttons[to].focus();
    buttons[to].click();
  }
}

define('logit-branches', LogitBranches);
