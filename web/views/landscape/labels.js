/**
 * Finds places for the names of rivers: inside the river if there is room, else the drawn token's name beside the
 * crossing of the two lines. A river that is higher at the knob's line never has a smaller name.
 */
import { groundOf, heightsAt, placeLabels } from '../../plots/landscape.js';

/**
 * @typedef {import('../../plots/landscape.js').Rivers} Rivers
 * @typedef {import('../../plots/landscape.js').River} River
 * @typedef {import('../../plots/landscape.js').Label} Label
 * @typedef {import('./paint.js').Look} Look
 * @typedef {import('./paint.js').Named} Named
 *
 * @typedef {{ nameOf: (id: number, twice: boolean) => string, others: string,
 *   size: number }} Words `size`: the size of the vocabulary
 * @typedef {{ share: number, u: number | null, drawn: number }} Rest the places of the knob and of u, 0 to 1 or null for
 *   no line of u; and the drawn token
 */

/** Font sizes to try, the largest first, in 1/16 rem: for the names of rivers, and of the ground. */
const NAME_SIZES = [30, 24, 19, 15, 13, 11];
const GROUND_SIZES = [17, 15, 13, 11];
/** Only this many rivers, from the most probable token on, may have names. */
export const NAMED = 40;
/** Distance between a name and the middle of the knob's line, in 1/16 rem. */
const AWAY = 12;
/** Font size of a name beside the crossing, in 1/16 rem. */
export const BESIDE = 13;
/** Least distance between the drawn token's name and the line of u, as a share of the name's font size. */
const CLEAR = 0.75;

/**
 * Finds the place of each name. The drawn token's name does not touch the line of u.
 * @param {CanvasRenderingContext2D} context measures the names
 * @param {Rivers} laid
 * @param {Words} words
 * @param {Look} look
 * @param {Rest} rest
 * @returns {Named[]}
 */
export function layNames(context, laid, { nameOf, others, size }, look, rest) {
  const { rivers } = laid;
  const { family } = look;
  const measure = (/** @type {string} */ name, /** @type {number} */ weight) => {
    context.font = `${weight} 100px ${family}`;
    return context.measureText(name).width / 100;
  };
  const named = rivers.map((river, rank) => ({ river, rank, name: '', wide: 0 }));
  const short = named.slice(0, NAMED).map(({ river }) => nameOf(river.id, false));
  short.forEach((name, rank) => {
    const twice = name !== '' && short.indexOf(name) !== short.lastIndexOf(name);
    const shown = twice ? nameOf(rivers[rank].id, true) : name;
    Object.assign(named[rank], { name: shown, wide: measure(shown, 500) });
  });
  const drawn = named.find(({ river }) => river.id === rest.drawn) ?? null;
  if (drawn && drawn.name === '') {
    drawn.name = nameOf(rest.drawn, false);
    drawn.wide = measure(drawn.name, 500);
  }
  let [labels, placed] = placeAll(named, look, rest, null);
  if (drawn && drawn.name !== '' && !labels.get(rest.drawn)) {
    const [from, to] = heightsAt(drawn.river, rest.share);
    const wide = measure(drawn.name, 650);
    const tag = besideOf(wide, rest.share, rest.u ?? (from + to) / 2, look);
    [labels, placed] = placeAll(named, look, rest, tag);
  }
  const ground = groundOf(laid);
  const name = rivers.length < size ? others : '';
  // The name of the ground (all other tokens) keeps a distance from the edge.
  const asked = { river: ground, wide: measure(name, 400) + 2, level: true };
  const [low] = name
    ? placeLabels([asked], boxOf(look, rest), sizesIn(look, GROUND_SIZES), placed)
    : [];
  return [
    ...named.map((each) => ({ ...each, label: labels.get(each.river.id) ?? null })),
    { river: ground, rank: -1, name, label: low ?? null },
  ];
}

/**
 * Returns the picture's size and the strip at the knob's line that stays free.
 * @param {Look} look @param {Rest} rest
 */
function boxOf({ width, height, unit }, { share }) {
  /** @type {[number, number]} */
  const gap = [share * width - AWAY * unit, share * width + AWAY * unit];
  return { width, height, gap };
}

/**
 * Returns the font sizes in pixels that suit the picture's height.
 * @param {Look} look @param {number[]} sizes
 */
function sizesIn({ unit, height }, sizes) {
  const fitting = sizes.filter((each) => each < 16 || each * unit <= height / 9);
  return fitting.map((each) => each * unit);
}

/**
 * Places the names of rivers, from the highest river on. A name is never larger than one in a higher river.
 * @param {{ river: River, name: string, wide: number }[]} named
 * @param {Look} look
 * @param {Rest} rest
 * @param {Label | null} tag the place of the drawn token's name outside its river; null to place it inside
 * @returns {[Map<number, Label | null>, Label[]]} the places by token, and all of them
 */
function placeAll(named, look, rest, tag) {
  const box = boxOf(look, rest);
  /** @type {Map<number, Label | null>} */
  const labels = new Map(tag ? [[rest.drawn, tag]] : []);
  const placed = tag ? [tag] : [];
  const thickness = named.map(({ river }) => {
    const [from, to] = heightsAt(river, rest.share);
    return to - from;
  });
  const order = named.map((_, i) => i).sort((a, b) => thickness[b] - thickness[a] || a - b);
  let sizes = sizesIn(look, NAME_SIZES);
  for (const i of order) {
    const { river, name, wide } = named[i];
    if (name === '' || labels.has(river.id)) continue;
    const parts = river.id === rest.drawn ? partsOf(river, look, rest.u) : [river];
    const found = parts.map(
      (part) => placeLabels([{ river: part, wide }], box, sizes, [...placed])[0],
    );
    const [label] = found.sort((a, b) => (b?.size ?? 0) - (a?.size ?? 0));
    labels.set(river.id, label);
    if (!label) continue;
    placed.push(label);
    sizes = sizes.filter((size) => size <= label.size);
  }
  return [labels, placed];
}

/**
 * Returns the parts of a river above and below the line of u.
 * @param {River} river @param {Look} look @param {number | null} u
 */
function partsOf(river, { unit, height }, u) {
  if (u === null) return [river];
  const [above, below] = [u - unit / height, u + unit / height];
  const { before, after } = river;
  return [
    { ...river, after: after.map((to, i) => Math.max(before[i], Math.min(to, above))) },
    { ...river, before: before.map((from, i) => Math.min(after[i], Math.max(from, below))) },
  ];
}

/**
 * Returns the place of a name beside the crossing of the two lines, above the line of u; below it at the upper edge.
 * @param {number} wide the width of the name at size 1
 * @param {number} share
 * @param {number} u
 * @param {Look} look
 * @returns {Label}
 */
export function besideOf(wide, share, u, { unit, width, height }) {
  const size = BESIDE * unit;
  const away = AWAY * unit + (wide * size + size / 2) / 2;
  const right = share * width + away;
  const fits = right + away - AWAY * unit <= width;
  const above = u * height - CLEAR * size;
  return {
    x: fits ? right : share * width - away,
    y: above < size ? u * height + CLEAR * size : above,
    angle: 0,
    size,
    width: wide * size,
    beside: true,
  };
}
