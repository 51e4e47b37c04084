/** The bars as a table. It is rendered only while it is open, because every move of a knob changes it. */
import { html, nothing } from 'lit';
import { number, percent, t } from '../../locale/locale.js';
import { later, settingName, shareWords } from '../../base/setting-words.js';
import { namedHtml } from '../../base/visible.js';

/** @import { Trace, TraceToken } from '../../plots/trace.js' */

/**
 * @typedef {{ open: boolean, onToggle: (open: boolean) => void, above?: () => unknown }} Fold `above` renders content above the table
 */

/**
 * @param {Fold} fold
 * @param {string} caption
 * @param {string[]} heads
 * @param {() => unknown} rows
 */
export function renderFold({ open, onToggle, above }, caption, heads, rows) {
  const table = () => html`
    ${above?.()}
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table>
        <caption class="visually-hidden">${caption}</caption>
        <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        <tbody translate="no">${rows()}</tbody>
      </table>
    </div>`;
  return html`
    <details ?open=${open} @toggle=${(/** @type {any} */ event) => onToggle(event.target.open)}>
      <summary>${t(above ? 'distribution.figures' : 'distribution.table')}</summary>
      ${open ? table() : nothing}
    </details>
  `;
}

/** @param {Trace | null} trace @param {number} eos @param {Fold} fold */
export function renderTable(trace, eos, fold) {
  if (!trace) return nothing;
  const { underflowed, rest } = trace;
  /** @param {TraceToken} token */
  const status = (token) =>
    token.removed_by !== null
      ? t('distribution.removed', { stage: settingName(token.removed_by) })
      : token.maybe
        ? later('recorded.maybe', { stage: settingName(token.maybe) })
        : t('distribution.table.kept');
  const heads = ['rank', 'token', 'before.long', 'after.long', 'table.status'];
  const share = (/** @type {{ p: number, p_high?: number }} */ { p, p_high = p }) =>
    shareWords(p, p_high, percent);
  /** @param {TraceToken} token */
  const row = (token) => html`<tr>
      <td>${number(token.rank)}</td>
      <th scope="row" class="token" translate="no">${namedHtml(token, eos)}</th>
      <td>${percent(token.p_raw)}</td><td>${share(token)}</td><td>${status(token)}</td></tr>`;
  const last = () => html`<tr>
    <td></td><th scope="row">${Number.isFinite(rest.count) ? t('distribution.rest', { n: rest.count }) : later('recorded.rest')}</th>
    <td>${percent(rest.p_raw)}</td><td>${share(rest)}</td>
    <td>${trace.bounded ? nothing : html`${t('distribution.table.kept')}: ${number(rest.kept)}`}</td></tr>`;
  return html`
    ${renderFold(
      fold,
      t('distribution.table.caption'),
      heads.map((head) => t(`distribution.${head}`)),
      () => html`${trace.tokens.map(row)}${rest.count === 0 ? nothing : last()}`,
    )}
    ${underflowed ? html`<p class="about">${t('distribution.underflow', { n: underflowed })}</p>` : nothing}
  `;
}
