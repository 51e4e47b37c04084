/**
 * Lays out a sweep over two settings as a grid of cells: the first setting from left to right, the second one
 * upwards. The colours are cividis: greater values are lighter, and colour-blind people see nearly the same picture.
 */
import { isWide } from './trend.js';

/** @typedef {ReturnType<typeof layoutHeat>} Layout */

const STOPS = [
  0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55,
  0xfee838,
].map((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]);

/** Number of colours in the legend. */
const LEGEND = 48;

/**
 * Returns the colour of a share from 0 (dark) to 1 (bright), and the colour of readable text on it.
 * @param {number} share
 */
function colourOf(share) {
  const place = Math.max(0, Math.min(1, share)) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(place));
  const channels = STOPS[low].map((from, i) =>
    Math.round(from + (place - low) * (STOPS[low + 1][i] - from)),
  );
  const [r, g, b] = channels.map((channel) => {
    const c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return {
    fill: `rgb(${channels.join(', ')})`,
    ink: luminance > 0.179 ? '#000000' : '#ffffff',
  };
}

/**
 * @param {{ columns: number[], rows: number[], values: (number | null)[], counts: boolean,
 *   width: number, unit: number }} options values: one column after another, each from the
 *   lowest row up, null if unknown; counts: true if the values are counts, whose colours are
 *   logarithmic if they spread widely; unit: pixels per 1/16 rem
 */
export function layoutHeat({ columns, rows, values, counts, width, unit }) {
  const found = values.filter((value) => value !== null);
  const low = found.length ? Math.min(...found) : 0;
  const high = found.length ? Math.max(...found) : 0;
  const logarithmic = counts && isWide(found);
  /** @param {number} value */
  const share = (value) => {
    if (high === low) return 0.5;
    return logarithmic
      ? Math.log(value / low) / Math.log(high / low)
      : (value - low) / (high - low);
  };
  const left = 52 * unit;
  const top = 72 * unit;
  const w = (width - left - 8 * unit) / columns.length;
  const h = Math.max(18, Math.min(40, 440 / rows.length)) * unit;
  const bottom = top + h * rows.length;
  const cells = values.map((value, i) => {
    const column = Math.floor(i / rows.length);
    const row = i % rows.length;
    return {
      column,
      row,
      value,
      x: left + column * w,
      y: bottom - (row + 1) * h,
      ...(value === null ? { fill: '', ink: '' } : colourOf(share(value))),
    };
  });
  return {
    width,
    height: bottom + 44 * unit,
    left,
    top,
    bottom,
    right: left + w * columns.length,
    cell: { width: w, height: h },
    cells,
    logarithmic,
    ticks: {
      x: everyNth(columns, 38 * unit, w).map(({ value, i }) => ({
        value,
        at: left + (i + 0.5) * w,
      })),
      y: everyNth(rows, 15 * unit, h).map(({ value, i }) => ({
        value,
        at: bottom - (i + 0.5) * h,
      })),
    },
    legend: {
      low,
      high,
      middle: logarithmic ? Math.sqrt(low * high) : (low + high) / 2,
      ...layoutLegend(left, Math.min(260 * unit, width - left - 8 * unit)),
    },
  };
}

/** Returns the coloured steps of the legend between `x` and `x` + `width`. @param {number} x @param {number} width */
function layoutLegend(x, width) {
  const steps = Array.from({ length: LEGEND }, (_, i) => ({
    x: x + (i * width) / LEGEND,
    fill: colourOf(i / (LEGEND - 1)).fill,
  }));
  return { x, width, steps };
}

/**
 * Returns every n-th value, where n is just large enough that the labels have room.
 * @param {number[]} values
 * @param {number} room the space of one label, in pixels
 * @param {number} size the size of a cell, in pixels
 */
function everyNth(values, room, size) {
  const every = Math.max(1, Math.ceil(room / size));
  return values.map((value, i) => ({ value, i })).filter(({ i }) => i % every === 0);
}

/**
 * Returns the index of the cell at a position in pixels; -1 outside the grid.
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 */
export function cellAt({ cells, cell }, x, y) {
  return cells.findIndex(
    (one) => x >= one.x && x < one.x + cell.width && y >= one.y && y < one.y + cell.height,
  );
}
