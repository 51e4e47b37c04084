/** Formats races as a table of plain text: medians with their spread, and ratios to peers. */
import { best, ratio } from './race.js';
import { median, spread } from './timing.js';

/** @typedef {import('./race.js').Race} Race */
/** @typedef {import('./race.js').Entry} Entry */

/** Formats a value with three digits; commas separate thousands. @param {number} value */
export function digits(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(value))));
}

/** @param {number} value */
const times = (value) =>
  `${value >= 10 ? Math.round(value).toLocaleString('en') : value.toFixed(value < 1 ? 2 : 1)}x`;

/**
 * Returns median and half the range; with less than three samples, the median and their number.
 * @param {Entry} entry
 */
function cell({ samples, absent }) {
  if (!samples.length) return absent ? 'absent' : '-';
  const value = digits(median(samples));
  return samples.length < 3
    ? `${value} n=${samples.length}`
    : `${value} ±${Math.round(100 * spread(samples))}%`;
}

/** @param {Race} one @param {string} name */
function column(one, name) {
  const entry = one.entries.find((each) => each.name === name);
  if (!entry) return '';
  const ours = best(one);
  const against = ours && entry.samples.length && entry.side !== 'ours';
  if (!against) return cell(entry);
  const shown =
    entry.side === 'bound'
      ? `${Math.round(100 * ratio(ours, entry, one.rate))}%`
      : times(ratio(ours, entry, one.rate));
  return `${cell(entry)}  ${shown}`;
}

/** @param {string[][]} rows the first row is the header */
export function align(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map((row) =>
      row
        .map((text, i) => (i < 2 ? text.padEnd(widths[i]) : text.padStart(widths[i])))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * Returns a part's table: a row for each race, a column for each contender.
 * @param {string} title
 * @param {Race[]} races with equal units
 */
export function tableOf(title, races) {
  const sides = ['ours', 'peer', 'bound'];
  const entries = races
    .flatMap((one) => one.entries)
    .sort((a, b) => sides.indexOf(a.side) - sides.indexOf(b.side));
  const names = [...new Set(entries.map(({ name }) => name))];
  const rows = races.map((one) => [
    one.subject,
    one.host,
    ...names.map((name) => column(one, name)),
  ]);
  return `${title}\n${align([['', '', ...names], ...rows])}`;
}

/** Returns the reasons of absent contenders, without repeats. @param {Race[]} races */
export function absences(races) {
  const reasons = races.flatMap(({ host, entries }) =>
    entries
      .filter(({ absent }) => absent)
      .map(({ name, absent }) => `absent: ${name} in ${host}: ${absent}`),
  );
  return [...new Set(reasons)];
}
