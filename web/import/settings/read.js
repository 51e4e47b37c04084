/** Reads the settings of another program as the chain that it runs, with notes about keys without effect. */
import { phrase, show, shown } from '../../engine/errors.js';
import { LONGEST, plainKey, readObject, refused } from './forms.js';
import { active, ours, same, withoutNeutral } from './ours.js';
import { programOf } from './programs.js';
import { recognise } from './recognise.js';

/** @import { Pairs } from './forms.js' */

/**
 * @typedef {import('../../engine/errors.js').Phrase} Phrase
 *
 * @typedef {object} Row a key of a program
 * @property {string} key the program's spelling
 * @property {string[]} [also] other spellings that the program accepts
 * @property {string} [setting] ours; without it the key belongs to `order` or `finish` of the program
 * @property {any} [default] value of the program if the key is absent; undefined: it has none
 * @property {'number' | 'whole' | 'switch' | 'text' | 'any'} [kind] 'number' by default
 * @property {any} [none] the meaning of null; by default the key then counts as absent
 * @property {[low: number, high: number]} [range] the program refuses numbers outside
 * @property {any} [off] the program's value for "no effect", if it is not our neutral value; `write` uses it
 * @property {(value: any, all: Record<string, any>, note: (note: Phrase) => void) => any} [from] makes our value
 * @property {(value: any, settings: Record<string, any>, note: (note: Phrase) => void) => any} [to] makes the
 *   program's value; undefined leaves the key out
 *
 * @typedef {object} State of a reading, for `order` and `finish`
 * @property {Record<string, any>} all every key of the table with its value, defaults filled in
 * @property {Set<string>} given the keys that the text has
 * @property {Record<string, any>} settings ours, made by the rows
 * @property {(note: Phrase) => void} note
 * @property {(setting: string, note?: Phrase) => void} drop removes a setting; gives the note if the
 *   text states the setting and it would act
 *
 * @typedef {object} Program
 * @property {string} id
 * @property {string} name
 * @property {string} version of the source that the table follows
 * @property {Row[]} rows
 * @property {Record<string, any>} [always] our settings that hold for the program: rules, windows
 * @property {string[] | ((state: State) => string[])} order our samplers in the program's order
 * @property {(state: State) => void} [finish] the program's own effects, after `order`
 * @property {Record<string, Phrase | null>} [cannot] keys that change the draw there and have no counterpart here,
 *   each with the reason if it is not obvious
 * @property {string[]} [ignored] keys of samplers that the program accepts and does not use
 * @property {Record<string, any[]>} [idle] values of the keys in `cannot` and `ignored` that mean "off"
 * @property {string[]} [other] keys without effect on the draw; a * at the end stands for any letters
 * @property {(text: any, note: (note: Phrase) => void) => Pairs} parse text, or bytes of a binary file
 * @property {(key: string) => string} [plain] the common form of a key's spellings
 * @property {(pairs: Pairs, settings: Record<string, any>, note: (note: Phrase) => void) => string} format
 * @property {(text: string, object: Record<string, any> | null, fileName: string) => number} sure 0 to 1: how
 *   well a text fits; `object` is the text as JSON, if it is JSON
 * @property {(settings: Record<string, any>, note: (note: Phrase) => void) => Pairs} [also] further pairs of an
 *   export, e.g. the order
 *
 * @typedef {'setting' | 'other' | 'ignored' | 'cannot' | 'unknown'} Role a key's: one of ours, without effect on
 *   the draw, without effect in the program, not expressible here, not understood
 * @typedef {object} Reading
 * @property {string} program its id
 * @property {string} version
 * @property {{ key: string, value: unknown, setting: string | null, role: Role }[]} given
 * @property {Record<string, any>} settings complete: order, rules, windows; neutral values are left out
 * @property {Phrase[]} notes
 */

/** The rows of a program by the plain form of each spelling. @param {Program} program @returns {Map<string, Row>} */
const rowsByKey = ({ rows, plain = plainKey }) =>
  new Map(rows.flatMap((row) => [row.key, ...(row.also ?? [])].map((name) => [plain(name), row])));

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const YES = new Set([true, 'true', 'yes', 'on', '1', 1]);
const NO = new Set([false, 'false', 'no', 'off', '0', 0]);

/**
 * Returns a value in the type of its row; texts of flags become numbers.
 * @param {Row} row
 * @param {string} key as given
 * @param {unknown} value
 */
export function typed({ kind = 'number' }, key, value) {
  if (kind === 'any') return value;
  if (kind === 'text') {
    if (typeof value === 'string') return value;
    throw refused('settings_text', { key, value: shown(value) });
  }
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (kind === 'switch') {
    const asked = /** @type {any} */ (word);
    if (YES.has(asked) || NO.has(asked)) return YES.has(asked);
    throw refused('settings_switch', { key, value: shown(value) });
  }
  const number = typeof word === 'string' && NUMBER.test(word) ? Number(word) : word;
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw refused('settings_number', { key, value: shown(value) });
  if (kind === 'whole' && !Number.isSafeInteger(number))
    throw refused('settings_whole', { key, value: number });
  return number + 0;
}

/**
 * The role of a key that is in no row, and the reason if the key is not expressible.
 * @param {Program} program
 * @returns {(key: string, value: unknown) => { role: Role, reason?: Phrase | null }}
 */
function roles({ plain = plainKey, cannot = {}, ignored = [], idle = {}, other = [] }) {
  const impossible = new Map(Object.entries(cannot).map(([key, why]) => [plain(key), why]));
  const neutral = new Map(Object.entries(idle).map(([key, values]) => [plain(key), values]));
  const [without, others] = [new Set(ignored.map(plain)), new Set(other.map(plain))];
  const starts = other.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (key, value) => {
    const name = plain(key);
    const off = [null, ...(neutral.get(name) ?? [])].some((one) => same(one, value));
    const known = others.has(name) || starts.some((start) => name.startsWith(start));
    if (known || (off && (impossible.has(name) || without.has(name)))) return { role: 'other' };
    if (impossible.has(name)) return { role: 'cannot', reason: impossible.get(name) };
    return { role: without.has(name) ? 'ignored' : 'unknown' };
  };
}

/** The note on a key that is in no row; null if there is nothing to say. */
const NOTES = {
  setting: () => null,
  other: () => null,
  ignored: (/** @type {any} */ about) =>
    phrase('settings_ignored', { key: about.key, value: about.value, program: about.program }),
  unknown: (/** @type {any} */ about) =>
    phrase('settings_unknown', { key: about.key, value: about.value }),
  cannot: (/** @type {any} */ about) =>
    about.reason
      ? phrase('settings_cannot_because', {
          key: about.key,
          value: about.value,
          reason: about.reason,
        })
      : phrase('settings_cannot', { key: about.key, value: about.value }),
};

/** Notes a number that the program refuses. @param {Row} row @param {any} value @param {string} program @param {(note: Phrase) => void} note */
function checkProgramsRange({ key, range }, value, program, note) {
  if (!range || typeof value !== 'number' || (value >= range[0] && value <= range[1])) return;
  const [minimum, maximum] = range;
  note(phrase('settings_outside', { program, key, value, minimum, maximum }));
}

/** True for the name of a variable in place of a number: "$TEMP", "%TEMP%", "{{ temp }}". @param {Row} row @param {unknown} value */
const isVariable = ({ kind = 'number' }, value) =>
  (kind === 'number' || kind === 'whole') &&
  typeof value === 'string' &&
  /^(\$\{?[\w:.-]+\}?|%\w+%|\{\{?.*\}?\})$/.test(value.trim());

/**
 * Sorts the pairs of a text: values by key of the table, and the role of each pair.
 * @param {Program} program
 * @param {Pairs} pairs
 * @param {(note: Phrase) => void} note
 */
function sortPairs(program, pairs, note) {
  const roleOf = roles(program);
  const rowOf = rowsByKey(program);
  const { plain = plainKey } = program;
  /** @type {Record<string, any>} */
  const values = {};
  const given = pairs.map(([key, value]) => {
    const row = rowOf.get(plain(key));
    if (!row) {
      const { role, reason } = roleOf(key, value);
      const said = NOTES[role]({ key, value: show(value), program: program.name, reason });
      if (said) note(said);
      return { key, value, setting: null, role };
    }
    const stated = value === null ? row.none : value;
    if (isVariable(row, stated)) note(phrase('settings_variable', { key, value: show(value) }));
    else if (stated !== undefined) {
      const read = typed(row, key, stated);
      checkProgramsRange(row, read, program.name, note);
      // A flag that may be repeated adds to a list.
      const more = row.kind === 'any' && row.key in values;
      values[row.key] = more ? [values[row.key], read].flat() : read;
    }
    return { key, value, setting: row.setting ?? null, role: /** @type {Role} */ ('setting') };
  });
  return { values, given };
}

/** Refuses values that our settings do not accept. @param {Program} program @param {State} state */
function checkRanges({ rows }, { settings, all }) {
  for (const [setting, value] of Object.entries(settings)) {
    const { low = -Number.MAX_VALUE, high = Number.MAX_VALUE, whole } = ours[setting] ?? {};
    if (typeof value !== 'number') continue;
    if (value >= low && value <= high && (!whole || Number.isInteger(value))) continue;
    const key = rows.find((row) => row.setting === setting)?.key ?? setting;
    throw refused('settings_range', {
      key,
      value: shown(typeof all[key] === 'number' ? all[key] : value),
      setting,
      minimum: low,
      maximum: high,
    });
  }
}

/**
 * @param {Program} program
 * @param {Record<string, any>} values by key, as the text gives them
 * @param {(note: Phrase) => void} note
 * @returns {State}
 */
function stateOf({ rows, always = {} }, values, note) {
  const defaults = rows.filter((row) => row.default !== undefined);
  const all = { ...Object.fromEntries(defaults.map((row) => [row.key, row.default])), ...values };
  /** @type {Record<string, any>} */
  const settings = { ...always };
  for (const row of rows) {
    if (!row.setting || all[row.key] === undefined) continue;
    const value = row.from ? row.from(all[row.key], all, note) : all[row.key];
    if (value === undefined) continue;
    settings[row.setting] = value;
  }
  /** @type {State['drop']} */
  const drop = (setting, why) => {
    const stated = rows.some((row) => row.setting === setting && row.key in values);
    if (why && stated && active(settings).includes(setting)) note(why);
    delete settings[setting];
  };
  return { all, given: new Set(Object.keys(values)), settings, note, drop };
}

/** Keys that give an order. */
const ORDER = /^(samplers|sampler_seq|sampling_seq|sampler_order|sampler_priority|sequence|order)$/;

/**
 * The note on a sampler that the order leaves out: the order is the text's, if it has a key for it, or the program's.
 * @param {string} setting
 * @param {Program} program
 * @param {Reading['given']} given
 */
function notRun(setting, { name, plain = plainKey }, given) {
  const own = given
    .filter(({ key, role }) => role === 'setting' && ORDER.test(plain(key).split('.').at(-1) ?? ''))
    .at(-1);
  return own
    ? phrase('settings_not_in_order', { setting, key: own.key })
    : phrase('settings_not_run', { setting, program: name });
}

/**
 * @param {string | Uint8Array} text of a file or of the clipboard; bytes of a GGUF file
 * @param {{ program?: string, fileName?: string }} [options] the id of the program; by default the one that
 *   `recognise` is surest of
 * @returns {Reading}
 */
export function readSettings(text, { program: id, fileName = '' } = {}) {
  if (text.length > LONGEST && typeof text === 'string')
    throw refused('settings_long', { n: text.length, limit: LONGEST });
  const guess = id ?? recognise(text, fileName)[0]?.program;
  // JSON with a fault fits no program: the line of the fault says more.
  if (guess === undefined && typeof text === 'string' && /^\s*[{[]/.test(text)) readObject(text);
  const program = programOf(guess);
  /** @type {Map<string, Phrase>} */
  const notes = new Map();
  const note = (/** @type {Phrase} */ one) => void notes.set(JSON.stringify(one), one);
  const { values, given } = sortPairs(program, program.parse(text, note), note);
  const state = stateOf(program, values, note);
  const order = typeof program.order === 'function' ? program.order(state) : program.order;
  program.finish?.(state);
  checkRanges(program, state);
  for (const setting of active(state.settings))
    if (!order.includes(setting)) state.drop(setting, notRun(setting, program, given));
  const settings = { ...withoutNeutral(state.settings), order: [...new Set(order)] };
  return {
    program: program.id,
    version: program.version,
    given,
    settings,
    notes: [...notes.values()],
  };
}
