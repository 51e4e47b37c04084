/**
 * <logit-loop-breaks>: the values of settings that would have broken the loop of the text, each with a button that sets
 * it. Emits "logit-break", "logit-set" or "logit-thinking", and "logit-rewind".
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/loop';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { sentenceOf } from '../../base/fault-words.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { spoken } from '../../base/visible.js';
import { addMessages, list, plain, t } from '../../locale/locale.js';
import loopStyles from './loop-breaks.css';

addMessages(locales);

/** @import { LoopBreak, OtherToken } from '../../engine/types.js' */

export class LogitLoopBreaks extends elementWith(LogitElement, () => ({
  /** Null until the user asks. @type {import('../../state/findings.js').LoopAnswer | null} */
  answer: null,
  eos: -1,
  fixed: false,
})) {
  static properties = { fixed: { type: Boolean } };

  static styles = [...LogitElement.styles, loopStyles];

  render() {
    const { answer } = this;
    return html`
      <button class="quiet" data-command="break-loop" aria-expanded=${answer !== null}
        @click=${() => this.emit('logit-break', { asked: !answer })}>${t('loop.ask')}</button>
      <div role="status">${answer ? this.#renderAnswer(answer) : nothing}</div>`;
  }

  /** @param {import('../../state/findings.js').LoopAnswer} answer */
  #renderAnswer({ found, fault }) {
    if (fault) return html`<p class="error">${sentenceOf(fault)}</p>`;
    if (!found) return html`<p>${t('loop.busy')}</p>`;
    const { already, breaks, unbroken, thinking } = found;
    if (already) return this.#renderAlready(already);
    const others = unbroken.map(({ setting, value }) => `${settingName(setting)} ${plain(value)}`);
    return html`
      ${breaks.length > 0 ? html`<p class="about">${t('loop.about')} ${thinking ? t('loop.thinking') : nothing}</p>` : nothing}
      <ul>${breaks.map((each) => this.#renderBreak(each))}</ul>
      ${others.length > 0 ? html`<p class="about">${t('loop.unbroken', { settings: list(others) })}</p>` : nothing}`;
  }

  /** @param {OtherToken} change */
  #renderAlready(change) {
    const { index } = change;
    return html`<p>${t('loop.already')} ${this.#sayChange(change)}</p>
      <button class="quiet" data-command="back" @click=${() => this.emit('logit-rewind', { n: index })}
        >${t('loop.back', { at: index + 1 })}</button>`;
  }

  /** @param {OtherToken} change */
  #sayChange({ index, token, instead }) {
    const [before, after] = [token, instead].map((each) =>
      spoken({ ...each, special: false }, this.eos),
    );
    return t('loop.change', { at: index + 1, before, after });
  }

  /** @param {LoopBreak} each */
  #renderBreak(each) {
    const { setting, value, index, first } = each;
    const words = { setting: settingName(setting), value: plain(value) };
    const from = first < index ? ` ${t('loop.from', { at: first + 1 })}` : '';
    return html`<li>
      <button class="quiet" data-setting=${setting} aria-disabled=${this.fixed} aria-label=${t('loop.set', words)}
        @click=${() => this.fixed || this.#set(setting, value)}>${capitalise(words.setting)} <b>${words.value}</b></button>
      <span>${this.#sayChange(each)}${from}</span></li>`;
  }

  /** Sets the value and asks again, since the answer was for the old settings. @param {string} setting @param {number} value */
  #set(setting, value) {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('button'))?.focus();
    this.emit(this.answer?.found?.thinking ? 'logit-thinking' : 'logit-set', { [setting]: value });
    this.emit('logit-break', { asked: true });
  }
}

define('logit-loop-breaks', LogitLoopBreaks);
