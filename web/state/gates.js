/** What removes tokens before any warper: the settings among all that are gates. */
import { GATES } from './page-state.js';

/**
 * @typedef {import('../plots/trace.js').Settings} Settings
 * @typedef {Pick<import('../engine/types.js').Settings, typeof GATES[number]>} Gates
 */

/** The gates that are set, none of them null. @param {Settings} settings @returns {Gates} */
export function gatesOf(settings) {
  const found = Object.entries(settings).filter(
    ([name, value]) => /** @type {readonly string[]} */ (GATES).includes(name) && value !== null,
  );
  return Object.fromEntries(found);
}

/** @param {Settings} settings */
export function withoutGates(settings) {
  const known = [...GATES, 'constraint_start'];
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !known.includes(name)));
}
