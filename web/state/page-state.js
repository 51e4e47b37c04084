/**
 * Writes the instrument's state as text and reads it back, for the address, attributes and host messages. FIELDS and
 * the table of settings say which parts there are. An invalid part is left out and listed in `dropped`. No function
 * here changes a state.
 */
import { FIELDS, checkPart, dataKind, isObject, KINDS, sameValue } from './fields.js';

/** @import { TableRow } from '../engine/types.js' */
/** @import { Part } from './fields.js' */

/**
 * @typedef {object} State
 * @property {string} [prompt]
 * @property {import('../engine/types.js').Settings} settings also order, draw, logit_bias and
 *   GATES; a missing setting is neutral
 * @property {number} [seed]
 * @property {number[]} [branch] the ids drawn after the prompt
 * @property {string} [view]
 *
 * A state with the choices of views; their keys are names of FIELDS.
 * @typedef {State & { [choice: string]: any }} PageState
 *
 * `message` is the engine's reason, if only the engine can check the part.
 * @typedef {{ part: string, why: import('./fields.js').Why, minimum: number, maximum: number,
 *   message?: string }} Dropped
 * @typedef {{ state: PageState | null, dropped: Dropped[] }} Parsed `state` is null if no part is valid
 *
 * A given part: its name, its value and its text.
 * @typedef {[string, unknown, string]} Given
 */

/** Most characters of an invalid value that a message shows. */
const SHOWN = 60;
/** Most parts that are read of an address or message: several times the number of all names. */
const MOST = 1000;
/** Names in a message that are not part of the state. */
const BESIDE = ['settings', 'type', 'id'];

/**
 * Returns the parts that an address or attributes may have, in the order in which they are written.
 * @param {TableRow[]} table
 * @returns {Part[]}
 */
export function stateParts(table) {
  const [prompt, ...others] = FIELDS.filter(({ address }) => address === 'fragment');
  return [prompt, ...table, ...others];
}

/** Returns true if a part is a setting. @param {Part} part */
function isSetting(part) {
  return 'stage' in part || part.setting === true;
}

/** @param {Part} part */
function initialOf(part) {
  return 'stage' in part ? part.neutral : part.initial;
}

/**
 * Returns the parts that must be written, with their values. Defaults are left out, except for fields with `always`.
 * @param {PageState} state
 * @param {TableRow[]} table
 * @returns {{ part: Part, value: any }[]}
 */
function partsToWrite(state, table) {
  return stateParts(table)
    .map((part) => {
      const holder = /** @type {Record<string, any>} */ (isSetting(part) ? state.settings : state);
      return { part, value: holder[part.name] };
    })
    .filter(({ part, value }) => {
      if (value === undefined || value === null) return false;
      return ('always' in part && part.always) || !sameValue(value, initialOf(part));
    });
}

/**
 * Writes a state as the fragment of an address, without #. Parts that are too long are left out.
 * @param {PageState} state
 * @param {TableRow[]} table
 */
export function formatHash(state, table) {
  return partsToWrite(state, table)
    .filter(({ part, value }) => checkPart(part, value, { table }) === null)
    .map(
      ({ part, value }) =>
        `${part.name}=${escape(KINDS[part.kind].write(value, { table, vocab_size: 0 }))}`,
    )
    .join('&');
}

/**
 * Returns the names of the parts that are too long for an address.
 * @param {PageState} state
 * @param {TableRow[]} table
 */
export function leftOut(state, table) {
  return partsToWrite(state, table)
    .filter(({ part, value }) => checkPart(part, value, { table }) !== null)
    .map(({ part }) => part.name);
}

/**
 * Escapes a text for an address. Commas and colons are not escaped, so that the address can be read.
 * @param {string} text
 */
function escape(text) {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
    .replaceAll('%2C', ',')
    .replaceAll('%3A', ':');
}

/**
 * Reads the fragment of an address.
 * @param {string} hash with or without the #
 * @param {TableRow[]} table
 * @param {number} [vocab_size] a token id must be less than this
 * @returns {Parsed}
 */
export function parseHash(hash, table, vocab_size) {
  const texts = hash.replace(/^#/, '').split('&').filter(Boolean);
  const pairs = texts.slice(0, MOST).map((text) => {
    const at = text.indexOf('=');
    const [name, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    return /** @type {[string, string | undefined]} */ ([unescape(name) ?? name, unescape(value)]);
  });
  const { state, dropped } = parseParts(pairs, table, vocab_size);
  const names = FIELDS.filter(({ address }) => address === 'query').map(({ name }) => name);
  const inQuery = (/** @type {Dropped} */ { part }) => names.includes(part.replace(/=.*/s, ''));
  return {
    state,
    dropped: dropped
      .map((each) => /** @type {Dropped} */ (inQuery(each) ? { ...each, why: 'query' } : each))
      .concat(refusalsBeyond(texts.length)),
  };
}

/** @param {string} text */
function unescape(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined; // invalid: a percent sign without two hexadecimal digits
  }
}

/**
 * Reads texts with their names, from an address or from attributes.
 * @param {Iterable<[string, string | undefined]>} pairs
 * @param {TableRow[]} table
 * @param {number} [vocab_size]
 * @returns {Parsed}
 */
export function parseParts(pairs, table, vocab_size) {
  const parts = stateParts(table);
  const given = Array.from(pairs, ([name, text]) => giveText(parts, name, text));
  return collect(given, parts, { table, vocab_size });
}

/** @param {Part[]} parts @param {string} name @param {string | undefined} text @returns {Given} */
function giveText(parts, name, text) {
  const part = parts.find((each) => each.name === name);
  const value = part && text !== undefined ? KINDS[part.kind].read(text, part) : undefined;
  return [name, value, `${show(name)}=${show(text ?? '%')}`];
}

/**
 * Reads the query of a page. Unknown names are ignored, because they may belong to other programs.
 * @param {string} search
 * @returns {{ asked: Record<string, any>, dropped: Dropped[] }}
 */
export function parseQuery(search) {
  const query = new URLSearchParams(search);
  if (query.get('view') === 'own') query.set('view', 'logits'); // the view had this name in older links
  const parts = FIELDS.filter(({ address, name }) => address === 'query' && query.has(name));
  const given = parts.map(({ name }) => giveText(parts, name, query.get(name) ?? ''));
  const { state, dropped } = collect(given, parts, {});
  const { settings: _, ...asked } = state ?? { settings: {} };
  const preferences = parts.filter(({ memory }) => memory).map(({ name }) => `${name}=`);
  const named = dropped.filter(({ part }) => !preferences.some((name) => part.startsWith(name)));
  return { asked, dropped: named };
}

/**
 * Returns the view of an address. If it names none: the landscape for an empty fragment or one with a beat, and the
 * bench for any other state or with `controls` or `source`.
 * @param {Record<string, any>} asked the fields of the query
 * @param {string} hash
 */
export function viewOf({ view, controls, source }, hash) {
  const first = /^#?$|[#&]beat=/.test(hash) && !controls && !source;
  return view ?? (first ? 'landscape' : 'bench');
}

/**
 * Checks the state in a message of a host page. Every key may be missing.
 * @param {any} message
 * @param {TableRow[]} table
 * @param {number} [vocab_size]
 * @returns {Parsed}
 */
export function checkState(message, table, vocab_size) {
  const { settings = {} } = message;
  const fields = FIELDS.filter((field) => field.message && !field.setting);
  const known = fields.filter(({ name }) => message[name] !== undefined).map(({ name }) => name);
  const names = new Set([...BESIDE, ...fields.map(({ name }) => name)]);
  const unknown = Object.keys(message).filter((name) => !names.has(name));
  const set = isObject(settings) ? Object.keys(settings) : [];
  /** @type {Given[]} */
  const given = known.map((name) => [name, message[name], `${name}=${show(message[name])}`]);
  for (const name of set.slice(0, MOST))
    given.push([name, settings[name], `${show(name)}=${show(settings[name])}`]);
  const settable = FIELDS.filter((field) => field.setting);
  const parts = [...fields, ...settable, ...table];
  const { state, dropped } = collect(given, parts, { table, vocab_size });
  if (!isObject(settings)) dropped.push(refusalOf(`settings=${show(settings)}`, 'malformed'));
  for (const name of unknown.slice(0, MOST)) dropped.push(refusalOf(show(name), 'unknown'));
  return {
    state,
    dropped: dropped.concat(refusalsBeyond(set.length), refusalsBeyond(unknown.length)),
  };
}

/** @param {string} part @param {Dropped['why']} why @returns {Dropped} */
const refusalOf = (part, why) => ({ part, why, minimum: 0, maximum: 0 });

/** Returns the refusals of parts beyond the first MOST. @param {number} n @returns {Dropped[]} */
const refusalsBeyond = (n) =>
  Array(Math.max(0, n - MOST)).fill({ part: '…', why: 'many', minimum: 0, maximum: MOST });

/** Returns a value as text, at most SHOWN characters. @param {unknown} value */
export function show(value) {
  const text = typeof value === 'string' ? value : describe(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** @param {unknown} value */
function describe(value) {
  if (dataKind(value) === 'plain') return JSON.stringify(value);
  if (typeof value === 'object') return Array.isArray(value) ? '[…]' : '{…}';
  if (typeof value !== 'bigint') return String(value);
  return value > -(2n ** 64n) && value < 2n ** 64n ? `${value}n` : 'BigInt';
}

/**
 * @param {Given[]} given
 * @param {Part[]} parts the allowed parts
 * @param {{ table?: TableRow[], vocab_size?: number }} known
 * @returns {Parsed}
 */
function collect(given, parts, known) {
  /** @type {any} */
  const state = { settings: {} };
  /** @type {Dropped[]} */
  const dropped = [];
  let good = 0;
  const all = { table: [], vocab_size: Number.MAX_SAFE_INTEGER, ...known };
  for (const [name, raw, written] of given) {
    const part = parts.find((each) => each.name === name);
    const value = (part && KINDS[part.kind].take?.(raw, all)) ?? raw;
    const fault = part ? checkPart(part, value, known) : /** @type {const} */ ({ why: 'unknown' });
    if (!part || fault) {
      dropped.push({ ...refusalOf(written, 'unknown'), ...fault });
      continue;
    }
    good++;
    (isSetting(part) ? state.settings : state)[name] = value;
  }
  return { state: good > 0 ? state : null, dropped };
}

/** Names of parts of the page that ?controls= may list, beside settings. */
export const PARTS = [
  'masthead',
  'tabs',
  'model',
  'text',
  'draw',
  'distribution',
  'chain',
  'footer',
];
const PANELS = ['text', 'draw', 'distribution', 'chain'];

/** @param {string | null | undefined} text names, separated by commas */
function controlNames(text) {
  return (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

/**
 * Returns the names in `controls` that are unknown.
 * @param {string | null | undefined} text names, separated by commas
 * @param {TableRow[]} table
 * @returns {Dropped[]}
 */
export function droppedControls(text, table) {
  const known = [...PARTS, ...table.map(({ name }) => name), 'constraint', 'own'];
  return controlNames(text)
    .filter((name) => !known.includes(name))
    .map((name) => refusalOf(`controls=${show(name)}`, 'control'));
}

/**
 * Reads the list of visible parts and knobs; null means everything is visible. A list without a panel shows all four
 * panels; a list without a knob shows all knobs. A knob in the list makes the chain visible.
 * @param {string | null | undefined} text names, separated by commas
 * @returns {{ parts: Set<string>, knobs: string[] | null } | null}
 */
export function parseControls(text) {
  const names = controlNames(text);
  if (names.length === 0) return null;
  const parts = new Set(names.filter((name) => PARTS.includes(name)));
  const knobs = names.filter((name) => !PARTS.includes(name) && /^\w+$/.test(name));
  const panels = PANELS.some((name) => parts.has(name));
  if (!panels) for (const name of PANELS) parts.add(name);
  if (knobs.length > 0) parts.add('chain');
  return { parts, knobs: knobs.length > 0 ? knobs : null };
}
