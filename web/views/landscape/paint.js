/**
 * Paints the layers of the landscape on canvases. The functions have no state of their own, except a cache of
 * colours.
 */
import { riverAt, threadOf, walkEdges } from '../../plots/landscape.js';
import { grainOf } from '../../plots/grain.js';
import { RAMP, colourOf } from '../../plots/river-colours.js';

/**
 * @typedef {import('../../plots/landscape.js').Rivers} Rivers
 * @typedef {import('../../plots/landscape.js').River} River
 * @typedef {import('../../plots/landscape.js').Label} Label
 *
 * @typedef {import('../../plots/river-colours.js').Palette} Palette
 *
 * @typedef {{ width: number, height: number, unit: number, family: string, serif: string, palette: Palette }} Look
 *
 * @typedef {{ river: River, name: string, label: Label | null, rank: number }} Named `rank`: from 0 for
 *   tokens; -1 for the ground
 */

/** Least thickness of the line that stands for a token without a river, in 1/16 rem. */
export const THREAD = 1.5;
/** Opacity of the veil over regions that did not change, 0 to 1. */
const VEIL = 0.72;
/** Width of the strip at the knob's line, and of its border, in 1/16 rem. */
const STRIP = 8;
const BORDER = 2;

/**
 * @param {Omit<River, 'id'>} river
 * @param {Look} look
 */
function pathOf(river, { width, height }) {
  const path = new Path2D();
  walkEdges(river, (x, y) => path.lineTo(x * width, y * height));
  path.closePath();
  return path;
}

/**
 * Paints the rivers of the tokens and the ground below them, which stands for all other tokens.
 * @param {CanvasRenderingContext2D} context
 * @param {Pick<Named, 'river' | 'rank'>[]} named
 * @param {Look} look
 * @param {Map<number, string> | null} [colours] by token; null for the colours of the ranks
 */
export function paintRivers(context, named, look, colours = null) {
  const { width, height, unit, palette } = look;
  for (const fill of [palette.ground, grainOf(context, look)]) {
    context.fillStyle = fill;
    context.fillRect(0, 0, width, height);
  }
  context.lineJoin = 'round';
  context.lineWidth = 0.75 * unit;
  context.strokeStyle = palette.line;
  for (const { river, rank } of named) {
    if (rank < 0) continue;
    const path = pathOf(river, look);
    context.fillStyle = colours?.get(river.id) ?? colourOf(palette, rank);
    context.fill(path);
    // On a thin river, a full outline would cover the colour.
    context.globalAlpha = Math.max(0.16, 1 - rank / RAMP);
    context.stroke(path);
    context.globalAlpha = 1;
  }
}

/**
 * Paints a veil over the regions that two landscapes have in common, so that their differences are easy to see.
 * @param {CanvasRenderingContext2D} context
 * @param {Omit<River, 'id'>[]} same
 * @param {Look} look
 */
export function paintVeil(context, same, look) {
  context.fillStyle = look.palette.panel;
  context.globalAlpha = VEIL;
  const veil = new Path2D();
  for (const each of same) veil.addPath(pathOf(each, look));
  context.fill(veil);
  context.globalAlpha = 1;
}

/**
 * Highlights the river of the drawn token, or paints a line if this token has no river. Outlines the river under the
 * pointer.
 * @param {CanvasRenderingContext2D} context
 * @param {{ drawn: Named | null, course: River | null, pointed: Named | null }} lit
 * @param {Look} look
 */
export function paintLit(context, { drawn, course, pointed }, look) {
  const { width, height, unit, palette } = look;
  const river = course ?? drawn?.river;
  if (river) {
    context.fillStyle = palette.mark;
    context.fill(pathOf(river, look));
  }
  if (course) {
    context.strokeStyle = palette.mark;
    context.lineWidth = THREAD * unit;
    context.beginPath();
    for (const line of threadOf(course))
      line.forEach(([x, y], i) => context[i ? 'lineTo' : 'moveTo'](x * width, y * height));
    context.stroke();
  }
  if (!pointed) return;
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.5 * unit;
  context.stroke(pathOf(pointed.river, look));
}

/**
 * Paints the names. A rectangle in the river's colour is behind each name, because the line of u would cross it.
 * @param {CanvasRenderingContext2D} context
 * @param {Named[]} named
 * @param {number | null} drawn
 * @param {boolean} veiled true if a veil covers the rivers
 * @param {Look} look
 */
export function paintNames(context, named, drawn, veiled, { palette, family }) {
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const { river, name, label, rank } of named) {
    if (!label) continue;
    const lit = rank >= 0 && river.id === drawn;
    context.save();
    context.translate(label.x, label.y);
    context.rotate(label.angle);
    context.font = `${rank < 0 ? 400 : 500} ${label.size}px ${family}`;
    // The name is inside its river, so this rectangle hides only the line of u.
    context.fillStyle = lit ? palette.mark : colourOf(palette, rank);
    const wide = context.measureText(name).width + label.size * 0.4;
    if (lit || !veiled) context.fillRect(-wide / 2, -label.size * 0.53, wide, label.size * 1.06);
    context.fillStyle = lit ? palette.markInk : rank < 0 ? palette.soft : palette.ink;
    context.fillText(name, 0, label.size * 0.04);
    context.restore();
  }
}

/** Returns the width of the strip at the knob's line, with its border. @param {number} unit */
export function stripWidth(unit) {
  return (STRIP + 2 * BORDER + 2) * unit;
}

/**
 * Paints the strip at the knob's line from the exact distribution at its value. The strip stays transparent for
 * tokens that the trace does not list.
 * @param {CanvasRenderingContext2D} context
 * @param {{ slice: { id: number, p: number }[], drawn: number, rankOf: (id: number) => number }} shown
 * @param {Look} look
 */
export function paintStrip(context, { slice, drawn, rankOf }, { height, unit, palette }) {
  const width = stripWidth(unit);
  context.fillStyle = palette.ink;
  for (const x of [0, width - unit]) context.fillRect(x, 0, unit, height);
  context.fillStyle = palette.panel;
  for (const x of [unit, width - unit - BORDER * unit])
    context.fillRect(x, 0, BORDER * unit, height);
  let walked = 0;
  for (const { id, p } of slice) {
    context.fillStyle = id === drawn ? palette.mark : colourOf(palette, rankOf(id));
    const tall = p * height;
    context.fillRect(
      (1 + BORDER) * unit,
      walked * height,
      STRIP * unit,
      tall > 1 ? tall - 0.5 : tall,
    );
    walked += p;
  }
}

/**
 * Returns the river at a point of the picture; the ground if there is none.
 * @param {Named[]} named
 * @param {Rivers} rivers
 * @param {number} share
 * @param {number} u
 */
export function namedAt(named, rivers, share, u) {
  const id = riverAt(rivers, share, u)?.id ?? -1;
  return named.find(({ river }) => river.id === id) ?? null;
}
