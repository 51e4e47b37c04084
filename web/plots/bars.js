/**
 * The geometry of the ranked bars: where each row, bar, cut line and tick stands. Pure functions of
 * the trace and the width; every length is in pixels, every share is the engine's own number.
 */
import { ticks as roundTicks } from 'd3-array';
import { linear } from './linear.js';
import { DRAGGED } from './cuts.js';

/**
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('./trace.js').TraceToken} TraceToken
 * @typedef {import('./trace.js').Stage} Stage
 * @typedef {ReturnType<typeof layoutBars>} Layout
 * @typedef {{ stage: Stage, y: number, below: boolean, idle: boolean }} Cut
 *   idle: a line that can be dragged but cuts nothing now
 *
 * A listed token, or the rest of the vocabulary; `raw` and `final` are the lengths of its bars.
 * @typedef {object} Row
 * @property {string} key the token's id, or "rest"
 * @property {TraceToken | null} token
 * @property {number} y
 * @property {number} p_raw
 * @property {number} p
 * @property {string | null} removed_by
 * @property {number} raw
 * @property {number} final
 */

const DOMAINS = [1, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05, 0.02, 0.01];

/**
 * Survivors by rank, then the removed: first what the last stage removed, so that one line per
 * stage parts what it kept from what it removed whatever the stages before it did.
 * @param {Trace} trace
 */
export function orderRows(trace) {
  const place = new Map(trace.stages.map((stage, i) => [stage.name, i]));
  /** @param {TraceToken} token */
  const stage = (token) =>
    token.removed_by === null ? Infinity : (place.get(token.removed_by) ?? 0);
  return [...trace.tokens].sort((a, b) => stage(b) - stage(a) || a.rank - b.rank);
}

/**
 * The stages that removed something, with the number of listed rows that survive each.
 * @param {Trace} trace
 * @param {TraceToken[]} rows in the order of orderRows
 */
export function findCuts(trace, rows) {
  const place = new Map(trace.stages.map((stage, i) => [stage.name, i]));
  return trace.stages
    .map((stage, i) => ({ stage, i }))
    .filter(({ stage }) => stage.removed > 0)
    .map(({ stage, i }) => {
      const at = rows.findIndex(
        (row) => row.removed_by !== null && (place.get(row.removed_by) ?? 0) <= i,
      );
      return { stage, at: at < 0 ? rows.length : at, below: at < 0, idle: false };
    })
    .reverse();
}

/**
 * The draggable stages that cut nothing: their lines wait below the list.
 * @param {Trace} trace
 * @param {number} at
 */
function findIdle(trace, at) {
  return trace.stages
    .filter(({ name, removed }) => DRAGGED.includes(name) && removed === 0)
    .map((stage) => ({ stage, at, below: true, idle: true }));
}

/**
 * The smallest of a few round domains that holds every share, so that the axis rests while the bars
 * move.
 * @param {Trace} trace
 */
export function chooseDomain(trace) {
  const shares = trace.tokens.flatMap((token) => [token.p, token.p_raw]);
  const most = Math.max(...shares, trace.rest.p, trace.rest.p_raw);
  return DOMAINS.reduce((best, domain) => (domain >= most ? domain : best), 1);
}

/**
 * @param {{ trace: Trace, width: number, unit: number, lines: number }} options
 *   unit: pixels of 1/16 rem; lines: cut lines that room is always left for
 */
export function layoutBars({ trace, width, unit, lines }) {
  const narrow = width < 480 * unit;
  const rowHeight = (narrow ? 30 : 23) * unit;
  const gap = 20 * unit;
  const head = 27 * unit;
  const columns = layoutColumns(width, unit, narrow);
  const domain = chooseDomain(trace);
  const x = linear([0, domain], [0, columns.barWidth]);
  const ordered = orderRows(trace);
  const cuts = [...findCuts(trace, ordered), ...findIdle(trace, ordered.length)];

  /**
   * @param {TraceToken | null} token
   * @param {number} top
   * @param {{ p_raw: number, p: number }} shares
   * @returns {Row}
   */
  const place = (token, top, { p_raw, p }) => ({
    key: token ? String(token.id) : 'rest',
    token,
    y: top,
    p_raw,
    p,
    removed_by: token?.removed_by ?? null,
    raw: x(p_raw),
    final: x(p),
  });

  /** @type {Row[]} */
  const rows = [];
  /** @type {Cut[]} */
  const lineUp = [];
  let y = head;
  for (let i = 0; i <= ordered.length; i++) {
    for (const cut of cuts.filter((candidate) => candidate.at === i)) {
      lineUp.push({ stage: cut.stage, below: cut.below, idle: cut.idle, y });
      y += gap;
    }
    if (i === ordered.length) break;
    const token = ordered[i];
    rows.push(place(token, y, token));
    y += rowHeight;
  }
  const spare = Math.max(0, lines - cuts.length) * gap;
  const rest = trace.rest.count === 0 ? null : place(null, y + 7 * unit, trace.rest);
  const height = y + spare + (rest ? rowHeight + 9 * unit : 0);
  const ticks = roundTicks(0, domain, columns.barWidth < 260 * unit || narrow ? 3 : 5).map(
    (value) => ({
      value,
      x: columns.barX + x(value),
    }),
  );
  const plotBottom = rest ? rest.y + rowHeight : y;
  return {
    width,
    height,
    narrow,
    head,
    rowHeight,
    gap,
    plotBottom,
    columns,
    domain,
    ticks,
    rows,
    cuts: lineUp,
    rest,
  };
}

/**
 * @param {number} width
 * @param {number} unit
 * @param {boolean} narrow
 */
function layoutColumns(width, unit, narrow) {
  const number = 104 * unit; // room for 4.4 × 10⁻¹⁰%
  const numbers = number + (narrow ? 68 : 80) * unit;
  const label = narrow ? width - numbers : Math.min(168 * unit, Math.max(112 * unit, width * 0.2));
  const barX = narrow ? 0 : label;
  const barWidth = Math.max(40, narrow ? width : width - label - numbers);
  return {
    label: 0,
    labelWidth: label,
    barX,
    barWidth,
    barTop: (narrow ? 19 : 3) * unit,
    barHeight: (narrow ? 8 : 17) * unit,
    tag: narrow ? label * 0.64 : null,
    before: width - number,
    after: width,
    baseline: (narrow ? 14 : 15.5) * unit,
  };
}

/**
 * How many rows stand above a height, the gaps of the lines left out of account.
 * @param {Layout} layout
 * @param {number} y
 */
export function rowsAbove({ rows, rowHeight }, y) {
  return rows.filter((row) => row.y + rowHeight / 2 < y).length;
}
