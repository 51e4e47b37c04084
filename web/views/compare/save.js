/**
 * Writes a comparison as a standalone SVG file: the texts side by side, each with its distribution at the chosen
 * step.
 */
import { escaped, round, textOf } from '../../base/svg-file.js';
import { breakLines, lineOf, measureIn } from '../../base/svg-lines.js';
import { visible } from '../../base/visible.js';
import { fixed, percent, t } from '../../locale/locale.js';
import { setProperties } from '../../plots/cssom.js';
import { blend } from '../../plots/river-colours.js';
import { layoutBands } from '../../plots/strip.js';
import { commonU, namedToken } from './strips.js';

/**
 * @typedef {object} Scene
 * @property {HTMLElement | DocumentFragment} root gives the picture its colours and fonts
 * @property {string} prompt
 * @property {{ name: string, steps: { id: number, text: string }[] }[]} texts
 * @property {import('./strips.js').Slice[]} slices one for each text, or none
 * @property {number} at the step of the slices, from 0
 * @property {number} eos
 * @property {string} about a note below the prompt; '' for none
 *
 * @typedef {Record<typeof COLOURS[number], string> & { sans: string, serif: string }} Look
 * @typedef {{ x: number, y: number, width: number }} Place
 */

const COLOURS = /** @type {const} */ ([
  'ink',
  'soft',
  'paper',
  'panel',
  'sunken',
  'line',
  'trace',
  'mark',
  'mark-ink',
  'mark-wash',
]);
/** Width and margin of the file, the gap between columns, and the most columns in a row. */
const [WIDE, MARGIN, GAP, MOST] = [1200, 48, 32, 4];
/** Font sizes of the prompt, the texts and small text. */
const [LARGE, BODY, SMALL] = [30, 19, 15];
/** Lines of a text, height of a line, and height of a strip. */
const [LINES, LINE, STRIP] = [7, 27, 210];
/** In a band of several tokens, a token gets its own edge only from this height on. */
const PART = 3;
/** Height of a row of columns without the strips. */
const TEXTS = 44 + LINES * LINE;

/** Reads colours and fonts from the style sheet. @param {Scene['root']} root @returns {Look} */
function lookOf(root) {
  const probe = document.createElement('span');
  root.append(probe);
  const read = (/** @type {string} */ property, /** @type {string} */ name) => {
    setProperties(probe, { [property]: `var(--${name})` });
    return getComputedStyle(probe).getPropertyValue(property);
  };
  const colours = COLOURS.map((name) => [name, read('color', name)]);
  const fonts = ['sans', 'serif'].map((name) => [name, read('font-family', name)]);
  probe.remove();
  return Object.fromEntries([...colours, ...fonts]);
}

/**
 * Returns a token's text for a line: white space becomes one space, control characters become visible.
 * @param {string} text
 */
const visibleWords = (text) =>
  visible({ id: 0, text: text.replace(/\s+/g, ' '), special: false }).replaceAll('␣', ' ');

/**
 * Writes a text in lines; the token at the chosen step is highlighted.
 * @param {Scene['texts'][number]['steps']} steps
 * @param {{ lit: number, eos: number, look: Look, place: Place }} how
 */
function textIn(steps, { lit, eos, look, place: { x, y, width } }) {
  const parts = steps
    .filter(({ id }) => id !== eos)
    .map(({ text }, i) => ({ text: visibleWords(text), lit: i === lit }));
  if (parts[0]) parts[0].text = parts[0].text.trimStart();
  const measure = measureIn(`400 ${BODY}px ${look.serif}`);
  return breakLines(parts, measure, width, LINES).map((line, row) =>
    lineOf(
      line.map((part) => ({ text: part.text, fill: part.lit ? look.mark : look.ink })),
      { x, y: y + row * LINE, 'font-family': look.serif, 'font-size': BODY },
    ),
  );
}

/**
 * Writes the name of a strategy; if it is too long, it ends with "…".
 * @param {string} name @param {{ look: Look, place: Place }} how
 */
function nameIn(name, { look, place: { x, y, width } }) {
  const measure = measureIn(`650 ${SMALL}px ${look.sans}`);
  return breakLines([{ text: name, lit: false }], measure, width, 1).map((line) =>
    lineOf(
      line.map(({ text }) => ({ text })),
      { x: round(x), y, 'font-size': SMALL, 'font-weight': 650, fill: look.ink },
    ),
  );
}

/**
 * Writes a distribution as a vertical strip.
 * @param {import('./strips.js').Slice} slice
 * @param {{ u: number | null, eos: number, look: Look, place: Place }} how
 */
function stripOf({ strategy, step, trace }, { u, eos, look, place: { x, y, width } }) {
  const ground = `<rect x="${round(x)}" y="${y}" width="${round(width)}" height="${STRIP}" fill="${look.sunken}"/>`;
  if (!trace || !step) return [ground];
  const fits = (/** @type {number} */ share) => share * STRIP >= SMALL + 1;
  const bands = layoutBands({ trace, u, nextId: step.id, fits });
  const drawn = bands.find(({ kind }) => kind === 'drawn');
  const sampled = (strategy.kind ?? 'sample') === 'sample';
  const level = (sampled ? u : null) ?? (drawn ? (drawn.from + drawn.to) / 2 : 0.5);
  const middle = y + Math.min(STRIP - 13, Math.max(13, level * STRIP));
  const name = `${visible(namedToken(step, eos))} ${percent(sampled ? step.p : step.p_raw)}`;
  const wide = measureIn(`650 ${SMALL}px ${look.sans}`)(name) + 20;
  return [
    ground,
    ...bands.flatMap((band) => bandOf(band, { eos, look, place: { x, y, width } })),
    u === null
      ? ''
      : `<path d="M${round(x)} ${round(y + u * STRIP)}h${round(width)}" stroke="${look.mark}" stroke-width="2"/>`,
    `<rect x="${round(x + width - wide - 6)}" y="${round(middle - 13)}" width="${round(wide)}" height="26" rx="4" fill="${look.mark}"/>`,
    textOf(name, {
      x: round(x + width - 16),
      y: round(middle + 5),
      'text-anchor': 'end',
      'font-size': SMALL,
      'font-weight': 650,
      fill: look['mark-ink'],
    }),
  ];
}

/**
 * Writes one band of a strip, with the name of its token or the number of its tokens.
 * @param {import('../../plots/strip.js').Band} band
 * @param {{ eos: number, look: Look, place: Place }} how
 */
function bandOf(
  { kind, token, count, from, to, said, parts },
  { eos, look, place: { x, y, width } },
) {
  const box = (
    /** @type {number} */ start,
    /** @type {number} */ share,
    /** @type {string} */ fill,
  ) =>
    `<rect x="${round(x)}" y="${round(y + start * STRIP)}" width="${round(width)}" height="${round(share * STRIP)}" fill="${fill}" stroke="${kind === 'drawn' ? look.mark : look.panel}" stroke-width="${kind === 'drawn' ? 1 : 0.75}"/>`;
  const blue = (/** @type {number} */ share) => blend(look.panel, look.trace, 0.16 + 0.26 * share);
  let at = from;
  const boxes =
    kind === 'more'
      ? parts.flatMap((share) => {
          at += share;
          return share * STRIP < PART ? [] : box(at - share, share, blue(share));
        })
      : [box(from, to - from, kind === 'drawn' ? look['mark-wash'] : blue(to - from))];
  if (!said || kind === 'drawn') return boxes;
  const name = token ? visible(namedToken(token, eos)) : t('compare.at.more', { n: count });
  const words = {
    x: round(x + 10),
    y: round(y + ((from + to) / 2) * STRIP + 5),
    'font-size': SMALL,
  };
  return [...boxes, textOf(name, { ...words, fill: kind === 'more' ? look.soft : look.ink })];
}

/** Returns the SVG. @param {Scene} scene */
export function drawTexts({ root, prompt, texts, slices, at, eos, about }) {
  const look = lookOf(root);
  const columns = Math.min(MOST, texts.length);
  const width = (WIDE - 2 * MARGIN - (columns - 1) * GAP) / columns;
  const strips = slices.length > 0;
  const high = TEXTS + (strips ? STRIP + 44 : 0);
  const measure = measureIn(`400 ${LARGE}px ${look.serif}`);
  const given = breakLines([{ text: prompt, lit: false }], measure, WIDE - 2 * MARGIN, 2);
  const head = 40 + given.length * 1.35 * LARGE + 30;
  const tall = head + Math.ceil(texts.length / columns) * high;
  const u = commonU(slices);
  const note = strips && u !== null ? `${t('compare.at')} ${at + 1} · u = ${fixed(u, 4)}` : about;
  const title = texts.map(({ name }) => name).join('; ');
  const cells = texts.flatMap(({ name, steps }, i) => {
    const x = MARGIN + (i % columns) * (width + GAP);
    const y = head + Math.floor(i / columns) * high;
    const slice = slices[i];
    return [
      ...nameIn(name, { look, place: { x, y, width } }),
      ...textIn(steps, { lit: strips ? at : -1, eos, look, place: { x, y: y + 34, width } }),
      ...(slice ? stripOf(slice, { u, eos, look, place: { x, y: y + TEXTS, width } }) : []),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${round(tall)}" viewBox="0 0 ${WIDE} ${round(tall)}" font-family="${escaped(look.sans)}">`,
    `<title>${escaped(title)}</title><rect width="${WIDE}" height="${round(tall)}" fill="${look.paper}"/>`,
    ...given.map((line, row) =>
      lineOf(
        line.map(({ text }) => ({ text })),
        {
          x: MARGIN,
          y: 62 + row * 1.35 * LARGE,
          'font-family': look.serif,
          'font-size': LARGE,
          fill: look.ink,
        },
      ),
    ),
    note &&
      textOf(note, {
        x: WIDE - MARGIN,
        y: head - 26,
        'text-anchor': 'end',
        'font-size': SMALL,
        fill: strips ? look.mark : look.soft,
      }),
    ...cells,
    '</svg>',
  ].join('\n');
}
