/** Renders the map that heat.js has laid out. */
import { nothing, svg } from 'lit';

/** @import { Layout } from './heat.js' */

/**
 * @typedef {object} Options
 * @property {Layout} layout
 * @property {number} unit pixels of 1/16 rem
 * @property {{ x: string, y: string, scale: string, value: (value: number) => string,
 *   short: (value: number) => string, tick: (value: number) => string,
 *   cell: (index: number) => string }} words
 * @property {number} at the index of the chosen cell
 */

const SIZE = 11.5;

/**
 * Renders the cells by rows from the top, because a screen reader reads a grid in this order.
 * @param {Options} options
 */
export function renderHeat(options) {
  const { layout, unit, at } = options;
  const { cells, cell } = layout;
  const count = Math.max(0, ...cells.map(({ row }) => row)) + 1;
  const rows = Array.from({ length: count }, (_, i) => count - 1 - i);
  const marked = cells[at];
  const longest = Math.max(
    ...cells.map(({ value }) => (value === null ? 0 : options.words.short(value).length)),
  );
  // If one cell has no room for its number, no cell shows one: otherwise some cells would look special.
  const room = (longest * 6.3 + 4) * unit < cell.width && cell.height >= 15 * unit;
  return svg`
    ${renderLegend(options)}
    ${renderAxes(options)}
    ${rows.map(
      (row) =>
        svg`<g role="row">${cells.flatMap((one, i) => (one.row === row ? [renderCell(one, i, room, options)] : []))}</g>`,
    )}
    ${
      marked
        ? svg`<rect class="at pointer" aria-hidden="true" x=${marked.x} y=${marked.y}
      width=${cell.width} height=${cell.height}></rect>
      <rect class="at inner pointer" aria-hidden="true" x=${marked.x + 2 * unit}
      y=${marked.y + 2 * unit} width=${Math.max(0, cell.width - 4 * unit)}
      height=${Math.max(0, cell.height - 4 * unit)}></rect>`
        : nothing
    }`;
}

/**
 * @param {Layout['cells'][number]} one
 * @param {number} i
 * @param {boolean} room true if the cell has room for its number
 * @param {Options} options
 */
function renderCell({ x, y, value, fill, ink }, i, room, { layout: { cell }, unit, words, at }) {
  return svg`
    <g class="cell ${value === null ? 'open' : ''}" role="gridcell" id="cell-${i}" data-index=${i}
      aria-selected=${i === at} aria-label=${words.cell(i)}>
      <rect x=${x} y=${y} width=${Math.max(0, cell.width - 1)} height=${cell.height - 1}
        fill=${fill || 'none'}></rect>
      ${
        value === null || !room
          ? nothing
          : svg`<text x=${x + cell.width / 2} y=${y + cell.height / 2 + 4 * unit} fill=${ink}
        font-size=${10.5 * unit} text-anchor="middle" aria-hidden="true">${words.short(value)}</text>`
      }
    </g>`;
}

/** @param {Options} options */
function renderAxes({ layout: { left, right, bottom, top, ticks }, unit, words }) {
  const size = SIZE * unit;
  return svg`
    <g class="frame" font-size=${size} aria-hidden="true">
      ${ticks.y.map(
        ({ value, at }) => svg`<text x=${left - 8 * unit} y=${at + 4 * unit}
          text-anchor="end">${words.tick(value)}</text>`,
      )}
      ${ticks.x.map(
        ({ value, at }) => svg`<text x=${at} y=${bottom + 17 * unit}
          text-anchor="middle">${words.tick(value)}</text>`,
      )}
      <text x=${(left + right) / 2} y=${bottom + 37 * unit} text-anchor="middle">${words.x} →</text>
      <text x=${left - 8 * unit} y=${top - 8 * unit} text-anchor="start"
        transform=${`translate(${-(left - 12 * unit)} 0)`}>↑ ${words.y}</text>
    </g>`;
}

/** @param {Options} options */
function renderLegend({ layout: { legend }, unit, words }) {
  const { x, width, steps, low, middle, high } = legend;
  const size = SIZE * unit;
  const step = width / steps.length;
  const label = (
    /** @type {number} */ value,
    /** @type {number} */ at,
    /** @type {string} */ anchor,
  ) => svg`<text x=${at} y=${46 * unit} text-anchor=${anchor}>${words.value(value)}</text>`;
  return svg`
    <g class="frame legend" font-size=${size} aria-hidden="true">
      <text x="0" y=${12 * unit}>${words.scale}</text>
      ${steps.map(
        (one) =>
          svg`<rect x=${one.x} y=${20 * unit} width=${step + 0.5} height=${10 * unit} fill=${one.fill}></rect>`,
      )}
      ${label(low, x, 'start')}
      ${high === low ? nothing : label(middle, x + width / 2, 'middle')}
      ${high === low ? nothing : label(high, x + width, 'end')}
    </g>`;
}
