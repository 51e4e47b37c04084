/** The distribution at the knob's value as a table. */
import { html, nothing } from 'lit';
import { later } from '../../base/setting-words.js';
import { number, percent, t } from '../../locale/locale.js';

/**
 * @typedef {object} Options
 * @property {import('./slice.js').Row[]} rows
 * @property {import('./slice.js').Others} others
 * @property {string} caption
 * @property {(id: number) => string} nameOf
 * @property {import('../../state/tally.js').Tally | null} tally
 * @property {(id: number, box: DOMRect) => void} onToken called on a press of the token's button, with the button's box
 */

/** @param {Options} options */
export function renderTable({ rows, others, caption, nameOf, tally, onToken }) {
  const beside = rows.some(({ second }) => second > 0);
  const head = (/** @type {string} */ words) => html`<th scope="col">${words}</th>`;
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}><table>
      <caption>${caption}</caption>
      <thead><tr>${head(t('landscape.rank'))}${head(t('landscape.token'))}${head(t('landscape.here'))}${head(t('landscape.raw'))}${
        beside ? head(later('shelf.second')) : nothing
      }${tally ? head(t('landscape.counted', { n: tally.total })) : nothing}</tr></thead>
      <tbody translate="no">${rows.map(
        ({ id, rank, p, raw, second, drawn }) => html`
        <tr data-id=${id} data-p=${String(p)} aria-current=${drawn ? 'true' : nothing}>
          <td>${number(rank)}</td>
          <th scope="row"><button class="token" translate="no" aria-haspopup="menu" @click=${(/** @type {any} */ { currentTarget }) => onToken(id, currentTarget.getBoundingClientRect())}>${nameOf(id)}</button>${
            drawn ? html` <em>${t('landscape.is-drawn')}</em>` : nothing
          }</th>
          <td>${percent(p)}</td><td>${percent(raw)}</td>${
            beside ? html`<td>${percent(second)}</td>` : nothing
          }
          ${tally ? html`<td>${number(tally.counts.get(id)?.n ?? 0)}</td>` : nothing}</tr>`,
      )}
        <tr data-id="rest"><td></td><th scope="row">${others.possible ? t('landscape.others', { n: others.possible }) : t('landscape.rest')}</th>
          <td>${percent(others.p)}</td><td>${percent(others.raw)}</td>${beside ? html`<td></td>` : nothing}
          ${tally ? html`<td></td>` : nothing}</tr>
      </tbody>
    </table></div>`;
}
