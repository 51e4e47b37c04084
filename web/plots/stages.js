/**
 * Lays out the chain as a picture. The columns are the model and the stages. In each column, the tokens are stacked
 * in the order of the draw; a token's areas form its band. Heights are from 0 at the top to 1, positions from 0 at
 * the left to 1. Only names are in pixels.
 */

/** @import { Trace, TraceToken } from './trace.js' */

/**
 * A listed token, or a token that the trace does not list although it is large before some stage. `before`: the
 * mass of the tokens before it in the order of the draw, after the chain; a listed token needs none.
 * @typedef {Omit<TraceToken, 'logit' | 'warped' | 'logprob'> & { before?: number }} BandToken
 *
 * `index`: the stage's index in the trace, -1 for the model. The plateau of the column is between `from` and `to`.
 * @typedef {{ name: string, index: number, from: number, to: number }} Column
 *
 * At column c the band is between before[c] and after[c] and has the probability p[c]; both edges are equal if the
 * token is removed. `rank`: its place at the model, from 0, for the colour.
 * @typedef {{ id: number, token: BandToken, rank: number, p: Float64Array, before: Float64Array,
 *   after: Float64Array }} Band
 *
 * `rest`: the probability of all other tokens at each column. `ground`: the upper edge of their band.
 * @typedef {{ columns: Column[], bands: Band[], ground: Float64Array, rest: Float64Array }} River
 *
 * (x, y) is the middle of a name and `width` its width, in pixels. `last`: true in the last column.
 * @typedef {{ band: Band | null, column: number, last: boolean, x: number, y: number, size: number,
 *   width: number }} Name
 */

/** Name of the first column. */
export const MODEL = 'model';
/** Width of the space between two columns, as a multiple of a column's width. */
export const GAP = 0.9;
/** Line height of a name as a multiple of its font size. */
const ROOM = 1.2;
/** Heights that differ by less are the same height: less than a tenth of a pixel. */
const SAME = 1e-4;

/**
 * Returns the columns and bands of a trace.
 * @param {Trace} trace
 * @param {BandToken[]} [further] tokens that the trace does not list
 * @param {ReadonlySet<string>} [off] stages that have a column although they are off
 * @returns {River}
 */
export function layStages(trace, further = [], off = new Set()) {
  const columns = columnsOf(trace, off);
  const listed = trace.tokens.length;
  const bands = [...trace.tokens, ...further].map((token) => bandOf(token, columns));
  const ground = new Float64Array(columns.length);
  const rest = new Float64Array(columns.length);
  let order = bands;
  for (const [c, { index }] of columns.entries()) {
    const last = c === columns.length - 1;
    const apart = last ? bands.slice(listed).filter(({ p }) => p[c] > 0) : [];
    order = orderAt(order, c, last);
    if (c === 0) order.forEach((band, rank) => (band.rank = rank));
    let walked = 0;
    for (const band of order.filter((each) => !apart.includes(each))) {
      band.before[c] = walked;
      walked = band.after[c] = Math.min(1, walked + band.p[c]);
    }
    for (const band of apart) {
      band.before[c] = Math.max(walked, band.token.before ?? walked);
      band.after[c] = Math.min(1, band.before[c] + band.p[c]);
    }
    rest[c] = restAt(trace, index, bands, c);
    ground[c] = rest[c] === 0 && apart.length === 0 ? 1 : walked;
  }
  return { columns, bands, ground, rest };
}

/** @param {Trace} trace @param {ReadonlySet<string>} off @returns {Column[]} */
function columnsOf({ stages }, off) {
  const shown = stages.flatMap(({ name, active }, index) =>
    active || off.has(name) ? [{ name, index }] : [],
  );
  const named = [{ name: MODEL, index: -1 }, ...shown];
  const plateau = 1 / (named.length + GAP * (named.length - 1));
  return named.map((each, c) => {
    const from = c * plateau * (1 + GAP);
    return { ...each, from, to: from + plateau };
  });
}

/** @param {BandToken} token @param {Column[]} columns @returns {Band} */
function bandOf(token, columns) {
  const { id, p_raw, stage_p } = token;
  const p = Float64Array.from(columns, ({ index }) => (index < 0 ? p_raw : stage_p[index]));
  const [before, after] = [new Float64Array(p.length), new Float64Array(p.length)];
  return { id, token, rank: 0, p, before, after };
}

/**
 * Returns the bands of a column from top to bottom: in the order of the draw. A removed token keeps its place below
 * the band that was above it.
 * @param {Band[]} earlier the order at the column before
 * @param {number} column
 * @param {boolean} last true at the last column, where the engine's ranks decide
 */
function orderAt(earlier, column, last) {
  const kept = earlier.filter(({ p }) => p[column] > 0);
  const byShare = (/** @type {Band} */ a, /** @type {Band} */ b) =>
    b.p[column] - a.p[column] || a.id - b.id;
  kept.sort(last ? (a, b) => a.token.rank - b.token.rank : byShare);
  /** @type {Map<Band | null, Band[]>} */
  const below = new Map();
  /** @type {Band | null} */
  let above = null;
  for (const band of earlier)
    if (band.p[column] > 0) above = band;
    else below.set(above, [...(below.get(above) ?? []), band]);
  return [null, ...kept].flatMap((band) => [...(band ? [band] : []), ...(below.get(band) ?? [])]);
}

/**
 * Returns the probability of all tokens without a band, in one column. It is exactly 0 if every kept token has a
 * band.
 * @param {Trace} trace
 * @param {number} index
 * @param {Band[]} bands
 * @param {number} column
 */
function restAt({ stages, vocab_size }, index, bands, column) {
  const kept = index < 0 ? vocab_size : stages[index].kept;
  const shown = bands.filter(({ p }) => p[column] > 0);
  if (shown.length === kept) return 0;
  return Math.max(0, 1 - shown.reduce((sum, { p }) => sum + p[column], 0));
}

/**
 * Returns the height of an edge at a position: constant in a column, a smooth curve between two columns.
 * @param {Column[]} columns
 * @param {Float64Array} edge
 * @param {number} x 0 to 1
 */
export function heightAt(columns, edge, x) {
  const next = columns.findIndex(({ to }) => x <= to);
  if (next < 0) return edge[edge.length - 1];
  if (next === 0 || x >= columns[next].from) return edge[next];
  const [from, to] = [columns[next - 1].to, columns[next].from];
  const share = (x - from) / (to - from);
  return edge[next - 1] + (edge[next] - edge[next - 1]) * share * share * (3 - 2 * share);
}

/**
 * Returns the band at a point; null for the ground.
 * @param {River} river
 * @param {number} x 0 to 1
 * @param {number} y 0 to 1
 */
export function bandAt({ columns, bands }, x, y) {
  const within = (/** @type {Band} */ { before, after }) =>
    y >= heightAt(columns, before, x) && y < heightAt(columns, after, x);
  return bands.filter(within).at(-1) ?? null;
}

/**
 * Returns the index of the column that is nearest to a position.
 * @param {Column[]} columns @param {number} x 0 to 1
 */
export function columnAt(columns, x) {
  const away = columns.map(({ from, to }) => Math.abs((from + to) / 2 - x));
  return away.indexOf(Math.min(...away));
}

/**
 * Returns a blend of two pictures: the first at share 0, the second at share 1. If the order has changed, the bands
 * move to their new places. A column that only one picture has grows out of the column before it.
 * @param {River} from
 * @param {River} to
 * @param {number} share 0 to 1
 * @returns {River}
 */
export function betweenStages(from, to, share) {
  const [a, b] = matchColumns(from, to);
  const mix = (/** @type {number} */ x, /** @type {number} */ y) => x + (y - x) * share;
  const blend = (/** @type {Float64Array} */ one, /** @type {Float64Array} */ other) =>
    Float64Array.from(b, (to, c) => mix(one[a[c]], other[to]));
  const earlier = new Map(from.bands.map((band) => [band.id, band]));
  const later = new Map(to.bands.map((band) => [band.id, band]));
  const pair = (/** @type {Band} */ band) => {
    const one = earlier.get(band.id);
    const other = later.get(band.id);
    return {
      ...band,
      p: blend(one?.p ?? ZERO(from), other?.p ?? ZERO(to)),
      before: blend(one?.before ?? from.ground, other?.before ?? to.ground),
      after: blend(one?.after ?? from.ground, other?.after ?? to.ground),
    };
  };
  return {
    columns: b.map((at, c) => ({
      ...to.columns[at],
      from: mix(from.columns[a[c]].from, to.columns[at].from),
      to: mix(from.columns[a[c]].to, to.columns[at].to),
    })),
    bands: [...from.bands.filter(({ id }) => !later.has(id)), ...to.bands].map(pair),
    ground: blend(from.ground, to.ground),
    rest: blend(from.rest, to.rest),
  };
}

/**
 * Returns the first and last column of the part in which two pictures with the same columns and bands differ: every
 * column that differs, with its neighbours.
 * @param {River} one @param {River} other
 * @returns {[number, number]}
 */
export function changedColumns(one, other) {
  const apart = (/** @type {number} */ x, /** @type {number} */ y) => Math.abs(x - y) > SAME;
  const differs = (/** @type {Column} */ { from, to }, /** @type {number} */ c) =>
    apart(from, other.columns[c].from) ||
    apart(to, other.columns[c].to) ||
    apart(one.ground[c], other.ground[c]) ||
    one.bands.some(
      ({ before, after }, i) =>
        apart(before[c], other.bands[i].before[c]) || apart(after[c], other.bands[i].after[c]),
    );
  const changed = one.columns.map(differs);
  const first = changed.indexOf(true);
  return [Math.max(0, first - 1), Math.min(changed.length - 1, changed.lastIndexOf(true) + 1)];
}

/**
 * Returns the bands from top to bottom if each of them lies directly below the one before, in every column; null if
 * bands cross.
 * @param {River} river
 */
export function stackOf({ bands, ground }) {
  const stack = [...bands].sort((a, b) => a.rank - b.rank);
  const meets = (/** @type {Float64Array} */ upper, /** @type {Float64Array} */ lower) =>
    upper.every((y, c) => Math.abs(y - lower[c]) < SAME);
  const isWhole = stack.every(({ after }, i) => meets(after, stack[i + 1]?.before ?? ground));
  return isWhole ? stack : null;
}

/**
 * Returns a part of a picture, from one column to another. Positions stay the same.
 * @param {River} river @param {number} first @param {number} last
 * @returns {River}
 */
export function sliceStages({ columns, bands, ground, rest }, first, last) {
  const part = (/** @type {Float64Array} */ edge) => edge.subarray(first, last + 1);
  return {
    columns: columns.slice(first, last + 1),
    bands: bands.map((band) => ({
      ...band,
      p: part(band.p),
      before: part(band.before),
      after: part(band.after),
    })),
    ground: part(ground),
    rest: part(rest),
  };
}

/** @param {River} river */
const ZERO = ({ columns }) => new Float64Array(columns.length);

/**
 * Pairs the columns of two pictures: returns two lists of indices of the same length.
 * @param {River} from
 * @param {River} to
 * @returns {[number[], number[]]}
 */
function matchColumns(from, to) {
  const [old, now] = [from, to].map(({ columns }) => columns.map(({ name }) => name));
  const places = now.map((_, c) => c);
  if (old.length === now.length) return [places, places];
  const [few, many] = old.length < now.length ? [old, now] : [now, old];
  let last = 0;
  const grown = many.map((name) => (last = Math.max(last, few.indexOf(name))));
  const all = many.map((_, c) => c);
  return old.length < now.length ? [grown, all] : [all, grown];
}

/**
 * @typedef {object} Box
 * @property {number} width in pixels
 * @property {number} height in pixels
 * @property {number[]} sizes of names in pixels, the largest first
 * @property {(band: Band | null) => number} wide the width of a name at size 1; null asks for the others; 0 for no name
 */

/**
 * Finds places for the names of bands, each as large as possible.
 * @param {River} river
 * @param {Box} box
 * @returns {Name[]}
 */
export function nameStages(river, box) {
  const { columns, bands, ground } = river;
  const others = { before: ground, after: new Float64Array(ground.length).fill(1) };
  return [...bands, null].flatMap((band) => {
    const broad = box.wide(band);
    const edges = band ?? others;
    return columns.flatMap(({ from, to }, column) => {
      const size =
        broad && box.sizes.find((each) => hasRoom(columns, edges, column, each, broad, box));
      if (!size) return [];
      const y = ((edges.before[column] + edges.after[column]) / 2) * box.height;
      const place = { x: ((from + to) / 2) * box.width, y, size, width: size * broad };
      return [{ band, column, last: column === columns.length - 1, ...place }];
    });
  });
}

/**
 * Returns true if a name fits into its band in one column.
 * @param {Column[]} columns
 * @param {Pick<Band, 'before' | 'after'>} edges
 * @param {number} column
 * @param {number} size
 * @param {number} broad the width of the name at size 1
 * @param {Box} box
 */
function hasRoom(columns, { before, after }, column, size, broad, { width, height }) {
  const middle = (before[column] + after[column]) / 2;
  const half = (size * ROOM) / 2 / height;
  if (after[column] - before[column] < 2 * half) return false;
  const { from, to } = columns[column];
  const reach = (size * broad) / 2 / width;
  const [left, right] = [(from + to) / 2 - reach, (from + to) / 2 + reach];
  // A name may be wider than its column, but must not touch a name in the next column.
  const room = columns.length > 1 ? (columns[1].from - columns[0].from) / 2 : 0.5;
  if (reach > room || left < 0 || right > 1) return false;
  return [left, right].every(
    (x) =>
      heightAt(columns, before, x) <= middle - half && heightAt(columns, after, x) >= middle + half,
  );
}
