/** The landscape as a standalone SVG: sentence and value, picture and axis. */
import { escaped, round, textOf } from '../../base/svg-file.js';
import { threadOf } from '../../plots/landscape.js';
import { FAINT, GRAIN, TILE } from '../../plots/grain.js';
import { colourOf } from '../../plots/river-colours.js';
import { THREAD } from './paint.js';
import { breakLines, partsOf } from './prose.js';

/**
 * @typedef {object} Picture
 * @property {import('./paint.js').Named[]} named
 * @property {import('./paint.js').Look} look
 * @property {number} share
 * @property {number | null} u
 * @property {number} drawn the id of the drawn token
 * @property {import('../../plots/landscape.js').River | null} course the drawn token's course if it has no
 *   river, otherwise null
 * @property {string} prompt
 * @property {string[]} words the text after the prompt; the first one is the drawn token
 * @property {string} about the knob's value
 * @property {{ share: number, value: string, word: string }[]} axis
 */

/** Draws the rivers, and the course of a drawn token that has no river. @param {Picture} picture */
function shapesOf({ named, course, look: { width, height, unit, palette }, drawn }) {
  const rivers = named.filter(({ rank }) => rank >= 0);
  if (course) rivers.push({ river: course, rank: 0, name: '', label: null });
  const shapes = rivers.map(({ river: { id, before, after }, rank }) => {
    const fill = id === drawn ? palette.mark : colourOf(palette, rank);
    const last = before.length - 1;
    const along = (/** @type {Float64Array} */ line) =>
      Array.from(line, (y, i) => `${round((i / last) * width)} ${round(y * height)}`);
    return `<path d="M${[...along(before), ...along(after).reverse()].join('L')}Z" fill="${fill}" stroke="${palette.line}" stroke-width="${0.5 * unit}"/>`;
  });
  for (const line of course ? threadOf(course) : []) {
    const points = line.map(([at, y]) => `${round(at * width)} ${round(y * height)}`);
    shapes.push(
      `<path d="M${points.join('L')}" fill="none" stroke="${palette.mark}" stroke-width="${THREAD * unit}"/>`,
    );
  }
  return shapes;
}

/** @param {Picture} picture */
function namesOf({ named, look: { palette }, drawn }) {
  return named.flatMap(({ river, rank, name, label }) => {
    if (!label || !name) return [];
    const ink = rank < 0 ? palette.soft : river.id === drawn ? palette.markInk : palette.ink;
    const turn = `translate(${round(label.x)} ${round(label.y)}) rotate(${round((label.angle * 180) / Math.PI)})`;
    return [
      textOf(name, {
        transform: turn,
        'font-size': round(label.size),
        'text-anchor': 'middle',
        dy: '0.35em',
        fill: ink,
      }),
    ];
  });
}

/** Draws the lines of the knob and of u. @param {Picture} picture */
function linesOf({ look: { width, height, unit, palette }, share, u }) {
  const x = round(share * width);
  const knob = `<path d="M${x} 0V${height}" stroke="${palette.ink}" stroke-width="${2 * unit}"/>`;
  if (u === null) return [knob];
  return [
    knob,
    `<path d="M0 ${round(u * height)}H${width}" stroke="${palette.mark}" stroke-width="${1.5 * unit}" stroke-dasharray="${6 * unit} ${4 * unit}"/>`,
    `<circle cx="${x}" cy="${round(u * height)}" r="${8 * unit}" fill="${palette.panel}" stroke="${palette.mark}" stroke-width="${3.5 * unit}"/>`,
  ];
}

/** Draws the grain of the ground. @param {import('./paint.js').Look} look */
function grainIn({ width, height, unit, palette }) {
  const dashes = GRAIN.map(([x, y, wide]) => `M${x} ${y}h${wide}v1h-${wide}z`).join('');
  return [
    `<pattern id="grain" width="${TILE}" height="${TILE}" patternUnits="userSpaceOnUse" patternTransform="scale(${unit})"><path d="${dashes}" fill="${palette.grid}" opacity="${FAINT}"/></pattern>`,
    `<rect width="${width}" height="${height}" fill="url(#grain)"/>`,
  ];
}

/** The number of lines of the sentence. */
const LINES = 2;

/** Writes the sentence at the place of its first baseline. @param {Picture} picture @param {number} x @param {number} y */
function sentenceOf({ prompt, words, look: { width, unit, palette, serif } }, x, y) {
  const size = 22 * unit;
  const context = /** @type {CanvasRenderingContext2D} */ (
    document.createElement('canvas').getContext('2d')
  );
  context.font = `400 ${size}px ${serif}`;
  const measure = (/** @type {string} */ text) => context.measureText(text).width;
  return breakLines(partsOf(prompt, words), measure, width, LINES).map((line, row) => {
    const spans = line.map(({ text, lit }) =>
      lit ? `<tspan fill="${palette.mark}">${escaped(text)}</tspan>` : escaped(text),
    );
    return `<text xml:space="preserve" x="${x}" y="${y + row * 1.35 * size}" font-family="${escaped(serif)}" font-size="${size}" fill="${palette.ink}">${spans.join('')}</text>`;
  });
}

/**
 * @param {Picture} picture
 * @returns {string}
 */
export function drawPicture(picture) {
  const { look, u, about, axis } = picture;
  const { width, height, unit, palette, family } = look;
  const margin = 24 * unit;
  const head = 126 * unit;
  const foot = 56 * unit;
  const [whole, tall] = [width + 2 * margin, height + head + foot];
  const size = 14 * unit;
  const value = { x: margin, y: head - 16 * unit, 'font-size': 16 * unit };
  const ticks = axis.map(({ share: at, value, word }) =>
    textOf(`${value} ${word}`.trim(), {
      x: round(at * width),
      y: height + 1.8 * size,
      'font-size': size,
      'text-anchor': at === 0 ? 'start' : at === 1 ? 'end' : 'middle',
      fill: palette.soft,
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${whole}" height="${tall}" viewBox="0 0 ${whole} ${tall}" font-family="${escaped(family)}">`,
    `<title>${escaped(about)}</title><rect width="${whole}" height="${tall}" fill="${palette.panel}"/>`,
    ...sentenceOf(picture, margin, 40 * unit),
    textOf(about, { ...value, fill: palette.ink, 'font-weight': 650 }),
    u === null
      ? ''
      : textOf(`u = ${u.toFixed(4)}`, {
          ...value,
          x: margin + width,
          'text-anchor': 'end',
          fill: palette.soft,
        }),
    `<g transform="translate(${margin} ${head})"><rect width="${width}" height="${height}" fill="${palette.ground}"/>`,
    ...grainIn(look),
    ...shapesOf(picture),
    ...namesOf(picture),
    ...linesOf(picture),
    ...ticks,
    '</g></svg>',
  ].join('\n');
}
