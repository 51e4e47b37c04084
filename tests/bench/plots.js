/** Plots of a run's races as small SVG files. d3 computes scales and paths; this file writes the SVG. */
import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import { best } from './race.js';
import { curveShapes, parametersOf, shapes } from './shapes.js';
import { digits } from './table.js';
import { median } from './timing.js';

/** @typedef {import('./race.js').Race} Race */
/**
 * @typedef {{ name: string, color: string, dashed?: boolean, points: [number, number][] }} Series
 */
/**
 * @typedef {object} Plot
 * @property {string} file
 * @property {string} title
 * @property {string} x
 * @property {string} y
 * @property {boolean} log  true if both axes are logarithmic
 * @property {Series[]} series
 */

const WIDTH = 640;
const HEIGHT = 360;
const MARGIN = { top: 44, right: 176, bottom: 46, left: 62 };
const RIGHT = WIDTH - MARGIN.right;
const BOTTOM = HEIGHT - MARGIN.bottom;
// Colours near Okabe and Ito's, which are safe for colour blindness. Their contrast is at least 3:1 on white and on the
// dark background.
const BLUE = '#2b82c9';
const ORANGE = '#d55e00';
const GREEN = '#00946b';
const PURPLE = '#b8559f';
export const seriesColors = [BLUE, ORANGE, GREEN, PURPLE];
const STYLE = `
svg{fill:#222}.ground{fill:#fff}.grid{stroke:#ddd}
@media(prefers-color-scheme:dark){svg{fill:#e6e6e6}.ground{fill:#0d1117}.grid{stroke:#30363d}}
`;

/** @param {number} value */
function short(value) {
  if (value >= 1e6) return `${digits(value / 1e6).replace(/\.0+$/, '')}M`;
  if (value >= 1e4) return `${digits(value / 1e3).replace(/\.0+$/, '')}k`;
  return String(Number(value.toPrecision(3)));
}

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Returns an SVG element; numbers are rounded to a tenth.
 * @param {string} name
 * @param {Record<string, string | number | undefined>} attributes
 * @param {string} [inner]
 */
function tag(name, attributes, inner = '') {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? +value.toFixed(1) : value}"`);
  return `<${name}${written.join('')}>${inner}</${name}>`;
}

/** @param {number} x @param {number} y @param {string} text @param {object} [more] attributes */
const label = (x, y, text, more = {}) => tag('text', { x, y, ...more }, escaped(text));

/** @param {number[]} values @param {boolean} log @param {[number, number]} range */
function scaleOf(values, log, range) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return log ? scaleLog([low / 1.3, high * 1.3], range) : scaleLinear([0, high], range).nice();
}

/**
 * Returns the ticks that are powers of ten on a logarithmic axis, otherwise round numbers.
 * @param {any} scale @param {boolean} log
 */
function ticksOf(scale, log) {
  const ticks = scale.ticks(5);
  const decades = ticks.filter((/** @type {number} */ tick) =>
    Number.isInteger(Math.round(Math.log10(tick) * 1e6) / 1e6),
  );
  return log && decades.length > 1 ? decades : ticks;
}

/** @param {any} x @param {any} y @param {Plot} plot */
function drawAxes(x, y, { title, x: xTitle, y: yTitle, log }) {
  const acrossTicks = ticksOf(x, log);
  const upTicks = ticksOf(y, log);
  const lines = [
    ...acrossTicks.map((tick) =>
      tag('path', { d: `M${x(tick).toFixed(1)},${MARGIN.top}V${BOTTOM}` }),
    ),
    ...upTicks.map((tick) => tag('path', { d: `M${MARGIN.left},${y(tick).toFixed(1)}H${RIGHT}` })),
  ];
  const middle = { 'text-anchor': 'middle' };
  return [
    tag('g', { class: 'grid' }, lines.join('')),
    ...acrossTicks.map((tick) => label(x(tick), BOTTOM + 16, short(tick), middle)),
    ...upTicks.map((tick) =>
      label(MARGIN.left - 6, y(tick) + 4, short(tick), { 'text-anchor': 'end' }),
    ),
    label((MARGIN.left + RIGHT) / 2, HEIGHT - 10, xTitle, middle),
    label(8, MARGIN.top - 10, yTitle),
    label(8, 18, title, { 'font-weight': 'bold', 'font-size': 13 }),
  ];
}

/**
 * Returns a series as a line with dots and its name in the legend.
 * @param {any} x
 * @param {any} y
 * @param {Series} series
 * @param {number} i
 */
function drawSeries(x, y, { name, color, dashed, points }, i) {
  const path = line(
    (/** @type {[number, number]} */ [at]) => x(at),
    ([, value]) => y(value),
  ).digits(1);
  const stroke = {
    stroke: color,
    'stroke-width': 1.8,
    'stroke-dasharray': dashed ? '5 3' : undefined,
  };
  const top = MARGIN.top + 8 + 18 * i;
  return [
    tag('path', { d: path(points) ?? '', fill: 'none', ...stroke }),
    ...points.map(([at, value]) => tag('circle', { cx: x(at), cy: y(value), r: 2.5, fill: color })),
    tag('path', { d: `M${RIGHT + 12},${top - 4}h18`, ...stroke }),
    label(RIGHT + 36, top, name),
  ].join('');
}

/** @param {Plot} plot @returns {string} */
export function drawPlot(plot) {
  const { title, log, series } = plot;
  const points = series.flatMap((one) => one.points);
  const x = scaleOf(
    points.map(([at]) => at),
    log,
    [MARGIN.left, RIGHT],
  );
  const y = scaleOf(
    points.map(([, value]) => value),
    log,
    [BOTTOM, MARGIN.top],
  );
  const parts = [
    tag('title', {}, escaped(title)),
    tag('style', {}, STYLE),
    tag('rect', { width: '100%', height: '100%', class: 'ground' }),
    ...drawAxes(x, y, plot),
    ...series.map((one, i) => drawSeries(x, y, one, i)),
  ];
  const head = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    width: WIDTH,
    height: HEIGHT,
    'font-family': 'system-ui, sans-serif',
    'font-size': 11,
  };
  return `${tag('svg', head, `\n${parts.join('\n')}\n`)}\n`;
}

/**
 * Returns the points of one contender over races; `ours` selects this engine's best entry in each race.
 * @param {Race[]} races
 * @param {string} name
 * @param {(race: Race) => number} at
 * @returns {[number, number][]}
 */
function pointsOf(races, name, at) {
  return races
    .flatMap((one) => {
      const entry = name === 'ours' ? best(one) : one.entries.find((each) => each.name === name);
      return entry?.samples.length
        ? [/** @type {[number, number]} */ ([at(one), median(entry.samples)])]
        : [];
    })
    .sort(([a], [b]) => a - b);
}

/** @param {Race[]} races @returns {Plot} */
function byParameters(races) {
  const all = [...shapes, ...curveShapes];
  const sizeOf = (/** @type {Race} */ { subject }) =>
    parametersOf(/** @type {any} */ (all.find(({ name }) => name === subject.split(' ')[0])));
  const of = (/** @type {string} */ format) =>
    races.filter(
      ({ part, host, subject }) =>
        ['decode', 'curve'].includes(part) && host === 'chromium' && subject.endsWith(` ${format}`),
    );
  const wllama =
    races.flatMap(({ entries }) => entries).find(({ name }) => name.startsWith('wllama'))?.name ??
    '';
  return {
    file: 'tokens-by-parameters.svg',
    title: 'Decode speed against model size, Chromium, one thread',
    x: 'parameters',
    y: 'tokens/s',
    log: true,
    series: [
      { name: 'Logitscope q8_0', color: BLUE, points: pointsOf(of('q8_0'), 'ours', sizeOf) },
      {
        name: 'Logitscope f32',
        color: BLUE,
        dashed: true,
        points: pointsOf(of('f32'), 'ours', sizeOf),
      },
      { name: 'wllama q8_0', color: ORANGE, points: pointsOf(of('q8_0'), wllama, sizeOf) },
      {
        name: 'wllama f32',
        color: ORANGE,
        dashed: true,
        points: pointsOf(of('f32'), wllama, sizeOf),
      },
    ],
  };
}

/** @param {Race[]} races @returns {Plot} */
function byPosition(races) {
  const own = races.filter(({ part }) => part === 'positions');
  const at = (/** @type {Race} */ { subject }) => Number(subject);
  return {
    file: 'step-by-position.svg',
    title: 'One step of the 15M model (q8_0) at a position',
    x: 'tokens in the timeline',
    y: 'ms',
    log: false,
    series: [
      { name: 'without the cache', color: ORANGE, points: pointsOf(own, 'no cache', at) },
      { name: 'with the KV cache', color: BLUE, points: pointsOf(own, 'cache', at) },
    ],
  };
}

/** @param {Race[]} races @returns {Plot} */
function byVocabulary(races) {
  const of = (/** @type {string} */ wanted) =>
    races.filter(({ part, host }) => part === wanted && host === 'node');
  const at = (/** @type {Race} */ { subject }) => Number(subject.slice(2));
  return {
    file: 'sampler-by-vocabulary.svg',
    title: 'Sampler and draw against the vocabulary, Node',
    x: 'tokens in the vocabulary',
    y: 'ms',
    log: true,
    series: [
      { name: 'sorting JS', color: ORANGE, points: pointsOf(of('chain'), 'sorting JS', at) },
      {
        name: 'PyTorch, top_p alone',
        color: PURPLE,
        dashed: true,
        points: pointsOf(of('top_p'), 'PyTorch', at),
      },
      {
        name: 'transformers JS, top_p',
        color: GREEN,
        dashed: true,
        points: pointsOf(of('top_p'), 'transformers JS', at),
      },
      {
        name: 'transformers JS',
        color: GREEN,
        points: pointsOf(of('chain'), 'transformers JS', at),
      },
      {
        name: 'Logitscope, top_p',
        color: BLUE,
        dashed: true,
        points: pointsOf(of('top_p'), 'ours', at),
      },
      { name: 'Logitscope', color: BLUE, points: pointsOf(of('chain'), 'ours', at) },
    ],
  };
}

/** Returns the plots with at least two points in these races. @param {Race[]} races */
export function plotsOf(races) {
  return [byParameters(races), byPosition(races), byVocabulary(races)]
    .map((plot) => ({ ...plot, series: plot.series.filter(({ points }) => points.length > 1) }))
    .filter(({ series }) => series.length);
}
