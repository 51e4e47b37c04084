/**
 * The table of all state that is not in the engine's table of settings. A row has a name, a kind, and the places
 * where it may appear (address, host message, attribute, storage). A kind has functions that read, write and check a
 * value. Values come from outside, so each has a limit.
 */
import { GATES, GATE_NAMES } from '../engine/gates.js';
import { mayLoad } from './models.js';

/** @import { TableRow } from '../engine/types.js' */

/**
 * @typedef {object} Field
 * @property {string} name used in the address, in messages, as attribute and in memory
 * @property {keyof typeof KINDS} kind
 * @property {boolean} [setting] true if the engine accepts the field as a setting
 * @property {string} [view] the view of the field; `name` begins with the view's name
 * @property {'query' | 'fragment'} [address] the part of the address; a server sees the query only
 * @property {boolean} [message] true if a host page may set and read the field
 * @property {boolean} [attribute] true if the field may be an attribute of an element
 * @property {true | 'session'} [memory] true: kept for the next visit; 'session': kept while the tab is open
 * @property {any} [initial] the default; it is written only if `always` is true
 * @property {boolean} [always] true if the default is written too
 * @property {boolean} [typed] true if typing or a knob changes the field: such a change adds no entry
 *   to the browser's history
 * @property {readonly string[]} [choices]
 * @property {number} [minimum]
 * @property {number} [maximum] the largest number, or the most characters of a text or items of a list
 * @property {boolean} [maximum_included]
 *
 * @typedef {Field | TableRow} Part
 * @typedef {Pick<import('../engine/types.js').Settings, typeof GATES[number]>} Gates
 * @typedef {{ table: TableRow[], vocab_size: number }} Known
 *
 * @typedef {'unknown' | 'query' | 'control' | 'malformed' | 'many' | 'long' | 'foreign' | 'least' | 'above' | 'below' | 'between' | 'refused'} Why
 * @typedef {{ why: Why, minimum?: number, maximum?: number }} Refusal
 *
 * A range of numbers. By default both bounds belong to the range.
 * @typedef {{ minimum: number, maximum: number, minimum_included?: boolean, maximum_included?: boolean }} NumberRange
 *
 * @typedef {object} Kind
 * @property {(text: string, part: any) => unknown} read returns undefined if the text is no value
 * @property {(value: any, known: Known) => string} write
 * @property {(value: any, known: Known) => unknown} [take] converts another format of a value to the
 *   usual format
 * @property {(value: any, part: any, known: Known) => Refusal | null} check
 */

/** Most drawn tokens in an address. If a text has more, the address has only the prompt. */
export const MAX_BRANCH_TOKENS = 64;
/** Most characters in a link for a text or for logits that the user gives. */
export const MAX_OWN_TEXT = 4000;
/** Most characters of a prompt, and of a constraint or list written as JSON. */
const MAX_TEXT = 65536;
/** Longest context of a model file, in tokens. */
const MAX_CONTEXT = 2 ** 20;
const MAX_DEPTH = 128;

export const VIEW_NAMES = [
  'landscape',
  'bench',
  'compare',
  'sweep',
  'cost',
  'speculative',
  'logits',
];
/** Views without a tab, which are reached from the model's sheet. */
export const SHEET_VIEWS = ['cost', 'speculative', 'logits'];
/** Colour themes. `auto` follows the operating system. */
export const THEMES = ['auto', 'light', 'dark', 'contrast'];

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const MALFORMED = /** @type {Refusal} */ ({ why: 'malformed' });
/** Names of the number fields in the view Cost. */
const COUNTED = ['prompt_tokens', 'new_tokens', 'width'];
const COUNT = { minimum: 1, maximum: 10_000, initial: null, typed: true };
const WHOLE = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** @param {Known} known */
const idsOf = ({ vocab_size }) => ({ minimum: 0, maximum: vocab_size - 1 });
/** @param {boolean} good */
const malformedUnless = (good) => (good ? null : MALFORMED);

/** For each type of value: a function that reads it from a text, and one that writes it. */
const AS_NUMBER = { read: readNumber, write: String };
const AS_TEXT = { read: (/** @type {string} */ text) => text, write: String };
const AS_JSON = { read: readJson, write: writeJson };
const AS_GATE = { read: readGate, write: writeGate };
const AS_WORDS = {
  read: (/** @type {string} */ text) => (text === '' ? [] : text.split(',')),
  write: (/** @type {string[]} */ value) => value.join(),
};

/** @type {Record<string, Kind>} */
export const KINDS = {
  real: { ...AS_NUMBER, check: (value, part) => checkNumber(value, part, false) },
  integer: { ...AS_NUMBER, check: (value, part) => checkNumber(value, part, true) },
  text: { ...AS_TEXT, check: checkText },
  choice: { ...AS_TEXT, check: (value, { choices }) => malformedUnless(choices.includes(value)) },
  /** A flag: it is true if its name is present, with any text after it. */
  presence: {
    read: () => true,
    write: () => '',
    check: (value) => malformedUnless(typeof value === 'boolean'),
  },
  flag: {
    read: (text) => (['', 'true'].includes(text) ? true : text === 'false' ? false : undefined),
    write: String,
    check: (value) => malformedUnless(typeof value === 'boolean'),
  },
  words: {
    ...AS_WORDS,
    check: (value, { choices }) =>
      malformedUnless(
        Array.isArray(value) &&
          new Set(value).size === value.length &&
          value.every((word) => choices.includes(word)),
      ),
  },
  pair: {
    read: (text) => text.split(','),
    write: (value) => value.join(),
    check: (value, { choices }) =>
      malformedUnless(
        Array.isArray(value) && value.length === 2 && value.every((word) => choices.includes(word)),
      ),
  },
  ids: {
    read: (text) => (text === '' ? [] : text.split(',').map(readNumber)),
    write: (value) => value.join(),
    check(value, { maximum }, known) {
      if (!Array.isArray(value)) return MALFORMED;
      if (value.length > maximum) return { why: 'long', maximum };
      return value.map((id) => checkNumber(id, idsOf(known), true)).find(Boolean) ?? null;
    },
  },
  list: { ...AS_JSON, check: checkList },
  map: { read: readBiases, write: writeBiases, check: checkBiases },
  /**
   * The names of all stages in their order, or a list of moves from the canonical order: "top_p:temperature" puts
   * top_p directly before temperature, "top_k:last" puts top_k at the end.
   */
  order: {
    read: (text) => text.split(','),
    write: (value, { table }) => movesOf(value, table).join(),
    take: takeOrder,
    check: checkOrder,
  },
  constraint: {
    ...AS_GATE,
    // Deep nesting is accepted here, because the engine has its own limit for it.
    check: (value) =>
      malformedUnless(
        (typeof value === 'string' || isObject(value)) && dataKind(value) !== 'other',
      ),
  },
  banned: { ...AS_GATE, check: checkList },
  forced: {
    ...AS_GATE,
    check: (value, part, known) =>
      typeof value === 'number' ? checkNumber(value, idsOf(known), true) : checkText(value, part),
  },
  model: {
    ...AS_TEXT,
    check(value, part) {
      if (value === '') return MALFORMED;
      return checkText(value, part) ?? (mayLoad(value) ? null : { why: 'foreign' });
    },
  },
  stretch: {
    read(text) {
      const [name, ...numbers] = text.split(':');
      const [from, to, step] = numbers.map(readNumber);
      return numbers.length === 3 ? { name, from, to, step } : undefined;
    },
    write: ({ name, from, to, step }) => [name, from, to, step].join(':'),
    check: checkStretch,
  },
  /** The name of a setting that is a number. */
  knob: {
    ...AS_TEXT,
    check: (value, _part, { table }) =>
      malformedUnless(table.some(({ name, kind }) => name === value && /real|integer/.test(kind))),
  },
  strategies: { ...AS_JSON, check: checkStrategies },
  settings: {
    ...AS_JSON,
    check: (value, _part, known) =>
      isObject(value) ? (checkData(value) ?? checkSettings(value, known)) : MALFORMED,
  },
  /** Settings that hold in a part of a text: of the table, and the order. */
  part: {
    ...AS_JSON,
    check(value, _part, known) {
      if (!isObject(value)) return MALFORMED;
      const names = [...known.table.map(({ name }) => name), 'order'];
      if (!Object.keys(value).every((name) => names.includes(name))) return MALFORMED;
      return checkData(value) ?? checkSettings(value, known);
    },
  },
};

/** @type {Partial<Field>} */
const QUERY = { address: 'query', attribute: true };
/** @type {Partial<Field>} */
const STATE = { address: 'fragment', message: true, attribute: true };

/** @param {string} view @param {Omit<Field, 'view'>[]} fields */
const choicesIn = (view, fields) =>
  fields.map((field) => ({ ...STATE, ...field, view, name: `${view}_${field.name}` }));

/** The choices that both kinds of bench have: for a model and for given logits. @type {Omit<Field, 'view'>[]} */
const BENCH_CHOICES = [
  {
    name: 'chart',
    kind: 'choice',
    choices: ['bars', 'log', 'cumulative', 'ranks', 'stages'],
    initial: null, // null for the chart that fits the settings
  },
  {
    name: 'conventions',
    kind: 'pair',
    choices: ['transformers', 'llama.cpp', 'llama2.c'],
    initial: null,
  },
];

/**
 * All fields in the order in which they are written. The settings of the table come after the prompt.
 * @type {Field[]}
 */
export const FIELDS = [
  { ...QUERY, name: 'model', kind: 'model', maximum: 2048 },
  // In place of a model's name: the folder ask/ beside the page, or the host page of the frame.
  { name: 'source', kind: 'choice', choices: ['asked', 'host', 'server'], address: 'query' },
  // Context length in tokens; null for the engine's default.
  { ...QUERY, name: 'context', kind: 'integer', minimum: 1, maximum: MAX_CONTEXT, initial: null },
  { ...QUERY, name: 'view', kind: 'choice', choices: VIEW_NAMES, initial: 'bench', message: true },
  { ...QUERY, name: 'controls', kind: 'text', maximum: 2048, initial: '' },
  { ...QUERY, name: 'readonly', kind: 'presence', initial: false },
  // A presentation: large type, without masthead and foot.
  { name: 'present', kind: 'presence', address: 'query', initial: false },
  // The lesson to show instead of the instrument: the name of a shipped lesson, or a file of the same origin. ''
  // means the list of lessons.
  { name: 'lesson', kind: 'text', maximum: 2048, address: 'query' },
  // Names of the course systems that get the lesson's marks.
  { name: 'report', kind: 'text', maximum: 80, address: 'query' },
  // Preferences of the user. If a value is unknown, the browser's preference counts.
  { name: 'lang', kind: 'text', maximum: 64, address: 'query', memory: true },
  { name: 'theme', kind: 'choice', choices: THEMES, address: 'query', memory: true },

  // For tests: `strings` is a pseudo-locale, `fuzz` a seed for random input.
  { name: 'strings', kind: 'text', maximum: 80, address: 'query' },
  { name: 'fuzz', kind: 'text', maximum: 80, address: 'query' },

  { ...STATE, name: 'prompt', kind: 'text', maximum: MAX_TEXT, always: true },
  // The user's message for a model with a chat template; the prompt is made from it.
  { ...STATE, name: 'chat', kind: 'text', maximum: MAX_TEXT, initial: null },
  { ...STATE, name: 'system', kind: 'text', maximum: MAX_TEXT, initial: '' },
  { ...STATE, name: 'date', kind: 'text', maximum: 10, initial: null },
  // Settings of the thinking part, in place of those of the text.
  { ...STATE, name: 'thinking', kind: 'part', initial: null, typed: true },
  { ...STATE, name: 'order', kind: 'order', setting: true },
  {
    ...STATE,
    name: 'draw',
    kind: 'choice',
    choices: ['inverse', 'gumbel'],
    initial: 'inverse',
    setting: true,
  },
  { ...STATE, name: 'constraint', kind: 'constraint', setting: true },
  { ...STATE, name: 'banned_words', kind: 'banned', setting: true },
  { ...STATE, name: 'forced_first', kind: 'forced', maximum: MAX_TEXT, setting: true },
  {
    ...STATE,
    name: 'negative_prompt',
    kind: 'text',
    maximum: MAX_TEXT,
    initial: null,
    setting: true,
  },
  { ...STATE, name: 'seed', kind: 'integer', ...WHOLE, initial: 42, always: true },
  { ...STATE, name: 'max_new_tokens', kind: 'integer', minimum: 1, maximum: 4096, initial: 100 },
  { ...STATE, name: 'branch', kind: 'ids', maximum: MAX_BRANCH_TOKENS, initial: [] },

  ...choicesIn('landscape', [
    { name: 'knob', kind: 'knob', initial: null },
    { name: 'twin', kind: 'flag', initial: false },
    { name: 'u', kind: 'real', minimum: 0, maximum: 1, maximum_included: false, initial: null },
    // Ids of the drawn tokens between the prompt and the position that the picture shows.
    { name: 'ids', kind: 'ids', maximum: MAX_BRANCH_TOKENS, initial: [], typed: true },
  ]),
  ...choicesIn('bench', BENCH_CHOICES),
  ...choicesIn('compare', [
    {
      name: 'suite',
      kind: 'choice',
      choices: ['temperatures', 'nine', 'extremes', 'searches', 'e27.1', 'e27.2'],
      initial: 'temperatures',
    },
    // At most nine strategies, and one text that the user gives.
    { name: 'strategies', kind: 'strategies', maximum: 10, initial: null },
    { name: 'samples', kind: 'integer', minimum: 1, maximum: 20, initial: null },
    { name: 'max_new_tokens', kind: 'integer', minimum: 1, maximum: 400, initial: 60 },
    { name: 'seed', kind: 'integer', ...WHOLE, initial: null },
    { name: 'prompt', kind: 'text', maximum: MAX_TEXT, initial: null, typed: true },
    { name: 'blind', kind: 'flag', initial: false },
    { name: 'colour', kind: 'choice', choices: ['after', 'before', 'none'], initial: 'after' },
    { name: 'step', kind: 'integer', minimum: 1, maximum: 400, initial: 1, typed: true },
  ]),
  ...choicesIn('sweep', [
    {
      name: 'figure',
      kind: 'choice',
      choices: ['entropy', 'map', 'nucleus', 'penalty', 'trade', 'judged', 'sentences', 'any'],
      initial: 'entropy',
    },
    // The picture of whole sentences, its knob, and the texts that a mask allows, one a line.
    { name: 'kind', kind: 'choice', choices: ['ways', 'knob', 'right', 'mask'], initial: null },
    { name: 'knob', kind: 'knob', initial: null },
    { name: 'allowed', kind: 'text', maximum: MAX_TEXT, initial: null, typed: true },
    { name: 'first', kind: 'stretch', initial: null },
    { name: 'second', kind: 'stretch', initial: null },
    {
      name: 'measure',
      kind: 'choice',
      choices: [
        'entropy',
        'perplexity',
        'nucleus',
        'mass',
        'text_entropy',
        'text_nucleus',
        'surprisal',
        'ttr',
        'distinct_2',
        'length',
        'distinct_texts',
        'correctness',
        'valid',
        'tense',
        'person',
      ],
      initial: null,
    },
    { name: 'samples', kind: 'integer', minimum: 1, maximum: 1000, initial: null },
    { name: 'max_new_tokens', kind: 'integer', minimum: 1, maximum: 4096, initial: null },
    { name: 'keep', kind: 'flag', initial: null },
    { name: 'texts', kind: 'flag', initial: false },
  ]),
  ...choicesIn('cost', [
    { name: 'measured', kind: 'words', choices: ['steps', 'speeds'], initial: [] },
    ...COUNTED.map((name) => /** @type {Field} */ ({ ...COUNT, name, kind: 'integer' })),
  ]),
  ...choicesIn('speculative', [
    { name: 'draft_tokens', kind: 'integer', minimum: 1, maximum: 16, initial: 4 },
    { name: 'temperature', kind: 'real', minimum: 0, maximum: 10, initial: null },
    { name: 'seed', kind: 'integer', ...WHOLE, initial: null },
    { name: 'max_new_tokens', kind: 'integer', minimum: 1, maximum: 200, initial: 48 },
  ]),
  ...choicesIn('logits', [
    {
      name: 'source',
      kind: 'choice',
      choices: ['pasted', 'bigram', 'recorded'],
      initial: 'pasted',
    },
    { name: 'kind', kind: 'choice', choices: ['logits', 'probabilities'], initial: 'logits' },
    { name: 'pasted', kind: 'text', maximum: MAX_OWN_TEXT, initial: null, typed: true },
    { name: 'text', kind: 'text', maximum: MAX_OWN_TEXT, initial: null, typed: true },
    { name: 'by', kind: 'choice', choices: ['words', 'characters'], initial: 'words' },
    { name: 'context', kind: 'ids', maximum: MAX_BRANCH_TOKENS, initial: [0] },
    { name: 'record', kind: 'text', maximum: MAX_OWN_TEXT, initial: null, typed: true },
    // The text in the field of an asked record.
    { name: 'prompt', kind: 'text', maximum: MAX_OWN_TEXT, initial: null, typed: true },
    { name: 'law', kind: 'choice', choices: ['raw', 'warped'], initial: null },
    { name: 'position', kind: 'integer', minimum: 0, maximum: 131_071, initial: 0 },
    { ...COUNT, name: 'vocabulary', kind: 'integer', maximum: 1 << 24 },
    { name: 'settings', kind: 'settings', initial: null, typed: true },
    { ...BENCH_CHOICES[0], initial: 'bars' },
    ...BENCH_CHOICES.slice(1),
  ]),

  // In a link of "Send this": the model file with which it was made, since no link carries a file.
  { name: 'made_with', address: 'fragment', kind: 'text', maximum: 80, initial: null },
  // The beat of the tour: in the address during the tour, in the browser's storage (as `guide`) afterwards.
  { ...STATE, name: 'beat', kind: 'integer', minimum: 1, maximum: 6, initial: null },
  { name: 'guide', kind: 'choice', choices: ['seen', '2', '3', '4', '5'], memory: true },
  // Set after the knob has moved by itself in a first visit, so that it does so only once.
  { name: 'swept', kind: 'text', maximum: 1, memory: 'session' },
  { name: 'own', kind: 'text', maximum: 1e6, memory: true },
  { name: 'sampler', kind: 'text', maximum: 1e6, memory: 'session' },
  // The text in the dialog for settings of other programs.
  { name: 'programs', kind: 'text', maximum: 2 ** 20, memory: 'session' },
  { name: 'lessons', kind: 'text', maximum: 1e5, memory: true },
  { name: 'lessons_unsent', kind: 'text', maximum: 1e5, memory: true },
  { name: 'lesson_code', kind: 'text', maximum: 1e6, memory: true },
  // The draft in the lesson editor.
  { name: 'draft', kind: 'text', maximum: 1e6, memory: true },
  { name: 'shortcuts', kind: 'choice', choices: ['on', 'off'], memory: true },
];

/** @param {string} name @returns {Field | undefined} */
export function fieldOf(name) {
  return FIELDS.find((field) => field.name === name);
}

/**
 * Returns the row of a field; throws if the name is unknown.
 * @param {string} name
 * @returns {Field}
 */
export function field(name) {
  const found = fieldOf(name);
  if (!found) throw new Error(`no state ${name}`);
  return found;
}

/**
 * Returns the reason why a value is invalid; null if it is valid.
 * @param {Part} part
 * @param {unknown} value
 * @param {Partial<Known>} [known] a token id must be less than vocab_size
 */
export function checkPart(part, value, { table = [], vocab_size = Number.MAX_SAFE_INTEGER } = {}) {
  return KINDS[part.kind].check(value, part, { table, vocab_size });
}

/** Returns the default choices of a view, by property names of the view's element. @param {string} view */
export function initialChoices(view) {
  return choicesOf(view, {});
}

/**
 * Returns the choices of a view, by property names of the view's element.
 * @param {string} view
 * @param {Record<string, any>} state
 */
export function choicesOf(view, state) {
  const own = FIELDS.filter((each) => each.view === view);
  return Object.fromEntries(
    own.map(({ name, initial }) => [name.slice(view.length + 1), state[name] ?? initial]),
  );
}

/**
 * Returns the gates that are set in the settings.
 * @param {Record<string, any>} settings
 * @returns {Gates}
 */
export function gatesOf(settings) {
  const set = GATES.filter((name) => (settings[name] ?? null) !== null);
  return Object.fromEntries(set.map((name) => [name, settings[name]]));
}

/** @param {Record<string, any>} settings */
export function withoutGates(settings) {
  const others = Object.entries(settings).filter(([name]) => !GATE_NAMES.includes(name));
  return Object.fromEntries(others);
}

/** @param {unknown} value @returns {value is Record<string, any>} */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {unknown} a @param {unknown} b */
export function sameValue(a, b) {
  return a === b || (typeof a !== 'string' && JSON.stringify(a) === JSON.stringify(b));
}

/**
 * Returns 'plain' for JSON within the limits, 'deep' for a value that is nested too deeply or contains itself, and
 * 'other' for anything else.
 * @param {unknown} value
 * @returns {'plain' | 'deep' | 'other'}
 */
export function dataKind(value, maximum = MAX_TEXT) {
  let left = maximum;
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return 'deep';
    /** @type {unknown[]} */
    const next = [];
    for (const part of level) {
      if (part === null || typeof part === 'boolean') left--;
      else if (typeof part === 'number' && Number.isFinite(part)) left--;
      else if (typeof part === 'string') left -= part.length + 1;
      else if (typeof part !== 'object') return 'other';
      else {
        const names = Array.isArray(part) ? [] : Object.keys(part);
        left -= names.reduce((sum, name) => sum + name.length + 1, 1);
        for (const item of Object.values(part)) next.push(item);
      }
      if (left < 0 || next.length > left) return 'other';
    }
    level = next;
  }
  return 'plain';
}

/** @param {unknown} value */
function checkData(value) {
  return malformedUnless(dataKind(value) === 'plain');
}

/** @param {unknown} value */
function checkList(value) {
  return Array.isArray(value) ? checkData(value) : MALFORMED;
}

/** @param {unknown} value @param {{ maximum: number }} part */
function checkText(value, { maximum }) {
  if (typeof value !== 'string') return MALFORMED;
  return value.length > maximum ? /** @type {Refusal} */ ({ why: 'long', maximum }) : null;
}

/** @param {unknown} value @param {NumberRange} range @param {boolean} whole */
function checkNumber(value, range, whole) {
  if (typeof value !== 'number' || !Number.isFinite(value) || (whole && !Number.isInteger(value)))
    return MALFORMED;
  return outside(value, range);
}

/**
 * Returns the reason why a number is outside a range; null if it is inside.
 * @param {number} value
 * @param {NumberRange} range
 * @returns {Refusal & { minimum: number, maximum: number } | null}
 */
export function outside(value, range) {
  const { minimum, maximum, minimum_included = true, maximum_included = true } = range;
  if (!minimum_included && value <= minimum) return { why: 'above', minimum, maximum };
  if (!maximum_included && value >= maximum) return { why: 'below', minimum, maximum };
  if (value >= minimum && value <= maximum) return null;
  const far = value < minimum && maximum >= Number.MAX_SAFE_INTEGER; // do not name a maximum that is so large
  return { why: far ? 'least' : 'between', minimum, maximum };
}

/**
 * Checks an order of samplers: each may appear at most once.
 * @param {unknown} value @param {unknown} _ @param {Known} known
 */
function checkOrder(value, _, { table }) {
  const names = table.filter(({ sampler }) => sampler).flatMap(({ name, stage }) => [name, stage]);
  return malformedUnless(
    Array.isArray(value) &&
      value.length <= names.length &&
      new Set(value).size === value.length &&
      value.every((name) => names.includes(name)),
  );
}

/** @param {TableRow[]} table */
const canonicalOf = (table) => table.filter(({ sampler }) => sampler).map(({ name }) => name);

/**
 * If an order is written as moves, returns the list of all stages. Returns any other value unchanged.
 * @param {unknown} value @param {Known} known
 */
function takeOrder(value, { table }) {
  const moves = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(moves) || !moves.some((move) => /:/.test(move))) return moves;
  let order = canonicalOf(table);
  if (moves.length > order.length) return moves;
  for (const move of moves) {
    const [name, next, ...more] = String(move)
      .split(':')
      .map((word) => table.find(({ stage }) => stage === word)?.name ?? word);
    const rest = order.filter((each) => each !== name);
    const at = next === 'last' ? rest.length : rest.indexOf(next);
    if (more.length > 0 || rest.length === order.length || at < 0) return moves;
    order = [...rest.slice(0, at), name, ...rest.slice(at)];
  }
  return order;
}

/**
 * Returns the smallest number of moves that make `order` from the canonical order, the last move first: each stage is
 * moved before one that is at its place already. Returns `order` itself if that is shorter or if stages are missing.
 * @param {string[]} order
 * @param {TableRow[]} table
 */
function movesOf(order, table) {
  const places = order.map((name) => canonicalOf(table).indexOf(name));
  if (places.includes(-1) || places.length < canonicalOf(table).length) return order;
  /** For each stage: the longest sequence of ascending canonical places that ends with it. @type {number[][]} */
  const rising = [];
  for (const place of places) {
    const before = rising.filter((row) => Number(row.at(-1)) < place);
    const longest = before.reduce((a, b) => (b.length > a.length ? b : a), []);
    rising.push([...longest, place]);
  }
  const stay = rising.reduce((a, b) => (b.length > a.length ? b : a), []);
  const moves = order.flatMap((name, i) =>
    stay.includes(places[i]) ? [] : [`${name}:${order[i + 1] ?? 'last'}`],
  );
  return moves.join().length < order.join().length ? moves.reverse() : order;
}

/** @param {unknown} value @param {unknown} _ @param {Known} known */
function checkBiases(value, _, known) {
  if (!isObject(value)) return MALFORMED;
  for (const [key, bias] of Object.entries(value)) {
    for (const id of key.split(' ')) {
      const fault = checkNumber(/^\d+$/.test(id) ? Number(id) : NaN, idsOf(known), true);
      if (fault) return fault;
    }
    if (bias !== false && !(typeof bias === 'number' && Number.isFinite(bias))) return MALFORMED;
  }
  return null;
}

/** @param {unknown} value @param {unknown} _ @param {Known} known */
function checkStretch(value, _, { table }) {
  if (!isObject(value) || Object.keys(value).length !== 4) return MALFORMED;
  const row = table.find(({ name }) => name === value.name);
  if (!row || (row.kind !== 'real' && row.kind !== 'integer')) return MALFORMED;
  const { from, to, step } = value;
  const positive = { minimum: 0, minimum_included: false, maximum: Number.MAX_VALUE };
  const real = { ...row, kind: 'real' };
  return (
    checkNumber(from, real, false) ??
    checkNumber(to, real, false) ??
    checkNumber(step, positive, false)
  );
}

/**
 * Checks the values of settings from the engine's table and from FIELDS.
 * @param {Record<string, any>} settings
 * @param {Known} known
 * @returns {Refusal | null}
 */
function checkSettings(settings, known) {
  for (const [name, value] of Object.entries(settings)) {
    const part =
      known.table.find((row) => row.name === name) ??
      FIELDS.find((each) => each.name === name && (each.setting || name === 'seed'));
    const fault = part ? checkPart(part, value, known) : MALFORMED;
    if (fault) return fault;
  }
  return null;
}

/** Kinds of strategies that search for texts. Their settings are checked elsewhere. */
const SEARCHES = ['beam', 'contrastive'];

/** @param {unknown} value @param {{ maximum: number }} part @param {Known} known */
function checkStrategies(value, { maximum }, known) {
  if (!Array.isArray(value) || value.length < 1 || dataKind(value) !== 'plain') return MALFORMED;
  if (value.length > maximum) return /** @type {Refusal} */ ({ why: 'long', maximum });
  for (const strategy of value) {
    if (!isObject(strategy) || !isObject(strategy.settings)) return MALFORMED;
    const { kind = 'sample', settings, text = '', ...others } = strategy;
    if (Object.keys(others).length > 0) return MALFORMED;
    const fault =
      checkText(text, { maximum: MAX_OWN_TEXT }) ??
      (SEARCHES.includes(kind) ? null : checkSettings(settings, known));
    if (fault) return fault;
    if (![...SEARCHES, 'sample', 'given'].includes(kind)) return MALFORMED;
  }
  return null;
}

/** Writes a text without quotes, unless readGate would take it for JSON. @param {unknown} value */
function writeGate(value) {
  return typeof value === 'string' && readGate(value) === value ? value : JSON.stringify(value);
}

/** @param {string} text */
function readGate(text) {
  return /^\s*[\d"[{-]/.test(text) ? readJson(text) : text;
}

/** @param {Record<string, number | false>} value */
function writeBiases(value) {
  const pairs = Object.entries(value);
  return pairs.map((pair) => pair.join(':')).join();
}

/** @param {string} text */
function readBiases(text) {
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

/** @param {unknown} value */
function writeJson(value) {
  return JSON.stringify(value);
}

/** @param {string} text */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
