/**
 * The layout of "two ways": each whole text is a river from left to right. The middle column is the law itself. To the
 * left every token is cooled, to the right every text is sharpened. A river is as high as the text's probability.
 */
import { area } from 'd3-shape';

/** Columns on each side of the middle, and doublings of the power there: power 1 to 16. */
const STEPS = 32;
const DOUBLINGS = 4;
/** The rivers with a colour of their own. */
export const COLOURED = 8;

/** The powers of the right side, 1 first. */
export const POWERS = Array.from({ length: STEPS + 1 }, (_, i) => 2 ** ((DOUBLINGS * i) / STEPS));

/** The temperatures of the left side, the law's own last. @param {number} own */
export const temperaturesOf = (own) => POWERS.map((power) => own / power).reverse();

/**
 * @typedef {object} River
 * @property {number} index of the text in the law
 * @property {number} colour below COLOURED; -1 without a colour of its own
 * @property {Float64Array} shares (columns,)
 * @property {string} path
 * @property {{ x: number, y: number }[]} names the centres of its words, where they fit
 *
 * @typedef {object} Layout
 * @property {River[]} rivers the most probable first
 * @property {string} rest path of all other texts
 * @property {Float64Array} restShares
 * @property {(column: number) => number} x
 * @property {number} columns
 * @property {number} middle index of the column of the law itself
 */

/**
 * @param {any} law with `along` over temperaturesOf and `sharpened` over POWERS
 * @param {{ width: number, height: number, unit: number, words: (text: any) => string }} size in pixels
 * @returns {Layout}
 */
export function layoutRivers(law, { width, height, unit, words }) {
  const columns = 2 * STEPS + 1;
  const x = (/** @type {number} */ column) => (width * column) / (columns - 1);
  /** @param {Float64Array} left @param {Float64Array} right */
  const joined = (left, right) => Float64Array.from([...left, ...right.slice(1)]);
  const shares = law.sentences.map((/** @type {any} */ it) => joined(it.along, it.sharpened));
  const largest = shares.map((/** @type {Float64Array} */ each) => Math.max(...each));
  const coloured = [...largest.keys()]
    .sort((a, b) => largest[b] - largest[a])
    .slice(0, COLOURED)
    .sort((a, b) => a - b);
  const top = new Float64Array(columns);
  const rivers = shares.map((/** @type {Float64Array} */ own, /** @type {number} */ index) => {
    const above = top.slice();
    own.forEach((share, column) => (top[column] += share));
    const colour = coloured.indexOf(index);
    const band = { above, below: top.slice(), height, x };
    const wide = (words(law.sentences[index]).length * 7.5 + 12) * unit;
    const names = colour < 0 ? [] : labelsOf(band, wide, 17 * unit);
    return { index, colour, shares: own, path: pathOf(band), names };
  });
  const restShares = Float64Array.from(top, (share) => Math.max(0, 1 - share));
  const rest = pathOf({ above: top, below: new Float64Array(columns).fill(1), height, x });
  return { rivers, rest, restShares, x, columns, middle: STEPS };
}

/** @typedef {{ above: Float64Array, below: Float64Array, height: number, x: (column: number) => number }} Band */

/** @param {Band} band */
function pathOf({ above, below, height, x }) {
  const draw = area()
    .x((_, column) => Math.round(100 * x(column)) / 100)
    .y0((_, column) => Math.round(100 * height * above[column]) / 100)
    .y1((_, column) => Math.round(100 * height * below[column]) / 100);
  return draw(/** @type {any} */ (Array.from(above))) ?? '';
}

/** More room than this, in lines, makes no place of a name better. */
const ENOUGH = 3;

/**
 * The centres of a river's names: on each side the place nearest to the middle that has the most room, if any.
 * @param {Band} band
 * @param {number} wide width of the words
 * @param {number} line height of a line
 */
function labelsOf({ above, below, height, x }, wide, line) {
  const half = Math.ceil(wide / 2 / x(1));
  const middle = (above.length - 1) / 2;
  const near = (/** @type {number} */ side, /** @type {number} */ away) =>
    middle + side * (away + half);
  return [-1, 1].flatMap((side) => {
    let best = { room: line, x: 0, y: 0 };
    for (
      let away = 0;
      near(side, away + half) >= 0 && near(side, away + half) < above.length;
      away++
    ) {
      const at = near(side, away);
      const from = Math.max(...above.slice(at - half, at + half + 1)) * height;
      const to = Math.min(...below.slice(at - half, at + half + 1)) * height;
      const room = Math.min(to - from, ENOUGH * line);
      if (room > best.room) best = { room, x: x(at), y: (from + to) / 2 };
    }
    return best.x ? [{ x: best.x, y: best.y }] : [];
  });
}
