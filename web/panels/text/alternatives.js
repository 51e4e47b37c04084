/**
 * <logit-alternatives>: what could have stood in the place of a token, under the settings now. In
 * the place of a drawn one they are a menu: one pressed becomes a branch; beside a token of the
 * prompt they only inform. Asks with "logit-branch" and "logit-rewind", ends with
 * "logit-menu-close".
 */
import { locales } from '#locales/alternatives';
import { html, nothing } from 'lit';
import { addMessages, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { define } from '../../base/element.js';
import { LogitMenu } from '../../base/menu.js';
import { settingName } from '../../base/setting-words.js';
import { spoken, visibleHtml } from '../../base/visible.js';
import alternativesStyles from './alternatives.css';

addMessages(locales);

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

  static styles = [...LogitMenu.styles, alternativesStyles];

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
        <span class="token" translate="no">${name}</span>
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
