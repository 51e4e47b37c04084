/**
 * The state of the instrument as text and back: what the address holds, the attributes of an element
 * and the messages of a host page. Pure; the list of fields and the table of settings decide what is
 * accepted, and a part that they refuse is left out and named.
 */
import { FIELDS, checkPart, dataKind, isObject, KINDS, sameValue } from './fields.js';

/**
 * @typedef {import('../engine/types.js').TableRow} TableRow
 * @typedef {import('./fields.js').Part} Part
 *
 * @typedef {object} State
 * @property {string} [prompt]
 * @property {import('../engine/types.js').Settings} settings with order, draw, logit_bias and what
 *   removes tokens before any warper (GATES); neutral where not named
 * @property {number} [seed]
 * @property {number[]} [branch] the ids drawn after the prompt
 * @property {string} [view]
 *
 * With a view's own choices, by the names of FIELDS.
 * @typedef {State & { [choice: string]: any }} PageState
 *
 * `message` says why the engine refused a part that only it can judge.
 * @typedef {{ part: string, why: import('./fields.js').Why, minimum: number, maximum: number,
 *   message?: string }} Dropped
 * @typedef {{ state: PageState | null, dropped: Dropped[] }} Parsed null where no part was good
 *
 * A part as it was given: its name, its value and how it was written.
 * @typedef {[string, unknown, string]} Given
 */

/** How much of a refused value is shown, in characters. */
const SHOWN = 60;
/** Parts that are read of an address or a message, several times as many as there are. */
const MOST = 1000;
/** Names of a message that are none of the state. */
const BESIDE = ['settings', 'type', 'id'];

/**
 * What may stand after the # and among attributes, in the order in which it is written.
 * @param {TableRow[]} table
 * @returns {Part[]}
 */
export function stateParts(table) {
  const [prompt, ...others] = FIELDS.filter(({ address }) => address === 'fragment');
  return [prompt, ...table, ...others];
}

/** Whether a part stands among the settings. @param {Part} part */
function isSetting(part) {
  return 'stage' in part || part.setting === true;
}

/** @param {Part} part */
function initialOf(part) {
  return 'stage' in part ? part.neutral : part.initial;
}

/**
 * The parts that say something, with their values.
 * @param {PageState} state
 * @param {TableRow[]} table
 * @returns {{ part: Part, value: any }[]}
 */
function saying(state, table) {
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
 * The state as a URL fragment, without the #. A part that is too long for one is left out.
 * @param {PageState} state
 * @param {TableRow[]} table
 */
export function formatHash(state, table) {
  return saying(state, table)
    .filter(({ part, value }) => checkPart(part, value, { table }) === null)
    .map(
      ({ part, value }) =>
        `${part.name}=${escape(KINDS[part.kind].write(value, { table, vocab_size: 0 }))}`,
    )
    .join('&');
}

/**
 * The names of the parts that are too long for an address.
 * @param {PageState} state
 * @param {TableRow[]} table
 */
export function leftOut(state, table) {
  return saying(state, table)
    .filter(({ part, value }) => checkPart(part, value, { table }) !== null)
    .map(({ part }) => part.name);
}

/** Percent signs only where an address needs them. @param {string} text */
function escape(text) {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
    .replaceAll('%2C', ',')
    .replaceAll('%3A', ':');
}

/**
 * What stands after a #, part by part.
 * @param {string} hash with or without the #
 * @param {TableRow[]} table
 * @param {number} [vocab_size] ids of tokens lie below it
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
      .concat(unread(texts.length)),
  };
}

/** @param {string} text */
function unescape(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined; // a stray percent sign
  }
}

/**
 * Parts as texts, of a fragment or of attributes.
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
 * What a page's query asks for; names that it knows nothing of belong to others.
 * @param {string} search
 * @returns {{ asked: Record<string, any>, dropped: Dropped[] }}
 */
export function parseQuery(search) {
  const query = new URLSearchParams(search);
  if (query.get('view') === 'own') query.set('view', 'logits'); // as links name it that are older than its name
  const parts = FIELDS.filter(({ address, name }) => address === 'query' && query.has(name));
  const given = parts.map(({ name }) => giveText(parts, name, query.get(name) ?? ''));
  const { state, dropped } = collect(given, parts, {});
  const { settings: _, ...asked } = state ?? { settings: {} };
  const preferences = parts.filter(({ memory }) => memory).map(({ name }) => `${name}=`);
  const named = dropped.filter(({ part }) => !preferences.some((name) => part.startsWith(name)));
  return { asked, dropped: named };
}

/**
 * The view of an address: the landscape is the first screen, and its beats are its own; but a state
 * after the # and knobs of one's own are the bench's where no view is named.
 * @param {Record<string, any>} asked of the query
 * @param {string} hash
 */
export function viewOf({ view, controls }, hash) {
  const first = /^#?$|[#&]beat=/.test(hash) && !controls;
  return view ?? (first ? 'landscape' : 'bench');
}

/**
 * A state as a host page writes it: { prompt, settings, seed, branch, ... }, each of them optional.
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
  if (!isObject(settings))
    dropped.push({ part: `settings=${show(settings)}`, why: 'malformed', minimum: 0, maximum: 0 });
  for (const name of unknown.slice(0, MOST))
    dropped.push({ part: show(name), why: 'unknown', minimum: 0, maximum: 0 });
  return { state, dropped: dropped.concat(unread(set.length), unread(unknown.length)) };
}

/** The parts beyond those that are read, of so many. @param {number} n @returns {Dropped[]} */
const unread = (n) =>
  Array(Math.max(0, n - MOST)).fill({ part: '…', why: 'many', minimum: 0, maximum: MOST });

/** The beginning of a value as text, whatever it is. @param {unknown} value */
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
 * @param {Part[]} parts those that may be
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
      dropped.push({
        part: written,
        minimum: 0,
        maximum: 0,
        ...fault,
        why: fault?.why ?? 'unknown',
      });
      continue;
    }
    good++;
    (isSetting(part) ? state.settings : state)[name] = value;
  }
  return { state: good > 0 ? state : null, dropped };
}

/** The parts of the page that ?controls= can name beside the settings. */
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
 * What `controls` names and no panel and no knob is called.
 * @param {string | null | undefined} text names, separated by commas
 * @param {TableRow[]} table
 * @returns {Dropped[]}
 */
export function droppedControls(text, table) {
  const known = [...PARTS, ...table.map(({ name }) => name), 'constraint', 'own'];
  return controlNames(text)
    .filter((name) => !known.includes(name))
    .map((name) => ({ part: `controls=${show(name)}`, why: 'control', minimum: 0, maximum: 0 }));
}

/**
 * What `controls` shows: null for everything. Knobs alone leave the four panels; panels alone show
 * their whole; knobs beside panels add the chain with these knobs only.
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
