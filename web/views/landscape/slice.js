/** The slice at the knob as bars: the first tokens, the drawn token and a bar for all others. */
import { percent } from '../../locale/locale.js';
import { afterBar } from '../../plots/bars.js';
import { fitCanvas } from '../../plots/canvas.js';

/**
 * @typedef {import('../../engine/types.js').Trace} Trace
 * @typedef {import('../../engine/types.js').Drawn} Drawn
 * @typedef {import('./paint.js').Look} Look
 *
 * @typedef {{ id: number, rank: number, p: number, raw: number, second: number, drawn: boolean,
 *   kept: boolean, listed: boolean }} Row `raw`: p before the chain; `second`: p in the second
 *   distribution, 0 without one
 * @typedef {Partial<Row> & { p: number, raw: number }} Bar
 * @typedef {{ count: number, possible: number, p: number, raw: number }} Others
 *   `possible`: the number of them that can be drawn
 */

/** The axis ends at this multiple of the model's largest probability, rounded up to a tenth. */
const REACH = 2.4;
/** If the height is below this, in 1/16 rem, the bars are vertical. */
const LOW = 200;
/** The number of horizontal bars, and of rows in the table. */
export const ROWS = 12;
/** The most vertical bars, and the width that each bar needs for its number, in 1/16 rem. */
const [STANDING, STANDS] = [7, 45];
/** The height of the bar of all others with its margin, in heights of a horizontal bar. */
const REST = 1.6;
/** The radius of a ring, in 1/16 rem. */
const RING = 4;
/** The length of a bar beyond the end of the axis, in 1/16 rem. */
const OVER = 10;
/** A smaller probability is shown as `<` and this number. */
const TINY = 1e-4;

/**
 * Returns the first rows of a distribution; the drawn token is always among them.
 * @param {Trace} trace
 * @param {Drawn} drawn
 * @param {number} most the number of rows
 * @returns {{ rows: Row[], others: Others }}
 */
export function rowsOf({ tokens, rest, vocab_size }, drawn, most) {
  /** @type {Row[]} */
  const all = tokens.map(({ id, rank, p, p_raw, p_second, removed_by }) => ({
    id,
    rank,
    p,
    raw: p_raw,
    second: p_second ?? 0,
    drawn: id === drawn.id,
    kept: !removed_by,
    listed: true,
  }));
  const first = all.slice(0, most);
  const missing = !first.some((row) => row.drawn);
  const rows = missing ? first.slice(0, -1) : first;
  const found = all.find((row) => row.drawn);
  if (missing)
    rows.push(
      found ?? {
        id: drawn.id,
        rank: drawn.rank,
        p: drawn.p,
        raw: drawn.p_raw,
        second: 0,
        drawn: true,
        kept: true,
        listed: false,
      },
    );
  const shown = new Set(rows.map(({ id }) => id));
  const left = all.filter(({ id }) => !shown.has(id));
  const sum = (/** @type {'p' | 'raw'} */ key) => left.reduce((total, row) => total + row[key], 0);
  const out = found || !missing ? null : drawn;
  return {
    rows,
    others: {
      count: vocab_size - rows.length,
      possible: rest.kept + left.filter((row) => row.kept).length - (out ? 1 : 0),
      p: Math.max(0, rest.p + sum('p') - (out?.p ?? 0)),
      raw: Math.max(0, rest.p_raw + sum('raw') - (out?.p_raw ?? 0)),
    },
  };
}

/**
 * Returns the end of the axis. The model's own probabilities determine it, so no knob changes it.
 * @param {Trace} trace
 */
function domainOf({ tokens }) {
  const best = Math.max(...tokens.map(({ p_raw }) => p_raw));
  return Math.min(1, Math.ceil(REACH * best * 10) / 10);
}

/**
 * Returns the number of a row as text; reuses the text in `said` if there is one.
 * @param {Map<number | undefined, string>} said
 * @param {{ id?: number, p: number }} row
 */
function numberOf(said, { id, p }) {
  const words = said.get(id) ?? (p > 0 && p < TINY ? `<${percent(TINY)}` : percent(p));
  said.set(id, words);
  return words;
}

/**
 * @typedef {object} Slice
 * @property {Row[]} rows
 * @property {Others} others
 * @property {number} domain
 * @property {(id: number) => string} nameOf
 * @property {string} rest
 * @property {((id: number) => number) | null} counted the share of a token in many draws; null before them
 * @property {Map<number | undefined, string>} said the numbers as text, by token
 *
 * @typedef {{ text: string, x: number, y: number, align: CanvasTextAlign, font: string, fill: string,
 *   most: number }} Text `most`: its greatest width in pixels
 *
 * @typedef {object} Shown
 * @property {Look} look
 * @property {Trace} trace
 * @property {Drawn} drawn
 * @property {(id: number) => string} nameOf
 * @property {(n: number) => string} others the name of the bar for n other tokens
 * @property {((id: number) => number) | null} counted
 * @property {Map<number | undefined, string>} said the numbers as text, by token; kept during motion
 */

/**
 * Paints the bars. Returns a function that maps a point to the token whose name or bar is there.
 * @param {HTMLCanvasElement} canvas
 * @param {Shown} shown
 * @returns {(x: number, y: number) => number | undefined}
 */
export function paintSlice(canvas, { look, trace, drawn, nameOf, others: words, counted, said }) {
  const { width, height, unit } = look;
  const low = height < LOW * unit;
  const standing = Math.max(2, Math.min(STANDING, Math.floor(width / (STANDS * unit))));
  const { rows, others } = rowsOf(trace, drawn, low ? standing : ROWS);
  const context = fitCanvas(canvas, width, height);
  const slice = {
    rows,
    others,
    domain: domainOf(trace),
    nameOf,
    rest: words(others.possible),
    counted,
    said,
  };
  if (low) paintColumns(context, slice, look);
  else paintRows(context, slice, look);
  return (x, y) =>
    rows[Math.floor(low ? (x / width) * rows.length : (y / height) * (rows.length + REST))]?.id;
}

/**
 * Paints horizontal bars.
 * @param {CanvasRenderingContext2D} context
 * @param {Slice} slice
 * @param {Look} look
 */
function paintRows(context, slice, look) {
  const { rows, others, domain, nameOf, rest, counted, said } = slice;
  const { width, height, unit, palette, family } = look;
  const names = Math.min(width * 0.33, 104 * unit);
  const tall = height / (rows.length + REST);
  const size = Math.min(15 * unit, tall * 0.58);
  context.font = `650 ${size * 0.9}px ${family}`;
  const numbers = context.measureText(percent(0.9999)).width + (9 + OVER) * unit;
  const long = width - names - numbers - 10 * unit;
  const bar = Math.min(11 * unit, tall * 0.42);
  const x = names + 10 * unit;
  const reach = (/** @type {number} */ share) =>
    share > domain ? long + OVER * unit : (share / domain) * long;
  /** @type {Text[]} */
  const texts = [];
  /** @param {number} y @param {string} text @param {string} weight @param {number} height @param {string} fill */
  const addName = (y, text, weight, height, fill) => {
    const font = `${weight} ${height}px ${family}`;
    texts.push({ text, x: names, y, align: 'right', font, fill, most: names });
  };
  /** @param {number} y @param {Bar} row @param {string} fill */
  const paint = (y, row, fill) => {
    const { p, raw, second = 0, id, drawn } = row;
    const ring = ringOf(reach(second), unit);
    paintBar(context, { ...row, counted: id === undefined ? 0 : (counted?.(id) ?? 0) }, look, {
      x,
      y,
      bar,
      fill,
      reach,
      ring,
      end: p > domain ? x + long : null,
    });
    texts.push({
      text: numberOf(said, { id, p }),
      x: x + afterBar(Math.max(reach(p), reach(raw)), ring, unit) + 8 * unit,
      y,
      align: 'left',
      font: `${drawn ? 650 : 400} ${size * 0.9}px ${family}`,
      fill: p > 0 ? palette.ink : palette.soft,
      most: Infinity,
    });
  };
  rows.forEach((row, i) => {
    const y = (i + 0.5) * tall;
    const name = row.rank > rows.length ? `#${row.rank} ${nameOf(row.id)}` : nameOf(row.id);
    addName(y, name, row.drawn ? '650' : '450', size, row.p > 0 ? palette.ink : palette.soft);
    paint(y, row, row.drawn ? palette.mark : palette.bar);
  });
  if (others.count > 0) {
    const y = (rows.length + 0.9) * tall;
    addName(y, rest, '400', size * 0.9, palette.soft);
    paint(y, others, palette.grid);
  }
  context.textBaseline = 'middle';
  write(context, texts);
}

/**
 * Paints a horizontal bar over the bar before the chain, with its ring and its count.
 * @param {CanvasRenderingContext2D} context
 * @param {Bar & { counted: number }} row
 * @param {Look} look
 * @param {{ x: number, y: number, bar: number, fill: string, reach: (share: number) => number,
 *   ring: number, end: number | null }} place `end`: the end of the axis if the bar is longer, otherwise null
 */
function paintBar(context, { p, raw, counted }, look, { x, y, bar, fill, reach, ring, end }) {
  const { unit, palette } = look;
  context.strokeStyle = palette.ghost;
  context.lineWidth = unit;
  if (raw > 0)
    context.strokeRect(x, y - bar / 2 - 2.5 * unit, Math.max(1, reach(raw)), bar + 5 * unit);
  context.fillStyle = fill;
  if (p > 0) context.fillRect(x, y - bar / 2, Math.max(1, reach(p)), bar);
  const side = bar / 2 + unit;
  if (end !== null) paintBreak(context, [end, y + side], [end + 4 * unit, y - side], look);
  if (ring) paintRing(context, x + ring, y, look);
  context.fillStyle = palette.mark;
  if (counted > 0) context.fillRect(x, y + bar / 2 + unit, reach(counted), 2.5 * unit);
}

/**
 * Paints vertical bars, if the box is low.
 * @param {CanvasRenderingContext2D} context
 * @param {Slice} slice
 * @param {Look} look
 */
function paintColumns(context, slice, look) {
  const { rows, domain, nameOf, counted, said } = slice;
  const { width, height, unit, palette, family } = look;
  const each = width / rows.length;
  const size = 12 * unit;
  const bottom = height - 1.6 * size;
  const top = 1.8 * size + OVER * unit;
  const thick = Math.min(22 * unit, each * 0.5);
  /** @type {Text[]} */
  const texts = [];
  rows.forEach(({ id, p, raw, second, drawn, rank }, i) => {
    const x = (i + 0.5) * each;
    const reach = (/** @type {number} */ share) =>
      share > domain ? bottom - top + OVER * unit : (share / domain) * (bottom - top);
    context.strokeStyle = palette.ghost;
    context.lineWidth = unit;
    const ghost = Math.max(1, reach(raw));
    context.strokeRect(x - thick / 2 - 2 * unit, bottom - ghost, thick + 4 * unit, ghost);
    context.fillStyle = drawn ? palette.mark : palette.bar;
    if (p > 0)
      context.fillRect(x - thick / 2, bottom - Math.max(1, reach(p)), thick, Math.max(1, reach(p)));
    const side = thick / 2 + unit;
    if (p > domain) paintBreak(context, [x - side, top], [x + side, top - 4 * unit], look);
    const ring = ringOf(reach(second), unit);
    if (ring) paintRing(context, x, bottom - ring, look);
    if (counted) {
      const share = reach(counted(id));
      context.fillStyle = palette.mark;
      if (share > 0) context.fillRect(x + thick / 2 + unit, bottom - share, 3 * unit, share);
    }
    const shared = /** @type {const} */ ({
      x,
      align: 'center',
      fill: p > 0 ? palette.ink : palette.soft,
    });
    const above = {
      ...shared,
      y: bottom - Math.max(reach(p), ghost, ring && ring + RING * unit) - 0.4 * size,
      font: `${drawn ? 650 : 400} ${size * 0.9}px ${family}`,
      most: Infinity,
    };
    texts.push({ ...above, text: numberOf(said, { id, p }) });
    if (rank > rows.length) texts.push({ ...above, text: `#${rank}`, y: above.y - 1.2 * size });
    texts.push({
      ...shared,
      text: nameOf(id),
      y: height - 0.35 * size,
      font: `${drawn ? 650 : 450} ${size}px ${family}`,
      most: each - 2 * unit,
    });
  });
  context.textBaseline = 'alphabetic';
  write(context, texts);
}

/**
 * Writes texts grouped by font: changing the font is slower than writing a text.
 * @param {CanvasRenderingContext2D} context
 * @param {Text[]} texts
 */
function write(context, texts) {
  for (const font of new Set(texts.map((each) => each.font))) {
    context.font = font;
    for (const each of texts) {
      if (each.font !== font) continue;
      context.textAlign = each.align;
      context.fillStyle = each.fill;
      context.fillText(fit(context, each), each.x, each.y);
    }
  }
}

/**
 * Returns the distance of a ring from the start of its bar; 0 if there is no ring.
 * @param {number} reach
 * @param {number} unit
 */
function ringOf(reach, unit) {
  return reach < RING * unit ? 0 : reach;
}

/**
 * Paints the ring of the second distribution.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x @param {number} y
 * @param {Look} look
 */
function paintRing(context, x, y, { unit, palette }) {
  context.beginPath();
  context.arc(x, y, RING * unit, 0, 2 * Math.PI);
  context.fillStyle = palette.panel;
  context.fill();
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.5 * unit;
  context.stroke();
}

/**
 * Paints the gap that marks a bar longer than the axis.
 * @param {CanvasRenderingContext2D} context
 * @param {[x: number, y: number]} from
 * @param {[x: number, y: number]} to
 * @param {Look} look
 */
function paintBreak(context, from, to, { unit, palette }) {
  context.strokeStyle = palette.panel;
  context.lineWidth = 3.5 * unit;
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

/** Shortened texts; shortening is slow. @type {Map<string, string>} */
const fitted = new Map();
const KEPT = 500;

/**
 * Returns a text shortened to `most`. The context must already have the text's font.
 * @param {CanvasRenderingContext2D} context
 * @param {Text} text
 */
function fit(context, { text, font, most }) {
  if (most === Infinity) return text;
  const key = [font, most, text].join();
  const known = fitted.get(key) ?? shorten(context, text, most);
  if (fitted.size > KEPT) fitted.clear();
  fitted.set(key, known);
  return known;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} width
 */
function shorten(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && context.measureText(`${characters.join('')}…`).width > width)
    characters.pop();
  return `${characters.join('')}…`;
}
