/** Writes the landscape as a standalone SVG file: the sentence, the knob's value, the picture and its axis. */
import { escaped, round, textOf } from '../../base/svg-file.js';
import { breakLines, lineOf, measureIn } from '../../base/svg-lines.js';
import { fixed } from '../../locale/locale.js';
import { threadOf, walkEdges } from '../../plots/landscape.js';
import { FAINT, GRAIN, TILE } from '../../plots/grain.js';
import { RAMP, colourOf } from '../../plots/river-colours.js';
import { layNames } from './labels.js';
import { THREAD } from './paint.js';
import { partsOf } from './prose.js';

/**
 * @typedef {object} Scene
 * @property {import('../../plots/landscape.js').Rivers} rivers
 * @property {import('./labels.js').Words} names
 * @property {Pick<import('./paint.js').Look, 'palette' | 'family' | 'serif'>} look
 * @property {number} share the knob's value as a share of its range, 0 to 1
 * @property {number | null} u null if the draw is Gumbel-max
 * @property {number} drawn the id of the drawn token
 * @property {import('../../plots/landscape.js').River | null} course the drawn token's course if it has no
 *   river, otherwise null
 * @property {string} prompt
 * @property {string[]} words the text after the prompt; the first one is the drawn token
 * @property {string} about the knob's value
 * @property {string} also the other active settings; '' for none
 * @property {{ share: number, value: string, word: string }[]} axis
 * @property {{ label: string, near: boolean, parts: string[] }[]} ladder its lines; empty for none
 *
 * @typedef {Pick<Scene, 'share' | 'u' | 'drawn' | 'course'> & { named: import('./paint.js').Named[],
 *   look: import('./paint.js').Look }} Picture
 */

/** Size and margin of the file in pixels; services that preview links show images of this size. */
const [WIDE, TALL, MARGIN] = [1200, 630, 48];
/**
 * Font sizes of the sentence, the knob's value and small text; lines of the sentence; height of a line of the ladder.
 */
const [LARGE, MIDDLE, SMALL] = [32, 22, 17];
const [LINES, RUNG] = [2, 29];
/** Width of the value of u at the end of its line. */
const U_ROOM = 170;

/** Returns the shapes of the rivers. If the drawn token has no river, adds a line for it. @param {Picture} picture */
function shapesOf({ named, course, look: { width, height, unit, palette }, drawn }) {
  const rivers = named.filter(({ rank }) => rank >= 0);
  if (course) rivers.push({ river: course, rank: 0, name: '', label: null });
  const shapes = rivers.map(({ river, rank }) => {
    const fill = river.id === drawn ? palette.mark : colourOf(palette, rank);
    /** @type {string[]} */
    const points = [];
    walkEdges(river, (x, y) => points.push(`${round(x * width)} ${round(y * height)}`));
    return `<path d="M${points.join('L')}Z" fill="${fill}" stroke="${palette.line}" stroke-width="${0.5 * unit}" stroke-opacity="${round(Math.max(0.16, 1 - rank / RAMP))}"/>`;
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
    const [wide, tall] = [label.width + label.size / 2, label.size * 1.25];
    const ground = `<rect x="${round(label.x - wide / 2)}" y="${round(label.y - tall / 2)}" width="${round(wide)}" height="${round(tall)}" rx="${round(label.size / 6)}" fill="${palette.mark}"/>`;
    return [
      ...(label.beside ? [ground] : []),
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

/** Returns the lines of the knob and of u. @param {Picture} picture */
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

/** Returns the pattern that covers the ground. @param {import('./paint.js').Look} look */
function grainIn({ width, height, unit, palette }) {
  const dashes = GRAIN.map(([x, y, wide]) => `M${x} ${y}h${wide}v1h-${wide}z`).join('');
  return [
    `<pattern id="grain" width="${TILE}" height="${TILE}" patternUnits="userSpaceOnUse" patternTransform="scale(${unit})"><path d="${dashes}" fill="${palette.grid}" opacity="${FAINT}"/></pattern>`,
    `<rect width="${width}" height="${height}" fill="url(#grain)"/>`,
  ];
}

/** Returns the sentence; `y` is the baseline of its first line. @param {Scene} scene @param {number} y */
function sentenceOf({ prompt, words, look: { palette, serif } }, y) {
  const measure = measureIn(`400 ${LARGE}px ${serif}`);
  const parts = partsOf(prompt, words);
  return breakLines(parts, measure, WIDE - 2 * MARGIN, LINES).map((line, row) =>
    lineOf(
      line.map(({ text, lit }) => ({ text, fill: lit ? palette.mark : palette.ink })),
      { x: MARGIN, y: y + row * 1.35 * LARGE, 'font-family': serif, 'font-size': LARGE },
    ),
  );
}

/** Returns the lines of the ladder; `y` is the baseline of the first. @param {Scene} scene @param {number} y */
function ladderOf({ ladder, look: { palette, serif } }, y) {
  const measure = measureIn(`400 ${SMALL}px ${serif}`);
  const indent = 150;
  return ladder.flatMap(({ label, near, parts }, row) => {
    const ink = near ? palette.ink : palette.soft;
    const words = parts.map((text, i) => ({ text, lit: i === 1 }));
    const [line] = breakLines(words, measure, WIDE - 2 * MARGIN - indent, 1);
    const shared = { y: y + row * RUNG, 'font-size': SMALL, fill: ink };
    return [
      textOf(label, { x: MARGIN, ...shared, 'font-weight': near ? 650 : 400 }),
      lineOf(
        line.map(({ text, lit }) => ({ text, fill: lit ? palette.mark : ink })),
        { x: MARGIN + indent, 'font-family': serif, ...shared },
      ),
    ];
  });
}

/**
 * Returns the rivers with their names, the lines and the axis.
 * @param {Pick<Scene, 'rivers' | 'names' | 'share' | 'u' | 'drawn' | 'course' | 'axis'>} scene
 * @param {import('./paint.js').Look} look with the size of the picture
 */
function plotOf({ rivers, names, share, u, drawn, course, axis }, look) {
  const { width, height, palette } = look;
  const context = /** @type {CanvasRenderingContext2D} */ (
    document.createElement('canvas').getContext('2d')
  );
  const named = layNames(context, rivers, names, look, { share, u, drawn });
  const picture = { named, look, share, u, drawn, course };
  const ticks = axis.map(({ share: at, value, word }) =>
    textOf(`${value} ${word}`.trim(), {
      x: round(at * width),
      y: height + 25,
      'font-size': SMALL,
      'text-anchor': at === 0 ? 'start' : at === 1 ? 'end' : 'middle',
      fill: palette.soft,
    }),
  );
  return [
    `<rect width="${width}" height="${height}" fill="${palette.ground}"/>`,
    ...grainIn(look),
    ...shapesOf(picture),
    ...linesOf(picture),
    ...namesOf(picture),
    ...ticks,
  ];
}

/** Returns the first lines of the file. @param {string} about @param {Scene['look']} look */
function firstLines(about, { family, palette }) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${TALL}" viewBox="0 0 ${WIDE} ${TALL}" font-family="${escaped(family)}">`,
    `<title>${escaped(about)}</title><rect width="${WIDE}" height="${TALL}" fill="${palette.panel}"/>`,
  ];
}

/**
 * Returns the SVG of two pictures side by side, for two prompts and one knob.
 * @param {{ about: string, look: Scene['look'], panes: (Pick<Scene, 'rivers' | 'names' | 'share' | 'axis'> &
 *   { title: string, prompt: string, kept: string })[] }} pair `kept`: the numbers below a picture
 */
export function drawPair({ about, look, panes }) {
  const { palette, serif } = look;
  const head = 150;
  const size = { width: (WIDE - 3 * MARGIN) / 2, height: TALL - head - 100 };
  const measure = measureIn(`400 ${MIDDLE}px ${serif}`);
  return [
    ...firstLines(about, look),
    textOf(about, { x: MARGIN, y: 58, 'font-size': LARGE, 'font-weight': 650, fill: palette.ink }),
    ...panes.flatMap(({ title, prompt, kept, ...pane }, i) => {
      const x = MARGIN + i * (size.width + MARGIN);
      const [line] = breakLines([{ text: prompt, lit: false }], measure, size.width, 1);
      return [
        textOf(title, { x, y: 94, 'font-size': SMALL, fill: palette.soft }),
        lineOf(
          line.map(({ text }) => ({ text })),
          { x, y: 126, 'font-family': serif, 'font-size': MIDDLE, fill: palette.ink },
        ),
        `<g transform="translate(${x} ${head})">`,
        ...plotOf({ ...pane, u: null, drawn: -1, course: null }, { ...look, ...size, unit: 1.25 }),
        '</g>',
        textOf(kept, {
          x,
          y: TALL - 30,
          'font-size': 19,
          'font-weight': 650,
          fill: palette.ink,
        }),
      ];
    }),
    '</svg>',
  ].join('\n');
}

/**
 * Returns the other active settings, behind the knob's value.
 * @param {Scene} scene @param {{ y: number }} place
 */
function alsoOf({ about, also, look: { palette, family } }, { y }) {
  const x = MARGIN + measureIn(`650 ${MIDDLE}px ${family}`)(about) + MIDDLE;
  const room = WIDE - MARGIN - U_ROOM - x;
  const measure = measureIn(`400 ${SMALL}px ${family}`);
  const [line] = breakLines([{ text: also, lit: false }], measure, room, 1);
  if (also === '' || !line) return '';
  return textOf(line.map(({ text }) => text).join(''), {
    x: round(x),
    y,
    'font-size': SMALL,
    fill: palette.soft,
  });
}

/**
 * Returns the SVG of one picture.
 * @param {Scene} scene
 */
export function drawScene(scene) {
  const { u, about, ladder } = scene;
  const { palette } = scene.look;
  const head = 182;
  const foot = 60 + ladder.length * RUNG;
  const look = { ...scene.look, unit: 1.25, width: WIDE - 2 * MARGIN, height: TALL - head - foot };
  const value = { y: head - 18, 'font-size': MIDDLE };
  return [
    ...firstLines(about, look),
    ...sentenceOf(scene, 62),
    textOf(about, { x: MARGIN, ...value, fill: palette.ink, 'font-weight': 650 }),
    alsoOf(scene, value),
    u === null
      ? ''
      : textOf(`u = ${fixed(u, 4)}`, {
          x: WIDE - MARGIN,
          ...value,
          'text-anchor': 'end',
          fill: palette.mark,
        }),
    `<g transform="translate(${MARGIN} ${head})">`,
    ...plotOf(scene, look),
    '</g>',
    ...ladderOf(scene, head + look.height + 62),
    '</svg>',
  ].join('\n');
}
