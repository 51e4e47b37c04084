/**
 * The layout of a picture of whole texts: bands that lie on each other from the top, each as high at every column as
 * its share. A column is a value of a setting, a power, or a law.
 */
import { area, curveLinear, curveMonotoneX, curveStep, line } from 'd3-shape';

const CURVES = { lines: curveLinear, smooth: curveMonotoneX, steps: curveStep };
/** The bands with a colour or a name of their own. */
export const COLOURED = 8;
/** The fill of the band of all other texts. */
const REST = 'rest';

/**
 * @typedef {object} Band
 * @property {number} index of the text in the law; -1 for a band of many texts
 * @property {ArrayLike<number>} shares (columns,)
 * @property {string} words the name; '' for none
 * @property {string} fill CSS classes; '' for the text's own colour
 *
 * @typedef {object} Scene
 * @property {Band[]} bands from the top
 * @property {number} columns
 * @property {[number, number, number][]} spans ranges of columns with one name for each band: first, last, and the
 *   column that the name should be near
 * @property {keyof typeof CURVES} between the course between two columns; `steps` if shares jump
 * @property {{ values: ArrayLike<number>, kind: string, count: ArrayLike<number>, digits: number }[]} curves values: heights
 *   from the bottom, as shares; count: the numbers to show
 *
 * @typedef {Band & { colour: number, path: string, names: { x: number, y: number, words: string }[] }} River
 *   colour: below COLOURED; -1 without a colour of its own
 *
 * @typedef {object} Layout
 * @property {River[]} rivers as the bands of the scene
 * @property {string[]} curves paths
 * @property {(column: number) => number} x
 */

/**
 * @param {Scene} scene
 * @param {{ width: number, height: number, unit: number }} size in pixels
 * @returns {Layout}
 */
export function layoutScene({ bands, columns, spans, between, curves }, { width, height, unit }) {
  const x = (/** @type {number} */ column) => (width * column) / (columns - 1);
  const largest = bands.map(({ shares }) => Math.max(...Array.from(shares)));
  const coloured = [...bands.keys()]
    .filter((i) => bands[i].words && bands[i].fill !== REST)
    .sort((a, b) => largest[b] - largest[a])
    .slice(0, COLOURED)
    .sort((a, b) => a - b);
  const top = new Float64Array(columns);
  const rivers = bands.map((band, i) => {
    const above = top.slice();
    for (let column = 0; column < columns; column++) top[column] += band.shares[column];
    const shape = { above, below: top.slice(), height, x };
    const colour = coloured.indexOf(i);
    const named = colour >= 0 || band.fill === REST;
    const names = named ? namesOf(shape, band.words, unit, { spans, last: columns - 1 }) : [];
    return {
      ...band,
      colour: band.fill ? -1 : colour,
      path: pathOf(shape, CURVES[between]),
      names,
    };
  });
  const draw = line()
    .x((_, column) => round(x(column)))
    .y((value) => round(height * (1 - Number(value))))
    .curve(CURVES[between]);
  const paths = curves.map(({ values }) => draw(/** @type {any} */ (Array.from(values))) ?? '');
  return { rivers, curves: paths, x };
}

/** @param {number} value */
const round = (value) => Math.round(100 * value) / 100;

/** @typedef {{ above: Float64Array, below: Float64Array, height: number, x: (column: number) => number }} Shape */

/** @param {Shape} shape @param {typeof curveLinear} curve */
function pathOf({ above, below, height, x }, curve) {
  const draw = area()
    .x((_, column) => round(x(column)))
    .y0((_, column) => round(height * above[column]))
    .y1((_, column) => round(height * below[column]))
    .curve(curve);
  return draw(/** @type {any} */ (Array.from(above))) ?? '';
}

/** More room than this, in lines, makes no place of a name better. */
const ENOUGH = 3;

/** The most words of a name that is cut. */
const FIRST_WORDS = 3;

/**
 * The names of a river: one in each span, else one anywhere, else the first words of a longer text.
 * @param {Shape} shape
 * @param {string} words
 * @param {number} unit
 * @param {{ spans: Scene['spans'], last: number }} places
 */
function namesOf(shape, words, unit, { spans, last }) {
  const all = words.split(' ');
  const begins = [FIRST_WORDS, FIRST_WORDS - 1].filter(() => all.length > FIRST_WORDS);
  /** @type {Scene['spans']} */
  const anywhere = [[0, last, last / 2]];
  for (const name of [words, ...begins.map((n) => `${all.slice(0, n).join(' ')} …`)])
    for (const places of [spans, anywhere]) {
      const wide = (name.length * 7.5 + 12) * unit;
      const found = places.flatMap((span) => nameOf(shape, wide, 17 * unit, span));
      if (found.length) return found.map((place) => ({ ...place, words: name }));
    }
  return [];
}

/**
 * The centre of a river's name: the place in the span with the most room, near to a column if several have enough.
 * Empty without room.
 * @param {Shape} shape
 * @param {number} wide width of the words
 * @param {number} high height of a line
 * @param {[number, number, number]} span
 */
function nameOf({ above, below, height, x }, wide, high, [first, last, near]) {
  const half = Math.ceil(wide / 2 / x(1));
  let best = { room: high, away: Infinity, x: 0, y: 0 };
  for (let at = first + half; at <= last - half; at++) {
    const from = Math.max(...above.subarray(at - half, at + half + 1)) * height;
    const to = Math.min(...below.subarray(at - half, at + half + 1)) * height;
    const room = Math.min(to - from, ENOUGH * high);
    const away = Math.abs(at - near);
    if (room > best.room || (room === best.room && best.x && away < best.away))
      best = { room, away, x: x(at), y: (from + to) / 2 };
  }
  return best.x ? [{ x: best.x, y: best.y }] : [];
}
