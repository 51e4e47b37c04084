/** The order of temperature and top-p: the nucleus before the temperature, or after it. */

/** The samplers that change places. */
const PAIR = ['temperature', 'top_p'];

/** @param {import('../../engine/types.js').TableRow[]} table */
const canonical = (table) => table.filter(({ warper }) => warper).map(({ name }) => name);

/**
 * True if top-p comes first.
 * @param {string[] | undefined} order
 * @param {import('../../engine/types.js').TableRow[]} table
 */
export function isSwapped(order, table) {
  const [heat, nucleus] = placesIn(order ?? canonical(table));
  return nucleus < heat;
}

/**
 * Returns the order with the two samplers in each other's place.
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
 * True if both are in the order, and top-p is not neutral.
 * @param {Record<string, any>} settings
 */
export function canSwap({ order = PAIR, top_p = 1 }) {
  return top_p < 1 && placesIn(order).every((place) => place >= 0);
}

/** @param {string[]} order */
function placesIn(order) {
  return PAIR.map((name) => order.indexOf(name));
}
