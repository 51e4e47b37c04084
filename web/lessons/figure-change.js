/**
 * Changes of a figure. A button in a lesson's text has a change as its link, such as `#temperature=0&u=0.4`:
 * settings, `order`, `u`, `seed`, `prompt`, and choices of the figure's kind.
 */

/** @import { LessonState } from './measures.js' */
/** @import { TableRow } from '../engine/types.js' */

/** @param {string} text */
const valueOf = (text) => (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text));

/**
 * Reads the change from a button's link without checking it.
 * @param {string} address
 * @param {TableRow[]} table
 * @returns {Partial<LessonState> & { settings: Record<string, any>, choices: Record<string, any> }}
 */
export function readFigureChange(address, table) {
  /** @type {Record<string, any>} */
  const shown = { settings: {}, choices: {} };
  for (const [name, text] of new URLSearchParams(address.slice(1))) {
    if (name === 'order') shown.settings.order = text.split(',');
    else if (table.some((row) => row.name === name)) shown.settings[name] = valueOf(text);
    else if (name === 'prompt') shown.prompt = text;
    else if (name === 'u' || name === 'seed') shown[name] = valueOf(text);
    else shown.choices[name] = valueOf(text);
  }
  return /** @type {any} */ (shown);
}

/**
 * Returns a figure's state with a change added.
 * @param {LessonState} begin
 * @param {Partial<LessonState>} patch
 * @returns {LessonState}
 */
export function patched(begin, patch) {
  return {
    ...begin,
    ...patch,
    settings: { ...begin.settings, ...patch.settings },
    choices: { ...begin.choices, ...patch.choices },
  };
}

/**
 * Completes an order: the named samplers exchange places with each other, all others keep theirs.
 * @param {string[]} named
 * @param {TableRow[]} table
 */
export function wholeOrder(named, table) {
  const all = table.filter(({ sampler }) => sampler).map(({ name }) => name);
  const rest = [...named];
  return all.map((name) => (named.includes(name) ? /** @type {string} */ (rest.shift()) : name));
}
