/**
 * <logit-fronts>: the default settings of popular programs. For each, its chain and the tokens that it keeps from the
 * present logits. Emits "logit-fronts" to ask for these results, and "logit-preset".
 */
import { html } from 'lit';
import { locales } from '#locales/fronts';
import { addMessages, measure, number, percent, plain, t } from '../../locale/locale.js';
import { LogitElement, define, withoutAttribute } from '../../base/element.js';
import { settingName } from '../../base/setting-words.js';
import { FRONTS, chainOf } from '../../state/fronts.js';
import { matchPreset } from '../../state/settings.js';
import frontsStyles from './fronts.css';

addMessages(locales);

/** @typedef {import('../../state/outcomes.js').Outcome} Outcome */

export class LogitFronts extends LogitElement {
  static properties = {
    ...withoutAttribute('table settings order outcomes'),
    fixed: { type: Boolean },
  };

  static styles = [...LogitElement.styles, frontsStyles];

  constructor() {
    super();
    /** @type {import('../../plots/trace.js').SettingRow[]} */
    this.table = [];
    /** @type {import('../../plots/trace.js').Settings} */
    this.settings = {};
    /** @type {string[] | null} */
    this.order = null;
    /** @type {Outcome[] | null} */
    this.outcomes = null;
    this.fixed = false;
  }

  /**
   * The chain panel. It emits "logit-fronts" when this element is removed, because a removed element cannot.
   * @type {LogitElement | null}
   */
  #chain = null;

  connectedCallback() {
    super.connectedCallback();
    const { host } = /** @type {ShadowRoot} */ (this.getRootNode());
    this.#chain = /** @type {LogitElement} */ (host);
    this.emit('logit-fronts', { fronts: FRONTS.map(({ settings }) => settings) });
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#chain?.emit('logit-fronts', { fronts: null });
  }

  render() {
    return html`
      <p class="about">${t('fronts.about')}</p>
      <ul>${FRONTS.map((front, i) => this.#renderFront(front, this.outcomes?.[i]))}</ul>
    `;
  }

  /** @param {import('../../state/fronts.js').Front} front @param {Outcome} [outcome] */
  #renderFront(front, outcome) {
    const { name, version, source, settings, note } = front;
    const presets = [{ name, settings: /** @type {any} */ (settings) }];
    const used = matchPreset(this.table, this.settings, this.order, presets) === name;
    return html`
      <li data-front=${name}>
        <div class="head">
          <h3 lang="en">${name} <a href=${source} target="_blank" rel="noopener noreferrer">${version}</a></h3>
          <button aria-current=${used} ?hidden=${this.fixed} aria-label=${t(`fronts.${used ? 'used' : 'use'}.name`, { name })}
            @click=${() => this.emit('logit-preset', { settings })}>${t(used ? 'fronts.used' : 'fronts.use')}</button>
        </div>
        <p class="chain">${this.#describeChain(settings)}</p>
        ${note ? html`<p class="about">${t(`fronts.note.${note}`)}</p>` : ''}
        <p class="keeps" data-kept=${outcome?.kept ?? ''}>${
          outcome
            ? t('fronts.keeps', {
                n: outcome.kept,
                kept: number(outcome.kept),
                mass: percent(outcome.mass),
                bits: measure(outcome.entropy),
              })
            : ' '
        }</p>
      </li>`;
  }

  /** @param {import('../../engine/types.js').Settings} settings */
  #describeChain(settings) {
    const chain = chainOf(this.table, settings);
    if (chain.length === 0) return t('fronts.plain');
    return chain.map(({ name, value }) => `${settingName(name)} ${plain(value)}`).join(' → ');
  }
}

define('logit-fronts', LogitFronts);
