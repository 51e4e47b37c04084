/** Shows the grader's report: a line for each property, with the smallest input that fails. */
import { html, nothing } from 'lit';
import { shortest } from '../../grade/shrink.js';
import { propertyWords } from '../../grade/property-words.js';
import { hasMessage, t } from '../../locale/locale.js';

/** @import { Verdict } from '../../grade/grade.js' */

const LISTED = 12;

/** @param {ArrayLike<number>} numbers */
function listOf(numbers) {
  const shown = Array.from(numbers).slice(0, LISTED).map(shortest).join(', ');
  return numbers.length > LISTED ? `[${shown}, …]` : `[${shown}]`;
}

/** @param {any} input */
function settingsText({ settings, history, second, toy }) {
  const parts = Object.entries(settings).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}`,
  );
  if (history?.length) parts.push(`history = ${listOf(history)}`);
  if (second) parts.push(`second = ${listOf(second)}`);
  if (toy) parts.push(`context_length = ${toy.context_length}, eos_token_id = ${toy.eos_token_id}`);
  return parts.join(', ');
}

/** @param {Verdict} verdict */
function renderFailure({ input, expected, got, code, params }) {
  return html`
    ${code ? html`<p>${t(`sampler.fail.${code}`, params)}</p>` : nothing}
    ${
      input
        ? html`<dl>
          <dt>${t('sampler.input')}</dt>
          <dd>${listOf(input.logits ?? input.prompt)}${settingsText(input) ? html`<br>${settingsText(input)}` : nothing}</dd>
          ${expected ? html`<dt>${t('sampler.expected')}</dt><dd>${listOf(expected)}</dd>` : nothing}
          ${got ? html`<dt>${t('sampler.got')}</dt><dd>${listOf(got)}</dd>` : nothing}
        </dl>`
        : nothing
    }
  `;
}

/** @typedef {Verdict & { of: string }} Asked of: the name of the function under test */

/** Renders the cases of a lesson, grouped by function. @param {Asked[]} verdicts */
export function caseTable(verdicts) {
  const names = [...new Set(verdicts.map(({ of }) => of))];
  return html`<table class="cases">
    <caption class="visually-hidden">${t('sampler.kind.cases')}</caption>
    <thead><tr><th scope="col">${t('sampler.case')}</th><th scope="col">${t('sampler.case.holds')}</th></tr></thead>
    ${names.map((of) => {
      const mine = verdicts.filter((it) => it.of === of);
      const n = mine.filter(({ holds }) => holds).length;
      return html`<tbody>
        <tr class="of"><th scope="rowgroup" colspan="2"><code>${of}</code>
          <span>${t('sampler.case.sum', { holds: n, all: mine.length })}</span></th></tr>
        ${mine.map(caseRow)}</tbody>`;
    })}
  </table>`;
}

/** @param {Asked} verdict */
function caseRow({ of, name, holds, code, params }) {
  return html`<tr data-name=${`${of}.${name}`} class=${holds ? 'holds' : 'fails'}>
    <th scope="row"><code>${name}</code></th>
    <td><span class="sign" aria-hidden="true">${holds ? '✓' : '✗'}</span>
      ${holds ? html`<span class="visually-hidden">${t('sampler.holds')}</span>` : t(`sampler.fail.${code}`, params)}</td></tr>`;
}

/** @param {string} as @param {Verdict} verdict */
export function verdictItem(as, verdict) {
  const { name, holds } = verdict;
  const says = propertyWords(as, verdict, t, hasMessage);
  return html`<li class=${holds ? 'holds' : 'fails'} data-name=${name}>
    <span class="sign" aria-hidden="true">${holds ? '✓' : '✗'}</span>
    <div>
      <span class="visually-hidden">${t(holds ? 'sampler.holds' : 'sampler.fails')}</span>
      ${holds ? says : html`<strong>${says}</strong>${renderFailure(verdict)}`}
    </div>
  </li>`;
}
