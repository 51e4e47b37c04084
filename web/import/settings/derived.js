/** Tables of programs that run the samplers of another program under names of their own. */

import { phrase } from '../../engine/errors.js';

/** @import { Phrase } from '../../engine/errors.js' */
/** @import { Row, State } from './read.js' */

/**
 * Returns rows under other names.
 * @param {Row[]} rows of the program that runs the samplers
 * @param {Record<string, string>} names the other program's key by this program's
 * @param {Record<string, any>} defaults of this program, by its keys; other rows keep theirs
 * @returns {Row[]}
 */
export const rowsAs = (rows, names, defaults = {}) =>
  Object.entries(names).map(([key, theirs]) => {
    const row = /** @type {Row} */ (rows.find((one) => one.key === theirs));
    const stated = key in defaults ? { default: defaults[key] } : {};
    const off = row.off !== undefined && key in defaults ? { off: defaults[key] } : {};
    return { ...row, also: [], ...stated, ...off, key };
  });

/**
 * Returns a function that gives a state the other program's names. Its notes name the keys of this program.
 * @param {Record<string, string>} names
 * @returns {(state: State) => State}
 */
export const stateAs = (names) => {
  const back = Object.fromEntries(Object.entries(names).map(([own, theirs]) => [theirs, own]));
  const rename = (/** @type {string} */ key) => names[key] ?? key;
  const named = (/** @type {Phrase} */ { key, values }) =>
    phrase(
      key,
      'key' in values ? { ...values, key: back[String(values.key)] ?? values.key } : values,
    );
  return (state) => ({
    ...state,
    note: (note) => state.note(named(note)),
    drop: (setting, note) => state.drop(setting, note && named(note)),
    all: Object.fromEntries(Object.entries(state.all).map(([key, value]) => [rename(key), value])),
    given: new Set([...state.given].map(rename)),
  });
};
