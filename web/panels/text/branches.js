/**
 * <logit-branches>: every road taken from the prompt, as a tree that is walked by pointer or arrow
 * keys; each is named by the words in which it parts from the one above. Asks with "logit-walk".
 */
import { css, html } from 'lit';
import { t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { define } from '../../base/define.js';
import { LogitElement } from '../../base/element.js';

/** @typedef {import('../../state/tree.js').Branch} Branch */

export class LogitBranches extends LogitElement {
  static properties = {
    branches: { attribute: false },
    eos: { attribute: false },
  };

  static styles = [
    ...LogitElement.styles,
    css`
      .roads {
        height: 7.5rem;
        margin-top: 0.25rem;
        padding: 0.25rem;
        overflow-y: auto;
        border: 1px solid var(--line);
        border-radius: 0.375rem;
      }

      .hint {
        padding: 0.25rem 0.5rem;
        color: var(--soft);
        font-size: 0.8125rem;
        line-height: 1.25rem;
        text-wrap: pretty;
      }

      ul {
        margin: 0;
        padding: 0;
        list-style: none;
      }

      button {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        width: 100%;
        min-height: 1.75rem;
        padding: 0 0.5rem 0 calc(0.5rem + var(--level) * 0.875rem);
        border-color: transparent;
        background: none;
        font-family: var(--mono);
        font-size: 0.8125rem;
        text-align: left;
      }

      button:hover {
        border-color: var(--line);
      }

      button[aria-selected='true'] {
        background: var(--trace-wash);
        font-weight: 600;
      }

      .knot {
        flex: none;
        width: 0.5rem;
        height: 0.5rem;
        border: 2px solid var(--control-line);
        border-radius: 50%;
      }

      [aria-selected='true'] .knot {
        border-color: var(--trace);
        background: var(--trace);
      }

      .words {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }

      .ahead {
        color: var(--soft);
        font-weight: 400;
      }
    `,
  ];

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
        <span class="words">${shared > 0 ? '… ' : ''}${words(shared, on).trim()}<span
          class="ahead">${words(on, steps.length)}</span></span>
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
