/** Temperature and top-p the other way round: a nucleus of the heated distribution, or heat on a nucleus. */

/** The two stages that change places. */
const PAIR = ['temperature', 'top_p'];

/** @param {import('../../engine/types.js').TableRow[]} table */
const canonical = (table) => table.filter(({ warper }) => warper).map(({ name }) => name);

/**
 * Whether top-p comes first.
 * @param {string[] | undefined} order
 * @param {import('../../engine/types.js').TableRow[]} table
 */
export function isSwapped(order, table) {
  const [heat, nucleus] = placesIn(order ?? canonical(table));
  return nucleus < heat;
}

/**
 * The order with the two in each other's place.
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
 * Whether both are in the order, and top-p does something.
 * @param {Record<string, any>} settings
 */
export function canSwap({ order = PAIR, top_p = 1 }) {
  return top_p < 1 && placesIn(order).every((place) => place >= 0);
}

/** @param {string[]} order */
function placesIn(order) {
  return PAIR.map((name) => order.indexOf(name));
}
