/**
 * tabbyAPI: presets that override samplers (yml) and bodies of its API. It runs exllamav3's samplers. Source: e632af4,
 * common/sampling.py, backends/exllamav3.
 */
import { phrase } from '../../engine/errors.js';
import { isObject, plainKey, readObject } from './forms.js';
import { FOREVER, atLeast0, biasesFrom, biasesTo, texts } from './parts.js';
import { readYaml } from './yaml.js';

/** @import { Row, State } from './read.js' */
/** @import { Pairs } from './forms.js' */

const TRUNCATIONS = ['top_k', 'top_p', 'min_p'];

/** @param {State} state */
const order = ({ all }) => [
  ...['logit_bias', 'repetition_penalty', 'frequency_penalty', 'presence_penalty'],
  'min_new_tokens',
  ...(all.temperature_last ? [...TRUNCATIONS, 'temperature'] : ['temperature', ...TRUNCATIONS]),
  ...['xtc_probability', 'adaptive_target'],
];

/** @param {State} state */
function finish({ all, given, settings, note, drop }) {
  if (all.penalty_range === 0)
    for (const setting of ['repetition_penalty', 'frequency_penalty', 'presence_penalty'])
      drop(setting, phrase('settings_window_off', { setting, key: 'penalty_range' }));
  if (settings.temperature === 0)
    for (const setting of [...TRUNCATIONS, 'xtc_probability'])
      drop(setting, phrase('settings_temperature_zero', { setting }));
  if (settings.xtc_probability > 0) {
    note(phrase('settings_xtc_spares', { program: 'tabbyAPI' }));
    note(phrase('settings_xtc_averages', { program: 'tabbyAPI' }));
  }
  if (given.has('seed')) note(phrase('settings_seed'));
}

/** Ids as a list or as the text "1, 2". @param {unknown} value */
const idsIn = (value) => String(value ?? '').match(/\d+/g) ?? [];

const whole = /** @type {const} */ ('whole');
/** @type {Row[]} */
const rows = [
  { key: 'temperature', setting: 'temperature', default: 1, range: [0, 10] },
  { key: 'temperature_last', kind: 'switch', default: false },
  { key: 'top_k', setting: 'top_k', kind: whole, default: 0, from: atLeast0 },
  { key: 'top_p', setting: 'top_p', default: 1 },
  { key: 'min_p', setting: 'min_p', default: 0 },
  { key: 'xtc_probability', setting: 'xtc_probability', default: 0 },
  { key: 'xtc_threshold', setting: 'xtc_threshold', default: 0.1 },
  { key: 'repetition_penalty', also: ['rep_pen'], setting: 'repetition_penalty', default: 1 },
  {
    key: 'frequency_penalty',
    setting: 'frequency_penalty',
    default: 0,
    range: [0, Number.MAX_VALUE],
  },
  {
    key: 'presence_penalty',
    setting: 'presence_penalty',
    default: 0,
    range: [0, Number.MAX_VALUE],
  },
  {
    key: 'penalty_range',
    also: ['repetition_range', 'repetition_penalty_range', 'rep_pen_range'],
    setting: 'repetition_window',
    kind: whole,
    default: -1,
    off: -1,
    from: atLeast0,
    to: (value = 0) => (value === 0 ? -1 : value),
  },
  {
    key: 'adaptive_target',
    setting: 'adaptive_target',
    default: 1,
    off: 1,
    from: (value) => (value >= 1 || value < 0 ? 0 : value),
  },
  { key: 'adaptive_decay', setting: 'adaptive_decay', default: 0.9 },
  {
    key: 'min_tokens',
    also: ['min_length'],
    setting: 'min_new_tokens',
    kind: whole,
    default: 0,
    from: (value, all) => (all.ban_eos_token ? FOREVER : value),
    to: (value) => (value >= FOREVER ? 0 : value),
  },
  { key: 'ban_eos_token', also: ['ignore_eos'], kind: 'switch', default: false },
  {
    key: 'logit_bias',
    setting: 'logit_bias',
    kind: 'any',
    default: {},
    from: (value, all, note) => ({
      ...biasesFrom(value, all, note),
      ...Object.fromEntries(idsIn(all.banned_tokens).map((id) => [id, false])),
    }),
    to: (value = {}) =>
      biasesTo(-100)(Object.fromEntries(Object.entries(value).filter(([, b]) => b !== false))),
  },
  { key: 'banned_tokens', also: ['custom_token_bans'], kind: 'any', default: [] },
  {
    key: 'banned_strings',
    setting: 'banned_words',
    kind: 'any',
    default: [],
    from: (value) => texts('banned_strings', value),
  },
  { key: 'seed', kind: whole },
];

const constraint = phrase('settings_reason_constraint');

/** Values of a preset's keys. @param {Record<string, unknown>} object @returns {Pairs} */
const overridden = (object) =>
  Object.entries(object)
    .map(
      ([key, value]) =>
        /** @type {[string, unknown]} */ ([
          key,
          isObject(value) && 'override' in value ? value.override : value,
        ]),
    )
    .filter(([, value]) => value !== null);

/** @param {Record<string, any>} settings @returns {Pairs} */
function also({
  logit_bias: biases = {},
  min_new_tokens: least = 0,
  order: stages = [],
  temperature = 1,
  ...settings
}) {
  const banned = Object.entries(biases).filter(([, bias]) => bias === false);
  const at = stages.indexOf('temperature');
  const last =
    temperature !== 1 &&
    TRUNCATIONS.some((name) => settings[name] !== undefined && stages.indexOf(name) < at);
  /** @type {Pairs} */
  const pairs = [];
  if (banned.length > 0) pairs.push(['banned_tokens', banned.map(([id]) => Number(id))]);
  if (least >= FOREVER) pairs.push(['ban_eos_token', true]);
  if (last) pairs.push(['temperature_last', true]);
  return pairs;
}

/** @type {import('./read.js').Program} */
export const tabbyapi = {
  id: 'tabbyapi',
  name: 'tabbyAPI',
  version: 'e632af4',
  rows,
  always: { convention: 'llama.cpp' },
  order,
  finish,
  cannot: {
    json_schema: constraint,
    regex_pattern: constraint,
    grammar_string: constraint,
    allowed_tokens: constraint,
    repetition_decay: null,
  },
  ignored:
    `smoothing_factor top_a tfs typical typical_p skew min_temp max_temp temp_exponent dynatemp_low dynatemp_high
dynatemp_exponent dry_multiplier dry_base dry_allowed_length dry_range dry_penalty_last_n dry_sequence_breakers
mirostat mirostat_mode mirostat_tau mirostat_eta cfg_scale guidance_scale`.split(/\s+/),
  idle: {
    allowed_tokens: [[]],
    repetition_decay: [0],
    smoothing_factor: [0],
    top_a: [0],
    tfs: [1],
    typical: [1],
    typical_p: [1],
    skew: [0],
    min_temp: [1],
    max_temp: [1],
    temp_exponent: [1],
    dry_multiplier: [0],
    dry_base: [0, 1.75],
    dry_allowed_length: [0, 2],
    dry_range: [0],
    dry_sequence_breakers: [[]],
    mirostat: [false],
    mirostat_mode: [0],
    mirostat_tau: [1.5],
    mirostat_eta: [0.3],
    cfg_scale: [1],
    guidance_scale: [1],
  },
  other:
    `max_tokens max_length generate_window stop stop_sequence token_healing add_bos_token skip_special_tokens
negative_prompt speculative_ngram loop_detect_window loop_detect model prompt messages stream n user logprobs
top_logprobs response_format stream_options`.split(/\s+/),
  parse: (text) => overridden(/^\s*\{/.test(text) ? readObject(text) : readYaml(text)),
  plain: plainKey,
  also,
  format: (pairs) =>
    pairs
      .map(([key, value]) => `${key}:\n  override: ${JSON.stringify(value)}\n  force: false\n`)
      .join(''),
  sure(text, object) {
    if (!object) return /^[ \t]+override:/m.test(text) && /^[a-z_]+:[ \t]*$/m.test(text) ? 1 : 0;
    return 'penalty_range' in object || 'regex_pattern' in object || 'token_healing' in object
      ? 0.7
      : 0;
  },
};
