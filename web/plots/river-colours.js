/** The colours of rivers: a ramp of blue over the ranks, read from the style sheet. */

/**
 * The colours of the style sheet, by name.
 * @typedef {Record<typeof COLOURS[number], string>} Palette
 */

/** The names of the colours, in the order of the hidden elements that have them. */
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

/** The rank at which the colours reach the palette's last colour. */
export const RAMP = 28;

/** The colours of the ranks, by palette. @type {WeakMap<Palette, string[]>} */
const ramps = new WeakMap();

/** @param {string} text such as rgb(1, 2, 3) */
const channels = (text) => (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);

/**
 * Returns the colour of a rank. Odd and even ranks differ slightly, so that neighbours are distinct.
 * @param {Palette} palette
 * @param {number} rank
 */
export function colourOf(palette, rank) {
  if (rank < 0) return palette.ground;
  const ramp = ramps.get(palette) ?? [];
  if (ramp.length === 0) ramps.set(palette, ramp);
  return (ramp[rank] ??= mix(palette, rank));
}

/** @param {Palette} palette @param {number} rank */
function mix({ first, last }, rank) {
  return blend(first, last, Math.min(1, Math.sqrt(rank / RAMP) * 0.8 + (rank % 2) * 0.2));
}

/** Returns a mixture of two colours. @param {string} from @param {string} to @param {number} share 0 to 1 */
export function blend(from, to, share) {
  if (from === to) return to;
  const [a, b] = [channels(from), channels(to)];
  return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * share)).join(' ')})`;
}

/**
 * Reads the palette from the hidden elements of a part of the page.
 * @param {Element} colours has one child for each of COLOURS
 */
export function readPalette({ children }) {
  return /** @type {Palette} */ (
    Object.fromEntries(COLOURS.map((name, i) => [name, getComputedStyle(children[i]).color]))
  );
}
