/**
 * <logit-alternatives>: what could have stood in the place of a drawn token, under the settings now;
 * one pressed becomes a branch. Asks with "logit-branch" and "logit-rewind", ends with
 * "logit-menu-close".
 */
import { css, html, nothing } from 'lit';
import { percent, t } from '../locale/locale.js';
import { cssom } from '../plots/cssom.js';
import { define } from './define.js';
import { LogitElement } from './element.js';
import { settingName } from './settings.js';
import { spoken, visibleHtml } from './visible.js';

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').TraceToken} TraceToken
 */

/** As in the style below, in rem. */
const WIDTH = 20;

export class LogitAlternatives extends LogitElement {
  static properties = {
    step: { attribute: false },
    index: { attribute: false },
    trace: { attribute: false },
    eos: { attribute: false },
    x: { attribute: false },
    y: { attribute: false },
  };

  static styles = [
    ...LogitElement.styles,
    css`
      :host {
        position: absolute;
        z-index: 4;
        inset: 0 0 auto;
        height: 0;
      }

      .menu {
        position: absolute;
        width: min(20rem, 100%);
        padding: 0.375rem;
        border: 1px solid var(--control-line);
        border-radius: 0.5rem;
        background: var(--panel);
        box-shadow: 0 0.5rem 1.5rem light-dark(#14201d2e, #000000a6);
      }

      .head {
        padding: 0.125rem 0.5rem 0.25rem;
        color: var(--soft);
        font-size: 0.75rem;
      }

      button {
        display: grid;
        grid-template-columns: minmax(4rem, 6.5rem) minmax(0, 1fr) 4.25rem;
        align-items: center;
        gap: 0.5rem;
        width: 100%;
        min-height: 1.875rem;
        padding: 0 0.5rem;
        border-color: transparent;
        background: none;
        font-size: 0.8125rem;
        text-align: left;
      }

      button:hover,
      button:focus-visible {
        border-color: transparent;
        background: var(--trace-wash);
      }

      .token {
        overflow: hidden;
        text-overflow: ellipsis;
      }

      .share {
        font-weight: 600;
        text-align: right;
      }

      .bars {
        position: relative;
        height: 0.875rem;
        overflow: hidden;
        border-radius: 0.125rem;
      }

      .bars i {
        position: absolute;
        inset: 0;
        transform: scaleX(var(--share));
        transform-origin: left;
      }

      .ghost {
        background: var(--ghost);
      }

      .bars .final {
        inset: 0.21875rem 0;
        background: var(--trace);
      }

      .taken .token,
      .taken .share {
        color: var(--mark);
        font-weight: 700;
      }

      .taken .final {
        background: var(--mark);
      }

      .removed .token,
      .removed .share {
        color: var(--soft);
        font-weight: 400;
      }

      .removed .share {
        font-size: 0.75rem;
      }

      .removed .ghost {
        background: repeating-linear-gradient(135deg, var(--ghost) 0 2px, transparent 2px 5px);
      }

      .list {
        min-height: 15rem; /* eight rows, so that nothing jumps when they come */
      }

      .back {
        display: block;
        border-top: 1px solid var(--line);
        border-radius: 0 0 0.25rem 0.25rem;
        color: var(--soft);
      }
    `,
  ];

  #entering = false;

  constructor() {
    super();
    /** @type {import('../plots/trace.js').Step | null} */
    this.step = null;
    this.index = 0;
    /** @type {Trace | null} */
    this.trace = null;
    this.eos = -1;
    this.x = 0;
    this.y = 0;
  }

  /** Takes the focus, now or as soon as the tokens are there. */
  enter() {
    this.#entering = this.trace === null;
    this.#buttons()[0]?.focus();
  }

  updated() {
    if (!this.#entering || !this.trace) return;
    this.#entering = false;
    this.#buttons()[0]?.focus();
  }

  render() {
    const { trace, index, step } = this;
    if (!step) return nothing;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const room = /** @type {HTMLElement} */ (this.parentNode)?.clientWidth ?? this.clientWidth;
    const x = Math.max(0, Math.min(this.x, (room || this.x + WIDTH * rem) - WIDTH * rem));
    return html`
      <div class="menu" role="menu" aria-label=${t('alternatives.label', { token: spoken(step, this.eos) })}
        ${cssom({ transform: `translate(${x}px, ${this.y + 2}px)` })}
        @keydown=${this.#onKey} @focusout=${this.#onLeave}>
        <p class="head" role="presentation">${t('alternatives.about')}</p>
        <div class="list" role="presentation">
          ${trace ? this.#renderTokens(trace, step.id) : nothing}
        </div>
        <button class="back" role="menuitem" tabindex="-1" data-item="rewind"
          @click=${() => this.#act('logit-rewind', { n: index })}>${t('alternatives.rewind')}</button>
      </div>
    `;
  }

  /**
   * @param {Trace} trace
   * @param {number} taken
   */
  #renderTokens(trace, taken) {
    const most = Math.max(...trace.tokens.flatMap(({ p, p_raw }) => [p, p_raw]));
    return trace.tokens.map((token) => {
      const { id, p, p_raw, removed_by } = token;
      const name = id === this.eos ? `‹${t('text.end')}›` : visibleHtml(token);
      const kind = `${removed_by ? 'removed' : ''} ${id === taken ? 'taken' : ''}`;
      const words = { token: spoken(token, this.eos), p: percent(p), raw: percent(p_raw) };
      return html`
        <button class=${kind} role="menuitem" tabindex="-1" data-alternative=${id}
          data-p=${String(p)} aria-label=${t('alternatives.item', words)}
          @click=${() => this.#act('logit-branch', { index: this.index, id })}>
          <span class="token">${name}</span>
          <span class="bars"><i class="ghost" ${cssom({ '--share': p_raw / most })}></i><i
            class="final" ${cssom({ '--share': p / most })}></i></span>
          <span class="share">${removed_by ? settingName(removed_by) : percent(p)}</span>
        </button>`;
    });
  }

  /**
   * @param {string} type
   * @param {object} detail
   */
  #act(type, detail) {
    this.emit(type, detail);
    this.#close(true);
  }

  /** @param {boolean} refocus whether the token is to have the focus back */
  #close(refocus) {
    this.dispatchEvent(new CustomEvent('logit-menu-close', { detail: { refocus } }));
  }

  #buttons() {
    return /** @type {HTMLElement[]} */ ([...this.renderRoot.querySelectorAll('button')]);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const buttons = this.#buttons();
    const at = buttons.indexOf(/** @type {HTMLElement} */ (event.target));
    const last = buttons.length - 1;
    const to = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') this.#close(true);
    if (to !== undefined) buttons[to].focus();
    if (to !== undefined || event.key === 'Escape') event.preventDefault();
  }

  /** @param {FocusEvent} event */
  #onLeave({ relatedTarget }) {
    const to = /** @type {Node | null} */ (relatedTarget);
    if (!to || !this.renderRoot.contains(to)) this.#close(false);
  }
}

define('logit-alternatives', LogitAlternatives);
