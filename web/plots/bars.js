/**
 * The geometry of the ranked bars: the places of rows, bars, cut lines and ticks. Pure functions of
 * the trace and the width; lengths are in pixels, shares are the engine's own numbers.
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
 *   idle: a draggable line that cuts nothing
 *
 * A listed token, or the rest of the vocabulary; `raw` and `final` are the lengths of its bars. With
 * `over` the final one reaches beyond the axis.
 * @typedef {object} Row
 * @property {string} key the token's id, or "rest"
 * @property {TraceToken | null} token
 * @property {number} y
 * @property {number} p_raw
 * @property {number} p
 * @property {string | null} removed_by
 * @property {boolean} first whether the row above is not removed by the same stage
 * @property {number} raw
 * @property {number} final
 * @property {number} second the length of its share in a second distribution, 0 if there is none
 * @property {boolean} over
 */

const DOMAINS = [1, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05, 0.02, 0.01];
/** The least end of the axis, as a multiple of the model's best probability. */
const HEADROOM = 3;
/** The part of a cut bar beyond the axis, in 1/16 rem. */
const OVER = 12;
/** The decades of the logarithmic axis. */
const DECADES = 6;

/**
 * Survivors by rank, then the removed tokens, those of the last stage first. So one line per stage
 * parts its survivors from its removed tokens.
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
 * The draggable stages that cut nothing: their lines are below the list.
 * @param {Trace} trace
 * @param {number} at
 */
function findIdle(trace, at) {
  return trace.stages
    .filter(({ name, removed }) => DRAGGED.includes(name) && removed === 0)
    .map((stage) => ({ stage, at, below: true, idle: true }));
}

/**
 * The smallest round domain that holds HEADROOM times the model's best probability. So no knob moves
 * the axis, and the rest of the vocabulary has no effect on it.
 * @param {Trace} trace
 */
export function chooseDomain(trace) {
  const most = HEADROOM * Math.max(...trace.tokens.map(({ p_raw }) => p_raw));
  return DOMAINS.reduce((best, domain) => (domain >= most ? domain : best), 1);
}

/**
 * @param {{ trace: Trace, width: number, unit: number, lines: number, log?: boolean }} options
 *   unit: pixels of 1/16 rem; lines: the number of cut lines with reserved room
 */
export function layoutBars({ trace, width, unit, lines, log = false }) {
  const [rowHeight, gap, head] = [23 * unit, 20 * unit, 24 * unit];
  const columns = layoutColumns(width, unit);
  const { barX, barWidth } = columns;
  const domain = log ? 1 : chooseDomain(trace);
  const onLog = (/** @type {number} */ p) => Math.max(0, 1 + Math.log10(p) / DECADES) * barWidth;
  const x = log ? onLog : linear([0, domain], [0, barWidth]);
  const whole = linear([0, 1], [0, barWidth]);
  /** The strip of the rest goes from 0 to 1. @param {TraceToken | null} token @param {number} p */
  const lengthOf = (token, p) => {
    if (!token) return Math.min(barWidth, whole(p));
    return p > domain ? columns.barLong : x(p);
  };
  const ordered = orderRows(trace);
  const cuts = [...findCuts(trace, ordered), ...findIdle(trace, ordered.length)];

  /** @type {Row[]} */
  const rows = [];
  /** @param {TraceToken | null} token @param {number} y @param {{ p_raw: number, p: number }} shares @returns {Row} */
  const place = (token, y, { p_raw, p }) => ({
    key: token ? String(token.id) : 'rest',
    token,
    y,
    p_raw,
    p,
    removed_by: token?.removed_by ?? null,
    first: rows.at(-1)?.removed_by !== token?.removed_by,
    raw: lengthOf(token, p_raw),
    final: lengthOf(token, p),
    second: lengthOf(token, token?.p_second ?? 0),
    over: token !== null && p > domain,
  });

  /** @type {Cut[]} */
  const lineUp = [];
  let y = head;
  for (let i = 0; i <= ordered.length; i++) {
    for (const { stage, below, idle } of cuts.filter(({ at }) => at === i)) {
      lineUp.push({ stage, below, idle, y });
      y += gap;
    }
    if (i === ordered.length) break;
    rows.push(place(ordered[i], y, ordered[i]));
    y += rowHeight;
  }
  const spare = Math.max(0, lines - cuts.length) * gap;
  const rest = trace.rest.count === 0 ? null : place(null, y + spare + 7 * unit, trace.rest);
  /** The place of an unlisted drawn token; its room is always left. */
  const beyond = rest ? rest.y + rowHeight : null;
  const height = beyond === null ? y + spare : beyond + rowHeight;
  const marks = chooseTicks(domain, log, barWidth < 260 * unit);
  const ticks = marks.map((value) => ({ value, x: barX + x(value) }));
  const size = { width, height, head, rowHeight, gap, plotBottom: y, columns };
  return { ...size, beyond, domain, lengthOf, ticks, rows, cuts: lineUp, rest };
}

/** The ticks of the axis. @param {number} domain @param {boolean} log @param {boolean} few whether only a few have room */
function chooseTicks(domain, log, few) {
  if (!log) return roundTicks(0, domain, few ? 3 : 5);
  const powers = [-6, -5, -4, -3, -2, -1, 0].filter((power) => !few || power % 2 === 0);
  return powers.map((power) => 10 ** power);
}

/** Names, bars, and room for the number at the end of the longest bar. @param {number} width @param {number} unit */
function layoutColumns(width, unit) {
  const label = Math.min(150 * unit, Math.max(84 * unit, width * 0.2));
  const barWidth = Math.max(40, width - label - 76 * unit);
  return {
    labelWidth: label,
    barX: label,
    barWidth,
    barLong: barWidth + OVER * unit,
    barTop: 3 * unit,
    barHeight: 17 * unit,
    baseline: 15.5 * unit,
  };
}

/**
 * The number of rows above a height.
 * @param {Layout} layout
 * @param {number} y
 */
export function rowsAbove({ rows, rowHeight }, y) {
  return rows.filter((row) => row.y + rowHeight / 2 < y).length;
}

/** The greatest width of the number at the end of a bar with its margins, in units. */
const NUMBER = 72;

/**
 * Returns the start of a bar's number: the end of the bar, or of a ring that would cover the number.
 * @param {number} end
 * @param {number} second the place of the ring
 * @param {number} unit
 */
export function afterBar(end, second, unit) {
  return second > end && second < end + NUMBER * unit ? second : end;
}
