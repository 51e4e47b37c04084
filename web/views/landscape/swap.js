/** Swaps the order of temperature and top-p. */

const PAIR = ['temperature', 'top_p'];

/** Returns all samplers in canonical order. @param {import('../../engine/types.js').TableRow[]} table */
export const canonical = (table) => table.filter(({ sampler }) => sampler).map(({ name }) => name);

/**
 * Returns the order with temperature and top-p swapped.
 * @param {string[] | undefined} order
 * @param {import('../../engine/types.js').TableRow[]} table
 */
export function swapped(order, table) {
  const names = [...(order ?? canonical(table))];
  const [heat, nucleus] = placesIn(names);
  [names[heat], names[nucleus]] = [names[nucleus], names[heat]];
  return names;
}

/**
 * Returns true if swapping can change the result: both samplers are in the order, and top-p is active.
 * @param {Record<string, any>} settings
 */
export function canSwap({ order = PAIR, top_p = 1 }) {
  return top_p < 1 && placesIn(order).every((place) => place >= 0);
}

/** @param {string[]} order */
function placesIn(order) {
  return PAIR.map((name) => order.indexOf(name));
}
