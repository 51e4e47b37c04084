/** Renders the sweep over one setting that trend.js has laid out. */
import { nothing, svg } from 'lit';

/** @import { Layout } from './trend.js' */

/**
 * @typedef {object} Options
 * @property {Layout} layout
 * @property {number} unit pixels of 1/16 rem
 * @property {{ x: string, y: string, legend: string[], now: string, tickX: (value: number) => string,
 *   tickY: (value: number) => string }} words
 * @property {number} at the index of the chosen dot
 */

const SIZE = 11.5;

/** @param {Options} options */
export function renderTrend(options) {
  const { layout, unit, at } = options;
  const { series, plot } = layout;
  const shown = series.map(({ points }) => points[at]).filter(Boolean);
  return svg`
    ${renderHead(options)}
    ${renderFrame(options)}
    ${renderLimits(options)}
    ${series.map(
      ({ path, band, points }, i) => svg`
        <path class="band s${i}" d=${band}></path>
        <path class="line s${i}" d=${path}></path>
        ${points.map((point) => renderDot(point.at, i, 2.5 * unit))}`,
    )}
    ${
      shown.length === 0
        ? nothing
        : svg`<line class="cross pointer" x1=${shown[0].at.x} x2=${shown[0].at.x}
      y1=${plot.top} y2=${plot.bottom}></line>`
    }
    <g class="pointer">${shown.map((point, i) => renderDot(point.at, i, 5 * unit))}</g>
    ${series.map(({ names }) =>
      names.map(
        (point) => svg`<text class="name" x=${point.at.x + 7 * unit} y=${point.at.y - 7 * unit}
          font-size=${SIZE * unit}>${point.label}</text>`,
      ),
    )}`;
}

/**
 * Functions that return the path of a diamond or a triangle around (x, y), by the number of the line.
 * @type {Record<number, (x: number, y: number, r: number) => string>}
 */
const SHAPES = {
  2: (x, y, r) => `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`,
  3: (x, y, r) => `M${x} ${y - r}l${r} ${2 * r}h${-2 * r}z`,
};

/**
 * Renders a dot: a circle for the first line, a square for the second, a diamond, a triangle.
 * @param {{ x: number, y: number }} at
 * @param {number} i
 * @param {number} r
 */
function renderDot({ x, y }, i, r) {
  if (Number.isNaN(y)) return nothing; // no dot: without texts a share is NaN
  if (i === 0) return svg`<circle class="dot s0" cx=${x} cy=${y} r=${r}></circle>`;
  if (SHAPES[i]) return svg`<path class="dot s${i}" d=${SHAPES[i](x, y, 1.2 * r)}></path>`;
  return svg`<rect class="dot s${i}" x=${x - r} y=${y - r} width=${2 * r} height=${2 * r}></rect>`;
}

/**
 * Renders the name of the y axis, and a legend if there are several lines.
 * @param {Options} options
 */
function renderHead({ layout: { series }, unit, words }) {
  return svg`
    <g class="frame" font-size=${12.5 * unit}>
      ${words.legend.map((text, i) => {
        const y = (8 + 19 * i) * unit;
        return svg`
        <rect class="band s${i}" x="0" y=${y - 6 * unit} height=${12 * unit}
          width=${series[i]?.band ? 26 * unit : 0}></rect>
        <path class="line s${i}" d=${`M0 ${y}H${26 * unit}`}></path>
        <text x=${34 * unit} y=${y + 4.5 * unit}>${text}</text>`;
      })}
      <text x="0" y=${(12 + 19 * words.legend.length) * unit}>↑ ${words.y}</text>
    </g>`;
}

/** @param {Options} options */
function renderFrame({ layout: { plot, ticks }, unit, words }) {
  const { left, right, top, bottom } = plot;
  return svg`
    <g class="frame" font-size=${SIZE * unit}>
      <rect class="screen" x=${left} y=${top} width=${right - left} height=${bottom - top}
        rx=${4 * unit}></rect>
      ${ticks.y.map(
        ({ value, at }) => svg`
        <line class="grid" x1=${left} x2=${right} y1=${at} y2=${at}></line>
        <text x=${left - 8 * unit} y=${at + 4 * unit} text-anchor="end">${words.tickY(value)}</text>`,
      )}
      ${ticks.x.map(
        ({ value, at }) => svg`
        <line class="grid" x1=${at} x2=${at} y1=${top} y2=${bottom}></line>
        <text x=${at} y=${bottom + 17 * unit} text-anchor="middle">${words.tickX(value)}</text>`,
      )}
      <text x=${(left + right) / 2} y=${bottom + 37 * unit} text-anchor="middle">${words.x}</text>
    </g>`;
}

/** @param {Options} options */
function renderLimits({ layout: { plot, limits, now }, unit, words }) {
  const size = SIZE * unit;
  const side = (now ?? 0) < (plot.left + plot.right) / 2 ? 1 : -1;
  return svg`
    ${limits.map(
      ({ at }) =>
        svg`<line class="limit" x1=${plot.left} x2=${plot.right} y1=${at} y2=${at}></line>`,
    )}
    ${
      now === null
        ? nothing
        : svg`
      <line class="now" x1=${now} x2=${now} y1=${plot.top} y2=${plot.bottom}></line>
      <text class="now" x=${now + side * 5 * unit} y=${plot.bottom - 26 * unit}
        font-size=${size} text-anchor=${side > 0 ? 'start' : 'end'}>${words.now}</text>`
    }
    ${limits.map(
      ({ label, at }) => svg`
      <text class="limit" x=${plot.right - 6 * unit} font-size=${size} text-anchor="end"
        y=${at - plot.top > 20 * unit ? at - 6 * unit : at + 15 * unit}>${label}</text>`,
    )}`;
}
