/**
 * Lays out the landscape of a knob. At each value of the knob, the tokens are stacked in the order of the draw; a
 * token's areas form its river. This file also finds places for names. Heights are from 0 at the top to 1, so a
 * draw's u is a height. Only names are in pixels.
 */

/** @import { Landscape } from '../engine/types.js' */

/**
 * `stepped`: true if the values are whole numbers; each value then extends halfway to its neighbours.
 * `request`: the number of the request that the slices belong to; undefined in the first frame.
 * @typedef {Landscape & { stepped?: boolean, request?: number }} Slices
 *
 * A token at every value. At value i the river lies between before[i], the mass of the tokens drawn
 * before it, and after[i]. Both are equal if the token cannot be drawn there.
 * @typedef {{ id: number, before: Float64Array, after: Float64Array, stepped: boolean }} River
 *
 * `ground` is the upper edge of the rest of the vocabulary. Its lower edge is 1.
 * @typedef {{ values: Float64Array, rivers: River[], ground: Float64Array, stepped: boolean }} Rivers
 *
 * The place of a name: its middle in pixels, its angle (radians, positive downwards) and its size.
 * `beside`: true for a name outside its river, beside the knob.
 * @typedef {{ x: number, y: number, angle: number, size: number, width: number, beside?: boolean }} Label
 *
 * @typedef {{ width: number, height: number, gap?: [number, number] | null }} Box
 */

/** A token becomes part of the ground if its probability never exceeds this. */
const THINNEST = 1e-4;
/** Steepest angle of a name, in radians. */
const STEEPEST = 1;
/**
 * Distance in pixels between the places that are tried for a name, and the line height as a multiple of the font
 * size.
 */
const STRIDE = 6;
const ROOM = 1.06;
/** Number of points along a name at which its river must be high enough. */
const PROBES = 12;

/**
 * Returns the rivers of a landscape, by the best rank that each token has anywhere.
 * @param {Slices} landscape
 * @returns {Rivers}
 */
export function layRivers({ values, top, ids, p, stepped = false }) {
  const n = values.length;
  const ground = new Float64Array(n);
  for (let i = 0; i < n; i++)
    for (let k = i * top; k < (i + 1) * top; k++) ground[i] = Math.min(1, ground[i] + p[k]);
  /** @type {Map<number, River & { most: number, place: number }>} */
  const found = new Map();
  for (let i = 0; i < n; i++) {
    let walked = 0;
    for (let k = 0; k < top; k++) {
      const share = p[i * top + k];
      if (share === 0) break; // only removed tokens follow
      const id = ids[i * top + k];
      let river = found.get(id);
      if (!river) {
        const [before, after] = [ground.slice(), ground.slice()];
        river = { id, before, after, stepped, most: 0, place: k };
        found.set(id, river);
      }
      river.before[i] = walked;
      walked = Math.min(1, walked + share);
      river.after[i] = walked;
      river.most = Math.max(river.most, share);
      river.place = Math.min(river.place, k);
    }
  }
  const rivers = [...found.values()].filter(({ most }) => most >= THINNEST);
  rivers.sort((a, b) => a.place - b.place || b.most - a.most || a.id - b.id);
  return {
    values,
    rivers: rivers.map(({ id, before, after }) => ({ id, before, after, stepped })),
    ground,
    stepped,
  };
}

/**
 * Calls `lineTo` for each point of a river's outline: along the upper edge, then back along the lower edge. Points are
 * shares of width and height.
 * @param {Omit<River, 'id'>} river
 * @param {(x: number, y: number) => void} lineTo
 */
export function walkEdges({ before, after, stepped }, lineTo) {
  const last = before.length - 1;
  /** @param {Float64Array} line @param {number} i @param {number} from the previous index */
  const append = (line, i, from) => {
    if (stepped && i !== from) {
      const edge = (i + from) / 2 / last;
      lineTo(edge, line[from]);
      lineTo(edge, line[i]);
    }
    lineTo(i / last, line[i]);
  };
  for (let i = 0; i <= last; i++) append(before, i, Math.max(0, i - 1));
  for (let i = last; i >= 0; i--) append(after, i, Math.min(last, i + 1));
}

/**
 * Returns the token that u draws at one value of the knob; null if it is not listed. These sums are rounded while the
 * engine's are exact, so near an edge only the engine's draw is right.
 * @param {Landscape} landscape
 * @param {number} at
 * @param {number} u
 */
export function tokenAt({ top, ids, p }, at, u) {
  let walked = 0;
  for (let k = at * top; k < (at + 1) * top; k++) {
    walked += p[k];
    if (u < walked) return ids[k];
  }
  return null;
}

/** Number of places at which two landscapes with different values are compared. */
const PLACES = 241;

/**
 * Returns both landscapes with the same number of values. For different knobs, values at the same share of both
 * ranges correspond.
 * @param {Rivers} from
 * @param {Rivers} to
 * @returns {[Rivers, Rivers]}
 */
export function aligned(from, to) {
  const alike = from.values.length === to.values.length && from.stepped === to.stepped;
  return alike ? [from, to] : [atEvenPlaces(from), atEvenPlaces(to)];
}

/**
 * Returns a landscape with values at PLACES even distances. A step becomes a steep slope.
 * @param {Rivers} rivers @returns {Rivers}
 */
function atEvenPlaces({ values, rivers, ground, stepped }) {
  const last = values.length - 1;
  const line = (/** @type {ArrayLike<number>} */ all) =>
    Float64Array.from({ length: PLACES }, (_, i) => {
      const place = (i / (PLACES - 1)) * last;
      const low = stepped ? Math.round(place) : Math.min(Math.floor(place), last - 1);
      return stepped ? all[low] : all[low] + (all[low + 1] - all[low]) * (place - low);
    });
  return {
    values: line(values),
    rivers: rivers.map(({ id, before, after }) => ({
      id,
      before: line(before),
      after: line(after),
      stepped: false,
    })),
    ground: line(ground),
    stepped: false,
  };
}

/**
 * Returns a blend of two landscapes: the first at share 0, the second at share 1. A river that only one of them has
 * grows out of the ground or shrinks into it.
 * @param {Rivers} from
 * @param {Rivers} to
 * @param {number} share 0 to 1
 * @returns {Rivers}
 */
export function between(from, to, share) {
  const mix = (/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) =>
    a.map((value, i) => value + (b[i] - value) * share);
  const earlier = new Map(from.rivers.map((river) => [river.id, river]));
  const later = new Set(to.rivers.map(({ id }) => id));
  const pair = (/** @type {River | undefined} */ a, /** @type {River | undefined} */ b) => {
    const { id } = /** @type {River} */ (b ?? a);
    return {
      id,
      before: mix(a?.before ?? from.ground, b?.before ?? to.ground),
      after: mix(a?.after ?? from.ground, b?.after ?? to.ground),
      stepped: to.stepped,
    };
  };
  return {
    values: to.values,
    rivers: [
      ...from.rivers.filter(({ id }) => !later.has(id)).map((river) => pair(river, undefined)),
      ...to.rivers.map((river) => pair(earlier.get(river.id), river)),
    ],
    ground: mix(from.ground, to.ground),
    stepped: to.stepped,
  };
}

/** Smallest visible difference of heights: less than a pixel. */
const NEAR = 1e-3;

/**
 * Returns true if two landscapes over the same range look the same at the values that both have.
 * @param {Rivers} first
 * @param {Rivers} second
 */
export function lookAlike(first, second) {
  const n = Math.min(first.values.length, second.values.length);
  const [one, other] = [thinOut(first, n), thinOut(second, n)];
  const found = new Map(other.rivers.map((river) => [river.id, river]));
  const near = (/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) =>
    a.every((value, i) => Math.abs(value - b[i]) < NEAR);
  const thin = (/** @type {River} */ { before, after }) => near(before, after);
  const same = one.rivers.every((river) => {
    const twin = found.get(river.id);
    found.delete(river.id);
    return twin ? near(river.before, twin.before) && near(river.after, twin.after) : thin(river);
  });
  return same && [...found.values()].every(thin);
}

/**
 * Returns a landscape with only n of its values, at even distances.
 * @param {Rivers} rivers
 * @param {number} n
 * @returns {Rivers}
 */
function thinOut({ values, rivers, ground, stepped }, n) {
  const stride = (values.length - 1) / (n - 1);
  const thin = (/** @type {Float64Array} */ all) => all.filter((_, i) => i % stride === 0);
  const thinRiver = (/** @type {River} */ { id, before, after }) => ({
    id,
    before: thin(before),
    after: thin(after),
    stepped,
  });
  return {
    values: thin(/** @type {Float64Array} */ (values)),
    rivers: rivers.map(thinRiver),
    ground: thin(ground),
    stepped,
  };
}

/**
 * Returns the regions in which two landscapes have the same token, the ground's last. Everywhere else, the same u
 * draws different tokens.
 * @param {Rivers} first
 * @param {Rivers} second
 * @returns {Omit<River, 'id'>[]}
 */
export function common(first, second) {
  const n = Math.min(first.values.length, second.values.length);
  const [one, other] = [thinOut(first, n), thinOut(second, n)];
  const found = new Map(other.rivers.map((river) => [river.id, river]));
  const pairs = one.rivers.flatMap((river) => {
    const twin = found.get(river.id);
    return twin ? [[river, twin]] : [];
  });
  pairs.push([one, other].map(groundOf));
  return pairs.map(([a, b]) => {
    const before = a.before.map((value, i) => Math.max(value, b.before[i]));
    const after = before.map((value, i) => Math.max(value, Math.min(a.after[i], b.after[i])));
    return { before, after, stepped: a.stepped };
  });
}

/**
 * Returns the position of a value in an ascending list, as an index with a fraction.
 * @param {ArrayLike<number>} values
 * @param {number} value
 */
export function placeOf(values, value) {
  const last = values.length - 1;
  if (value <= values[0]) return 0;
  if (value >= values[last]) return last;
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value) low = middle;
    else high = middle;
  }
  return low + (value - values[low]) / (values[high] - values[low]);
}

/**
 * Returns the upper and lower edge of a river at a share of the knob's range.
 * @param {River} river
 * @param {number} share 0 to 1
 * @returns {[number, number]}
 */
export function heightsAt({ before, after, stepped }, share) {
  const place = Math.min(1, Math.max(0, share)) * (before.length - 1);
  const low = stepped ? Math.round(place) : Math.min(Math.floor(place), before.length - 2);
  if (stepped || low < 0) return [before[Math.max(0, low)], after[Math.max(0, low)]];
  const at = (/** @type {Float64Array} */ line) =>
    line[low] + (line[low + 1] - line[low]) * (place - low);
  return [at(before), at(after)];
}

/**
 * Returns the river at a point; null for the ground. If rivers overlap, the last one counts, because it is painted
 * last.
 * @param {Rivers} rivers
 * @param {number} share of the knob's range, 0 to 1
 * @param {number} u
 */
export function riverAt({ rivers }, share, u) {
  for (let i = rivers.length - 1; i >= 0; i--) {
    const [from, to] = heightsAt(rivers[i], share);
    if (u >= from && u < to) return rivers[i];
  }
  return null;
}

/**
 * Returns the middle line of a river that is too thin to see. It has gaps at values at which the token cannot be
 * drawn.
 * @param {River} river
 * @returns {[number, number][][]}
 */
export function threadOf({ before, after, stepped }) {
  const last = Math.max(1, before.length - 1);
  /** @type {[number, number][][]} */
  const lines = [];
  let there = false;
  for (let i = 0; i < before.length; i++) {
    const wasThere = there;
    there = after[i] > before[i];
    if (!there) continue;
    if (!wasThere) lines.push([]);
    const y = (before[i] + after[i]) / 2;
    const places = stepped ? [Math.max(0, i - 0.5), Math.min(last, i + 0.5)] : [i];
    for (const place of places) lines[lines.length - 1].push([place / last, y]);
  }
  return lines;
}

/** Returns the ground in the form of a river. @param {Rivers} rivers @returns {River} */
export function groundOf({ ground, stepped }) {
  return { id: -1, before: ground, after: new Float64Array(ground.length).fill(1), stepped };
}

/**
 * Finds places for names so that they do not overlap. Each is inside its river, parallel to it and as large as
 * possible. A river without enough room gets null.
 * @param {{ river: River, wide: number, level?: boolean }[]} named `wide`: the width of the name at
 *   size 1; `level`: true for a name that is not turned and lies low. Earlier names have priority
 * @param {Box} box `gap`: the left and right edge, in pixels, of a strip without names
 * @param {number[]} sizes the largest first
 * @param {Label[]} [placed] names that have their places; the new ones are appended
 * @returns {(Label | null)[]}
 */
export function placeLabels(named, box, sizes, placed = []) {
  return named.map(({ river, wide, level = false }) => {
    const course = courseOf(river, box);
    for (const size of sizes) {
      if (course.thickest < size * ROOM) continue;
      const label = placeLabel(river, { wide, level, size, box, placed, course });
      if (!label) continue;
      placed.push(label);
      return label;
    }
    return null;
  });
}

/**
 * Returns the height of a river in pixels at each place that is tried for a name.
 * @param {River} river
 * @param {Box} box
 */
function courseOf(river, { width, height }) {
  const n = Math.max(0, Math.ceil(width / STRIDE) - 1);
  const thick = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const [from, to] = heightsAt(river, ((i + 1) * STRIDE) / width);
    thick[i] = (to - from) * height;
  }
  return { thick, thickest: thick.reduce((most, each) => Math.max(most, each), 0) };
}

/**
 * Returns the best place for a name in a given size: where the river is highest. Returns null if there is none.
 * @param {River} river
 * @param {{ wide: number, level: boolean, size: number, box: Box, placed: Label[],
 *   course: ReturnType<typeof courseOf> }} how
 * @returns {Label | null}
 */
function placeLabel(river, { wide, level, size, box, placed, course }) {
  const tall = size * ROOM;
  const width = wide * size;
  /** @type {{ label: Label, room: number } | null} */
  let best = null;
  const middle = (/** @type {number} */ x) => {
    const [from, to] = heightsAt(river, x / box.width);
    const between = (from + to) / 2;
    return (level ? Math.max(between, to - tall / box.height) : between) * box.height;
  };
  for (const [i, thick] of course.thick.entries()) {
    if (thick < tall || (best && thick <= best.room)) continue;
    const x = (i + 1) * STRIDE;
    const reach = Math.min(width / 2, x, box.width - x);
    const slope = Math.atan2(middle(x + reach) - middle(x - reach), 2 * reach);
    // Tries a horizontal name first, then one parallel to the river, unless `level` demands a horizontal one.
    for (const angle of level ? [0] : [0, slope]) {
      const label = { x, y: middle(x), angle, size, width };
      const room = thick * Math.cos(angle);
      if (Math.abs(angle) > STEEPEST || room < tall || (best && room <= best.room)) continue;
      if (!liesIn(label, river, box) || placed.some((other) => overlap(label, other))) continue;
      best = { label, room };
      break;
    }
  }
  return best?.label ?? null;
}

/**
 * Returns the four corners of a name with its margin.
 * @param {Label} label
 * @returns {[number, number][]}
 */
export function cornersOf({ x, y, angle, size, width }) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [along, across] = [width / 2 + size / 4, (size * ROOM) / 2];
  const signs = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ];
  return signs.map(([a, b]) => [
    x + a * along * cos - b * across * sin,
    y + a * along * sin + b * across * cos,
  ]);
}

/**
 * Returns true if a name is inside its river. Points along both long sides are checked.
 * @param {Label} label
 * @param {River} river
 * @param {Box} box
 */
function liesIn(label, river, box) {
  const [a, b, c, d] = cornersOf(label);
  const [left, right] = [Math.min(a[0], d[0]), Math.max(b[0], c[0])];
  if (left < 0 || right > box.width) return false;
  if (box.gap && right > box.gap[0] && left < box.gap[1]) return false;
  for (const [from, to] of [
    [a, b],
    [d, c],
  ])
    for (let i = 0; i <= PROBES; i++) {
      const at = i / PROBES;
      const share = (from[0] + (to[0] - from[0]) * at) / box.width;
      const y = (from[1] + (to[1] - from[1]) * at) / box.height;
      const [above, below] = heightsAt(river, share);
      if (y < above || y > below) return false;
    }
  return true;
}

/**
 * Returns true if two names touch: then no side of one separates it from the other.
 * @param {Label} one
 * @param {Label} other
 */
export function overlap(one, other) {
  const [first, second] = [cornersOf(one), cornersOf(other)];
  return ![one.angle, one.angle + Math.PI / 2, other.angle, other.angle + Math.PI / 2].some(
    (angle) => {
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const [a, b] = [first, second].map((corners) => corners.map(([x, y]) => x * cos + y * sin));
      return Math.max(...a) <= Math.min(...b) || Math.max(...b) <= Math.min(...a);
    },
  );
}
