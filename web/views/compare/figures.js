/**
 * The numbers of a comparison in words: for one text, for several texts of a strategy, and for greedy decoding beside
 * sampling at a temperature near 0.
 */
import { html, nothing } from 'lit';
import { fixed, measure, number, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { spoken } from '../../base/visible.js';
import { nameOf } from './strategy.js';

/** @import { Figures, Spread } from '../../engine/compare.js' */
/** @import { Text } from './runner.js' */

const NONE = '–';

/**
 * @param {number | null} value
 * @param {(value: number) => string} write
 */
function orNone(value, write) {
  return value === null ? NONE : write(value);
}

/** Returns the numbers about a text as [name, value]. @param {Text} text */
export function figureRows({ figures, finish }) {
  /** @param {number | null} before @param {number | null} after */
  const change = (before, after) =>
    before === null || after === null
      ? NONE
      : html`<span class="from">${writeNumber(before)} →</span> ${writeNumber(after)}`;
  /** @param {(figures: Figures) => unknown} of */
  const shown = (of) => (figures ? of(figures) : NONE);
  return [
    { name: 'ttr', value: shown(({ distinct_1 }) => fixed(distinct_1, 2)) },
    { name: 'distinct', value: shown(({ distinct_2 }) => fixed(distinct_2, 2)) },
    { name: 'surprisal', value: shown((it) => change(it.surprisal_raw, it.surprisal)) },
    { name: 'perplexity', value: shown((it) => change(it.perplexity_raw, it.perplexity)) },
    { name: 'kept', value: shown((it) => orNone(it.mean_kept, tokensKept)) },
    { name: 'loop', value: shown(({ loop }) => sayLoop(loop)) },
    { name: 'finish', value: finish ? t(`compare.finish.${finish}`) : NONE },
  ];
}

/** @param {string} name a figure */
export function figureName(name) {
  return t(name === 'ttr' || name === 'distinct' ? `measure.${name}` : `compare.${name}`);
}

/** Writes a number with two decimals; from 1000 on, without decimals. @param {number} value */
function writeNumber(value) {
  if (value > 0 && value < 0.005) return `< ${fixed(0.01, 2)}`;
  return value >= 1000 ? number(Math.round(value)) : fixed(value, 2);
}

/** Writes a mean number of tokens. @param {number} kept */
function tokensKept(kept) {
  return fixed(kept, kept < 100 ? 1 : 0);
}

/** @param {import('../../engine/text-loops.js').Loop | null} loop */
function sayLoop(loop) {
  return loop
    ? t('compare.loop.from', { at: loop.start + 1, n: loop.times })
    : t('compare.loop.no');
}

/** Renders the numbers of several texts as a table with a row for each text. @param {Text[]} texts */
export function renderRows(texts) {
  const [heads] = texts.map(figureRows);
  return html`
    <table>
      <thead><tr><th scope="col">${t('compare.settings')}</th>
        ${heads.map(({ name }) => html`<th scope="col">${figureName(name)}</th>`)}</tr></thead>
      <tbody translate="no">${texts.map(
        (text, i) => html`<tr><th scope="row">${nameOf(i, text.strategy)}</th>
          ${figureRows(text).map(({ name, value }) => html`<td class="number" data-figure=${name}>${value}</td>`)}</tr>`,
      )}</tbody>
    </table>`;
}

/** Columns of the table for several texts of each strategy. */
export const SPREAD = [
  'different',
  'within',
  'between',
  'similarity',
  'kept',
  'perplexity',
  'loops',
];

/**
 * Renders the cells of one strategy.
 * @param {Spread | null} spread null until all texts are complete
 * @param {number} samples
 */
export function renderSpread(spread, samples) {
  /** @param {string} name @param {unknown} value @param {number} [share] */
  const cell = (name, value, share) => html`
    <td class="number" data-figure=${name}>${spread ? value : NONE}${
      spread && share !== undefined
        ? html`<span class="bar" ${cssom({ '--share': share.toFixed(3) })}></span>`
        : nothing
    }</td>`;
  if (!spread) return SPREAD.map((name) => cell(name, NONE));
  const { different, distinct_2_within: within, distinct_2_between: between, loops } = spread;
  const { edit_similarity: alike } = spread;
  return [
    cell('different', t('compare.of', { done: different, total: samples })),
    cell('within', fixed(within, 2), within),
    cell('between', fixed(between, 2), between),
    cell(
      'similarity',
      orNone(alike, (share) => fixed(share, 2)),
      alike ?? 0,
    ),
    cell('kept', orNone(spread.mean_kept, tokensKept)),
    cell('perplexity', orNone(spread.perplexity_raw, writeNumber)),
    cell('loops', t('compare.of', { done: loops, total: samples })),
  ];
}

/**
 * @param {import('../../engine/compare.js').Gap} gap
 * @param {number} eos
 */
function gapWords({ step, best, second, gap }, eos) {
  return {
    at: step + 1,
    best: spoken({ ...best, special: false }, eos),
    second: spoken({ ...second, special: false }, eos),
    gap: measure(gap),
    p: percent(second.p),
  };
}

/**
 * Returns a sentence about how many texts at a temperature near 0 equal the greedy text.
 * @param {string} T
 * @param {(number | null)[]} partings the step at which each cold text first differs from the greedy text;
 *   null if it never differs
 */
function coldWords(T, partings) {
  const parted = partings.filter((at) => at !== null);
  const at = Math.min(...parted) + 1;
  const n = partings.length;
  if (parted.length === 0) return t('compare.cold.same', { T, n });
  return n === 1
    ? t('compare.cold.parts', { T, at })
    : t('compare.cold.some', { T, same: n - parted.length, n, at });
}

/**
 * Renders why texts at a temperature near 0 equal or leave the greedy text: the steps at which the two best logits
 * are too close.
 * @param {import('./runner.js').Gaps} gaps
 * @param {number} temperature
 * @param {(number | null)[]} partings as for sayCold
 * @param {number} eos
 */
export function renderGaps({ smallest, close }, temperature, partings, eos) {
  if (!smallest) return nothing;
  const T = number(temperature);
  return html`
    <section class="gaps">
      <h3>${t('compare.cold', { T })}</h3>
      <p>${coldWords(T, partings)} ${t('compare.cold.smallest', { T, ...gapWords(smallest, eos) })}</p>
      ${
        close.length === 0
          ? html`<p>${t('compare.cold.sure', { T })}</p>`
          : html`<p>${t('compare.cold.close', { T, n: close.length })}</p>
              <ul tabindex="0" aria-label=${t('compare.cold.list')}>${close.map(
                (gap) => html`<li>${t('compare.cold.gap', { T, ...gapWords(gap, eos) })}</li>`,
              )}</ul>`
      }
    </section>`;
}
