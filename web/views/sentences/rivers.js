/** Draws a picture of whole texts: its bands, curves, names, ticks, and the chosen text and column. */
import { nothing, svg } from 'lit';
import { briefPercent, plain, t } from '../../locale/locale.js';

/** Height above the bands, and width beside them for numbers, in 1/16 rem. */
export const HEAD = 24;
const SIDE = 104;
const NARROW_SIDE = 76;
/** A picture below this width has narrow sides. In 1/16 rem. */
const NARROW = 560;
/** Width of a bar at each side of a mask, in 1/16 rem. */
const BAR = 24;

/**
 * The width beside the bands on each side, in 1/16 rem.
 * @param {{ sides?: boolean }} scene
 * @param {number} width of the picture, in 1/16 rem
 */
export const sideOf = ({ sides }, width) => (!sides ? 0 : width < NARROW ? NARROW_SIDE : SIDE);

/**
 * @param {object} picture
 * @param {ReturnType<import('./pictures.js').Picture['scene']>} picture.scene
 * @param {import('./layout.js').Layout} picture.layout
 * @param {number} picture.at index of the chosen text
 * @param {number | null} picture.column the chosen column
 * @param {{ width: number, height: number, unit: number, side: number }} picture.size of the bands, in pixels; side: the width beside them
 * @param {number} picture.few the most ticks
 */
export function renderRivers({ scene, layout, at, column, size, few }) {
  const { width, height, unit, side } = size;
  const { rivers, x, curves } = layout;
  const { middle, heads, sides } = scene;
  const inside = sides ? 'river ribbon' : 'river';
  const labels = placeCurveNames(scene.curves, column ?? middle ?? 0, x, size);
  const isFree = (/** @type {{ x: number, y: number }} */ place, /** @type {string} */ words) =>
    labels.every(
      ({ left, wide, y }) =>
        Math.abs(place.y - y) >= LINE * unit ||
        Math.abs(place.x - left - wide / 2) >= (wide + widthOf(words, unit)) / 2,
    );
  return svg`
    <text class="way" y=${15 * unit}>${heads[0]}</text>
    <text class="way" x=${width + 2 * side} y=${15 * unit} text-anchor="end">${heads[1]}</text>
    <g transform="translate(${side} ${HEAD * unit})">
    ${rivers.map(({ index, fill, colour, path }, i) => {
      const own = fill || (colour < 0 ? `pale${i % 2}` : `c${colour}`);
      const chosen = index >= 0 && index === at ? 'chosen' : '';
      return svg`<path class="${index < 0 ? '' : inside} ${own} ${chosen}" data-text=${index < 0 ? nothing : index} d=${path}></path>`;
    })}
    ${sides ? renderSides(scene, layout, size) : nothing}
    ${curves.map((path, i) => svg`<path class="curve halo" d=${path}></path><path class="curve ${scene.curves[i].kind}" d=${path}></path>`)}
    ${middle === null ? nothing : svg`<line class="middle" x1=${x(middle)} x2=${x(middle)} y1="0" y2=${height}></line>`}
    ${column === null || column === middle ? nothing : svg`<line class="column pointer" x1=${x(column)} x2=${x(column)} y1="0" y2=${height}></line>`}
    ${rivers.map(({ names, fill }) =>
      names
        .filter((place) => isFree(place, place.words))
        .map(
          ({ x, y, words }) =>
            svg`<text class=${sides || fill === 'rest' ? 'name ink' : 'name'} x=${x} y=${y} dy=".35em" text-anchor="middle">${words}</text>`,
        ),
    )}
    ${labels.map(
      ({
        words,
        left,
        y,
        dot,
      }) => svg`<circle class="dot" cx=${dot.x} cy=${dot.y} r=${4.5 * unit}></circle>
      <text class="name curve-name" x=${left} y=${y} dy=".35em">${words}</text>`,
    )}
    ${scene.ticks
      .filter((_, i) => scene.ticks.length <= few || i % 2 === 0)
      .map(({ column: place, words }) => {
        const anchor = place === 0 ? 'start' : place === scene.columns - 1 ? 'end' : 'middle';
        return svg`<text class="tick" x=${x(place)} y=${height + 16 * unit} text-anchor=${anchor}>${words}</text>`;
      })}</g>`;
}

/** The bars and numbers beside a mask. @param {any} scene @param {import('./layout.js').Layout} layout @param {{ width: number, height: number, unit: number, side: number }} size */
function renderSides({ columns }, { rivers }, { width, height, unit, side }) {
  const size = side < SIDE * unit ? 'share small' : 'share';
  return [0, columns - 1].map((column, right) => {
    let top = 0;
    return rivers.map(({ shares, colour }, i) => {
      const share = shares[column];
      const y = height * top;
      top += share;
      const high = height * share;
      const fill = colour < 0 ? `pale${i % 2}` : `c${colour}`;
      const near = right ? width + 8 * unit : -8 * unit;
      return svg`<rect class="bar ${fill}" x=${right ? width - BAR * unit : 0} y=${y} width=${BAR * unit} height=${high}></rect>
        ${high >= 16 * unit || (i === rivers.length - 1 && share) ? svg`<text class=${size} x=${near} y=${Math.min(height - 7 * unit, y + high / 2)} dy=".35em" text-anchor=${right ? 'start' : 'end'}>${briefPercent(share)}</text>` : nothing}`;
    });
  });
}

/** Height of a line, and mean width of a letter, in 1/16 rem. */
const LINE = 18;
const LETTER = 7.5;

/** The width of words, about. @param {string} words @param {number} unit */
const widthOf = (words, unit) => words.length * LETTER * unit;

/**
 * A dot on each curve at a column, and its number in words below it. The words stay in the picture and do not overlap.
 * @param {import('./layout.js').Scene['curves']} curves
 * @param {number} column
 * @param {(column: number) => number} x
 * @param {{ width: number, height: number, unit: number }} size
 */
function placeCurveNames(curves, column, x, { width, height, unit }) {
  const gap = 12 * unit;
  let lowest = -Infinity;
  const labels = curves.map(({ values, kind, count, digits }) => {
    const dot = { x: x(column), y: height * (1 - values[column]) };
    const words = t(`sentences.curve.${kind}`, { n: plain(Number(count[column].toFixed(digits))) });
    const wide = widthOf(words, unit);
    const right = dot.x + gap + wide <= width;
    const left = Math.max(0, right ? dot.x + gap : dot.x - gap - wide);
    const y = (lowest = Math.max(dot.y + 16 * unit, lowest + LINE * unit));
    return { words, wide, left, y, dot };
  });
  let highest = height - 0.6 * LINE * unit;
  for (const label of labels.reverse()) {
    label.y = Math.min(label.y, highest);
    highest = label.y - LINE * unit;
  }
  return labels.reverse();
}
