/**
 * <logit-strategy>: one strategy of a comparison: its name, a menu, and fields for its settings or its text. Emits
 * "logit-strategy" to its host with the changed values.
 */
import { html, nothing } from 'lit';
import { plain, t } from '../../locale/locale.js';
import { LogitElement, define, elementWith, valueOf } from '../../base/element.js';
import { describeSettings, readSetting, settingName } from '../../base/setting-words.js';
import { BASICS } from '../../state/settings.js';
import { passageOf } from './passages.js';
import strategyStyles from './strategy.css';

/** @import { Settings } from '../../engine/types.js' */
/** @import { Strategy } from '../../engine/compare.js' */
/** @import { SettingRow } from '../../plots/trace.js' */

export class LogitStrategy extends elementWith(LogitElement, () => ({
  /** The name of the text: A, B, C. */
  letter: '',
  /** @type {NonNullable<Strategy['kind']>} */
  kind: 'sample',
  /** A text that the user gave; '' for a strategy that writes texts. */
  text: '',
  /** A sentence about the error of the user's text; '' if none. */
  fault: '',
  /** @type {Settings} */
  settings: {},
  /** The settings with numbers as values. @type {SettingRow[]} */
  table: [],
  /** True for the first strategy; all others are compared with its text. */
  first: false,
  removable: false,
  /** True to show no buttons, for a lesson. */
  fixed: false,
  editing: false,
  /** Names of settings that have a field although their value is neutral. @type {string[]} */
  added: [],
  /** The text in the field while the user types; else null. @type {string | null} */
  typed: null,
  /** The field with a text that was refused; null if none. @type {{ name: string, text: string } | null} */
  refused: null,
})) {
  static properties = {
    first: { type: Boolean },
    removable: { type: Boolean },
    fixed: { type: Boolean },
  };

  static styles = [...LogitElement.styles, strategyStyles];

  /** Moves the focus to the field of the user's text. */
  async focus() {
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('textarea'))?.focus();
  }

  render() {
    const { kind } = this;
    return html`
      <div class="head">
        <h3><span class="letter">${this.letter}</span><span>${titleOf(this)}</span></h3>
        ${this.fixed ? nothing : this.#renderMenu()}
      </div>
      ${kind === 'given' ? this.#renderText() : nothing}
      ${this.editing ? this.#renderBoxes() : nothing}
    `;
  }

  #renderMenu() {
    const { kind, letter: name, editing } = this;
    const about = t('compare.menu', { name });
    const act = (/** @type {() => void} */ does) => () => {
      this.#menuElement.hidePopover();
      does();
    };
    return html`
      <button class="dots" popovertarget="menu" aria-label=${about} title=${about}>⋯</button>
      <div id="menu" popover @toggle=${this.#placeMenu}>
        <button data-action="edit" ?hidden=${kind !== 'sample'} aria-expanded=${editing}
          @click=${act(() => (this.editing = !editing))}>${t(editing ? 'compare.edited' : 'compare.edit')}</button>
        <button data-action="adopt" ?hidden=${kind !== 'sample'}
          @click=${act(() => this.#emitAction('adopt'))}>${t('compare.adopt')}</button>
        <button data-action="lead" ?hidden=${this.first} title=${t('compare.lead.about')}
          aria-label=${t('compare.lead.name', { name })}
          @click=${act(() => this.#emitAction('lead'))}>${t('compare.lead')}</button>
        <button data-action="remove" ?hidden=${!this.removable} aria-label=${t('compare.remove.name', { name })}
          @click=${act(() => this.#emitAction('remove'))}>${t('compare.remove')}</button>
      </div>`;
  }

  get #menuElement() {
    return /** @type {HTMLElement} */ (this.renderRoot.querySelector('#menu'));
  }

  /** Finds a place for the menu below its button and inside the window. */
  #placeMenu() {
    const button = /** @type {HTMLElement} */ (this.renderRoot.querySelector('.dots'));
    const { bottom, right, top } = button.getBoundingClientRect();
    const { width, height } = this.#menuElement.getBoundingClientRect();
    const edge = 8;
    const below = bottom + height + edge <= innerHeight;
    this.#menuElement.style.left = `${Math.max(edge, Math.min(right, innerWidth - edge) - width)}px`;
    this.#menuElement.style.top = `${below ? bottom : top - height}px`;
  }

  #renderText() {
    const empty = (this.typed ?? this.text).trim() === '';
    const fault = this.fault && t('compare.given.fault', { reason: this.fault });
    return html`
      <label class="label given">${t('compare.given.label')}
        <textarea spellcheck="false" aria-invalid=${fault ? 'true' : 'false'}
          aria-describedby="fault" .value=${this.text} placeholder=${t('compare.given.hint')}
          @input=${(/** @type {Event} */ event) => (this.typed = valueOf(event))}
          @change=${this.#onText}></textarea></label>
      <p class=${empty ? '' : 'error'} role="alert" id="fault">${empty ? t('compare.given.empty') : fault}</p>`;
  }

  #renderBoxes() {
    const { table, settings, added, refused } = this;
    /** @param {SettingRow} row */
    const shown = ({ name }) => BASICS.includes(name) || added.includes(name) || name in settings;
    const row = refused && table.find(({ name }) => name === refused.name);
    const read = row ? readSetting(row, refused.text) : null;
    return html`
      <div class="boxes" role="group" aria-label=${t('compare.boxes', { name: this.letter })}>
        ${table.filter(shown).map((row) => this.#renderBox(row))}
        <label class="label">${t('compare.more')}
          <select @change=${this.#onMore}>
            <option value="">${t('compare.more.choose')}</option>
            ${table
              .filter((row) => !shown(row))
              .map(({ name }) => html`<option value=${name}>${settingName(name)}</option>`)}
          </select></label>
        <p class="error" role="alert" id="error">${read && 'error' in read ? read.error : ''}</p>
      </div>
    `;
  }

  /** @param {SettingRow} row */
  #renderBox(row) {
    const { name, neutral } = row;
    const wrong = this.refused?.name === name;
    const value = /** @type {any} */ (this.settings)[name] ?? neutral;
    return html`
      <label class="label">${settingName(name)}
        <input inputmode="decimal" autocomplete="off" data-name=${name} aria-describedby="error"
          aria-invalid=${wrong ? 'true' : 'false'}
          .value=${wrong ? (this.refused?.text ?? '') : plain(value)}
          @change=${(/** @type {Event} */ event) => this.#onChange(event, row)}></label>
    `;
  }

  /**
   * @param {string} action
   * @param {Settings} [settings]
   * @param {string} [text]
   */
  #emitAction(action, settings = this.settings, text = this.text) {
    const detail = { action, settings, ...(this.kind === 'given' && { text }) };
    this.dispatchEvent(new CustomEvent('logit-strategy', { detail }));
  }

  /**
   * @param {Event} event
   * @param {SettingRow} row
   */
  #onChange(event, row) {
    const { name, neutral } = row;
    const text = /** @type {HTMLInputElement} */ (event.target).value;
    const read = readSetting(row, text);
    this.refused = 'error' in read ? { name, text } : null;
    if ('error' in read) return;
    const { [name]: _, ...others } = /** @type {Record<string, any>} */ (this.settings);
    const { added } = this;
    if (read.value === neutral) this.added = [...added, name];
    this.#emitAction(
      'set',
      read.value === neutral ? others : { ...this.settings, [name]: read.value },
    );
  }

  /** @param {Event} event */
  #onText(event) {
    this.typed = null;
    this.#emitAction('set', this.settings, valueOf(event));
  }

  /** @param {Event} event */
  #onMore(event) {
    const select = /** @type {HTMLSelectElement} */ (event.target);
    this.added = [...this.added, select.value];
    select.value = '';
  }
}

/**
 * Returns the name of a strategy: its settings in words, or the title of the user's text.
 * @param {Pick<Strategy, 'kind' | 'settings' | 'text'>} strategy
 */
export function titleOf({ kind, settings, text }) {
  if (kind === 'given') return passageOf(text)?.title ?? t('compare.given');
  const { order, draw, logit_bias } = settings;
  /** @type {[string, any][]} */
  const numbers = Object.entries(settings).filter(([, value]) => typeof value === 'number');
  const first = numbers.filter(([name]) => name === 'temperature');
  const others = numbers.filter(([name]) => name !== 'temperature');
  const greedy = settings.temperature === 0;
  const words = [
    greedy && t('strategy.greedy'),
    describeSettings(Object.fromEntries(greedy ? others : [...first, ...others])),
    order && t('compare.order'),
    draw === 'gumbel' && t('draw.method.gumbel'),
    logit_bias && settingName('logit_bias'),
  ];
  return words.filter(Boolean).join(', ') || t('compare.plain');
}

/** Returns the letter of a strategy. @param {number} i from 0 */
export function letter(i) {
  return String.fromCharCode(65 + i);
}

/**
 * @param {number} i
 * @param {Strategy} strategy
 */
export function nameOf(i, strategy) {
  return `${letter(i)}: ${titleOf(strategy)}`;
}

define('logit-strategy', LogitStrategy);
