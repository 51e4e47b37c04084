/** Writes the picture of the stages as a standalone SVG file. */
import { escaped, round, textOf } from '../../base/svg-file.js';
import { colourOf } from '../../plots/river-colours.js';
import { linesOf } from './fit.js';
import { roomOf, titleFont, traceBand } from './picture.js';
import { fittedName, footOf, titleOf, valueOfColumn } from './words.js';

/** Line height of titles and of the words below, as a multiple of their font size. */
const LEADING = 1.25;

/** @import { River } from '../../plots/stages.js' */

/**
 * @typedef {object} Scene
 * @property {import('../../plots/trace.js').Trace} trace
 * @property {River} river
 * @property {import('./picture.js').Look} look
 * @property {import('../../plots/stages.js').Name[]} names
 * @property {import('./picture.js').Shown['nameOf']} nameOf
 * @property {number | null} drawn the id of the drawn token
 * @property {number | null} u
 * @property {string} text the text before the next token; '' for none
 * @property {string} about the sentence about the draw
 * @property {(name: string) => boolean} turns true if a stage has a value
 * @property {(name: string) => unknown} neutral
 */

/** Collects canvas commands as the path data of an SVG. */
class PathText {
  data = '';
  /** @param {number[]} at */
  moveTo = (...at) => this.#add('M', at);
  /** @param {number[]} at */
  lineTo = (...at) => this.#add('L', at);
  /** @param {number[]} at */
  bezierCurveTo = (...at) => this.#add('C', at);

  /** @param {string} letter @param {number[]} at */
  #add(letter, at) {
    this.data += letter + at.map(round).join(' ');
  }
}

/** @param {Scene} scene */
function bandsOf({ river, look, drawn }) {
  const { palette, unit } = look;
  return river.bands.map((band) => {
    const path = new PathText();
    traceBand(path, river.columns, band, look);
    const fill = band.id === drawn ? palette.mark : colourOf(palette, band.rank);
    return `<path d="${path.data}Z" fill="${fill}" stroke="${palette.line}" stroke-width="${round(0.5 * unit)}"/>`;
  });
}

/** @param {Scene} scene */
function namesOf({ names, nameOf, drawn, look: { palette } }) {
  return names.map(({ band, x, y, size }) =>
    textOf(nameOf(band), {
      x: round(x),
      y: round(y),
      dy: '0.35em',
      'font-size': round(size),
      'text-anchor': 'middle',
      fill: !band ? palette.soft : band.id === drawn ? palette.markInk : palette.ink,
    }),
  );
}

/**
 * Returns the titles above the columns and the words below them, in lines as wide as their columns.
 * @param {Scene} scene @param {number} size
 */
function wordsOf({ trace, river, look, turns, neutral }, size) {
  const { height, palette, family } = look;
  const font = titleFont(look);
  return river.columns.flatMap((column, c) => {
    const room = roomOf(column, look);
    const place = placeOf(river, c, look, size);
    const face = fittedName(column, room, font);
    const title = `${face} ${valueOfColumn(trace, column, turns(column.name))}`.trim();
    const foot = footOf(trace, column, neutral(column.name));
    const above = linesOf(title, room, font);
    const below = linesOf(foot, room, `400 ${size}px ${family}`);
    return [
      ...above.map((line, i) => {
        const y = -(0.7 + LEADING * (above.length - 1 - i)) * size;
        return textOf(line, { ...place, y, 'font-weight': 650, fill: palette.ink });
      }),
      ...below.map((line, i) => {
        const y = height + (1.5 + LEADING * i) * size;
        return textOf(line, { ...place, y, fill: palette.soft });
      }),
    ];
  });
}

/**
 * Returns the position of a column's words. Words at the ends begin and end with the picture.
 * @param {River} river @param {number} c @param {import('./picture.js').Look} look @param {number} size
 */
function placeOf({ columns }, c, { width }, size) {
  const { from, to } = columns[c];
  if (c === 0) return { x: 0, 'text-anchor': 'start', 'font-size': size };
  if (c === columns.length - 1) return { x: width, 'text-anchor': 'end', 'font-size': size };
  return { x: round(((from + to) / 2) * width), 'text-anchor': 'middle', 'font-size': size };
}

/** @param {Scene} scene */
function drawLine({ river: { columns }, look: { width, height, unit, palette }, u }) {
  if (u === null) return [];
  const y = round(u * height);
  const left = round(columns[columns.length - 1].from * width - 14 * unit);
  return [
    `<path d="M${left} ${y}H${width}" stroke="${palette.mark}" stroke-width="${2 * unit}" stroke-dasharray="${6 * unit} ${4 * unit}"/>`,
    `<circle cx="${width}" cy="${y}" r="${6 * unit}" fill="${palette.panel}" stroke="${palette.mark}" stroke-width="${3 * unit}"/>`,
  ];
}

/** Returns the SVG. @param {Scene} scene */
export function drawStages(scene) {
  const { trace, river, look, turns, text, about } = scene;
  const { width, height, unit, palette, family } = look;
  const size = 13 * unit;
  const margin = 48 * unit;
  const head = (text ? 8 : 5) * size;
  const [whole, tall] = [width + 2 * margin, height + head + 7 * size];
  const title = river.columns
    .map((column) => titleOf(trace, column, turns(column.name)))
    .join(' → ');
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${whole}" height="${tall}" viewBox="0 0 ${whole} ${tall}" font-family="${escaped(family)}">`,
    `<title>${escaped(title)}</title><rect width="${whole}" height="${tall}" fill="${palette.panel}"/>`,
    text && textOf(text, { x: margin, y: 2.5 * size, 'font-size': 1.25 * size, fill: palette.ink }),
    `<g transform="translate(${margin} ${head})"><rect width="${width}" height="${height}" fill="${palette.ground}"/>`,
    ...bandsOf(scene),
    ...drawLine(scene),
    ...namesOf(scene),
    ...wordsOf(scene, size),
    textOf(about, { x: 0, y: height + 5.5 * size, 'font-size': size, fill: palette.ink }),
    '</g></svg>',
  ];
  return { title, svg: svg.join('\n') };
}
