/**
 * The pattern of the ground, which stands for thousands of tokens: short dashes. It is the same in every picture and
 * file.
 */

/** Size of the pattern's tile, and of the cells that each have one dash, in 1/16 rem. */
export const TILE = 96;
const CELL = 4;
/** The opacity of a dash. */
export const FAINT = 0.36;

/** Position and width of each dash, in 1/16 rem. @type {[number, number, number][]} */
export const GRAIN = [];
let state = 54;
/** Returns a pseudo-random number from 0 to n - 1. @param {number} n */
const next = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};
for (let x = 0; x < TILE; x += CELL)
  for (let y = 0; y < TILE; y += CELL)
    GRAIN.push([x + next(CELL - 1), y + next(CELL), 1 + next(2)]);

/** The finished tile for each palette. @type {WeakMap<import('./river-colours.js').Palette, CanvasPattern>} */
const tiles = new WeakMap();

/**
 * Returns the pattern as a fill for the canvas.
 * @param {CanvasRenderingContext2D} context
 * @param {{ palette: import('./river-colours.js').Palette, unit: number }} look
 */
export function grainOf(context, { palette, unit }) {
  const known = tiles.get(palette);
  if (known) return known;
  const canvas = document.createElement('canvas');
  const scale = unit * devicePixelRatio;
  canvas.width = canvas.height = Math.round(TILE * scale);
  const tile = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  tile.scale(canvas.width / TILE, canvas.width / TILE);
  tile.globalAlpha = FAINT;
  tile.fillStyle = palette.grid;
  for (const [x, y, width] of GRAIN) tile.fillRect(x, y, width, 1);
  const pattern = /** @type {CanvasPattern} */ (context.createPattern(canvas, 'repeat'));
  pattern.setTransform(new DOMMatrix().scale(1 / devicePixelRatio));
  tiles.set(palette, pattern);
  return pattern;
}
