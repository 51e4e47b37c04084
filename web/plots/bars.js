/**
 * Computes the positions of bars, rows, cut lines and ticks from a trace and the width of the chart. Lengths are in
 * pixels; probabilities come from the engine unchanged.
 */
import { ticks as roundTicks } from 'd3-array';
import { linear } from './linear.js';
import { DRAGGED } from './cuts.js';

/** @import { Trace, TraceToken, Stage } from './trace.js' */

/**
 * @typedef {ReturnType<typeof layoutBars>} Layout
 * @typedef {{ stage: Stage, y: number, below: boolean, idle: boolean }} Cut
 *   idle: true if the line can be dragged but its stage removes no token
 *
 * A listed token, or the rest of the vocabulary.
 * @typedef {object} Row
 * @property {string} key the token's id, or "rest"
 * @property {TraceToken | null} token
 * @property {number} y
 * @property {number} p_raw
 * @property {number} p
 * @property {number} p_high the largest possible p
 * @property {string | null} removed_by
 * @property {boolean} first true if another stage, or none, removed the token of the row above
 * @property {number} raw length of the bar before the chain
 * @property {number} final length of the bar after the chain
 * @property {number} high length up to the largest possible share, if the hidden tail leaves it open; else `final`
 * @property {number} second length for the token's share in a second distribution; 0 if there is none
 * @property {boolean} over true if the final bar is longer than the axis
 */

const DOMAINS = [1, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05, 0.02, 0.01];
/** The axis ends at this multiple of the model's largest probability, or later. */
const HEADROOM = 3;
/** Greatest length of a bar beyond the end of the axis, in 1/16 rem. */
export const OVER = 28;
/** Least length of a bar beyond the axis, as a share of OVER: the gap that marks such a bar needs this room. */
const LEAST = 0.4;
/** Room for the number beside a bar, and for the two numbers of an interval, in 1/16 rem. */
const NUMBER_ROOM = 64;
const BOTH = 116;
/** Powers of ten on the logarithmic axis. */
const DECADES = 6;

/**
 * Returns the kept tokens by rank, then the removed ones, those of the last stage first. In this order, one line for
 * each stage separates the tokens that it removes from all that it keeps.
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
 * Returns the stages that have removed tokens, each with the number of rows above its line.
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
 * Returns the stages whose lines can be dragged although they remove no token. These lines are below all rows.
 * @param {Trace} trace
 * @param {number} at y of the lines, in rows
 */
function findIdle(trace, at) {
  return trace.stages
    .filter(({ name, removed }) => DRAGGED.includes(name) && removed === 0)
    .map((stage) => ({ stage, at, below: true, idle: true }));
}

/**
 * Returns the end of the axis. It depends only on the model's largest probability, so that moving a knob does not
 * change the axis. If a hidden tail has more than that, any share is possible.
 * @param {Trace} trace
 */
export function chooseDomain(trace) {
  const largest = Math.max(...trace.tokens.map(({ p_raw }) => p_raw));
  const most = trace.bounded && trace.rest.p_raw > largest ? 1 : HEADROOM * largest;
  return DOMAINS.reduce((best, domain) => (domain >= most ? domain : best), 1);
}

/**
 * @param {{ trace: Trace, width: number, unit: number, lines: number, log?: boolean }} options
 *   unit: pixels per 1/16 rem; lines: the number of cut lines to leave room for
 */
export function layoutBars({ trace, width, unit, lines, log = false }) {
  const [rowHeight, gap, head] = [23 * unit, 20 * unit, 24 * unit];
  const columns = layoutColumns(width, unit, trace.bounded ? BOTH : NUMBER_ROOM);
  const { barX, barWidth } = columns;
  const domain = log ? 1 : chooseDomain(trace);
  const onLog = (/** @type {number} */ p) => Math.max(0, 1 + Math.log10(p) / DECADES) * barWidth;
  const x = log ? onLog : linear([0, domain], [0, barWidth]);
  const whole = linear([0, 1], [0, barWidth]);
  /**
   * Returns the length of a bar. The bar for all other tokens always has an axis from 0 to 1.
   * @param {TraceToken | null} token @param {number} p
   */
  const lengthOf = (token, p) => {
    if (!token) return Math.min(barWidth, whole(p));
    return p > domain ? barWidth + beyondAxis(p, domain) * unit : x(p);
  };
  const ordered = orderRows(trace);
  const cuts = [...findCuts(trace, ordered), ...findIdle(trace, ordered.length)];

  /** @type {Row[]} */
  const rows = [];
  /** @param {TraceToken | null} token @param {number} y @param {{ p_raw: number, p: number, p_high?: number }} shares @returns {Row} */
  const place = (token, y, { p_raw, p, p_high = p }) => ({
    key: token ? String(token.id) : 'rest',
    token,
    y,
    p_raw,
    p,
    removed_by: token?.removed_by ?? null,
    first: rows.at(-1)?.removed_by !== token?.removed_by,
    raw: lengthOf(token, p_raw),
    p_high,
    final: lengthOf(token, p),
    high: lengthOf(token, p_high),
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
  /** Position of the drawn token if no row lists it; null if every token has a row. */
  const beyond = rest ? rest.y + rowHeight : null;
  const height = beyond === null ? y + spare : beyond + rowHeight;
  const marks = chooseTicks(domain, log, barWidth < 260 * unit);
  const ticks = marks.map((value) => ({ value, x: barX + x(value) }));
  const size = { width, height, head, rowHeight, gap, plotBottom: y, columns };
  return { ...size, beyond, domain, lengthOf, ticks, rows, cuts: lineUp, rest };
}

/**
 * Returns the length of a bar beyond the end of the axis, in 1/16 rem. It grows slowly up to probability 1, so a larger
 * probability always has a longer bar.
 * @param {number} p
 * @param {number} domain
 */
export function beyondAxis(p, domain) {
  return OVER * (LEAST + ((1 - LEAST) * (p - domain)) / (1 - domain));
}

/** Returns the ticks of the axis. @param {number} domain @param {boolean} log @param {boolean} few true if there is room for few ticks only */
function chooseTicks(domain, log, few) {
  if (!log) return roundTicks(0, domain, few ? 3 : 5);
  const powers = [-6, -5, -4, -3, -2, -1, 0].filter((power) => !few || power % 2 === 0);
  return powers.map((power) => 10 ** power);
}

/**
 * Returns the columns for names, bars and numbers.
 * @param {number} width
 * @param {number} unit
 * @param {number} room of the numbers, in 1/16 rem
 */
function layoutColumns(width, unit, room) {
  const label = Math.min(150 * unit, Math.max(84 * unit, width * 0.2));
  const barWidth = Math.max(40, width - label - (room + OVER) * unit);
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
 * Returns the number of rows above a position.
 * @param {Layout} layout
 * @param {number} y
 */
export function rowsAbove({ rows, rowHeight }, y) {
  return rows.filter((row) => row.y + rowHeight / 2 < y).length;
}

/** Greatest width of the number beside a bar, with margins, in 1/16 rem. */
const NUMBER = 72;

/**
 * Returns the position of the number beside a bar: after the bar, or after a ring that would cover the number.
 * @param {number} end
 * @param {number} second x of the ring
 * @param {number} unit
 */
export function afterBar(end, second, unit) {
  return second > end && second < end + NUMBER * unit ? second : end;
}
