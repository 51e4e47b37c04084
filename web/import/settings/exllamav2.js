/** exllamav2: ExLlamaV2Sampler.Settings, as arguments or attributes in Python. Source: 0.3.2, generator/sampler.py. */
import { phrase } from '../../engine/errors.js';
import { breakersOf, windowTo } from './koboldcpp.js';
import { plainKey, readKeywords, readObject } from './forms.js';
import { active } from './ours.js';
import { atLeast0, texts } from './parts.js';
import { temperatureEnds } from './text-generation-webui.js';

/** @import { Row, State } from './read.js' */

const FIRST = ['guidance_scale', 'repetition_penalty', 'frequency_penalty', 'presence_penalty'];
const TRUNCATIONS = ['top_k', 'top_p', 'top_a', 'min_p', 'tfs_z', 'typical_p'];
const PENALTIES = FIRST.slice(1);

/** @param {State} state */
function order({ all, settings, drop }) {
  const cuts = settings.mirostat ? [...TRUNCATIONS, 'mirostat'] : TRUNCATIONS;
  if (settings.mirostat)
    for (const setting of active(settings))
      if ([...TRUNCATIONS, 'xtc_probability'].includes(setting))
        drop(setting, phrase('settings_mirostat_also', { setting }));
  const late = all.temperature_last || settings.dynatemp_range > 0;
  const temperatures = ['temperature', 'dynatemp_range'];
  return [
    ...[...FIRST, 'dry_multiplier'],
    ...(late ? [...cuts, ...temperatures] : [...temperatures, ...cuts]),
    'xtc_probability',
  ];
}

/** @param {State} state */
function finish({ all, settings, note, drop }) {
  if (all.token_repetition_range === 0)
    for (const setting of PENALTIES)
      drop(setting, phrase('settings_window_off', { setting, key: 'token_repetition_range' }));
  if (all.temperature < 0.01) settings.temperature = 0;
  if (settings.dynatemp_range > 0) {
    if (all.temperature !== 1 && !all.temperature_last)
      note(phrase('settings_two_temperatures', { key: 'temperature', value: all.temperature }));
    settings.temperature = (all.min_temp + all.max_temp) / 2;
  }
  if (settings.xtc_probability > 0) note(phrase('settings_xtc_spares', { program: 'exllamav2' }));
}

/** 0 is off there. @param {number} value */
const orOff = (value) => (value > 0 && value < 1 ? value : 1);

const whole = /** @type {const} */ ('whole');
/** @type {Row[]} */
const rows = [
  { key: 'temperature', setting: 'temperature', default: 0.8, from: atLeast0, to: (v) => v || 0 },
  { key: 'temperature_last', kind: 'switch', default: false },
  { key: 'min_temp', default: 0 },
  {
    key: 'max_temp',
    setting: 'dynatemp_range',
    default: 0,
    from: (value, all) => Math.max(value - all.min_temp, 0) / 2,
    to: (value, settings) => (value > 0 ? temperatureEnds(settings)?.[1] : 0),
  },
  { key: 'temp_exponent', setting: 'dynatemp_exponent', default: 1 },
  { key: 'top_k', setting: 'top_k', kind: whole, default: 50, from: atLeast0 },
  { key: 'top_p', setting: 'top_p', default: 0.8, off: 0, from: orOff },
  { key: 'top_a', setting: 'top_a', default: 0 },
  { key: 'min_p', setting: 'min_p', default: 0 },
  { key: 'tfs', setting: 'tfs_z', default: 0, off: 0, from: orOff },
  { key: 'typical', setting: 'typical_p', default: 0, off: 0, from: orOff },
  {
    key: 'mirostat',
    setting: 'mirostat',
    kind: 'switch',
    default: false,
    from: (value) => (value ? 2 : 0),
    to: (value) => value > 0,
  },
  { key: 'mirostat_tau', setting: 'mirostat_tau', default: 1.5 },
  { key: 'mirostat_eta', setting: 'mirostat_eta', default: 0.1 },
  { key: 'token_repetition_penalty', setting: 'repetition_penalty', default: 1.025 },
  {
    key: 'token_repetition_range',
    setting: 'repetition_window',
    kind: whole,
    default: -1,
    off: -1,
    from: atLeast0,
    to: (value = 0) => (value === 0 ? -1 : windowTo(value)),
  },
  { key: 'token_frequency_penalty', setting: 'frequency_penalty', default: 0 },
  { key: 'token_presence_penalty', setting: 'presence_penalty', default: 0 },
  { key: 'xtc_probability', setting: 'xtc_probability', default: 0 },
  { key: 'xtc_threshold', setting: 'xtc_threshold', default: 0.1 },
  { key: 'dry_multiplier', setting: 'dry_multiplier', default: 0, from: atLeast0 },
  { key: 'dry_base', setting: 'dry_base', default: 1.75 },
  { key: 'dry_allowed_length', setting: 'dry_allowed_length', kind: whole, default: 2 },
  { key: 'dry_range', setting: 'dry_penalty_last_n', kind: whole, default: 0, from: atLeast0 },
  {
    key: 'dry_sequence_breakers',
    setting: 'dry_sequence_breakers',
    kind: 'any',
    default: [],
    from: (value) =>
      value instanceof Set ? texts('dry_sequence_breakers', [...value]) : breakersOf(value),
  },
  { key: 'cfg_scale', setting: 'guidance_scale', default: 1 },
];

/** Attributes "settings.top_k = 50" as arguments "top_k=50". @param {string} text */
const asArguments = (text) =>
  [...text.matchAll(/^[ \t]*\w+\.([a-z_]+)[ \t]*=[ \t]*([^=\n#][^\n#]*)/gm)]
    .map(([, key, value]) => `${key} = ${value.trim()}`)
    .join(',\n');

/** @type {import('./read.js').Program} */
export const exllamav2 = {
  id: 'exllamav2',
  name: 'exllamav2',
  version: '0.3.2',
  rows,
  always: { convention: 'llama.cpp' },
  order,
  finish,
  cannot: {
    smoothing_factor: phrase('settings_reason_smoothing'),
    skew: null,
    token_repetition_decay: null,
    token_bias: null,
    filters: phrase('settings_reason_constraint'),
  },
  idle: { smoothing_factor: [0], skew: [0], token_repetition_decay: [0] },
  other: ['filter_prefer_eos', 'dry_max_ngram', 'ngram_trie', 'ngram_index', 'post_sampling_hooks'],
  parse(text) {
    if (/^\s*\{/.test(text)) return Object.entries(readObject(text));
    const attributes = asArguments(text);
    return readKeywords(attributes || text);
  },
  plain: plainKey,
  also: (settings) => {
    const ends = temperatureEnds(settings);
    return ends ? [['min_temp', ends[0]]] : lastTemperature(settings);
  },
  format: (pairs, settings) =>
    `ExLlamaV2Sampler.Settings(\n${pairs
      .filter(([key]) => key !== 'temperature' || !(settings.dynatemp_range > 0))
      .concat(settings.dynatemp_range > 0 ? [['temperature', 1]] : [])
      .map(([key, value]) => `    ${key}=${inPython(value)},\n`)
      .join('')})\n`,
  sure(text, object) {
    if (object) return 'token_repetition_penalty' in object ? 0.9 : 0;
    return /ExLlamaV2Sampler|\.token_repetition_penalty\s*=/.test(text) ? 1 : 0;
  },
};

/** @param {Record<string, any>} settings @returns {import('./forms.js').Pairs} */
function lastTemperature({ order: stages = [], temperature = 1, ...settings }) {
  const at = stages.indexOf('temperature');
  const late = [...TRUNCATIONS, 'mirostat'].some(
    (name) => settings[name] !== undefined && stages.indexOf(name) < at,
  );
  return temperature !== 1 && late ? [['temperature_last', true]] : [];
}

/** @param {unknown} value */
const inPython = (value) =>
  value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);
