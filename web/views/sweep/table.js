/** The numbers of a sweep as a table, which is a grid for two settings, and the numbers and texts of a point. */
import { html, nothing } from 'lit';
import { hasSpread } from '../../engine/measures.js';
import { number, plain, t } from '../../locale/locale.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { measureName, pointWords, writeMeasure } from './labels.js';

/** @import { Plan, Point } from '../../engine/sweep.js' */

/**
 * @param {Plan} plan
 * @param {Point[]} points
 * @param {string} title
 */
export function renderTable(plan, points, title) {
  const body = plan.axes.length === 2 ? renderGrid(plan, points) : renderRows(plan, points);
  return html`
    <details class="table">
      <summary>${t('distribution.table')}</summary>
      <div class="scroll" tabindex="0" role="region" aria-label=${title}>
        <table><caption class="visually-hidden">${title}</caption>${body}</table>
      </div>
    </details>`;
}

/**
 * @param {Plan} plan
 * @param {Point[]} points
 */
function renderRows({ axes: [{ name: setting }], measures }, points) {
  const heads = measures.flatMap((name) => {
    const said = capitalise(measureName(name));
    return hasSpread(name) ? [said, t('sweep.q1'), t('sweep.median'), t('sweep.q3')] : [said];
  });
  return html`
    <thead><tr>${[capitalise(settingName(setting)), ...heads].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody translate="no">${points.map(
      (point) => html`<tr><th scope="row">${plain(point.at[setting])}</th>
        ${measures.flatMap((name) => {
          const { mean, q1, median, q3 } = point.measures[name];
          const shown = hasSpread(name) ? [mean, q1, median, q3] : [mean];
          return shown.map((value) => html`<td>${writeMeasure(name, value)}</td>`);
        })}</tr>`,
    )}</tbody>`;
}

/**
 * @param {Plan} plan
 * @param {Point[]} points
 */
function renderGrid({ axes: [first, second], measures: [name] }, points) {
  const corner = `${capitalise(settingName(first.name))} ↓ / ${settingName(second.name)} →`;
  const rows = second.values.length;
  return html`
    <thead><tr><th scope="col">${corner}</th>
      ${second.values.map((value) => html`<th scope="col">${plain(value)}</th>`)}</tr></thead>
    <tbody translate="no">${first.values.map(
      (value, i) => html`<tr><th scope="row">${plain(value)}</th>
        ${second.values.map((_, j) => {
          const point = points[i * rows + j];
          return html`<td>${point ? writeMeasure(name, point.measures[name].mean) : ''}</td>`;
        })}</tr>`,
    )}</tbody>`;
}

/** Most texts that the table shows. */
const SHOWN = 10;

/**
 * Renders the texts of a point. If the sweep has a grammar, each text is marked as correct or not.
 * @param {Plan} plan
 * @param {Point | undefined} point
 */
export function renderTexts({ prompt, prompt_ids, grammar }, point) {
  if (!point || point.texts.length === 0) return nothing;
  const more = point.texts.length - SHOWN;
  return html`
    <details class="texts">
      <summary>${t('sweep.texts')}</summary>
      <ul>${point.texts.slice(0, SHOWN).map(
        ({ text, verdict, seed }) => html`<li>
          <span class="seed">${t('sweep.seed', { seed: plain(seed) })}</span>
          ${grammar ? html`<span class=${verdict?.right ? 'right' : 'wrong'}>${t(verdict?.right ? 'sweep.right' : 'sweep.wrong')}</span>` : nothing}
          <span class="written">${prompt_ids ? '' : prompt}<b>${text}</b></span></li>`,
      )}</ul>
      ${more > 0 ? html`<p class="about">${t('sweep.more', { n: number(more) })}</p>` : nothing}
    </details>`;
}

/** Renders the measures of a point. @param {Pick<import('./sweep.js').Run, 'plan' | 'points'>} run @param {number} at */
export function renderReadout({ plan, points }, at) {
  const point = points[at];
  return html`<p class="readout">${point ? pointWords(plan, point) : ''}</p>`;
}

/**
 * Renders the measures of a point between two buttons that choose its neighbours, because points are too small for a
 * finger.
 * @param {Pick<import('./sweep.js').Run, 'plan' | 'points'>} run
 * @param {number} at
 * @param {(at: number) => void} select
 */
export function renderSteps(run, at, select) {
  const step = (/** @type {number} */ by) =>
    html`<button data-by=${by} aria-label=${t(by < 0 ? 'sweep.back' : 'sweep.on')} aria-disabled=${!run.points[at + by]}
      @click=${() => run.points[at + by] && select(at + by)}>${by < 0 ? '‹' : '›'}</button>`;
  return html`<div class="steps">${step(-1)}${renderReadout(run, at)}${step(1)}</div>`;
}
