/**
 * The numbers of <logit-distribution> as tables, one for the bars and one for the curves. They are
 * made once they are unfolded, since they would follow each move of a knob.
 */
import { html, nothing } from 'lit';
import { number, percent, t } from '../../locale/locale.js';
import { curveTable } from '../../plots/curve-table.js';
import { settingName } from '../../base/setting-words.js';

/**
 * @typedef {import('../../plots/trace.js').Trace} Trace
 * @typedef {import('../../plots/trace.js').TraceToken} TraceToken
 * @typedef {{ open: boolean, onToggle: (open: boolean) => void }} Fold
 */

/**
 * @param {Fold} fold
 * @param {string} caption
 * @param {string[]} heads
 * @param {() => unknown} rows
 */
function frame({ open, onToggle }, caption, heads, rows) {
  const table = () => html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table>
        <caption class="heard">${caption}</caption>
        <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        <tbody>${rows()}</tbody>
      </table>
    </div>`;
  return html`
    <details @toggle=${(/** @type {any} */ event) => onToggle(event.target.open)}>
      <summary>${t('distribution.table')}</summary>
      ${open ? table() : nothing}
    </details>
  `;
}

/**
 * @param {Trace | null} trace
 * @param {(token: TraceToken) => unknown} name
 * @param {Fold} fold
 */
export function renderTable(trace, name, fold) {
  if (!trace) return nothing;
  const { underflowed, rest } = trace;
  /** @param {TraceToken} token */
  const status = (token) =>
    token.removed_by === null
      ? t('distribution.table.kept')
      : t('distribution.removed', { stage: settingName(token.removed_by) });
  const heads = ['rank', 'token', 'before.long', 'after.long', 'table.status'];
  /** @param {TraceToken} token */
  const row = (token) => html`<tr>
      <td>${number(token.rank)}</td>
      <th scope="row" class="token">${name(token)}</th>
      <td>${percent(token.p_raw)}</td><td>${percent(token.p)}</td><td>${status(token)}</td></tr>`;
  const last = () => html`<tr>
    <td></td><th scope="row">${t('distribution.rest', { n: rest.count })}</th>
    <td>${percent(rest.p_raw)}</td><td>${percent(rest.p)}</td>
    <td>${t('distribution.table.kept')}: ${number(rest.kept)}</td></tr>`;
  return html`
    ${frame(
      fold,
      t('distribution.table.caption'),
      heads.map((head) => t(`distribution.${head}`)),
      () => html`${trace.tokens.map(row)}${rest.count === 0 ? nothing : last()}`,
    )}
    ${underflowed ? html`<p class="about">${t('distribution.underflow', { n: underflowed })}</p>` : nothing}
  `;
}

/**
 * @param {import('../../plots/curve.js').Curves} curves
 * @param {Fold} fold
 */
export function renderCurveTable(curves, fold) {
  const rows = () =>
    curveTable(curves).map(
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
  return frame(
    fold,
    t('curve.table'),
    heads.map((head) => t(head)),
    rows,
  );
}
