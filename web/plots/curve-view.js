/** Renders the chart over all ranks that curve.js has laid out. */
import { nothing, svg } from 'lit';
import { cssom } from './cssom.js';

/** @import { Layout } from './curve.js' */
/** @import { Handle } from './cuts.js' */

/**
 * @typedef {object} Words
 * @property {string} x the name of the x axis, which shows ranks
 * @property {(value: number) => string} rank
 * @property {(value: number) => string} share
 * @property {(handle: Handle) => string} line
 *
 * @typedef {object} Options
 * @property {Layout} layout
 * @property {number} unit pixels per 1/16 rem
 * @property {Words} words
 * @property {number | null} rank the rank under the pointer; null if none
 */

const SIZE = 11.5;

/** @param {Options} options */
export function renderCurve(options) {
  const { layout, unit, rank } = options;
  const { paths, dots } = layout;
  return svg`
    ${renderAxes(options)}
    <path class="raw" d=${paths.raw}></path>
    <path class="entering" d=${paths.entering}></path>
    <path class="final" d=${paths.final}></path>
    ${dots.map(([x, y]) => svg`<circle class="dot" cx=${x} cy=${y} r=${2.25 * unit}></circle>`)}
    ${layout.lines.map((line, i) => renderLine(line, i, options))}
    ${rank === null ? nothing : renderCross(layout, rank)}`;
}

/** @param {Options} options */
function renderAxes({ layout: { plot, ticks, x, y, width }, unit, words }) {
  const { left, right, top, bottom } = plot;
  return svg`
    <g class="frame" font-size=${SIZE * unit}>
      <rect class="screen" x=${left} y=${top} width=${right - left} height=${bottom - top}
        rx=${4 * unit}></rect>
      ${ticks.y.map(
        (value) => svg`
        <line class="grid" x1=${left} x2=${right} y1=${y(value)} y2=${y(value)}></line>
        <text x=${left - 8 * unit} y=${y(value) + 4 * unit} text-anchor="end">${words.share(value)}</text>`,
      )}
      ${ticks.x.map(
        (value) => svg`
        <line class="grid" x1=${x(value)} x2=${x(value)} y1=${top} y2=${bottom}></line>
        <text x=${x(value)} y=${bottom + 17 * unit} text-anchor="middle">${words.rank(value)}</text>`,
      )}
      <text x=${(left + width) / 2} y=${bottom + 36 * unit} text-anchor="middle">${words.x}</text>
    </g>`;
}

/**
 * @param {import('./curve.js').Line} line
 * @param {number} i
 * @param {Options} options
 */
function renderLine({ handle, x, y }, i, { layout: { plot }, unit, words }) {
  const text = words.line(handle);
  const kind = `cutline by-${handle.name} ${handle.active ? '' : 'idle'}`;
  const size = SIZE * unit;
  if (y !== null)
    return svg`
      <g class=${kind} data-cut=${handle.name} ${cssom({ transform: `translateY(${y}px)` })}>
        <line x1=${plot.left} x2=${plot.right} y1="0" y2="0" stroke-width=${1.5 * unit}></line>
        <text x=${plot.right - 44 * unit} y=${(y - plot.top > 24 * unit ? -7 : 16) * unit}
          font-size=${size} text-anchor="end">${text}</text>
      </g>`;
  const far = (x ?? 0) > (plot.left + plot.right) / 2;
  return svg`
    <g class=${kind} data-cut=${handle.name} ${cssom({ transform: `translateX(${x}px)` })}>
      <line x1="0" x2="0" y1=${plot.top} y2=${plot.bottom} stroke-width=${1.5 * unit}></line>
      <text x=${(far ? -8 : 8) * unit} y=${plot.bottom - (12 + 20 * i) * unit} font-size=${size}
        text-anchor=${far ? 'end' : 'start'}>${text}</text>
    </g>`;
}

/**
 * @param {Layout} layout
 * @param {number} rank
 */
function renderCross({ x, plot }, rank) {
  return svg`
    <line class="cross" x1=${x(rank)} x2=${x(rank)} y1=${plot.top} y2=${plot.bottom}></line>`;
}
