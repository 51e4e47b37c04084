/**
 * text-generation-webui: presets (yaml) and bodies of its API, with the loader Transformers. Source: 4.7.3,
 * modules/presets.py, modules/sampler_hijack.py.
 */
import { phrase, show } from '../../engine/errors.js';
import { plainKey, readObject } from './forms.js';
import { breakersOf, typicalFrom } from './koboldcpp.js';
import { active, matters } from './ours.js';
import { FOREVER, atLeast0, biasesFrom, biasesTo, from0To1, texts } from './parts.js';
import { readYaml, writeYaml } from './yaml.js';

/** @import { Row, State, Phrase } from './read.js' */
/** @import { Pairs } from './forms.js' */

/** The names of a priority and our stages, in the usual order. */
const STAGES = Object.entries({
  repetition_penalty: 'repetition_penalty',
  presence_penalty: 'presence_penalty',
  frequency_penalty: 'frequency_penalty',
  dry: 'dry_multiplier',
  top_n_sigma: 'top_n_sigma',
  temperature: 'temperature',
  dynamic_temperature: 'dynatemp_range',
  quadratic_sampling: 'smoothing_factor',
  top_k: 'top_k',
  top_p: 'top_p',
  typical_p: 'typical_p',
  epsilon_cutoff: 'epsilon_cutoff',
  eta_cutoff: 'eta_cutoff',
  tfs: 'tfs_z',
  top_a: 'top_a',
  min_p: 'min_p',
  adaptive_p: 'adaptive_target',
  mirostat: 'mirostat',
  xtc: 'xtc_probability',
  encoder_repetition_penalty: 'encoder_repetition_penalty',
  no_repeat_ngram: 'no_repeat_ngram_size',
}).map(([name, ours]) => ({ name, ours }));
const USUAL = STAGES.map(({ name }) => name);
const FIRST = ['guidance_scale', 'logit_bias', 'min_new_tokens'];
const PENALTIES = ['repetition_penalty', 'presence_penalty', 'frequency_penalty'];
const TEMPERATURES = ['temperature', 'dynamic_temperature', 'quadratic_sampling'];
/** Samplers that run with do_sample alone. */
const SAMPLED = STAGES.slice(4, 19).map(({ ours }) => ours);
/** ε and η are given in units of 1e-4. */
const UNIT = 1e-4;

const stageNamed = (/** @type {string} */ name) => STAGES.find((stage) => stage.name === name);

/** @param {State} state */
export function webuiOrder({ all, note }) {
  const stated = all.sampler_priority;
  const given = typeof stated === 'string' ? stated.split(/[\n,]/) : stated;
  const names = given ? texts('sampler_priority', given).map((name) => name.trim()) : USUAL;
  /** @type {string[]} */
  const known = [];
  for (const name of names.filter(Boolean))
    if (!stageNamed(name))
      note(phrase('settings_stage_unknown', { key: show(name), program: 'text-generation-webui' }));
    else if (known.includes(name)) note(phrase('settings_stage_twice', { key: show(name) }));
    else known.push(name);
  // Stages that an older list does not name run before the listed ones.
  const missing = USUAL.filter((name) => !known.includes(name));
  const whole = [...missing, ...known];
  const order = all.temperature_last
    ? [...whole.filter((name) => !TEMPERATURES.includes(name)), ...TEMPERATURES]
    : whole;
  const ours = order.map((name) => /** @type {any} */ (stageNamed(name)).ours);
  return [...FIRST, ...ours];
}

/** @param {State} state */
export function webuiEffects(state) {
  const { all, given, settings, note, drop } = state;
  if (given.has('seed') && all.seed >= 0) note(phrase('settings_seed'));
  if (!all.do_sample) {
    for (const setting of SAMPLED) drop(setting, phrase('settings_greedy', { setting }));
    settings.temperature = 0;
    takeWindow(state);
    return;
  }
  if (settings.dynatemp_range > 0) {
    if (all.temperature !== 1)
      note(phrase('settings_two_temperatures', { key: 'temperature', value: all.temperature }));
    settings.temperature = (all.dynatemp_low + all.dynatemp_high) / 2;
  }
  if (settings.mirostat)
    for (const setting of active(settings))
      if (SAMPLED.slice(5).includes(setting) && setting !== 'mirostat')
        drop(setting, phrase('settings_mirostat_also', { setting }));
  if (settings.xtc_probability > 0)
    note(phrase('settings_xtc_spares', { program: 'text-generation-webui' }));
  takeWindow(state);
}

/** DRY looks at the window of the penalties, no_repeat_ngram_size at the whole text. @param {State} state */
function takeWindow({ settings, note }) {
  settings.dry_penalty_last_n = settings.repetition_window ?? 0;
  if (!(settings.no_repeat_ngram_size > 0) || !settings.repetition_window) return;
  if (PENALTIES.some((name) => active(settings).includes(name)))
    note(phrase('settings_ngram_window', { value: settings.repetition_window }));
  else settings.repetition_window = 0;
}

/**
 * The window of DRY as that of the penalties, if these do not act.
 * @param {Record<string, any>} settings
 * @param {string} key @param {number} usual its default
 * @returns {Pairs}
 */
export function dryWindow(settings, key, usual) {
  const acting = active(settings);
  const range = settings.dry_penalty_last_n ?? 64;
  const states = matters(settings, 'repetition_window');
  return acting.includes('dry_multiplier') && !states && range !== usual ? [[key, range]] : [];
}

const whole = /** @type {const} */ ('whole');
/** @param {string} key @returns {Row} */
const cutoff = (key) => ({
  key,
  setting: key,
  default: 0,
  range: [0, 1e4],
  from: (value) => Number((value * UNIT).toPrecision(15)),
  to: (value) => Number((value / UNIT).toPrecision(15)),
});

/** @type {Row[]} */
export const webuiRows = [
  { key: 'temperature', setting: 'temperature', default: 1, from: atLeast0 },
  {
    key: 'dynamic_temperature',
    setting: 'dynatemp_range',
    kind: 'switch',
    default: false,
    from: (value, all) => (value ? Math.max(all.dynatemp_high - all.dynatemp_low, 0) / 2 : 0),
    to: (value) => value > 0,
  },
  { key: 'dynatemp_low', default: 1 },
  { key: 'dynatemp_high', default: 1 },
  { key: 'dynatemp_exponent', setting: 'dynatemp_exponent', default: 1 },
  { key: 'smoothing_factor', setting: 'smoothing_factor', default: 0, from: atLeast0 },
  { key: 'smoothing_curve', setting: 'smoothing_curve', default: 1 },
  { key: 'min_p', setting: 'min_p', default: 0, from: from0To1 },
  { key: 'top_p', setting: 'top_p', default: 1, from: from0To1 },
  { key: 'top_k', setting: 'top_k', kind: whole, default: 0, from: atLeast0 },
  { key: 'typical_p', setting: 'typical_p', default: 1, from: typicalFrom },
  { key: 'xtc_probability', setting: 'xtc_probability', default: 0, from: from0To1 },
  { key: 'xtc_threshold', setting: 'xtc_threshold', default: 0.1, from: from0To1 },
  cutoff('epsilon_cutoff'),
  cutoff('eta_cutoff'),
  { key: 'tfs', setting: 'tfs_z', default: 1, from: from0To1 },
  { key: 'top_a', setting: 'top_a', default: 0, from: from0To1 },
  { key: 'top_n_sigma', setting: 'top_n_sigma', default: 0, from: atLeast0 },
  { key: 'adaptive_target', setting: 'adaptive_target', default: 0, from: from0To1 },
  { key: 'adaptive_decay', setting: 'adaptive_decay', default: 0.9 },
  { key: 'dry_multiplier', setting: 'dry_multiplier', default: 0, from: atLeast0 },
  { key: 'dry_allowed_length', setting: 'dry_allowed_length', kind: whole, default: 2 },
  { key: 'dry_base', setting: 'dry_base', default: 1.75 },
  {
    key: 'dry_sequence_breakers',
    setting: 'dry_sequence_breakers',
    kind: 'any',
    default: '"\\n", ":", "\\"", "*"',
    from: breakersOf,
    to: (value = []) => JSON.stringify(value).slice(1, -1).replaceAll('","', '", "'),
  },
  { key: 'repetition_penalty', setting: 'repetition_penalty', default: 1 },
  { key: 'frequency_penalty', setting: 'frequency_penalty', default: 0 },
  { key: 'presence_penalty', setting: 'presence_penalty', default: 0 },
  { key: 'encoder_repetition_penalty', setting: 'encoder_repetition_penalty', default: 1 },
  { key: 'no_repeat_ngram_size', setting: 'no_repeat_ngram_size', kind: whole, default: 0 },
  {
    key: 'repetition_penalty_range',
    setting: 'repetition_window',
    kind: whole,
    default: 1024,
    from: atLeast0,
  },
  { key: 'guidance_scale', setting: 'guidance_scale', default: 1 },
  {
    key: 'mirostat_mode',
    setting: 'mirostat',
    kind: whole,
    default: 0,
    from: (value) => (value === 2 ? 2 : 0),
  },
  { key: 'mirostat_tau', setting: 'mirostat_tau', default: 5 },
  { key: 'mirostat_eta', setting: 'mirostat_eta', default: 0.1 },
  { key: 'do_sample', kind: 'switch', default: true },
  { key: 'temperature_last', kind: 'switch', default: false },
  { key: 'sampler_priority', kind: 'any' },
  {
    key: 'logit_bias',
    setting: 'logit_bias',
    kind: 'any',
    default: {},
    from: (value, all, note) => ({
      ...biasesFrom(value, all, note),
      ...Object.fromEntries(
        (String(all.custom_token_bans ?? '').match(/\d+/g) ?? []).map((id) => [id, false]),
      ),
    }),
    to: biasesTo(-100),
  },
  { key: 'custom_token_bans', kind: 'text' },
  {
    key: 'ban_eos_token',
    setting: 'min_new_tokens',
    kind: 'switch',
    default: false,
    from: (value) => (value ? FOREVER : 0),
    to: (value) => value >= FOREVER,
  },
  { key: 'seed', kind: whole },
];

const beams = phrase('settings_reason_beams');
/** Keys of searches, as in presets of 2023. @type {Record<string, Phrase | null>} */
export const webuiCannot = {
  penalty_alpha: phrase('settings_reason_contrastive'),
  num_beams: beams,
  length_penalty: beams,
  early_stopping: beams,
  min_length: phrase('settings_reason_min_length'),
  grammar_string: phrase('settings_reason_constraint'),
};
export const webuiIdle = {
  penalty_alpha: [0],
  num_beams: [1],
  length_penalty: [1],
  early_stopping: [false],
  min_length: [0],
  grammar_string: [''],
};

/** The priority of an order; null if it is the usual one. @param {Record<string, any>} settings */
export function webuiPriority(settings) {
  const acting = active(settings);
  const named = (settings.order ?? [])
    .filter((/** @type {string} */ name) => acting.includes(name))
    .map((/** @type {string} */ name) => STAGES.find(({ ours }) => ours === name)?.name)
    .filter(Boolean);
  const usual = USUAL.filter((name) => named.includes(name));
  if (named.join() === usual.join()) return null;
  return [...USUAL.filter((name) => !named.includes(name)), ...named];
}

/** Both ends of a dynamic temperature. @param {Record<string, any>} settings @returns {[number, number] | null} */
export function temperatureEnds({ dynatemp_range: range = 0, temperature = 1 }) {
  const round = (/** @type {number} */ value) => Number(value.toPrecision(15));
  return range > 0 ? [round(Math.max(temperature - range, 0)), round(temperature + range)] : null;
}

/** @param {Record<string, any>} settings @returns {Pairs} */
function also(settings) {
  const priority = webuiPriority(settings);
  const ends = temperatureEnds(settings);
  /** @type {Pairs} */
  const pairs = dryWindow(settings, 'repetition_penalty_range', 1024);
  if (ends) pairs.push(['dynatemp_low', ends[0]], ['dynatemp_high', ends[1]]);
  if (priority) pairs.push(['sampler_priority', priority]);
  return pairs;
}

/** @type {import('./read.js').Program} */
export const textGenerationWebui = {
  id: 'text-generation-webui',
  name: 'text-generation-webui',
  version: '4.7.3',
  rows: webuiRows,
  order: webuiOrder,
  finish: webuiEffects,
  cannot: webuiCannot,
  idle: webuiIdle,
  other:
    `max_new_tokens max_tokens prompt messages stream stop add_bos_token skip_special_tokens negative_prompt
truncation_length custom_stopping_strings auto_max_new_tokens max_tokens_second static_cache prompt_lookup_num_tokens
custom_system_message enable_thinking reasoning_effort preset mode character model n user logprobs echo`.split(
      /\s+/,
    ),
  parse: (text) =>
    Object.entries(/^\s*\{/.test(text) ? readObject(text) : readYaml(text)).map(([key, value]) => [
      key,
      value,
    ]),
  plain: plainKey,
  also,
  format: (pairs, settings) =>
    writeYaml(settings.dynatemp_range > 0 ? pairs.filter(([key]) => key !== 'temperature') : pairs),
  sure(text, object, fileName) {
    if (object)
      return ['repetition_penalty_range', 'sampler_priority', 'dynamic_temperature'].some(
        (key) => key in object,
      ) && !('rep_pen' in object)
        ? 0.6
        : 0;
    const keys = [...text.matchAll(/^([a-z_]+):[ \t]+[-+\w."'[]/gm)].map(([, key]) => key);
    const known = keys.filter((key) => webuiRows.some((row) => row.key === key));
    if (known.length === 0 || /^[ \t]+override:/m.test(text)) return 0;
    return known.length === keys.length || /\.ya?ml$/.test(fileName) ? 0.9 : 0.5;
  },
};
