/**
 * <logit-alternatives>: what could have stood in the place of a token, under the settings now. In
 * the place of a drawn one they are a menu: one pressed becomes a branch; beside a token of the
 * prompt they only inform. Asks with "logit-branch" and "logit-rewind", ends with
 * "logit-menu-close".
 */
import { css, html, nothing } from 'lit';
import { percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { define } from '../../base/define.js';
import { LogitMenu } from '../../base/menu.js';
import { settingName } from '../../state/settings.js';
import { spoken, visibleHtml } from '../../base/visible.js';

/**
 * @typedef {import('../../plots/trace.js').Trace} Trace
 * @typedef {import('../../plots/trace.js').TraceToken} TraceToken
 */

/** As in the style below, in rem. */
const WIDTH = 20;

export class LogitAlternatives extends LogitMenu {
  static properties = {
    ...LogitMenu.properties,
    step: { attribute: false },
    index: { attribute: false },
    trace: { attribute: false },
    eos: { attribute: false },
    above: { attribute: false },
    fixed: { type: Boolean },
  };

  static styles = [
    ...LogitMenu.styles,
    css`
      :host {
        z-index: 4;
        inset: 0 0 auto;
        height: 0;
      }

      .menu {
        width: min(20rem, 100%);
      }

      button,
      .plain {
        display: grid;
        grid-template-columns: minmax(4rem, 6.5rem) minmax(0, 1fr) 4.25rem;
        align-items: center;
        gap: 0.5rem;
        min-height: 1.875rem;
        padding: 0 0.5rem;
        font-size: 0.8125rem;
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
        margin: 0;
        padding: 0;
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
    /** The token in the place. @type {{ id: number, text: string, special: boolean } | null} */
    this.step = null;
    /** Its place among the drawn tokens; negative for one of the prompt. */
    this.index = 0;
    /** @type {Trace | null} */
    this.trace = null;
    this.eos = -1;
    /** Whether y is its lower end, since there is no room below. */
    this.above = false;
    /** Whether they only inform, as they do for the prompt. */
    this.fixed = false;
  }

  get #informs() {
    return this.fixed || this.index < 0;
  }

  /** Takes the focus, now or as soon as the tokens are there. */
  enter() {
    this.#entering = this.trace === null;
    this.buttons[0]?.focus();
  }

  updated() {
    if (!this.#entering || !this.trace) return;
    this.#entering = false;
    this.buttons[0]?.focus();
  }

  render() {
    const { trace, index, step } = this;
    if (!step) return nothing;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const room = /** @type {HTMLElement} */ (this.parentNode)?.clientWidth ?? this.clientWidth;
    const x = Math.max(0, Math.min(this.x, (room || this.x + WIDTH * rem) - WIDTH * rem));
    const y = this.above ? `calc(${this.y - 2}px - 100%)` : `${this.y + 2}px`;
    const place = cssom({ transform: `translate(${x}px, ${y})` });
    if (this.#informs)
      return html`
        <div class="menu" ${place}>
          <p class="head">${t('alternatives.given')}</p>
          <ul class="list">${trace ? this.#renderTokens(trace, step.id) : nothing}</ul>
        </div>`;
    return html`
      <div class="menu" role="menu" aria-label=${t('alternatives.label', { token: spoken(step, this.eos) })}
        ${place}
        @keydown=${this.onKey} @focusout=${this.onLeave}>
        <p class="head" role="presentation">${t('alternatives.about')}</p>
        <div class="list" role="presentation">
          ${trace ? this.#renderTokens(trace, step.id) : nothing}
        </div>
        <button class="back" role="menuitem" tabindex="-1" data-item="rewind"
          @click=${() => this.act('logit-rewind', { n: index })}>${t('alternatives.rewind')}</button>
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
      const share = removed_by ? settingName(removed_by) : percent(p);
      // What is seen stands in it word by word, for a reader who says what is to be pressed.
      const words = {
        token: id === this.eos ? t('text.end') : spoken(token),
        share,
        raw: percent(p_raw),
      };
      const row = html`
        <span class="token">${name}</span>
        <span class="bars"><i class="ghost" ${cssom({ '--share': p_raw / most })}></i><i
          class="final" ${cssom({ '--share': p / most })}></i></span>
        <span class="share">${share}</span>`;
      return this.#informs
        ? html`<li class="plain ${kind}" data-alternative=${id} data-p=${String(p)}>${row}</li>`
        : html`
        <button class=${kind} role="menuitem" tabindex="-1" data-alternative=${id}
          data-p=${String(p)}
          aria-label=${t(removed_by ? 'alternatives.removed' : 'alternatives.item', words)}
          @click=${() => this.act('logit-branch', { index: this.index, id })}>${row}</button>`;
    });
  }
}

define('logit-alternatives', LogitAlternatives);
