/**
 * <logit-chat>: the chat for models that have a chat template: a system message, a user message, and the date that
 * the template takes for today's. Emits "logit-chat".
 */
import { html } from 'lit';
import { live } from 'lit/directives/live.js';
import { locales } from '#locales/chat';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { LogitElement, define, valueOf, withoutAttribute } from '../../base/element.js';
import { Debounce } from '../../base/debounce.js';
import { addMessages, t } from '../../locale/locale.js';
import chatStyles from './chat.css';

export { findThinking } from '../../state/thinking.js';

addMessages(locales);

/** The template is rendered after the user has not typed for this time, in ms. */
const REST = 300;

/** @typedef {import('../../state/prompt.js').Chat} Chat */

export class LogitChat extends LogitElement {
  static properties = { ...withoutAttribute('chat draft'), date: {}, fixed: { type: Boolean } };

  static styles = [...LogitElement.styles, chatStyles];

  #debounce = new Debounce();

  constructor() {
    super();
    /** @type {Chat} */
    this.chat = { user: '', system: '', date: null };
    /** The date that the template takes for today's. */
    this.date = '';
    this.fixed = false;
    /** Fields that the user has changed and the template has not rendered yet. @type {Partial<Chat>} */
    this.draft = {};
  }

  get busy() {
    return Object.keys(this.draft).length > 0;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#debounce.cancel();
  }

  render() {
    const { user, system } = { ...this.chat, ...this.draft };
    const date = this.draft.date ?? this.chat.date ?? this.date;
    /** @param {'user' | 'system'} name @param {string} value */
    const box = (name, value) => html`
      <label><span class="label">${t(`chat.${name}`)}</span>
        <textarea id=${name} rows="1" spellcheck="false" autocomplete="off" ?readonly=${this.fixed} ${boundedText(value)}
          @input=${(/** @type {Event} */ event) => this.#onTyped({ [name]: fullTextOf(event) })}></textarea></label>`;
    return html`
      ${box('system', system)} ${box('user', user)}
      <label class="date"><span class="label">${t('chat.date')}</span>
        <input id="date" type="text" inputmode="numeric" autocomplete="off" ?readonly=${this.fixed} .value=${live(date)}
          @input=${(/** @type {Event} */ event) => this.#onTyped({ date: valueOf(event) })}></label>
      <p class="about">${t('chat.about')}</p>`;
  }

  /** @param {Partial<Chat>} patch */
  #onTyped(patch) {
    this.draft = { ...this.draft, ...patch };
    this.#debounce.schedule(REST, () => {
      const chat = { ...this.chat, ...this.draft };
      this.draft = {};
      this.chat = chat;
      this.emit('logit-chat', { chat });
    });
  }
}

define('logit-chat', LogitChat);

/** Renders the choice between a plain text and a chat. @param {import('./text.js').LogitText} panel */
export function renderModes(panel) {
  const { chat, fixed } = panel;
  const choose = (/** @type {Chat | null} */ said) => {
    Debounce.flush(); // keeps text just typed in a field that now disappears
    panel.emit('logit-chat', { chat: said });
  };
  /** @param {string} mode @param {boolean} on @param {Chat | null} said */
  const button = (mode, on, said) => html`
    <button data-mode=${mode} aria-pressed=${on} aria-disabled=${fixed}
      @click=${() => on || fixed || choose(said)}>${t(`chat.mode.${mode}`)}</button>`;
  const user = panel.draft ?? panel.prompt;
  const first = panel.chatBefore ?? { user, system: '', date: null };
  return html`
    <div class="segments" role="group" aria-label=${t('chat.mode')}>
      ${button('text', !chat, null)} ${button('chat', Boolean(chat), first)}
    </div>`;
}
