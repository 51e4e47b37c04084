/**
 * Lays out a sweep over one setting: a line for each measure, with a band between its quartiles; or one measure
 * against another, with named points.
 */
import { scaleLinear, scaleLog } from 'd3-scale';
import { area, curveLinear, line } from 'd3-shape';

/**
 * @typedef {{ x: number, y: number, low: number, high: number, label: string }} Mark low, high: the
 *   lower and the upper quartile
 * @typedef {{ key: string, band: boolean, marks: Mark[] }} Series band: true if the band of quartiles shows
 * @typedef {{ value: number, label: string }} Limit a horizontal line
 * @typedef {ReturnType<typeof layoutTrend>} Layout
 */

/** An axis of counts is logarithmic if the largest count is at least this multiple of the smallest. */
const WIDE = 50;

/**
 * Returns true if the values need a logarithmic axis.
 * @param {number[]} values
 */
export function isWide(values) {
  const least = Math.min(...values);
  return least > 0 && Math.max(...values) / least > WIDE;
}

/**
 * @param {{ series: Series[], limits: Limit[], x: [number, number], y: [number, number] | null,
 *   counts: boolean, named: boolean, legend: number, now: number | null, width: number,
 *   height: number, unit: number }} options y: null for an axis from 0 to the largest value; counts:
 *   true if widely spread values may have a logarithmic axis; named: true if points have labels;
 *   legend: its number of rows; now: x of a mark, null for none; unit: pixels per 1/16 rem
 */
export function layoutTrend(options) {
  const { series, limits, counts, named, legend, now, width, height, unit } = options;
  const plot = {
    left: 60 * unit,
    right: width - (named ? 32 : 16) * unit,
    top: ((named ? 38 : 24) + 19 * legend) * unit,
    bottom: height - 44 * unit,
  };
  const marks = series.flatMap((one) => one.marks);
  const values = [
    ...marks.flatMap(({ y, low, high }) => [y, low, high]).filter((value) => !Number.isNaN(value)),
    ...limits.map(({ value }) => value),
  ];
  const logarithmic = counts && isWide(values);
  const x = scaleLinear(widenDomain(options.x), [plot.left, plot.right]);
  const top = Math.max(...values, 0);
  const y = logarithmic
    ? scaleLog([Math.min(...values), top], [plot.bottom, plot.top]).nice()
    : scaleLinear(options.y ?? [0, top || 1], [plot.bottom, plot.top]).nice();
  const ticks = { x: x.ticks(width / unit < 480 ? 5 : 10), y: yTicks(y, logarithmic) };
  return {
    width,
    height,
    plot,
    logarithmic,
    ticks: {
      x: ticks.x.map((value) => ({ value, at: x(value) })),
      y: ticks.y.map((value) => ({ value, at: y(value) })),
    },
    limits: limits.map(({ value, label }) => ({ label, at: y(value) })),
    now: now === null || now < options.x[0] || now > options.x[1] ? null : x(now),
    series: series.map((one) => placeSeries(one, x, y, named ? 30 * unit : 0)),
  };
}

/** @param {[number, number]} domain */
function widenDomain([from, to]) {
  return from === to ? [from - 0.5, to + 0.5] : [from, to];
}

/**
 * @param {any} y
 * @param {boolean} logarithmic
 * @returns {number[]}
 */
function yTicks(y, logarithmic) {
  if (!logarithmic) return y.ticks(6);
  const [low, high] = y.domain();
  const ticks = [];
  for (let power = Math.round(Math.log10(low)); 10 ** power <= high * 1.001; power++)
    ticks.push(Number(`1e${power}`));
  return ticks;
}

/**
 * @param {Series} series
 * @param {any} x
 * @param {any} y
 * @param {number} apart the least distance between named points, in pixels; 0 if points have no names
 */
function placeSeries({ key, band, marks }, x, y, apart) {
  const points = marks.map((mark) => ({ ...mark, at: { x: x(mark.x), y: y(mark.y) } }));
  /** @type {import('d3-shape').Area<Mark>} */
  const between = area();
  between
    .x((mark) => x(mark.x))
    .y0((mark) => y(mark.low))
    .y1((mark) => y(mark.high))
    .curve(curveLinear);
  const path = line().defined(([, at]) => !Number.isNaN(at));
  return {
    key,
    points,
    path: path(points.map(({ at }) => [at.x, at.y])) ?? '',
    band: band ? (between(marks) ?? '') : '',
    names: apart > 0 ? pointsToName(points, apart) : [],
  };
}

/**
 * Returns the points that get names: both ends, and points that are far enough from the others.
 * @template {{ at: { x: number, y: number } }} P
 * @param {P[]} points
 * @param {number} apart in pixels
 * @returns {P[]}
 */
function pointsToName(points, apart) {
  /** @type {P[]} */
  const named = [];
  const [first, ...others] = points;
  for (const point of first ? [first, ...others.slice(-1), ...others.slice(0, -1)] : []) {
    const free = named.every(
      ({ at }) => Math.hypot(at.x - point.at.x, 1.6 * (at.y - point.at.y)) >= apart,
    );
    if (free) named.push(point);
  }
  return named;
}

/**
 * Returns the index of the dot that is nearest to a position.
 * @param {Layout} layout
 * @param {number} left
 * @param {number} top
 * @param {boolean} across true if only the distance along x counts
 */
export function markAt({ series }, left, top, across) {
  let best = 0;
  let least = Infinity;
  series[0]?.points.forEach(({ at }, i) => {
    const away = Math.hypot(at.x - left, across ? 0 : at.y - top);
    if (away < least) [best, least] = [i, away];
  });
  return best;
}
