/**
 * A button in a text that sets the figure: a link to `#temperature=0&u=0.4`, whose names are settings,
 * `order`, `u`, `seed`, `prompt`, and what else the figure can be told.
 */

/**
 * @typedef {import('./measures.js').LessonState} LessonState
 * @typedef {import('../engine/types.js').TableRow} TableRow
 */

/** @param {string} text */
const valueOf = (text) => (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text));

/**
 * What such an address sets, not yet checked.
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
 * A figure's state with what was set since.
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
 * An order of all stages in which those that are named have changed places among themselves.
 * @param {string[]} named
 * @param {TableRow[]} table
 */
export function wholeOrder(named, table) {
  const all = table.filter(({ warper }) => warper).map(({ name }) => name);
  const rest = [...named];
  return all.map((name) => (named.includes(name) ? /** @type {string} */ (rest.shift()) : name));
}
