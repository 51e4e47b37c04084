/**
 * <logit-chat>: the chat for models that have a chat template: a system message, a user message, and the date that
 * the template takes for today's; a fold has settings of the thinking. Emits "logit-chat", "logit-thinking" and
 * "logit-fold".
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { locales } from '#locales/chat';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { LogitElement, define, elementWith, valueOf } from '../../base/element.js';
import { Debounce } from '../../base/debounce.js';
import { NumberInput } from '../../base/number-input.js';
import { capitalise, inBox, readSetting, settingName } from '../../base/setting-words.js';
import { addMessages, list, plain, t } from '../../locale/locale.js';
import chatStyles from './chat.css';

export { findThinking } from '../../state/thinking.js';

addMessages(locales);

/** The template is rendered after the user has not typed for this time, in ms. */
const REST = 300;

/** The settings of the thinking that have a box. */
const BOXES = ['temperature', 'top_k', 'top_p', 'min_p'];

/** @import { Chat } from '../../state/prompt.js' */
/** @import { Settings } from '../../plots/trace.js' */

/**
 * The table of settings, the settings of the text, those of its thinking (null for none), and those of them that draw
 * the displayed token (null if the text's own do).
 * @typedef {{ table: import('../../plots/trace.js').SettingRow[], settings: Settings, thinking: Settings | null,
 *   part: Settings | null }} Parts
 */

export class LogitChat extends elementWith(LogitElement, () => ({
  /** @type {Parts | null} */
  parts: null,
  /** @type {Chat} */
  chat: { user: '', system: '', date: null },
  /** The date that the template takes for today's. */
  date: '',
  fixed: false,
  /** Fields that the user has changed and the template has not rendered yet. @type {Partial<Chat>} */
  draft: {},
})) {
  static properties = { date: {}, fixed: { type: Boolean } };

  static styles = [...LogitElement.styles, chatStyles];

  #debounce = new Debounce();
  #boxes = BOXES.map((name) => ({
    name,
    input: new NumberInput(
      this,
      (text) => (text.trim() ? readSetting(this.#rowOf(name), text) : { value: NaN }),
      (value) => this.emit('logit-thinking', { [name]: Number.isNaN(value) ? null : value }),
    ),
  }));

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
      ${this.parts ? this.#renderThinking(this.parts) : nothing}
      <p class="about">${t('chat.about')}</p>`;
  }

  /** @param {string} name @returns {any} */
  #rowOf(name) {
    return this.parts?.table.find((row) => row.name === name);
  }

  /** @param {Parts} parts */
  #renderThinking({ settings, thinking, part }) {
    const others = Object.keys(thinking ?? {}).filter((name) => !BOXES.includes(name));
    const error = this.#boxes.map(({ input }) => input.error).find(Boolean) ?? '';
    return html`
      <details @toggle=${(/** @type {any} */ { target }) => this.emit('logit-fold', { open: target.open })}>
        <summary>${t('chat.thinking')}${thinking ? html` <span class="note">${sayPart(thinking)}</span>` : nothing}</summary>
        <div class="boxes">
          ${this.#boxes.map(
            ({ name, input }) => html`
            <label><span class="label">${capitalise(settingName(name))}</span>
              <input data-thinking=${name} type="text" inputmode="decimal" autocomplete="off" ?readonly=${this.fixed}
                placeholder=${inBox(Number(settings[name]))} aria-invalid=${input.error ? 'true' : 'false'} aria-describedby="thinking-error"
                .value=${live(input.text ?? (thinking?.[name] === undefined ? '' : inBox(Number(thinking[name]))))}
                @input=${input.onInput} @change=${input.onChange}></label>`,
          )}
        </div>
        <p id="thinking-error" class="error" role="alert">${error}</p>
        <p class="about">${t('chat.thinking.about')}
          ${thinking ? t(part ? 'chat.next.thinking' : 'chat.next.answer') : nothing}</p>
        ${
          others.length > 0
            ? html`<p class="about">${t('chat.thinking.others', { settings: list(others.map(settingName)) })}
              <button class="quiet" data-command="drop-others" aria-disabled=${this.fixed}
                @click=${() => this.fixed || this.#drop(others)}>${t('chat.thinking.drop')}</button></p>`
            : nothing
        }
      </details>`;
  }

  /** @param {string[]} names of settings of the thinking */
  #drop(names) {
    this.emit('logit-thinking', Object.fromEntries(names.map((name) => [name, null])));
  }

  /** @param {Partial<Chat>} patch */
  #onTyped(patch) {
    const { draft } = this;
    this.draft = { ...draft, ...patch };
    this.#debounce.schedule(REST, () => {
      const { chat: last, draft: typed } = this;
      const chat = { ...last, ...typed };
      this.draft = {};
      this.chat = chat;
      this.emit('logit-chat', { chat });
    });
  }
}

define('logit-chat', LogitChat);

/** Returns settings in words, such as "temperature 0.6, top-p 0.95". @param {Settings} part */
export function sayPart(part) {
  return list(
    Object.entries(part).map(([name, value]) =>
      typeof value === 'number' ? `${settingName(name)} ${plain(value)}` : settingName(name),
    ),
  );
}

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
