/**
 * Reads the table of settings from C. Completes and checks the caller's settings: C checks ranges;
 * this file checks names, types and combinations.
 */
import { checkChoice, checkIds, checkInteger, checkOwn, checkText, isObject } from './checks.js';
import { LogitscopeError, mustBe, show, shown } from './errors.js';
import { GATE_NAMES, checkSequences, resolveGates } from './gates.js';
import * as layout from './layout.js';
import { presets } from './presets.js';

/** @import { Module } from './module.js' */
/** @import { TableRow } from './types.js' */

/**
 * Every setting with its value, as results report them.
 * @typedef {object} Resolved
 * @property {Record<string, any>} values by name of the table
 * @property {string[]} order
 * @property {'inverse' | 'gumbel'} draw
 * @property {number} top
 * @property {number} seed
 * @property {number[] | null} ends ids that end a text; null: the model's
 * @property {string | ArrayLike<number> | null} negative_prompt null: the prompt's last token
 * @property {import('./gates.js').Asked} gates
 * @property {import('./types.js').Own | ArrayLike<number> | null} own the caller's sampler or its
 *   result; may be null although 'own' is in the order, while the result is not yet known
 */

export const SEED_MAX = 2 ** 53 - 1;
const KINDS = /** @type {const} */ (['real', 'integer', 'map', 'list', 'choice']);
const OTHERS = [
  'order',
  'own',
  'preset',
  'draw',
  'top',
  'seed',
  'end_tokens',
  'negative_prompt',
  ...GATE_NAMES,
];
const LISTED = 10;

/**
 * Reads a list of strings from C. Each string ends with a zero byte; the list ends with a null
 * pointer.
 * @param {Module} module
 * @param {number} at its address; 0: no list
 */
function readChoices(module, at) {
  const choices = [];
  for (let next = at; next; next += 4) {
    const [text] = module.uint32(next, 1);
    if (!text) break;
    choices.push(module.text(text));
  }
  return choices;
}

/**
 * The table, in canonical order: struct warp_row of src/warp.h.
 * @param {Module} module
 * @returns {TableRow[]}
 */
export function readTable(module) {
  const { calls } = module;
  const rows = [];
  for (let at = calls.warp_row(0); at; at = calls.warp_row(rows.length)) {
    const { u8, u32, f64 } = module.fields(at);
    const text = (/** @type {number} */ offset) => (u32(offset) ? module.text(u32(offset)) : '');
    const kind = KINDS[u32(layout.WARP_ROW_KIND)];
    const name = text(layout.WARP_ROW_NAME);
    const effect = text(layout.WARP_ROW_EFFECT);
    const choices = readChoices(module, u32(layout.WARP_ROW_CHOICES));
    const neutral = f64(layout.WARP_ROW_NEUTRAL);
    rows.push({
      name,
      stage: text(layout.WARP_ROW_STAGE) || name,
      kind,
      group: text(layout.WARP_ROW_GROUP),
      sampler: effect !== '',
      neutral: { map: {}, list: [], choice: choices[neutral] }[String(kind)] ?? neutral,
      minimum: f64(layout.WARP_ROW_MINIMUM),
      maximum: f64(layout.WARP_ROW_MAXIMUM),
      minimum_included: u8(layout.WARP_ROW_MINIMUM_INCLUDED) !== 0,
      maximum_included: u8(layout.WARP_ROW_MAXIMUM_INCLUDED) !== 0,
      choices,
      low: f64(layout.WARP_ROW_LOW),
      high: f64(layout.WARP_ROW_HIGH),
      step: f64(layout.WARP_ROW_STEP),
      usual: f64(layout.WARP_ROW_USUAL),
      effect,
    });
  }
  return rows;
}

/**
 * The edit distance, for suggestions. Missing letters count half ("max_tokens" lacks "new_").
 * @param {string} a the given name
 * @param {string} b
 */
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j / 2);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 0.5, row[j - 1] + Number(a[i - 1] !== b[j - 1]));
    }
    row = next;
  }
  return row[b.length];
}

/**
 * The first names of a list, and the number of names left out.
 * @param {readonly string[]} names
 */
function firstNames(names) {
  const more = names.length - LISTED;
  return more > 1 ? `${names.slice(0, LISTED).join(', ')} and ${more} more` : names.join(', ');
}

/**
 * The error for a name that is not in `names`; it suggests the nearest name.
 * @param {string} name
 * @param {readonly string[]} names
 * @returns {LogitscopeError}
 */
export function unknownSetting(name, names) {
  const plain = name.toLowerCase().replaceAll('-', '_');
  const ranked = names
    .map((known) => ({ known, away: editDistance(plain, known) }))
    .sort((a, b) => a.away - b.away);
  const near =
    ranked.length && ranked[0].away <= Math.min(plain.length / 2, Math.max(2, 0.4 * plain.length))
      ? ranked[0].known
      : '';
  return near
    ? new LogitscopeError('unknown_setting', 'unknown_near', { name: show(name), near: show(near) })
    : new LogitscopeError('unknown_setting', 'unknown_setting', {
        name: show(name),
        names: firstNames(names),
      });
}

/**
 * Checks an order and returns the full names of its samplers; "dry" and "xtc" are short names.
 * @param {unknown} order
 * @param {TableRow[]} table
 * @returns {string[]}
 */
function checkOrder(order, table) {
  const rows = table.filter((row) => row.sampler);
  const stages = [...rows.map((row) => row.name), 'own'];
  if (!Array.isArray(order)) {
    throw mustBe('order', 'a_list_of_names', order);
  }
  const names = order.map((word) => rows.find(({ stage }) => stage === word)?.name ?? word);
  names.forEach((name, i) => {
    if (typeof name !== 'string' || !stages.includes(name)) {
      throw unknownSetting(String(name), stages);
    }
    if (names.indexOf(name) !== i) {
      throw new LogitscopeError('invalid_argument', 'order_twice', { setting: name });
    }
  });
  return names;
}

/**
 * @param {unknown} bias
 */
function checkBias(bias) {
  if (!isObject(bias)) throw mustBe('logit_bias', 'an_object_of_biases', bias);
  for (const [key, value] of Object.entries(bias)) {
    if (
      !/^(0|[1-9]\d{0,9})( (0|[1-9]\d{0,9}))*$/.test(key) ||
      idsOf(key).some((id) => id >= 2 ** 32)
    ) {
      throw new LogitscopeError('unknown_token', 'bias_key', { id: show(key) });
    }
    if (typeof value !== 'number' && value !== false) {
      throw new LogitscopeError('invalid_argument', 'bias_number', {
        id: key,
        value: shown(value),
      });
    }
  }
}

/** The ids in a key of logit_bias; the last id is the biased token. @param {string} key */
const idsOf = (key) => key.split(' ').map(Number);

/**
 * Refuses biases of tokens outside a vocabulary, even those that do not apply yet.
 * @param {Record<string, number | false>} map
 * @param {number} vocabSize
 */
export function checkBiased(map, vocabSize) {
  const ids = Object.keys(map).flatMap(idsOf);
  const id = ids.find((each) => each >= vocabSize);
  const params = { setting: 'logit_bias', id: id ?? 0, limit: vocabSize };
  if (id !== undefined) throw new LogitscopeError('unknown_token', 'setting_names_token', params);
}

/**
 * The biases that apply after a history, ascending by id, as C expects. The bias of a sequence
 * applies only if the history ends with its earlier tokens. Biases of one token add up; a ban wins.
 * @param {Record<string, number | false>} map
 * @param {ArrayLike<number> | null} history null: all biases apply
 * @returns {[number, number][]}
 */
export function biasesAfter(map, history) {
  /** @type {Map<number, number>} */
  const sums = new Map();
  for (const [key, bias] of Object.entries(map)) {
    const before = idsOf(key);
    const id = /** @type {number} */ (before.pop());
    if (history && !endsWith(history, before)) continue;
    sums.set(id, (sums.get(id) ?? 0) + (bias === false ? -Infinity : bias));
  }
  return [...sums].sort(([a], [b]) => a - b);
}

/** @param {ArrayLike<number>} history @param {number[]} ids */
function endsWith(history, ids) {
  const from = history.length - ids.length;
  return from >= 0 && ids.every((id, i) => history[from + i] === id);
}

/**
 * @param {TableRow} row
 * @param {unknown} value
 */
function checkValue({ name, kind, choices }, value) {
  if (kind === 'map') checkBias(value);
  else if (kind === 'list') checkSequences(name, value);
  else if (kind === 'choice') checkChoice(name, value, choices);
  else if (typeof value !== 'number') {
    throw mustBe(name, 'a_number', value);
  }
}

/**
 * For each table: all names of settings, the neutral values, and the canonical order. Computed once.
 * @type {WeakMap<TableRow[],
 *   { names: Set<string>, neutral: Record<string, any>, canonical: string[] }>}
 */
const known = new WeakMap();

/** @param {TableRow[]} table */
function factsOf(table) {
  let facts = known.get(table);
  if (!facts) {
    const neutral = Object.fromEntries(table.map((row) => [row.name, row.neutral]));
    const names = new Set([...Object.keys(neutral), ...OTHERS]);
    const canonical = table.filter(({ sampler }) => sampler).map(({ name }) => name);
    facts = { names, neutral, canonical };
    known.set(table, facts);
  }
  return facts;
}

/**
 * The complete settings: neutral values, overridden by the preset, overridden by the given settings.
 * @param {TableRow[]} table
 * @param {unknown} given
 * @param {readonly string[]} [also] further names to accept; the caller reads them
 * @returns {Resolved}
 */
export function resolveSettings(table, given = {}, also = []) {
  if (!isObject(given)) throw mustBe('settings', 'an_object', given);
  const { names, neutral, canonical } = factsOf(table);
  /** @type {Record<string, any>} */
  const own = {};
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (value === undefined) continue;
    if (!names.has(name) && !also.includes(name)) throw unknownSetting(name, [...names, ...also]);
    own[name] = value;
  }
  if (own.preset !== undefined) checkChoice('preset', own.preset, Object.keys(presets));
  /** @type {Record<string, any>} */
  const asked = { ...presets[own.preset], ...own };

  const values = { ...neutral };
  for (const row of table) {
    const value = asked[row.name];
    if (value !== undefined) checkValue(row, (values[row.name] = value));
  }
  const { order, draw = 'inverse', top = 20, seed = 0, own: sampler = null } = asked;
  const { end_tokens: ends = null, negative_prompt = null } = asked;
  if (ends !== null) checkIds('end_tokens', ends, 2 ** 32);
  if (negative_prompt !== null) checkText('negative_prompt', negative_prompt);
  const named = order === undefined ? canonical : checkOrder(order, table);
  const stages = sampler === null && named !== canonical ? named.filter(isSampler) : named;
  const placed = sampler === null || stages.includes('own') ? stages : [...stages, 'own'];
  if (sampler !== null && typeof sampler !== 'function') checkOwn(sampler, sampler.length);
  checkChoice('draw', draw, ['inverse', 'gumbel']);
  checkInteger('top', top, 0, 2 ** 32 - 1);
  checkInteger('seed', seed, 0, SEED_MAX);
  return {
    values,
    order: placed,
    draw,
    top,
    seed,
    ends: ends && [...new Set(Array.from(ends))],
    negative_prompt,
    gates: resolveGates(asked),
    own: sampler,
  };
}

/**
 * Returns a function that does resolveSettings, and returns its last result again for equal names and values. It
 * compares values, since a caller may change an object between two calls. A result that refers to an object of the
 * caller is not remembered.
 * @param {TableRow[]} table
 * @returns {(given: any, also?: readonly string[]) => Resolved} nobody may change a result
 */
export function openResolver(table) {
  /** The entries of the last object; none has the name `undefined`. @type {any[][]} */
  let last = [[]];
  /** @type {Resolved} */
  let resolved;
  return (given = {}, also) => {
    if (!also && isObject(given)) {
      const names = Object.keys(given); // Object.entries makes an array for each name, and each draw comes here
      const isSame = (/** @type {any[]} */ [name, value], /** @type {number} */ i) =>
        name === names[i] && Object.is(given[name], value);
      if (names.length === last.length && last.every(isSame)) return resolved;
    }
    resolved = resolveSettings(table, given, also);
    last = Object.entries(given);
    if (also || last.some(([, value]) => Object(value) === value)) last = [[]];
    return resolved;
  };
}

/** @param {string} name */
const isSampler = (name) => name !== 'own';

/**
 * Passes the settings to C, which checks every range.
 * @param {Module} module
 * @param {TableRow[]} table
 * @param {Resolved} resolved
 * @param {number[][]} breakers
 * @param {ArrayLike<number>} ends
 * @param {[number, number][]} biases
 * @param {number} step selects the samplers' coins
 */
export function applySettings(module, table, resolved, breakers, ends, biases, step) {
  const { calls } = module;
  const pass = (/** @type {string} */ call, /** @type {ArrayLike<number>} */ words) => {
    if (calls[call](module.place(words), words.length)) module.fail();
  };
  calls.settings_reset();
  module.prepared = null;
  table.forEach(({ name, kind, choices, neutral }, index) => {
    const value = resolved.values[name];
    if (kind === 'map' || kind === 'list' || value === neutral) return; // settings_reset has made it neutral
    if (calls.settings_set(index, kind === 'choice' ? choices.indexOf(value) : value))
      module.fail();
  });
  calls.settings_step(resolved.seed, step);
  if (resolved.order !== factsOf(table).canonical) {
    const samplers = resolved.order.filter(isSampler);
    pass(
      'settings_order',
      samplers.map((name) => table.findIndex((row) => row.name === name)),
    );
  }
  const at = module.exchange(layout.WARP_BIAS_SIZE * biases.length);
  const view = module.view();
  biases.forEach(([id, bias], i) => {
    const biasAt = at + layout.WARP_BIAS_SIZE * i;
    view.setUint32(biasAt + layout.WARP_BIAS_ID, id, true);
    view.setFloat64(biasAt + layout.WARP_BIAS_BIAS, bias, true);
  });
  if (calls.settings_bias(at, biases.length)) module.fail();
  const words = breakers.flatMap((ids) => [ids.length, ...ids]);
  pass('settings_breakers', words);
  pass('settings_ends', ends);
}
