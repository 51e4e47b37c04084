/** The colours of rivers: shades of blue by rank. They come from the style sheet. */

/**
 * Colours from the style sheet, by name.
 * @typedef {Record<typeof COLOURS[number], string>} Palette
 */

/** Names of the colours. The page has hidden elements with these colours in the same order. */
export const COLOURS = /** @type {const} */ ([
  'first',
  'last',
  'ground',
  'line',
  'ink',
  'soft',
  'mark',
  'markInk',
  'bar',
  'grid',
  'panel',
]);

/** From this rank on, all rivers have the last colour. */
export const RAMP = 28;

/** For each palette: the colours of the ranks. @type {WeakMap<Palette, string[]>} */
const ramps = new WeakMap();

/** @param {string} text such as rgb(1, 2, 3) */
const channelsOf = (text) => (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);

/**
 * Returns the colour of a rank. Odd and even ranks differ a little, so that neighbours can be told apart.
 * @param {Palette} palette
 * @param {number} rank
 */
export function colourOf(palette, rank) {
  if (rank < 0) return palette.ground;
  const ramp = ramps.get(palette) ?? [];
  if (ramp.length === 0) ramps.set(palette, ramp);
  return (ramp[rank] ??= mixRamp(palette, rank));
}

/** @param {Palette} palette @param {number} rank */
function mixRamp({ first, last }, rank) {
  return blend(first, last, Math.min(1, Math.sqrt(rank / RAMP) * 0.8 + (rank % 2) * 0.2));
}

/** Returns a blend of two colours. @param {string} from @param {string} to @param {number} share 0 to 1 */
export function blend(from, to, share) {
  if (from === to) return to;
  const [a, b] = [channelsOf(from), channelsOf(to)];
  return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * share)).join(' ')})`;
}

/**
 * Reads the colours from the hidden elements.
 * @param {Element} colours has one child for each of COLOURS
 */
export function readPalette({ children }) {
  return /** @type {Palette} */ (
    Object.fromEntries(COLOURS.map((name, i) => [name, getComputedStyle(children[i]).color]))
  );
}
