/**
 * Reads the table of settings out of C and turns what the caller asks for into one complete,
 * checked set. Ranges are C's business; here are names, types and combinations.
 */
import { checkInteger } from './checks.js';
import { LogitscopeError, show } from './errors.js';
import { presets } from './presets.js';

/** @typedef {import('./module.js').Module} Module */
/** @typedef {import('./types.js').TableRow} TableRow */

/**
 * Every setting with its value; what a result reports.
 * @typedef {object} Resolved
 * @property {Record<string, any>} values by name of the table
 * @property {string[]} order
 * @property {'inverse' | 'gumbel'} draw
 * @property {number} top
 * @property {number} seed
 */

export const SEED_MAX = 2 ** 53 - 1;
const KINDS = /** @type {const} */ (['real', 'integer', 'map']);
const OTHERS = ['order', 'preset', 'draw', 'top', 'seed'];
const BIAS_BYTES = 16;

/**
 * The table, in canonical order: struct warp_row of src/warp.h.
 * @param {Module} module
 * @returns {TableRow[]}
 */
export function readTable(module) {
  const { calls } = module;
  const warpers = calls.warp_warpers();
  const rows = [];
  for (let at = calls.warp_row(0); at; at = calls.warp_row(rows.length)) {
    const view = module.view();
    const kind = KINDS[view.getUint32(at + 4, true)];
    rows.push({
      name: module.text(view.getUint32(at, true)),
      kind,
      group: module.text(view.getUint32(at + 8, true)),
      warper: rows.length < warpers,
      neutral: kind === 'map' ? {} : view.getFloat64(at + 16, true),
      minimum: view.getFloat64(at + 24, true),
      maximum: view.getFloat64(at + 32, true),
      minimum_included: view.getUint8(at + 40) !== 0,
      low: view.getFloat64(at + 48, true),
      high: view.getFloat64(at + 56, true),
      step: view.getFloat64(at + 64, true),
    });
  }
  return rows;
}

/**
 * Edit distance, for the suggestion.
 * @param {string} a
 * @param {string} b
 */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1]));
    }
    row = next;
  }
  return row[b.length];
}

/**
 * The error for a name that is not among `names`, with the nearest of them.
 * @param {string} name
 * @param {readonly string[]} names
 * @returns {LogitscopeError}
 */
export function unknownSetting(name, names) {
  const plain = name.toLowerCase().replaceAll('-', '_');
  const ranked = names
    .map((known) => ({ known, away: distance(plain, known) }))
    .sort((a, b) => a.away - b.away);
  const near =
    ranked.length && ranked[0].away <= Math.max(2, 0.4 * plain.length) ? ranked[0].known : '';
  return new LogitscopeError(
    'unknown_setting',
    near
      ? `unknown setting ${show(name)}, did you mean ${show(near)}?`
      : `unknown setting ${show(name)}, known are ${names.join(', ')}`,
  );
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {readonly string[]} choices
 */
function checkChoice(name, value, choices) {
  if (typeof value !== 'string' || !choices.includes(value)) {
    throw new LogitscopeError(
      'invalid_argument',
      `${name} must be one of ${choices.map(show).join(', ')}, got ${show(value)}`,
    );
  }
}

/**
 * @param {unknown} order
 * @param {TableRow[]} table
 */
function checkOrder(order, table) {
  const warpers = table.filter((row) => row.warper).map((row) => row.name);
  if (!Array.isArray(order)) {
    throw new LogitscopeError(
      'invalid_argument',
      `order must be a list of warper names, got ${show(order)}`,
    );
  }
  order.forEach((name, i) => {
    if (typeof name !== 'string' || !warpers.includes(name)) {
      throw unknownSetting(String(name), warpers);
    }
    if (order.indexOf(name) !== i) {
      throw new LogitscopeError('invalid_argument', `order names ${name} twice`);
    }
  });
}

/**
 * @param {unknown} bias
 */
function checkBias(bias) {
  if (typeof bias !== 'object' || bias === null || Array.isArray(bias)) {
    throw new LogitscopeError(
      'invalid_argument',
      `logit_bias must be an object from token ids to numbers or false, got ${show(bias)}`,
    );
  }
  for (const [id, value] of Object.entries(bias)) {
    if (!/^(0|[1-9][0-9]{0,9})$/.test(id) || Number(id) >= 2 ** 32) {
      throw new LogitscopeError(
        'unknown_token',
        `logit_bias must be keyed by token ids, got ${show(id)}`,
      );
    }
    if (typeof value !== 'number' && value !== false) {
      throw new LogitscopeError(
        'invalid_argument',
        `logit_bias of token ${id} must be a number or false, got ${show(value)}`,
      );
    }
  }
}

/**
 * The complete settings: preset, then what is given, then neutral values.
 * @param {TableRow[]} table
 * @param {unknown} given
 * @param {readonly string[]} [also] names that the caller has already taken care of
 * @returns {Resolved}
 */
export function resolveSettings(table, given = {}, also = []) {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new LogitscopeError('invalid_argument', `settings must be an object, got ${show(given)}`);
  }
  const names = [...table.map((row) => row.name), ...OTHERS, ...also];
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const name of Object.keys(own)) if (!names.includes(name)) throw unknownSetting(name, names);
  if (own.preset !== undefined) checkChoice('preset', own.preset, Object.keys(presets));
  /** @type {Record<string, any>} */
  const asked = { ...presets[own.preset], ...own };

  /** @type {Record<string, any>} */
  const values = {};
  for (const { name, kind, neutral } of table) {
    const value = asked[name] ?? neutral;
    if (asked[name] === null || (kind !== 'map' && typeof value !== 'number')) {
      throw new LogitscopeError(
        'invalid_argument',
        `${name} must be a number, got ${show(asked[name])}`,
      );
    }
    if (kind === 'map') checkBias(value);
    values[name] = value;
  }
  const canonical = table.filter((row) => row.warper).map((row) => row.name);
  const { order = canonical, draw = 'inverse', top = 20, seed = 0 } = asked;
  checkOrder(order, table);
  checkChoice('draw', draw, ['inverse', 'gumbel']);
  checkInteger('top', top, 0, 2 ** 32 - 1);
  checkInteger('seed', seed, 0, SEED_MAX);
  return { values, order: [...order], draw, top, seed };
}

/**
 * Hands the settings to C for a vocabulary, which checks every range.
 * @param {Module} module
 * @param {TableRow[]} table
 * @param {Resolved} resolved
 * @param {number} vocabSize
 */
export function applySettings(module, table, resolved, vocabSize) {
  const { calls } = module;
  calls.settings_reset();
  table.forEach(({ name, kind }, index) => {
    if (kind !== 'map' && calls.settings_set(index, resolved.values[name])) module.fail();
  });
  const order = module.exchange(4 * resolved.order.length);
  module.writeUint32(
    order,
    resolved.order.map((name) => table.findIndex((row) => row.name === name)),
  );
  calls.settings_order(order, resolved.order.length);
  const map = table.find((row) => row.kind === 'map');
  // Integer keys of an object come in ascending order, as C wants them.
  const biases = Object.entries(map ? resolved.values[map.name] : {});
  const at = module.exchange(BIAS_BYTES * biases.length);
  const view = module.view();
  biases.forEach(([id, bias], i) => {
    view.setUint32(at + BIAS_BYTES * i, Number(id), true);
    view.setFloat64(at + BIAS_BYTES * i + 8, bias === false ? -Infinity : bias, true);
  });
  if (calls.settings_bias(at, biases.length)) module.fail();
  if (calls.settings_check(vocabSize)) module.fail();
}
