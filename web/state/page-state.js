/**
 * The state of the instrument as text and back: what lives after the # of the address, in the
 * attributes of an element and in the messages of a host page. Pure; the table of settings decides
 * what is accepted, and a part that it refuses is left out and named.
 */

/**
 * @typedef {import('../engine/types.js').TableRow} TableRow
 *
 * @typedef {object} PageState
 * @property {string} [prompt]
 * @property {import('../engine/types.js').Settings} settings with order, draw, logit_bias and what
 *   removes tokens before any warper (GATES); neutral where not named
 * @property {number} [seed]
 * @property {number[]} [branch] the ids drawn after the prompt
 *
 * @typedef {'unknown' | 'malformed' | 'least' | 'above' | 'between' | 'refused'} Why
 * `message` says why the engine refused a part that only it can judge.
 * @typedef {{ part: string, why: Why, minimum: number, maximum: number, message?: string }} Dropped
 * @typedef {{ state: PageState | null, dropped: Dropped[] }} Parsed null where no part was good
 */

/** How many drawn tokens an address carries; a longer text begins again at its prompt. */
export const MOST = 64;

/** What removes tokens before any warper; whether the engine takes it, only the engine can say. */
export const GATES = /** @type {const} */ (['constraint', 'banned_words', 'forced_first']);
/** The parts of a state that are no rows of the table. */
const OTHERS = ['prompt', 'order', 'draw', 'seed', 'branch', ...GATES];
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WHOLE = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/**
 * The state as what stands after the #, without it.
 * @param {PageState} state
 * @param {TableRow[]} table
 */
export function formatHash({ prompt, settings, seed, branch }, table) {
  const parts = prompt === undefined ? [] : [['prompt', prompt]];
  for (const { name, neutral, kind } of table) {
    const value = /** @type {any} */ (settings)[name];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(neutral)) continue;
    if (kind === 'map')
      parts.push([
        name,
        Object.entries(value)
          .map((pair) => pair.join(':'))
          .join(),
      ]);
    else parts.push([name, kind === 'list' ? JSON.stringify(value) : String(value)]);
  }
  if (settings.order) parts.push(['order', settings.order.join()]);
  if (settings.draw === 'gumbel') parts.push(['draw', 'gumbel']);
  for (const name of GATES) {
    const value = settings[name];
    if (value !== undefined && value !== null) parts.push([name, writeGate(value)]);
  }
  if (seed !== undefined) parts.push(['seed', String(seed)]);
  if (branch && branch.length > 0 && branch.length <= MOST) parts.push(['branch', branch.join()]);
  return parts.map(([name, text]) => `${name}=${escape(text)}`).join('&');
}

/** A text stands for itself unless it would be read as something else. @param {unknown} value */
function writeGate(value) {
  return typeof value === 'string' && readGate(value) === value ? value : JSON.stringify(value);
}

/** @param {string} text */
function readGate(text) {
  return /^\s*[\d"[{-]/.test(text) ? readJson(text) : text;
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
  const pairs = texts.map((text) => {
    const at = text.indexOf('=');
    const [name, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    return /** @type {[string, string | undefined]} */ ([unescape(name) ?? name, unescape(value)]);
  });
  return parseParts(pairs, table, vocab_size);
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
 * Parts as texts, of an address or of attributes.
 * @param {Iterable<[string, string | undefined]>} pairs
 * @param {TableRow[]} table
 * @param {number} [vocab_size]
 * @returns {Parsed}
 */
export function parseParts(pairs, table, vocab_size) {
  /** @type {[string, unknown, string][]} */
  const read = [];
  for (const [name, text] of pairs) {
    const row = table.find((candidate) => candidate.name === name);
    const value = text === undefined ? undefined : readText(name, text, row);
    read.push([name, value, `${name}=${text ?? '%'}`]);
  }
  return collect(read, table, vocab_size);
}

/**
 * The value that a text means; undefined where it means none.
 * @param {string} name
 * @param {string} text
 * @param {TableRow} [row]
 */
function readText(name, text, row) {
  if (name === 'prompt' || name === 'draw' || row?.kind === 'choice') return text;
  if (/** @type {readonly string[]} */ (GATES).includes(name)) return readGate(text);
  if (name === 'order') return text.split(',');
  if (name === 'branch') return text === '' ? [] : text.split(',').map(readNumber);
  if (row?.kind === 'list') return readJson(text);
  if (row?.kind !== 'map') return readNumber(text);
  if (text === '') return {};
  const pairs = text.split(',').map((pair) => pair.split(':'));
  if (pairs.some((pair) => pair.length !== 2)) return undefined;
  return Object.fromEntries(
    pairs.map(([id, bias]) => [id, bias === 'false' ? false : readNumber(bias)]),
  );
}

/** @param {string} text */
function readNumber(text) {
  return NUMBER.test(text.trim()) ? Number(text) : undefined;
}

/** @param {string} text */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A state as a host page writes it: { prompt, settings, seed, branch }, each of them optional.
 * @param {any} given
 * @param {TableRow[]} table
 * @param {number} [vocab_size]
 * @returns {Parsed}
 */
export function checkState(given, table, vocab_size) {
  const { settings = {}, ...others } = given;
  /** @param {string} name @param {unknown} value @returns {[string, unknown, string]} */
  const part = (name, value) => [name, value, `${name}=${show(value)}`];
  const named = OTHERS.filter((name) => others[name] !== undefined);
  const read = named.map((name) => part(name, others[name]));
  if (plainObject(settings))
    for (const [name, value] of Object.entries(settings)) read.push(part(name, value));
  else read.push(part('settings', undefined));
  return collect(read, table, vocab_size);
}

/** @param {unknown} value */
export function show(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/**
 * @param {[string, unknown, string][]} parts name, value, how it was written
 * @param {TableRow[]} table
 * @param {number} [vocab_size]
 * @returns {Parsed}
 */
function collect(parts, table, vocab_size) {
  /** @type {any} */
  const state = { settings: {} };
  /** @type {Dropped[]} */
  const dropped = [];
  let good = 0;
  for (const [name, value, part] of parts) {
    const fault = refusal(name, value, table, vocab_size);
    if (fault) {
      dropped.push({ part, minimum: 0, maximum: 0, ...fault });
      continue;
    }
    good++;
    const own = name === 'prompt' || name === 'seed' || name === 'branch';
    Object.defineProperty(own ? state : state.settings, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return { state: good > 0 ? state : null, dropped };
}

/**
 * Why a part is not accepted, or null.
 * @param {string} name
 * @param {unknown} value
 * @param {TableRow[]} table
 * @param {number} [vocab_size]
 * @returns {Omit<Dropped, 'part' | 'minimum' | 'maximum'> & Partial<Dropped> | null}
 */
function refusal(name, value, table, vocab_size = Number.MAX_SAFE_INTEGER) {
  const row = table.find((candidate) => candidate.name === name);
  if (!row && !OTHERS.includes(name)) return { why: 'unknown' };
  const ids = { minimum: 0, maximum: vocab_size - 1 };
  if (name === 'prompt') return typeof value === 'string' ? null : { why: 'malformed' };
  if (name === 'draw') return among(value, ['inverse', 'gumbel']);
  if (name === 'seed') return outside(value, WHOLE, true);
  if (name === 'order') return orderRefusal(value, table);
  if (name === 'constraint') return ofType(value, plainObject(value) ? 'object' : 'string');
  if (name === 'banned_words') return Array.isArray(value) ? null : { why: 'malformed' };
  if (name === 'forced_first')
    return typeof value === 'number' ? outside(value, ids, true) : ofType(value, 'string');
  if (name === 'branch') {
    if (!Array.isArray(value) || value.length > MOST) return { why: 'malformed' };
    return value.map((id) => outside(id, ids, true)).find(Boolean) ?? null;
  }
  if (row?.kind === 'choice') return among(value, row.choices);
  if (row?.kind === 'list') return Array.isArray(value) ? null : { why: 'malformed' };
  if (row?.kind === 'map') return biasRefusal(value, ids);
  return row ? outside(value, row, row.kind === 'integer') : null;
}

/** @param {unknown} value */
function plainObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {unknown} value @param {string} type */
function ofType(value, type) {
  return typeof value === type ? null : /** @type {const} */ ({ why: 'malformed' });
}

/** @param {unknown} value @param {readonly string[]} choices */
function among(value, choices) {
  return choices.includes(/** @type {string} */ (value))
    ? null
    : /** @type {const} */ ({ why: 'malformed' });
}

/**
 * @param {unknown} value
 * @param {{ minimum: number, maximum: number, minimum_included?: boolean, maximum_included?: boolean }} range
 * @param {boolean} whole
 */
function outside(value, range, whole) {
  const { minimum, maximum, minimum_included = true, maximum_included = true } = range;
  if (typeof value !== 'number' || !Number.isFinite(value) || (whole && !Number.isInteger(value)))
    return /** @type {const} */ ({ why: 'malformed' });
  const above = minimum_included ? value >= minimum : value > minimum;
  const below = maximum_included ? value <= maximum : value < maximum;
  if (above && below) return null;
  if (maximum < Number.MAX_SAFE_INTEGER)
    return /** @type {const} */ ({ why: 'between', minimum, maximum });
  return { why: /** @type {Why} */ (minimum_included ? 'least' : 'above'), minimum };
}

/** An order names each warper at most once. @param {unknown} value @param {TableRow[]} table */
function orderRefusal(value, table) {
  const warpers = table.filter(({ warper }) => warper);
  const names = warpers.flatMap(({ name, stage }) => [name, stage]);
  const good =
    Array.isArray(value) &&
    new Set(value).size === value.length &&
    value.every((name) => names.includes(name));
  return good ? null : /** @type {const} */ ({ why: 'malformed' });
}

/** @param {unknown} value @param {{ minimum: number, maximum: number }} ids */
function biasRefusal(value, ids) {
  if (!plainObject(value))
    return /** @type {const} */ ({ why: 'malformed' });
  for (const [id, bias] of Object.entries(/** @type {object} */ (value))) {
    const fault = outside(/^\d+$/.test(id) ? Number(id) : NaN, ids, true);
    if (fault) return fault;
    if (bias !== false && !(typeof bias === 'number' && Number.isFinite(bias)))
      return /** @type {const} */ ({ why: 'malformed' });
  }
  return null;
}

/** The colours that the page may have; auto follows the system. */
export const THEMES = ['auto', 'light', 'dark', 'contrast'];

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

/**
 * What `controls` shows: null for everything. Knobs alone leave the four panels; panels alone show
 * their whole; knobs beside panels add the chain with these knobs only.
 * @param {string | null | undefined} text names, separated by commas
 * @returns {{ parts: Set<string>, knobs: string[] | null } | null}
 */
export function parseControls(text) {
  const names = (text ?? '').split(',').map((name) => name.trim()).filter(Boolean);
  if (names.length === 0) return null;
  const parts = new Set(names.filter((name) => PARTS.includes(name)));
  const knobs = names.filter((name) => !PARTS.includes(name) && /^\w+$/.test(name));
  const panels = PANELS.some((name) => parts.has(name));
  if (!panels) for (const name of PANELS) parts.add(name);
  if (knobs.length > 0) parts.add('chain');
  return { parts, knobs: knobs.length > 0 ? knobs : null };
}
