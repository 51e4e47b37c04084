/**
 * <logit-shelf>: the warpers that are not in the chain, each with the sentence that says what it
 * does; one pressed comes into the chain. Asks with "logit-add".
 */
import { html, nothing } from 'lit';
import { t } from '../../locale/locale.js';
import { LogitElement, define } from '../../base/element.js';
import { aboutSetting, capitalise, settingName } from '../../base/setting-words.js';
import { SHELF } from '../../state/settings.js';
import shelfStyles from './shelf.css';

export class LogitShelf extends LogitElement {
  static properties = {
    shown: { attribute: false },
  };

  static styles = [...LogitElement.styles, shelfStyles];

  constructor() {
    super();
    /** @type {string[]} The warpers that have a card already. */
    this.shown = [];
  }

  render() {
    const left = SHELF.map(({ group, names }) => ({
      group,
      names: names.filter((name) => !this.shown.includes(name)),
    })).filter(({ names }) => names.length > 0);
    if (left.length === 0) return nothing;
    return html`
      <details>
        <summary><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 3v10M3 8h10"></path></svg>
          ${t('warpers.add')}</summary>
        ${left.map(
          ({ group, names }) => html`
          <h3 id=${group}>${t(`warpers.group.${group}`)}</h3>
          <ul aria-labelledby=${group}>${names.map(
            (name) => html`
            <li><button data-add=${name} @click=${() => this.#add(name)}>
              <b>${capitalise(settingName(name))}</b>
              <span class="about">${aboutSetting(name)}</span></button></li>`,
          )}</ul>`,
        )}
      </details>
    `;
  }

  focus() {
    this.renderRoot.querySelector('summary')?.focus();
  }

  /** @param {string} name */
  #add(name) {
    const details = this.renderRoot.querySelector('details');
    if (details) details.open = false;
    this.emit('logit-add', { name });
  }
}

define('logit-shelf', LogitShelf);
