/**
 * The bars beside the picture: the distribution at the knob's value, with a row for each of the first tokens, a row
 * for the drawn token, and one for all others.
 */
import { fixed, number, percent, t } from '../../locale/locale.js';
import { OVER, afterBar, beyondAxis } from '../../plots/bars.js';
import { DRAWS } from './rain.js';

/**
 * @typedef {import('../../engine/types.js').Trace} Trace
 * @typedef {import('../../engine/types.js').Drawn} Drawn
 * @typedef {import('./paint.js').Look} Look
 *
 * @typedef {{ id: number, rank: number, p: number, raw: number, second: number, drawn: boolean,
 *   kept: boolean, listed: boolean }} Row `raw`: p before the chain; `second`: p in the second
 *   distribution, 0 without one
 * @typedef {Partial<Row> & { p: number }} Bar
 * @typedef {{ count: number, possible: number, p: number, raw: number }} Others
 *   `possible`: the number of them that can be drawn
 */

/** Least end of the axis: the model's largest probability before the chain, times this factor, rounded up to a tenth. */
const REACH = 2.4;
/** Number of rows in the table, and least number of bars. */
export const ROWS = 12;
const FEWEST = 5;
/** Least and greatest height of a row, in 1/16 rem. */
const PITCH = 20;
const LOOSE = 34;
/** Font sizes of small and of normal text; rows of ROOMY or more have normal text. In 1/16 rem. */
const [SMALL, BODY, ROOMY] = [13, 16, 25];
/** While many draws are shown, the axis ends at this multiple of the largest probability. */
const FULL = 1.15;
/** Least length of the axis beside the counts of many draws, in 1/16 rem. */
const SHORTEST = 64;
/** Radius of the ring that marks the token's probability in a second distribution, in 1/16 rem. */
const RING = 4;
/** A smaller probability is shown as `<0.01%`. */
const TINY = 1e-4;

/**
 * Returns the rows of a distribution. The drawn token always has one.
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
 * Returns the probability at the end of the axis. It depends only on the model's own probabilities, so moving a knob
 * does not change it, unless a token has more: then the axis ends there. So the bars of tokens are never cut.
 * @param {Trace} trace
 */
function domainOf({ tokens }) {
  const best = Math.max(...tokens.map(({ p_raw }) => p_raw));
  const most = Math.max(...tokens.map(({ p }) => p));
  return Math.max(most, Math.min(1, Math.ceil(REACH * best * 10) / 10));
}

/**
 * Returns the probability of a row as text. If `said` has a text for this row, returns that one.
 * @param {Map<number | undefined, string>} said
 * @param {{ id?: number, p: number }} row
 */
function numberOf(said, { id, p }) {
  const words = said.get(id) ?? shareWords(p);
  said.set(id, words);
  return words;
}

/** @param {number} p */
function shareWords(p) {
  if (p > 0 && p < TINY) return `<${percent(TINY)}`;
  if (p < 1 && p > 1 - TINY) return `>${percent(1 - TINY)}`;
  return percent(p);
}

/**
 * @typedef {import('../../state/tally.js').Tally} Tally
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
 * @property {Tally | null} tally many draws; null before them
 * @property {Map<number | undefined, string>} said the numbers as text, by token; kept during motion
 *
 * The painted rows, in pixels of the canvas. `tokenAt` maps a height to the token of the row there;
 * `endOf` returns the end of a token's count.
 * @typedef {{ tokenAt: (y: number) => number | undefined,
 *   endOf: (id: number) => { x: number, y: number } }} Painted
 */

/**
 * Returns how often each row's token was drawn; the last number is for all other tokens.
 * @param {Row[]} rows
 * @param {Tally} tally
 */
function countsOf(rows, { total, counts }) {
  const each = rows.map(({ id }) => counts.get(id)?.n ?? 0);
  return [...each, total - each.reduce((sum, n) => sum + n, 0)];
}

/**
 * Paints a row for each token and a last row for all others.
 * @param {CanvasRenderingContext2D} context of a canvas that has the size of `look`
 * @param {Shown} shown
 * @returns {Painted}
 */
export function paintSlice(context, { look, trace, drawn, nameOf, others: words, tally, said }) {
  const { width, height, unit, palette, family } = look;
  const most = Math.floor(height / (PITCH * unit)) - 1;
  const { rows, others } = rowsOf(trace, drawn, Math.max(FEWEST, Math.min(ROWS, most)));
  const tall = Math.min(LOOSE * unit, height / (rows.length + 1));
  const size = (tall < ROOMY * unit ? SMALL : BODY) * unit;
  const domain = tally ? FULL * Math.max(others.p, ...rows.map(({ p }) => p)) : domainOf(trace);
  const names = Math.min(width * 0.32, 7.5 * size);
  const x = names + 10 * unit;
  context.font = `650 ${size}px ${family}`;
  const numbers = context.measureText(`>${percent(0.9999)}`).width + (8 + OVER) * unit;
  const count = tally && countWriter(context, width - x - SHORTEST * unit, look);
  const long = count ? width - x - count.width - 12 * unit : width - x - numbers;
  const reach = (/** @type {number} */ share) =>
    share > domain ? long + beyondAxis(share, domain) * unit : (share / domain) * long;
  const place = { x, tall, long, domain, reach };
  const counts = tally && countsOf(rows, tally);
  /** @type {Text[]} */
  const texts = [];
  /** @param {Bar} row @param {number} i @param {string} name @param {string} fill */
  const add = (row, i, name, fill) => {
    const y = (i + 0.5) * tall;
    const font = `${row.drawn ? 650 : 400} ${size}px ${family}`;
    const ink = row.p > 0 && row.id !== undefined ? palette.ink : palette.soft;
    const n = counts?.[i] ?? null;
    const end = paintBar(context, { ...row, n: n && n / DRAWS }, fill, y, place, look);
    texts.push({ text: name, x: names, y, align: 'right', font, fill: ink, most: names });
    const beside = { y, fill: ink, most: Infinity };
    if (count && n !== null)
      texts.push({
        ...beside,
        text: count.say(n, row.p * DRAWS),
        x: width,
        align: 'right',
        font: count.font,
      });
    else
      texts.push({ ...beside, text: numberOf(said, row), x: end + 8 * unit, align: 'left', font });
  };
  rows.forEach((row, i) => {
    const name = row.rank > rows.length ? `#${row.rank} ${nameOf(row.id)}` : nameOf(row.id);
    add(row, i, name, row.drawn ? palette.mark : palette.bar);
  });
  if (others.count > 0) add(others, rows.length, words(others.possible), palette.grid);
  context.textBaseline = 'middle';
  write(context, texts);
  return {
    tokenAt: (y) => rows[Math.floor(y / tall)]?.id,
    endOf(id) {
      const found = rows.findIndex((row) => row.id === id);
      const i = found < 0 ? rows.length : found;
      return { x: x + reach((counts?.[i] ?? 0) / DRAWS), y: (i + 0.75) * tall };
    },
  };
}

/**
 * Returns the function that writes counts: in full, or short if the full text is wider than `room`.
 * @param {CanvasRenderingContext2D} context
 * @param {number} room in pixels
 * @param {Look} look
 */
function countWriter(context, room, { unit, family }) {
  const font = `400 ${SMALL * unit}px ${family}`;
  context.font = font;
  const forms = ['landscape.tallied', 'landscape.tallied.brief'].map((key) => {
    const say = (/** @type {number} */ n, /** @type {number} */ expected) =>
      t(key, { n: number(n), of: number(DRAWS), expected: fixed(expected, 1) });
    return { say, font, width: context.measureText(say(DRAWS - 1, DRAWS - 0.1)).width };
  });
  return forms.find(({ width }) => width <= room) ?? forms[1];
}

/**
 * Paints the bar of a row, and below it the bar of its draws. Returns the x position for its number.
 * @param {CanvasRenderingContext2D} context
 * @param {Bar & { n: number | null }} row `n`: the share of the draws; null without draws
 * @param {string} fill
 * @param {number} y the middle of the row
 * @param {{ x: number, tall: number, long: number, domain: number, reach: (share: number) => number }} place
 * @param {Look} look
 */
function paintBar(context, { p, second = 0, n }, fill, y, { x, tall, long, domain, reach }, look) {
  const { unit, palette } = look;
  const thick = Math.min(14 * unit, tall * 0.6);
  const [top, bar] = [y - thick / 2, n === null ? thick : thick / 2];
  const ring = ringDistance(reach(second), unit);
  context.fillStyle = n !== null && fill === palette.mark ? palette.bar : fill;
  if (p > 0) context.fillRect(x, top, Math.max(1, reach(p)), bar);
  context.fillStyle = palette.mark;
  if (n) context.fillRect(x, top + bar, Math.max(1, reach(n)), bar);
  if (Math.max(p, n ?? 0) > domain)
    paintBreak(context, [x + long, y + thick / 2 + unit], [x + long + 4 * unit, top - unit], look);
  if (ring) paintRing(context, x + ring, y, look);
  return x + afterBar(reach(p), ring, unit);
}

/**
 * Writes texts in groups of one font, because changing the font of a canvas is slow.
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
      context.fillText(fitText(context, each), each.x, each.y);
    }
  }
}

/**
 * Returns the distance of the ring from the start of the bar; 0 for no ring.
 * @param {number} reach
 * @param {number} unit
 */
function ringDistance(reach, unit) {
  return reach < RING * unit ? 0 : reach;
}

/**
 * Paints the ring that marks a token's probability in the second distribution.
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
 * Paints a gap into a bar that is longer than the axis.
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

/** Cache of shortened texts: shortening is slow. @type {Map<string, string>} */
const fitted = new Map();
const KEPT = 500;

/**
 * Returns a text, shortened if it is wider than `most`. The context must have the text's font.
 * @param {CanvasRenderingContext2D} context
 * @param {Text} text
 */
function fitText(context, { text, font, most }) {
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
