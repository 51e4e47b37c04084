/**
 * <logit-conventions>: the same logits and settings under the rules of two programs (order, ties, boundaries,
 * windows), and the tokens for which the results differ. Emits "logit-conventions".
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/conventions';
import { live } from 'lit/directives/live.js';
import { conventions } from '../../engine/presets.js';
import { addMessages, number, percent, t } from '../../locale/locale.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { describeDifference } from '../../base/setting-words.js';
import { namedHtml, spoken } from '../../base/visible.js';
import conventionsStyles from './conventions.css';

addMessages(locales);

/** @import { Beside } from '../../state/beside.js' */

/** The message keys for the differences. */
const WORDS = {
  only: 'conventions.only',
  lost: 'conventions.lost',
  shifted: 'conventions.shifted',
  same: 'conventions.same',
};

export class LogitConventions extends elementWith(LogitElement, () => ({
  /** @type {[string, string]} */
  pair: ['transformers', 'llama.cpp'],
  /** Results of both programs' rules; null until they are computed. @type {Beside | null} */
  beside: null,
  eos: -1,
})) {
  static styles = [...LogitElement.styles, conventionsStyles];

  render() {
    const [one, other] = this.pair;
    const names = { one, other };
    const { beside } = this;
    return html`
      <p class="about">${t('conventions.about')}</p>
      <div class="pair">
        ${this.pair.map((name, i) => this.#renderSelect(name, i))}
        ${this.pair.map((name) => html`<p class="about">${t(`conventions.rules.${name}`)}</p>`)}
      </div>
      <p class="said" role="status">${
        beside ? describeDifference(beside.difference, this.eos, WORDS, names) : ''
      }</p>
      ${beside ? this.#renderTable(beside) : nothing}
    `;
  }

  /** @param {string} name @param {number} i */
  #renderSelect(name, i) {
    return html`
      <select aria-label=${t(i === 0 ? 'conventions.one' : 'conventions.other')} data-side=${i}
        .value=${live(name)} @change=${(/** @type {Event} */ event) => this.#choose(event, i)}>
        ${Object.keys(conventions).map(
          (known) => html`<option value=${known} ?selected=${known === name}>${known}</option>`,
        )}
      </select>`;
  }

  /** @param {Beside} beside */
  #renderTable({ rows, kept }) {
    return html`
      <table>
        <caption class="visually-hidden">${t('conventions.table')}</caption>
        <thead><tr><th scope="col">${t('distribution.token')}</th>
          ${this.pair.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody translate="no">${rows.map(
          ({ token, p, differs }) => html`
          <tr class=${differs ? 'differs' : ''} data-token=${token.id}>
            <th scope="row" aria-label=${spoken(token, this.eos)}><span class="token" translate="no">${namedHtml(token, this.eos)}</span></th>
            ${p.map((share) =>
              share === null
                ? html`<td class="gone">${t('conventions.removed')}</td>`
                : html`<td data-p=${String(share)}>${percent(share)}</td>`,
            )}</tr>`,
        )}</tbody>
        <tfoot><tr><th scope="row">${t('distribution.kept')}</th>
          ${kept.map((n) => html`<td>${number(n)}</td>`)}</tr></tfoot>
      </table>`;
  }

  /** @param {Event} event @param {number} i */
  #choose(event, i) {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    this.emit('logit-conventions', { pair: this.pair.map((name, j) => (i === j ? value : name)) });
  }
}

define('logit-conventions', LogitConventions);
