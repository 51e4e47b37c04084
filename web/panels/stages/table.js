/** The picture of the stages as a table, with buttons that save the picture if the page has none. */
import { html, nothing } from 'lit';
import { settingName } from '../../base/setting-words.js';
import { namedHtml } from '../../base/visible.js';
import { percent, t } from '../../locale/locale.js';
import { renderFold } from '../distribution/distribution-table.js';
import { titleOf } from './words.js';

/**
 * @param {import('./stages.js').LogitStages} host
 * @param {import('../../plots/trace.js').Trace} trace
 * @param {import('../../plots/stages.js').River} river
 */
export function renderStagesTable(host, trace, { columns, bands, rest }) {
  const { eos } = host;
  const titles = columns.map((column) => titleOf(trace, column, Boolean(host.rowOf(column.name))));
  const heads = [t('distribution.token'), ...titles, t('distribution.table.status')];
  const rows = [...bands].sort((a, b) => a.rank - b.rank);
  const outcome = (/** @type {string | null} */ gone) =>
    gone
      ? t('distribution.removed', {
          stage: titles[columns.findIndex(({ name }) => name === gone)] ?? settingName(gone),
        })
      : t('distribution.table.kept');
  const fold = {
    open: host.unfolded,
    onToggle: (/** @type {boolean} */ open) => (host.unfolded = open),
  };
  return html`
    <div class="below">
      ${renderFold(fold, t('stages.caption'), heads, () => [
        ...rows.map(
          ({ token, p }) => html`<tr>
            <th scope="row" class="token" translate="no">${namedHtml(token, eos)}</th>
            ${Array.from(p, (share) => html`<td>${percent(share)}</td>`)}
            <td>${outcome(token.removed_by)}</td></tr>`,
        ),
        html`<tr>
          <th scope="row">${t('stages.others', { n: trace.vocab_size - bands.length })}</th>
          ${Array.from(rest, (share) => html`<td>${percent(share)}</td>`)}
          <td></td></tr>`,
      ])}
      ${
        host.within
          ? nothing
          : html`<span class="save">
            <button @click=${() => host.save('svg')}>SVG</button>
            <button @click=${() => host.save('png')}>PNG</button>
          </span>`
      }
    </div>`;
}
