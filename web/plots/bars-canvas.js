/**
 * Paints the bars and their numbers on a canvas over the rendered bars while a knob moves. This is much faster than
 * moving each SVG element.
 */
import { afterBar } from './bars.js';
import { fitCanvas } from './canvas.js';
import { setProperties } from './cssom.js';

/** @import { Layout, Row } from './bars.js' */

/**
 * The computed style of one part of a rendered row. `path` is null if the part has no `d` attribute.
 * @typedef {{ fill: string, stroke: string, font: string, path: Path2D | null }} Look
 */

export class MovingBars {
  /** The elements of the rendered rows; null after bars-view.js has rendered them again. @type {Element[] | null} */
  #rendered = null;
  /** Styles by the classes of row and part, so that each is computed only once. @type {Map<string, Look>} */
  #looks = new Map();

  /**
   * @param {Element} chart with rendered bars for the same shapeOf(layout)
   * @param {Layout} layout
   * @param {number} unit pixels per 1/16 rem
   * @param {(row: Row) => string} percent the text at the end of a bar
   */
  paint(chart, { rows, rest, columns, width, height }, unit, percent) {
    const { barX, barTop, barHeight, baseline } = columns;
    const canvas = /** @type {HTMLCanvasElement} */ (chart.querySelector('canvas'));
    const wide = width - barX;
    setProperties(canvas, { left: `${barX}px`, width: `${wide}px`, height: `${height}px` });
    if (!chart.classList.contains('moving')) chart.classList.add('moving');
    const context = fitCanvas(canvas, wide, height);
    const thick = Math.round(barHeight / 2);
    const rendered = (this.#rendered ??= [...chart.querySelectorAll('.row')]);
    const all = rest ? [...rows, rest] : rows;
    const middleOf = (/** @type {Row} */ row) => row.y + barTop + barHeight / 2;
    /** For each colour: one path with all its bars. @type {Map<string, Path2D>} */
    const bars = new Map();
    all.forEach((row, i) => {
      const { fill } = this.#lookOf(rendered[i], '.final');
      const bar = bars.get(fill) ?? new Path2D();
      bars.set(fill, bar);
      const long = row.p > 0 ? Math.max(1, row.final) : 0;
      const round = long < 4.5 * unit ? 0 : 1.5 * unit;
      bar.roundRect(0, middleOf(row) - thick / 2, long, thick, [0, round, round, 0]);
    });
    for (const [fill, bar] of bars) {
      context.fillStyle = fill;
      context.fill(bar);
    }
    let [font, ink] = ['', ''];
    all.forEach((row, i) => {
      const { final, raw, second } = row;
      const look = (/** @type {string} */ part) => this.#lookOf(rendered[i], part);
      if (row.over) {
        const over = look('.over');
        context.fillStyle = ink = over.fill;
        context.translate(0, row.y + barTop);
        context.fill(/** @type {Path2D} */ (over.path));
        context.translate(0, -row.y - barTop);
      }
      if (second >= 3 * unit) {
        const ring = look('.second');
        context.beginPath();
        context.arc(second, middleOf(row), 3 * unit, 0, 2 * Math.PI);
        context.fillStyle = ink = ring.fill;
        context.fill();
        context.strokeStyle = ring.stroke;
        context.lineWidth = 1.5 * unit;
        context.stroke();
      }
      if (row.removed_by) return;
      const after = look('.after');
      if (after.font !== font) context.font = font = after.font; // only if it differs: setting a font is slow
      if (after.fill !== ink) context.fillStyle = ink = after.fill;
      const end = afterBar(Math.max(final, raw, 1), second, unit);
      context.fillText(percent(row), end + 8 * unit, row.y + baseline);
    });
  }

  /** Hides the canvas, so that the rendered bars are visible again. @param {Element | null} chart */
  end(chart) {
    chart?.classList.remove('moving');
    this.#rendered = null;
    this.#looks.clear();
  }

  /** @param {Element} row @param {string} part */
  #lookOf(row, part) {
    const key = `${row.getAttribute('class')} ${part}`;
    const known = this.#looks.get(key);
    if (known) return known;
    const element = /** @type {Element} */ (row.querySelector(part));
    const { fill, stroke, fontWeight, fontSize, fontFamily } = getComputedStyle(element);
    // The computed `font` is empty if the style sheet sets tabular figures.
    const font = `${fontWeight} ${fontSize} ${fontFamily}`;
    const path = element.getAttribute('d');
    const look = { fill, stroke, font, path: path === null ? null : new Path2D(path) };
    this.#looks.set(key, look);
    return look;
  }
}
