/**
 * Finds places for the names of rivers: inside the river if there is room, else the drawn token's name beside the
 * knob's line.
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
 * @typedef {{ share: number, drawn: number }} Rest the knob's place, 0 to 1, and the drawn token
 */

/** Font sizes to try, the largest first, in 1/16 rem: for the names of rivers, and of the ground. */
const NAME_SIZES = [30, 24, 19, 15, 13, 11];
const GROUND_SIZES = [17, 15, 13, 11];
/** Only this many rivers, from the most probable token on, may have names. */
export const NAMED = 40;
/** Distance between a name and the middle of the knob's line, in 1/16 rem. */
const AWAY = 12;
/** Font size of a name beside the knob's line, in 1/16 rem. */
const BESIDE = 13;
/** A river of less height (in pixels) at the knob's line gets no name there. */
const THIN = 2;

/**
 * Finds the place of each name. If the drawn token's name does not fit into its river, it stands beside the knob's
 * line.
 * @param {CanvasRenderingContext2D} context measures the names
 * @param {Rivers} laid
 * @param {Words} words
 * @param {Look} look
 * @param {Rest} rest
 * @returns {Named[]}
 */
export function layNames(context, laid, { nameOf, others, size }, look, { share, drawn }) {
  const { rivers } = laid;
  const { unit, family, width, height } = look;
  const gap = [share * width - AWAY * unit, share * width + AWAY * unit];
  const box = { width, height, gap: /** @type {[number, number]} */ (gap) };
  /** @type {Label[]} */
  const placed = [];
  const measure = (/** @type {string} */ name, /** @type {number} */ weight) => {
    context.font = `${weight} 100px ${family}`;
    return context.measureText(name).width / 100;
  };
  const place = (
    /** @type {River} */ river,
    /** @type {number} */ wide,
    /** @type {number[]} */ sizes,
    level = false,
  ) => {
    const fitting = sizes.filter((each) => each < 16 || each * unit <= height / 9);
    const all = fitting.map((each) => each * unit);
    return placeLabels([{ river, wide, level }], box, all, placed)[0];
  };
  const ground = groundOf(laid);
  const named = rivers.map((river, rank) => ({ river, rank, name: '' }));
  const short = named.slice(0, NAMED).map(({ river }) => nameOf(river.id, false));
  short.forEach((name, rank) => {
    const twice = name !== '' && short.indexOf(name) !== short.lastIndexOf(name);
    named[rank].name = twice ? nameOf(rivers[rank].id, true) : name;
  });
  /** @type {Map<number, Label | null>} */
  const labels = new Map();
  // The drawn token's name comes first, because it has a place outside its river too.
  const lit = named.filter(({ river }) => river.id === drawn);
  for (const { river, name } of new Set([...lit, ...named])) {
    if (name === '') continue;
    const wide = measure(name, 500);
    let label = place(river, wide, NAME_SIZES);
    if (!label && river.id === drawn) {
      label = besideOf(river, wide, share, look);
      if (label) placed.push(label);
    }
    labels.set(river.id, label);
  }
  const rest = rivers.length < size ? others : '';
  // The name of the ground (all other tokens) keeps a distance from the edge.
  const low = rest === '' ? null : place(ground, measure(rest, 400) + 2, GROUND_SIZES, true);
  return [
    ...named.map((each) => ({ ...each, label: labels.get(each.river.id) ?? null })),
    { river: ground, rank: -1, name: rest, label: low },
  ];
}

/**
 * Returns the place of a name beside the knob's line, at the height of its river; null if the river is too thin.
 * @param {River} river
 * @param {number} wide the width of the name at size 1
 * @param {number} share
 * @param {Look} look
 * @returns {Label | null}
 */
function besideOf(river, wide, share, { unit, width, height }) {
  const [from, to] = heightsAt(river, share);
  if ((to - from) * height < THIN) return null;
  const size = BESIDE * unit;
  const away = AWAY * unit + (wide * size + size / 2) / 2;
  const right = share * width + away;
  const fits = right + away - AWAY * unit <= width;
  return {
    x: fits ? right : share * width - away,
    y: Math.min(height - size, Math.max(size, ((from + to) / 2) * height)),
    angle: 0,
    size,
    width: wide * size,
    beside: true,
  };
}
