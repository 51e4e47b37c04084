/** The numbers of <logit-distribution> as tables, one for the bars and one for the curves. */
import { html, nothing } from 'lit';
import { number, percent, t } from '../locale/locale.js';
import { curveTable } from '../plots/curve-table.js';
import { settingName } from './settings.js';

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').TraceToken} TraceToken
 */

/**
 * @param {string} caption
 * @param {string[]} heads
 * @param {unknown} rows
 */
function frame(caption, heads, rows) {
  return html`
    <details>
      <summary>${t('distribution.table')}</summary>
      <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
        <table>
          <caption class="heard">${caption}</caption>
          <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
          <tbody>${rows}</tbody>
        </table>
      </div>
    </details>
  `;
}

/**
 * @param {Trace | null} trace
 * @param {(token: TraceToken) => unknown} name
 */
export function renderTable(trace, name) {
  if (!trace) return nothing;
  const { underflowed, rest } = trace;
  /** @param {TraceToken} token */
  const status = (token) =>
    token.removed_by === null
      ? t('distribution.table.kept')
      : t('distribution.removed', { stage: settingName(token.removed_by) });
  const heads = ['rank', 'token', 'before.long', 'after.long', 'table.status'];
  const rows = trace.tokens.map(
    (token) => html`<tr>
      <td>${number(token.rank)}</td>
      <th scope="row" class="token">${name(token)}</th>
      <td>${percent(token.p_raw)}</td><td>${percent(token.p)}</td><td>${status(token)}</td></tr>`,
  );
  const last = html`<tr>
    <td></td><th scope="row">${t('distribution.rest', { n: rest.count })}</th>
    <td>${percent(rest.p_raw)}</td><td>${percent(rest.p)}</td>
    <td>${t('distribution.table.kept')}: ${number(rest.kept)}</td></tr>`;
  return html`
    ${frame(
      t('distribution.table.caption'),
      heads.map((head) => t(`distribution.${head}`)),
      html`${rows}${rest.count === 0 ? nothing : last}`,
    )}
    ${underflowed ? html`<p class="about">${t('distribution.underflow', { n: underflowed })}</p>` : nothing}
  `;
}

/** @param {import('../plots/curve.js').Curves} curves */
export function renderCurveTable(curves) {
  const rows = curveTable(curves).map(
    ({ rank, raw, final, rawMass, finalMass }) => html`<tr>
      <th scope="row">${number(rank)}</th>
      <td>${percent(raw)}</td><td>${percent(final)}</td>
      <td>${percent(rawMass)}</td><td>${percent(finalMass)}</td></tr>`,
  );
  const heads = [
    'curve.rank',
    'curve.p.raw',
    'curve.p.final',
    'curve.mass.raw',
    'curve.mass.final',
  ];
  return frame(t('curve.table'), heads.map((head) => t(head)), rows);
}
