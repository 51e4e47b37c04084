/**
 * Renders the strip of tokens that strip.js has laid out, with a line (the needle) at u. Everything moves only by CSS
 * transforms.
 */
import { nothing, svg } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { cssom } from './cssom.js';

/** @import { Segment } from './strip.js' */

/**
 * @typedef {object} Options
 * @property {import('./strip.js').Layout} layout
 * @property {number} unit pixels per 1/16 rem
 * @property {(value: number) => string} tick
 * @property {(segment: Segment, letters: number) => unknown} label
 * @property {(segment: Segment) => string} title
 */

/** Height of the strip with needle and axis, in 1/16 rem. */
export const STRIP_HEIGHT = 75;
const TOP = 16;
const HEIGHT = 34;
const LETTER = 12.5;
/** Least number of letters of a shortened name; with room for fewer, there is no name. */
const FEWEST = 4;

/** @param {Options} options */
export function renderStrip(options) {
  const { layout } = options;
  return svg`
    ${repeat(
      layout.segments,
      ({ key }) => key,
      (segment) => renderSegment(segment, options),
    )}
    ${renderAxis(options)}
    ${layout.u === null ? nothing : renderNeedle(layout.u, options)}`;
}

/**
 * @param {Segment} segment
 * @param {Options} options
 */
function renderSegment(segment, { layout, unit, label, title }) {
  const { width, x, from, to, isNext } = segment;
  // The needle divides its token in two parts; the name is in the wider part.
  const needle = isNext && layout.u !== null ? layout.u - x : 0;
  const [start, end] = needle > width / 2 ? [0, needle] : [needle, width];
  const letters = Math.floor((end - start - 8 * unit) / (LETTER * unit * 0.62));
  const baseline = (TOP + HEIGHT / 2 + LETTER * 0.36) * unit;
  const middle = cssom({ transform: `translateX(${(start + end) / 2}px)` });
  const name = svg`<text y=${baseline} font-size=${LETTER * unit} ${middle}>
    ${label(segment, letters)}</text>`;
  return svg`
    <g class="segment ${isNext ? 'next' : ''}" data-from=${from} data-to=${to}
      ${cssom({ transform: `translateX(${x}px)` })}>
      <title>${title(segment)}</title>
      <rect y=${TOP * unit} width="1" height=${HEIGHT * unit}
        ${cssom({ transform: `scaleX(${Math.max(0.5, width)})` })}></rect>
      ${letters < Math.min(FEWEST, title(segment).length) ? nothing : name}
    </g>`;
}

/** @param {Options} options */
function renderAxis({ layout, unit, tick }) {
  const y = (TOP + HEIGHT) * unit;
  return svg`
    <g class="axis" font-size=${11.5 * unit}>
      ${layout.ticks.map(
        ({ value, x }) => svg`
          <line x1=${x} x2=${x} y1=${y} y2=${y + 5 * unit}></line>
          <text x=${x} y=${y + 19 * unit}>${tick(value)}</text>`,
      )}
    </g>`;
}

/**
 * @param {number} u in pixels
 * @param {Options} options
 */
function renderNeedle(u, { layout, unit }) {
  const [side, anchor] = u > layout.width / 2 ? [-12, 'end'] : [12, 'start'];
  return svg`
    <g class="needle" ${cssom({ transform: `translateX(${u}px)` })}>
      <line y1=${5 * unit} y2=${(TOP + HEIGHT + 3) * unit}></line>
      <path d="M0 ${13 * unit}L${-7 * unit} 0H${7 * unit}Z"></path>
      <text x=${side * unit} y=${11 * unit} font-size=${LETTER * unit} text-anchor=${anchor}>u</text>
    </g>`;
}
