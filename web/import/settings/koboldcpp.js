/**
 * KoboldCpp: bodies of its API, and the defaults (gendefaults) of a .kcpps file. Source: 1.76 and files of 2026.
 */
import { phrase, show } from '../../engine/errors.js';
import { isObject, plainKey, readObject, refused, writeJson } from './forms.js';
import { active } from './ours.js';
import { FOREVER, atLeast0, biasesFrom, biasesTo, from0To1, texts } from './parts.js';

/** @import { Row, State, Phrase } from './read.js' */
/** @import { Pairs } from './forms.js' */

/** Our stages by the numbers of `sampler_order`. */
const STAGES = [
  ['top_k'],
  ['top_a'],
  ['top_p', 'min_p'],
  ['tfs_z'],
  ['typical_p'],
  ['temperature', 'dynatemp_range', 'smoothing_factor', 'top_n_sigma'],
  ['repetition_penalty', 'presence_penalty'],
];
const USUAL = [6, 0, 1, 3, 4, 2, 5];
const FIRST = ['guidance_scale', 'logit_bias', 'min_new_tokens', 'dry_multiplier'];
const LAST = ['xtc_probability', 'adaptive_target'];
/** Biases are clamped to ± this; a ban is the lowest bias. */
const MOST_BIAS = 100;
/** Tokens that are left before the samplers run. */
const CUT = 3000;

/** @param {State} state */
export function koboldOrder({ all, settings, note, drop }) {
  if (settings.mirostat) {
    const stages = [...FIRST, ...STAGES[6], 'temperature', 'smoothing_factor', 'mirostat'];
    for (const setting of active(settings))
      if (!stages.includes(setting)) drop(setting, phrase('settings_beside_mirostat', { setting }));
    return stages;
  }
  const stated = Array.isArray(all.sampler_order) ? all.sampler_order : [];
  const long = stated.length === 0 || stated.length > USUAL.length;
  if (long && stated.length > 0)
    note(phrase('settings_order_long', { n: stated.length, limit: USUAL.length }));
  /** @type {number[]} */
  const numbers = [];
  for (const number of long ? USUAL : stated) {
    if (!STAGES[number])
      note(phrase('settings_stage_unknown', { key: show(number), program: 'KoboldCpp' }));
    else if (numbers.includes(number)) note(phrase('settings_stage_twice', { key: show(number) }));
    else numbers.push(number);
  }
  return [...FIRST, ...numbers.flatMap((number) => STAGES[number]), ...LAST];
}

/** @param {State} state */
export function koboldEffects({ all, given, settings, note, drop }) {
  if (all.rep_pen_range < 1 && STAGES[6].some((name) => active(settings).includes(name)))
    note(phrase('settings_window_one', { key: 'rep_pen_range', value: all.rep_pen_range }));
  if (settings.dry_multiplier > 0 && all.dry_penalty_last_n < 1)
    note(
      phrase('settings_window_whole', { key: 'dry_penalty_last_n', value: all.dry_penalty_last_n }),
    );
  if (settings.dry_multiplier > 0 && settings.dry_sequence_breakers?.length > 0)
    note(phrase('settings_breakers_too', { program: 'KoboldCpp' }));
  if (settings.temperature === 0 && !(settings.dynatemp_range > 0)) drop('smoothing_factor');
  if (settings.adaptive_target > 0 && !(settings.min_p > 0) && all.top_p >= 1) {
    settings.min_p = 0.002;
    note(phrase('settings_forced_min_p', { value: 0.002 }));
  }
  if (settings.mirostat) note(phrase('settings_mu_lives'));
  else if (!(settings.top_k > 0 && settings.top_k <= CUT))
    note(phrase('settings_cut_first', { program: 'KoboldCpp', n: CUT }));
  if (given.has('sampler_seed') && all.sampler_seed >= 0) note(phrase('settings_seed'));
}

/**
 * Reads sequence breakers: a list, or its text with or without brackets.
 * @param {unknown} value
 */
export function breakersOf(value) {
  const key = 'dry_sequence_breakers';
  if (Array.isArray(value)) return texts(key, value);
  const text = String(value).trim();
  try {
    return texts(key, JSON.parse(text.startsWith('[') ? text : `[${text}]`));
  } catch {
    throw refused('settings_list', { key, value: show(value) });
  }
}

/** A share above 0, at most 1. @param {number} value */
export const typicalFrom = (value) => Math.min(Math.max(value, Number.MIN_VALUE), 1);

/** A window of 0 is all here and off there. @param {number} value */
export const windowTo = (value = 0) => (value === 0 ? FOREVER : value);

/** Biases, and bans as text "1, 2". @param {any} value @param {Record<string, any>} all @param {(note: Phrase) => void} note */
function biases(value, all, note) {
  const bans = String(all.custom_token_bans ?? '').match(/\d+/g) ?? [];
  return {
    ...biasesFrom(value ?? {}, all, note, MOST_BIAS),
    ...Object.fromEntries(bans.map((id) => [id, -MOST_BIAS])),
  };
}

/** @type {Row[]} */
export const koboldRows = [
  { key: 'temperature', also: ['temp'], setting: 'temperature', default: 0.75, from: atLeast0 },
  { key: 'top_k', setting: 'top_k', kind: 'whole', default: 100, from: atLeast0 },
  { key: 'top_p', setting: 'top_p', default: 0.92, from: from0To1 },
  { key: 'min_p', setting: 'min_p', default: 0, from: atLeast0 },
  { key: 'typical', also: ['typical_p'], setting: 'typical_p', default: 1, from: typicalFrom },
  { key: 'tfs', setting: 'tfs_z', default: 1, from: from0To1 },
  { key: 'top_a', setting: 'top_a', default: 0, from: atLeast0 },
  { key: 'nsigma', also: ['top_n_sigma'], setting: 'top_n_sigma', default: 0, from: atLeast0 },
  { key: 'rep_pen', setting: 'repetition_penalty', default: 1, also: ['repetition_penalty'] },
  {
    key: 'rep_pen_range',
    setting: 'repetition_window',
    kind: 'whole',
    default: 320,
    from: (value) => Math.max(value, 1),
    to: windowTo,
  },
  {
    key: 'rep_pen_slope',
    setting: 'rep_pen_slope',
    default: 1,
    from: (value) => (value > 0 && value <= 1 ? value : 1),
  },
  { key: 'presence_penalty', setting: 'presence_penalty', default: 0 },
  { key: 'mirostat', setting: 'mirostat', kind: 'whole', default: 0, also: ['mirostat_mode'] },
  { key: 'mirostat_tau', setting: 'mirostat_tau', default: 5 },
  { key: 'mirostat_eta', setting: 'mirostat_eta', default: 0.1 },
  { key: 'dynatemp_range', setting: 'dynatemp_range', default: 0, from: atLeast0 },
  { key: 'dynatemp_exponent', setting: 'dynatemp_exponent', default: 1 },
  { key: 'smoothing_factor', setting: 'smoothing_factor', default: 0, from: atLeast0 },
  { key: 'smoothing_curve', setting: 'smoothing_curve', default: 1 },
  { key: 'dry_multiplier', setting: 'dry_multiplier', default: 0, from: atLeast0 },
  { key: 'dry_base', setting: 'dry_base', default: 1.75 },
  { key: 'dry_allowed_length', setting: 'dry_allowed_length', kind: 'whole', default: 2 },
  {
    key: 'dry_penalty_last_n',
    setting: 'dry_penalty_last_n',
    kind: 'whole',
    default: 320,
    from: atLeast0,
  },
  {
    key: 'dry_sequence_breakers',
    setting: 'dry_sequence_breakers',
    kind: 'any',
    default: [],
    from: breakersOf,
  },
  { key: 'xtc_probability', setting: 'xtc_probability', default: 0, from: from0To1 },
  { key: 'xtc_threshold', setting: 'xtc_threshold', default: 0.2, from: from0To1 },
  {
    key: 'adaptive_target',
    setting: 'adaptive_target',
    default: -1,
    off: -1,
    from: from0To1,
  },
  {
    key: 'adaptive_decay',
    setting: 'adaptive_decay',
    default: 0.9,
    from: (value) => Math.min(Math.max(value, 0.01), 0.99),
  },
  {
    key: 'logit_bias',
    setting: 'logit_bias',
    kind: 'any',
    default: {},
    from: biases,
    to: biasesTo(-MOST_BIAS),
  },
  { key: 'custom_token_bans', kind: 'text' },
  {
    key: 'banned_tokens',
    also: ['banned_strings'],
    setting: 'banned_words',
    kind: 'any',
    default: [],
    from: (value) => texts('banned_tokens', value),
  },
  {
    key: 'ban_eos_token',
    also: ['use_default_badwordsids'],
    setting: 'min_new_tokens',
    kind: 'switch',
    default: false,
    from: (value) => (value ? FOREVER : 0),
    to: (value) => value >= FOREVER,
  },
  { key: 'guidance_scale', setting: 'guidance_scale', default: 1 },
  { key: 'sampler_order', kind: 'any' },
  { key: 'sampler_seed', also: ['seed'], kind: 'whole' },
];

const OTHER =
  `prompt memory negative_prompt images audio max_context_length max_length stop_sequence stop trim_stop quiet
genkey stream_sse stream grammar_retain_state render_special bypass_eos using_openai_tools reasoning_effort
replace_instruct_placeholders adapter logprobs top_logprobs n frmtadsnsp frmtrmblln frmtrmspch frmttriminc
singleline single_line sampler_full_determinism params model models`.split(/\s+/);

/** The numbers of an order; null if it is the usual one. @param {Record<string, any>} settings */
function koboldNumbers(settings) {
  if (settings.mirostat || !settings.order) return null;
  const acting = active(settings);
  const numberOf = (/** @type {string} */ name) =>
    STAGES.findIndex((stages) => stages.includes(name));
  const named = settings.order.filter((/** @type {string} */ name) => acting.includes(name));
  const numbers = [...new Set(named.map(numberOf))].filter((number) => number >= 0);
  // A number without an active stage has its place in the usual order.
  for (const number of USUAL.filter((one) => !numbers.includes(one))) {
    const after = USUAL.slice(USUAL.indexOf(number) + 1).find((one) => numbers.includes(one));
    numbers.splice(after === undefined ? numbers.length : numbers.indexOf(after), 0, number);
  }
  return numbers.join() === USUAL.join() ? null : numbers;
}

/** The key with the order. @param {Record<string, any>} settings @returns {Pairs} */
export function koboldOrderKey(settings) {
  const numbers = koboldNumbers(settings);
  return numbers ? [['sampler_order', numbers]] : [];
}

/** A launcher's file has the defaults of requests in one key; its other keys do not reach a draw. @param {Record<string, any>} object @returns {Pairs} */
function launched(object) {
  const stated = object.gendefaults;
  const defaults = isObject(stated) ? stated : stated ? readObject(String(stated)) : {};
  return Object.entries(defaults);
}

const isLaunch = (/** @type {Record<string, any>} */ object) =>
  'model_param' in object || ('gpulayers' in object && 'contextsize' in object);

/** @param {string} text @param {(note: Phrase) => void} note @returns {Pairs} */
function parse(text, note) {
  const object = readObject(text);
  if (!isLaunch(object))
    return Object.entries(object).flatMap(([key, value]) =>
      key === 'params' && isObject(value)
        ? Object.entries(value)
        : [/** @type {[string, unknown]} */ ([key, value])],
    );
  const pairs = launched(object);
  if (pairs.length === 0) note(phrase('settings_launch_only', { program: 'KoboldCpp' }));
  return pairs;
}

/** @type {import('./read.js').Program} */
export const koboldcpp = {
  id: 'koboldcpp',
  name: 'KoboldCpp',
  version: '1.76 to 1.113',
  rows: koboldRows,
  always: { convention: 'llama.cpp' },
  order: koboldOrder,
  finish: koboldEffects,
  cannot: { grammar: phrase('settings_reason_constraint') },
  ignored: ['frequency_penalty'],
  idle: { grammar: [''], frequency_penalty: [0] },
  other: OTHER,
  parse,
  plain: plainKey,
  also: koboldOrderKey,
  format: writeJson,
  sure(_text, object, fileName) {
    if (!object) return 0;
    if (isLaunch(object) || /\.kcpps$/.test(fileName)) return 1;
    if (isObject(object.params) && 'rep_pen' in object.params) return 0.9;
    if ('temp' in object || 'presence_pen' in object) return 0;
    if ('rep_pen' in object) return 0.9;
    return 'sampler_order' in object || 'max_context_length' in object ? 0.8 : 0;
  },
};
