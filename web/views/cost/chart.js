/** The chart of the cost by the length of the text, with a line for each way of computing. */
import { html } from 'lit';
import { number } from '../../locale/locale.js';
import { layoutTrend, markAt } from '../../plots/trend.js';
import { renderTrend } from '../../plots/trend-view.js';

/**
 * @param {object} options
 * @param {{ key: string, values: number[] }[]} options.series
 * @param {number[]} options.places the numbers of tokens, on the x axis
 * @param {boolean} options.counts true if widely spread values may have a logarithmic axis
 * @param {{ x: string, y: string, legend: string[] }} options.words
 * @param {(value: number) => string} options.write writes a value on the axis
 * @param {number} options.at the index of the chosen point
 * @param {(at: number) => void} options.onPoint
 * @param {{ width: number, height: number, unit: number }} size in pixels; unit: pixels per 1/16 rem
 */
export function renderChart({ series, places, counts, words, write, at, onPoint }, size) {
  const layout = layoutTrend({
    series: series.map(({ key, values }) => ({
      key,
      band: false,
      marks: values.map((y, i) => ({ x: places[i], y, low: y, high: y, label: '' })),
    })),
    limits: [],
    x: [0, Math.max(...places)],
    y: null,
    counts,
    named: false,
    legend: 2,
    now: null,
    ...size,
  });
  const { height, unit } = size;
  const all = { ...words, now: '', tickX: number, tickY: write };
  const point = (/** @type {PointerEvent} */ { offsetX, offsetY }) =>
    onPoint(markAt(layout, offsetX, offsetY, true));
  return html`<svg height=${height} font-size=${13 * unit} aria-hidden="true" @pointermove=${point}
    @pointerdown=${point}>${renderTrend({ layout, unit, words: all, at })}</svg>`;
}
