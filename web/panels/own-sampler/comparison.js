/** Compares the results of the user's sampler and of a built-in sampler. */
import { html, nothing } from 'lit';
import { spoken, visibleHtml } from '../../base/visible.js';
import { percent, plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';

/**
 * `rows`: the most probable tokens of both results, with both probabilities. `differ`: how many tokens of the
 * vocabulary have different probabilities. `settings`: the settings of the built-in sampler.
 * @typedef {{ rows: { piece: import('../../base/visible.js').Token, mine: number, theirs: number }[],
 *   differ: number, settings: Record<string, unknown> }} Comparison
 */

const LISTED = 10;
/** Two probabilities count as equal if they differ by at most this. */
const SAME = 2 ** -20;

/**
 * @param {{ engine: import('../../engine/remote.js').RemoteLogitscope, logits: Float32Array,
 *   tokens: string[] | null }} bench
 * @param {Float32Array} numbers the result of the user's sampler
 * @param {any} settings
 * @param {{ history: number[], second?: number[] }} beside
 * @returns {Promise<Comparison>}
 */
export async function compareSamplers({ engine, logits, tokens }, numbers, settings, beside) {
  const mine = await engine.warp(numbers, { top: LISTED });
  const theirs = await engine.warp(logits, { ...settings, top: LISTED }, beside);
  const ids = new Set([...theirs.tokens, ...mine.tokens].map(({ id }) => id));
  const best = [...ids]
    .filter((id) => mine.p[id] > 0 || theirs.p[id] > 0)
    .sort((a, b) => Math.max(theirs.p[b], mine.p[b]) - Math.max(theirs.p[a], mine.p[a]) || a - b);
  const rows = [];
  for (const id of best.slice(0, LISTED)) {
    const given = tokens && { id, text: tokens[id], special: false };
    const piece = given ?? (await engine.piece(id));
    rows.push({ piece, mine: mine.p[id], theirs: theirs.p[id] });
  }
  const differ = mine.p.reduce((n, p, id) => n + Number(Math.abs(p - theirs.p[id]) > SAME), 0);
  return { rows, differ, settings };
}

/** @param {Comparison} comparison @param {boolean} second true if the samplers read a second distribution */
export function renderComparison({ rows, differ, settings }, second) {
  const write = (/** @type {unknown} */ value) =>
    typeof value === 'number' ? plain(value) : JSON.stringify(value);
  const said = Object.entries(settings).map(([name, value]) => `${name} = ${write(value)}`);
  const most = Math.max(...rows.map(({ mine, theirs }) => Math.max(mine, theirs)));
  /** @param {string} side @param {number} p */
  const cell = (side, p) => html`<td class="share ${side}">
      <span>${percent(p)}</span><i ${cssom({ '--share': p / most })}></i></td>`;
  /** @param {Comparison['rows'][number]} row */
  const row = ({ piece, mine, theirs }) => html`
    <tr class=${Math.abs(mine - theirs) > SAME ? 'other' : ''}>
      <th scope="row"><span class="token" translate="no" aria-hidden="true">${visibleHtml(piece)}</span><span
        class="visually-hidden">${spoken(piece)}</span></th>
      ${cell('mine', mine)}${cell('theirs', theirs)}</tr>`;
  return html`<table>
      <caption>${t('sampler.caption', { settings: said.join(', ') })}${second ? ` ${t('sampler.second')}` : nothing}</caption>
      <thead><tr><th scope="col">${t('sampler.token')}</th><th scope="col">${t('sampler.mine')}</th>
        <th scope="col">${t('sampler.theirs')}</th></tr></thead>
      <tbody translate="no">${rows.map(row)}</tbody>
    </table>
    <p class="sum" role="status">${differ ? t('sampler.differ', { n: differ }) : t('sampler.same')}</p>`;
}
