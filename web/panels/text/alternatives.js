/**
 * <logit-alternatives>: the other tokens that were possible at one position, under the present settings. At a drawn
 * token it is a menu: a press begins a branch with this token. At a token of the prompt it only informs. Emits
 * "logit-branch", "logit-rewind" and "logit-menu-close".
 */
import { locales } from '#locales/alternatives';
import { html, nothing } from 'lit';
import { addMessages, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { define, elementWith } from '../../base/element.js';
import { LogitMenu } from '../../base/menu.js';
import { settingName } from '../../base/setting-words.js';
import { namedHtml, spoken } from '../../base/visible.js';
import alternativesStyles from './alternatives.css';

addMessages(locales);

/** @import { Trace } from '../../plots/trace.js' */

/** Width in rem, the same as in alternatives.css. */
const WIDTH = 20;

export class LogitAlternatives extends elementWith(LogitMenu, () => ({
  /** @type {{ id: number, text: string, special: boolean } | null} */
  step: null,
  /** Index of the token among the drawn tokens; negative for a token of the prompt. */
  index: 0,
  /** @type {Trace | null} */
  trace: null,
  eos: -1,
  /** True if the menu is above the token, because there is no room below; then y is its lower edge. */
  above: false,
  fixed: false,
})) {
  static properties = { fixed: { type: Boolean } };

  static styles = [...LogitMenu.styles, alternativesStyles];

  #entering = false;

  get #informs() {
    return this.fixed || this.index < 0;
  }

  /** Moves the focus to the first token, now or when the tokens are known. */
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

  /** @param {Trace} trace @param {number} taken the id of the token to replace */
  #renderTokens(trace, taken) {
    const most = Math.max(...trace.tokens.flatMap(({ p, p_raw }) => [p, p_raw]));
    return trace.tokens.map((token) => {
      const { id, p, p_raw, removed_by } = token;
      const kind = `${removed_by ? 'removed' : ''} ${id === taken ? 'taken' : ''}`;
      const share = removed_by ? settingName(removed_by) : percent(p);
      // The accessible name contains the visible words, so that voice control finds the button.
      const name = id === this.eos ? t('text.end') : spoken(token);
      const words = { token: name, share, raw: percent(p_raw) };
      const row = html`
        <span class="token" translate="no">${namedHtml(token, this.eos)}</span>
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
