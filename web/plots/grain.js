/**
 * The grain of the ground, which stands for thousands of words: a tile of short dashes. It is the same in
 * each picture and each file.
 */

/** The width and height of the tile, and of the cells with a dash each, in 1/16 rem. */
export const TILE = 96;
const CELL = 4;
/** The opacity of a dash. */
export const FAINT = 0.36;

/** The dashes in 1/16 rem: left, top and width. @type {[number, number, number][]} */
export const GRAIN = [];
let state = 54;
/** Returns a whole number from 0 to `n` - 1, of a linear congruential generator. @param {number} n */
const next = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};
for (let x = 0; x < TILE; x += CELL)
  for (let y = 0; y < TILE; y += CELL)
    GRAIN.push([x + next(CELL - 1), y + next(CELL), 1 + next(2)]);

/** The tile of each palette. @type {WeakMap<import('./river-colours.js').Palette, CanvasPattern>} */
const tiles = new WeakMap();

/**
 * Returns the grain as a fill.
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
