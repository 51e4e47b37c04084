/**
 * Paints the picture of the stages on a canvas: a river of bands, one for each token. A change of the chain's stages
 * is animated; a moving knob is not.
 */
import { sizeCanvas } from '../../plots/canvas.js';
import { grainOf } from '../../plots/grain.js';
import { RAMP, colourOf, readPalette } from '../../plots/river-colours.js';
import {
  GAP,
  betweenStages,
  changedColumns,
  nameStages,
  sliceStages,
  stackOf,
} from '../../plots/stages.js';

/** @import { River, Band } from '../../plots/stages.js' */

/**
 * @typedef {Pick<Band, 'before' | 'after'>} Edges
 * @typedef {{ width: number, height: number, unit: number, family: string,
 *   palette: import('../../plots/river-colours.js').Palette }} Look
 *
 * @typedef {object} Shown
 * @property {number | null} drawn the id of the drawn token
 * @property {number | null} u null if the draw has none
 * @property {number | null} pointed the id of the band under the pointer
 * @property {number | null} followed the id of the band that the user follows
 * @property {(band: Band | null) => string} nameOf null asks for the name of the others
 * @property {(p: number) => string} percent
 */

/** Duration of the animation, in ms. */
export const MORPH_MS = 400;
/** Font sizes to try for names, in 1/16 rem. */
const SIZES = [22, 16, 13];
/** Font size of the titles, in 1/16 rem. */
const TITLE = 13;
/** Opacity of the veil over all bands if the user follows one, 0 to 1. */
const VEIL = 0.74;

const calm = matchMedia('(prefers-reduced-motion: reduce)');

export class StagesPicture {
  /** @type {Look} */
  look;
  /** @type {River | null} */
  river = null;
  #canvas;
  /**
   * The river at the start of the animation, its time in ms, and the first and last column of its moving part; null
   * without an animation.
   * @type {{ from: River, began: number, part: [number, number] } | null}
   */
  #morph = null;
  /** The inputs of the last painting. Only the river may differ between two frames of an animation. @type {unknown[]} */
  #painted = [];
  /** Widths of names at font size 1. @type {Map<string, number>} */
  #wide = new Map();

  /** @param {HTMLElement} plot contains the canvas @param {Element} colours */
  constructor(plot, colours) {
    this.#canvas = /** @type {HTMLCanvasElement} */ (plot.querySelector('canvas'));
    this.look = measureLook(plot, colours);
  }

  /** Measures sizes and colours again. @param {HTMLElement} plot @param {Element} colours */
  refit(plot, colours) {
    this.look = measureLook(plot, colours);
    this.#wide.clear();
  }

  /**
   * @param {River} river
   * @param {boolean} glides true to move there from the present river
   */
  take(river, glides) {
    const from = this.river && this.#riverAt(performance.now());
    this.river = river;
    if (!glides || !from || calm.matches) return;
    const part = changedColumns(betweenStages(from, river, 0), betweenStages(from, river, 1));
    this.#morph = { from, began: performance.now(), part };
  }

  /** @param {number} now */
  #riverAt(now) {
    const river = /** @type {River} */ (this.river);
    if (!this.#morph) return river;
    const part = (now - this.#morph.began) / MORPH_MS;
    if (part >= 1) this.#morph = null;
    return this.#morph
      ? betweenStages(this.#morph.from, river, 1 - (1 - Math.max(0, part)) ** 3)
      : river;
  }

  /** Paints the present river. Returns true during an animation, which needs further frames. @param {Shown} shown */
  paint(shown) {
    if (!this.river || !this.look.width) return false;
    this.#paint(this.#riverAt(performance.now()), shown);
    return this.#morph !== null;
  }

  /**
   * Returns the first and last column to paint: in an animation, the columns at rest keep their pixels.
   * @param {River} river @param {Shown} shown @returns {[number, number]}
   */
  #partToPaint({ columns }, { drawn, u, pointed, followed }) {
    const inputs = [this.look, this.#morph, drawn, u, pointed, followed];
    const goesOn = inputs.every((input, i) => input === this.#painted[i]);
    this.#painted = inputs;
    return this.#morph && goesOn ? this.#morph.part : [0, columns.length - 1];
  }

  /** @param {River} river @param {Shown} shown */
  #paint(river, shown) {
    const { look } = this;
    const { width, height } = look;
    const context = sizeCanvas(this.#canvas, width, height);
    const [first, last] = this.#partToPaint(river, shown);
    context.save();
    clipTo(context, river.columns, [first, last], look);
    const moving = sliceStages(river, first, last);
    const band = (/** @type {number | null} */ id) =>
      river.bands.find((each) => each.id === id) ?? null;
    paintBands(context, moving, shown.drawn, look);
    const followed = band(shown.followed);
    if (followed) paintFollowed(context, river, followed, shown, look);
    const pointed = band(shown.pointed);
    if (pointed) paintOutline(context, river, pointed, look);
    if (shown.u !== null) paintDraw(context, river, shown.u, look);
    paintNames(context, this.names(river, shown), shown, look);
    if (followed) paintShares(context, river, followed, shown, look);
    context.restore();
  }

  /** Finds a place for each name. @param {River} river @param {Shown} shown */
  names(river, { nameOf }) {
    const { width, height, unit, family } = this.look;
    const context = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext('2d'));
    const wide = (/** @type {Band | null} */ each) => {
      const name = nameOf(each);
      if (!this.#wide.has(name)) {
        context.font = `400 100px ${family}`;
        this.#wide.set(name, name === '' ? 0 : context.measureText(name).width / 100 + 0.5);
      }
      return Number(this.#wide.get(name));
    };
    return nameStages(river, { width, height, sizes: SIZES.map((size) => size * unit), wide });
  }
}

/**
 * Clears the part from one column to another and limits all painting to it, in whole pixels.
 * @param {CanvasRenderingContext2D} context
 * @param {River['columns']} columns
 * @param {[number, number]} part
 * @param {Size} size
 */
function clipTo(context, columns, [first, last], { width, height }) {
  const { a: ratio } = context.getTransform();
  const from = first === 0 ? 0 : Math.floor(columns[first].to * width * ratio) / ratio;
  const to =
    last < columns.length - 1 ? Math.ceil(columns[last].from * width * ratio) / ratio : width;
  context.beginPath();
  context.rect(from, 0, to - from, height);
  context.clip();
  context.clearRect(from, 0, to - from, height);
}

/** @param {HTMLElement} plot @param {Element} colours @returns {Look} */
function measureLook(plot, colours) {
  return {
    width: plot.clientWidth,
    height: plot.clientHeight,
    unit: parseFloat(getComputedStyle(document.documentElement).fontSize) / 16,
    family: getComputedStyle(plot).fontFamily,
    palette: readPalette(colours),
  };
}

/** Returns the font of the titles. @param {Look} look */
export const titleFont = ({ unit, family }) => `650 ${TITLE * unit}px ${family}`;

/**
 * Returns the room for a column's title in pixels. A title at an end reaches to the end of the picture.
 * @param {import('../../plots/stages.js').Column} column @param {Look} look
 */
export function roomOf({ from, to }, { width, unit }) {
  const pitch = (to - from) * (1 + GAP);
  const edge = from === 0 || to > 1 - pitch / 2;
  return (edge ? (to - from + pitch) / 2 : pitch) * width - (edge ? 8 : 12) * unit;
}

/**
 * @typedef {{ moveTo: (x: number, y: number) => void, lineTo: (x: number, y: number) => void,
 *   bezierCurveTo: (a: number, b: number, c: number, d: number, e: number, f: number) => void }} Pen
 * @typedef {{ width: number, height: number }} Size in pixels
 */

/**
 * Draws an edge of a band from left to right. Between two columns it is a curve, the same as in heightAt.
 * @param {Pen} pen
 * @param {River['columns']} columns
 * @param {Float64Array} edge
 * @param {Size} size
 */
function traceEdge(pen, columns, edge, { width, height }) {
  pen.moveTo(columns[0].from * width, edge[0] * height);
  for (const [c, { from, to }] of columns.entries()) {
    if (c > 0)
      curveTo(pen, columns[c - 1].to * width, from * width, edge[c - 1] * height, edge[c] * height);
    pen.lineTo(to * width, edge[c] * height);
  }
}

/** @param {Pen} pen @param {number} x @param {number} x2 @param {number} y @param {number} y2 */
function curveTo(pen, x, x2, y, y2) {
  const third = (x2 - x) / 3;
  pen.bezierCurveTo(x + third, y, x2 - third, y2, x2, y2);
}

/**
 * Draws the outline of a band: the upper edge from left to right, the lower edge back.
 * @param {Pen} pen
 * @param {River['columns']} columns
 * @param {Edges} edges
 * @param {Size} size
 */
export function traceBand(pen, columns, { before, after }, size) {
  const { width, height } = size;
  traceEdge(pen, columns, before, size);
  for (let c = columns.length - 1; c >= 0; c--) {
    pen.lineTo(columns[c].to * width, after[c] * height);
    pen.lineTo(columns[c].from * width, after[c] * height);
    if (c > 0)
      curveTo(
        pen,
        columns[c].from * width,
        columns[c - 1].to * width,
        after[c] * height,
        after[c - 1] * height,
      );
  }
}

/** @param {River} river @param {Edges} edges @param {Look} look */
function pathOf({ columns }, edges, look) {
  const path = new Path2D();
  traceBand(path, columns, edges, look);
  path.closePath();
  return path;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {River} river
 * @param {number | null} drawn
 * @param {Look} look
 */
function paintBands(context, river, drawn, look) {
  const { unit, palette } = look;
  context.lineJoin = 'round';
  context.lineWidth = 0.75 * unit;
  context.strokeStyle = palette.line;
  const colour = (/** @type {Band} */ { id, rank }) =>
    id === drawn ? palette.mark : colourOf(palette, rank);
  const stack = stackOf(river);
  if (stack) paintStack(context, river, stack, colour, look);
  else paintCrossing(context, river, drawn, colour, look);
}

/**
 * Paints bands that lie on each other in every column. Each one reaches down to a straight line, and the next one
 * covers its lower part: so an edge is rasterised once, not twice.
 * @param {CanvasRenderingContext2D} context
 * @param {River} river
 * @param {Band[]} stack from top to bottom
 * @param {(band: Band) => string} colour
 * @param {Look} look
 */
function paintStack(context, { columns, ground }, stack, colour, look) {
  const { width, height } = look;
  const fillBelow = (/** @type {Float64Array} */ edge, /** @type {number} */ bottom) => {
    context.beginPath(); // a Path2D for each band would cost more than its fill
    traceEdge(context, columns, edge, look);
    context.lineTo((columns.at(-1)?.to ?? 1) * width, bottom * height);
    context.lineTo(columns[0].from * width, bottom * height);
    context.fill();
  };
  for (const band of stack) {
    context.fillStyle = colour(band);
    fillBelow(band.before, Math.max(...band.after));
    strokeEdge(context, band, columns, look);
  }
  if (ground.every((y) => y === 1)) return;
  for (const fill of [look.palette.ground, grainOf(context, look)]) {
    context.fillStyle = fill;
    fillBelow(ground, 1);
  }
}

/**
 * Paints bands of any order, the drawn one last.
 * @param {CanvasRenderingContext2D} context
 * @param {River} river
 * @param {number | null} drawn
 * @param {(band: Band) => string} colour
 * @param {Look} look
 */
function paintCrossing(context, river, drawn, colour, look) {
  const { width, height, palette } = look;
  const above = Math.max(0, Math.min(...river.ground) * height - 1);
  // Crossing bands leave gaps between them; fill these with the colour of the last rank.
  context.fillStyle = palette.last;
  context.fillRect(0, 0, width, above);
  for (const fill of [palette.ground, grainOf(context, look)]) {
    context.fillStyle = fill;
    context.fillRect(0, above, width, height - above);
  }
  const bands = [...river.bands].sort((a, b) => Number(a.id === drawn) - Number(b.id === drawn));
  for (const band of bands) {
    context.fillStyle = colour(band);
    context.fill(pathOf(river, band, look));
    strokeEdge(context, band, river.columns, look);
  }
}

/**
 * Draws a line along the upper edge of a band, fainter for each rank. On thin bands it would cover the colour.
 * @param {CanvasRenderingContext2D} context @param {Band} band @param {River['columns']} columns @param {Size} size
 */
function strokeEdge(context, { rank, before }, columns, size) {
  if (rank >= RAMP) return;
  context.globalAlpha = Math.max(0.16, 1 - rank / RAMP);
  context.beginPath();
  traceEdge(context, columns, before, size);
  context.stroke();
  context.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {River} river
 * @param {Band} band
 * @param {Shown} shown
 * @param {Look} look
 */
function paintFollowed(context, river, band, { drawn }, look) {
  const { width, height, palette } = look;
  context.globalAlpha = VEIL;
  context.fillStyle = palette.panel;
  context.fillRect(0, 0, width, height);
  context.globalAlpha = 1;
  context.fillStyle = band.id === drawn ? palette.mark : colourOf(palette, 0);
  context.fill(pathOf(river, band, look));
  paintOutline(context, river, band, look);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {River} river
 * @param {Band} band
 * @param {Look} look
 */
function paintOutline(context, river, band, look) {
  context.strokeStyle = look.palette.ink;
  context.lineWidth = 1.5 * look.unit;
  context.stroke(pathOf(river, band, look));
}

/**
 * Paints the line of u across the last column.
 * @param {CanvasRenderingContext2D} context
 * @param {River} river
 * @param {number} u
 * @param {Look} look
 */
function paintDraw(context, { columns }, u, { width, height, unit, palette }) {
  const { from } = columns[columns.length - 1];
  const y = u * height;
  const left = Math.max(0, from * width - 14 * unit);
  const right = width - 9 * unit;
  for (const [colour, thick, dash] of [
    [palette.panel, 4, []],
    [palette.mark, 2, [6 * unit, 4 * unit]],
  ]) {
    context.strokeStyle = /** @type {string} */ (colour);
    context.lineWidth = Number(thick) * unit;
    context.setLineDash(/** @type {number[]} */ (dash));
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.stroke();
  }
  context.setLineDash([]);
  context.beginPath();
  context.arc(right, y, 6 * unit, 0, 2 * Math.PI);
  context.fillStyle = palette.panel;
  context.fill();
  context.strokeStyle = palette.mark;
  context.lineWidth = 3 * unit;
  context.stroke();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import('../../plots/stages.js').Name[]} names
 * @param {Shown} shown
 * @param {Look} look
 */
function paintNames(context, names, { drawn, followed, nameOf }, { palette, family }) {
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const sorted = followed === null ? [...names].sort((a, b) => a.size - b.size) : [];
  let fontSize = 0; // the font is set once per size, because the browser parses it anew each time
  for (const { band, x, y, size, width, last } of sorted) {
    if (size !== fontSize) context.font = `400 ${size}px ${family}`;
    fontSize = size;
    const lit = band?.id === drawn;
    // A name in the last column covers the line of u.
    context.fillStyle = lit ? palette.mark : colourOf(palette, band?.rank ?? -1);
    if (last) context.fillRect(x - width / 2, y - size * 0.55, width, size * 1.1);
    context.fillStyle = lit ? palette.markInk : band ? palette.ink : palette.soft;
    context.fillText(nameOf(band), x, y + size * 0.04);
  }
}

/**
 * Paints the probability of the followed token at each stage.
 * @param {CanvasRenderingContext2D} context
 * @param {River} river
 * @param {Band} band
 * @param {Shown} shown
 * @param {Look} look
 */
function paintShares(
  context,
  { columns },
  band,
  { percent, nameOf },
  { width, height, unit, family, palette },
) {
  const size = 13 * unit;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = `650 ${size}px ${family}`;
  for (const [c, { from, to }] of columns.entries()) {
    const text = `${c === 0 ? `${nameOf(band)} ` : ''}${percent(band.p[c])}`;
    const wide = context.measureText(text).width + size * 0.8;
    const tall = size * 1.5;
    const x = Math.min(width - wide / 2, Math.max(wide / 2, ((from + to) / 2) * width));
    const middle = ((band.before[c] + band.after[c]) / 2) * height;
    const y = Math.min(height - tall / 2, Math.max(tall / 2, middle));
    context.fillStyle = palette.panel;
    context.beginPath();
    context.roundRect(x - wide / 2, y - tall / 2, wide, tall, tall / 2);
    context.fill();
    context.fillStyle = band.p[c] > 0 ? palette.ink : palette.soft;
    context.fillText(text, x, y + size * 0.04);
  }
}
