/**
 * SillyTavern: presets of text completion, old and new, and of KoboldAI. The front end sends a preset to a program, and
 * each program runs another chain of it: one table for each. Source: 1.12.6 and a file of 2026,
 * public/scripts/textgen-settings.js.
 */
import { phrase, show } from '../../engine/errors.js';
import { rowsAs, stateAs } from './derived.js';
import { isObject, plainKey, readObject, writeJson } from './forms.js';
import { breakersOf, koboldEffects, koboldOrder, koboldOrderKey, koboldRows } from './koboldcpp.js';
import { llamaEffects, llamaOrder, llamaRows, samplersOf } from './llama-cpp.js';
import {
  dryWindow,
  temperatureEnds,
  webuiEffects,
  webuiIdle,
  webuiCannot,
  webuiOrder,
  webuiPriority,
  webuiRows,
} from './text-generation-webui.js';

/** @import { Row, State, Phrase } from './read.js' */
/** @import { Pairs } from './forms.js' */

const BREAKERS = '["\\n", ":", "\\"", "*"]';

/** Values of a preset that lacks a key. @type {Record<string, any>} */
const DEFAULTS = {
  temp: 0.7,
  temperature_last: true,
  top_p: 0.5,
  top_k: 40,
  top_a: 0,
  tfs: 1,
  epsilon_cutoff: 0,
  eta_cutoff: 0,
  typical_p: 1,
  min_p: 0,
  rep_pen: 1.2,
  rep_pen_range: 0,
  rep_pen_slope: 1,
  no_repeat_ngram_size: 0,
  encoder_rep_pen: 1,
  freq_pen: 0,
  presence_pen: 0,
  do_sample: true,
  dynatemp_exponent: 1,
  smoothing_factor: 0,
  smoothing_curve: 1,
  dry_allowed_length: 2,
  dry_multiplier: 0,
  dry_base: 1.75,
  dry_sequence_breakers: BREAKERS,
  dry_penalty_last_n: 0,
  ban_eos_token: false,
  mirostat_mode: 0,
  mirostat_tau: 5,
  mirostat_eta: 0.1,
  guidance_scale: 1,
  xtc_threshold: 0.1,
  xtc_probability: 0,
  nsigma: 0,
  min_keep: 0,
  adaptive_target: -0.01,
  adaptive_decay: 0.9,
};

/** Keys with the same name in all three programs. */
const same = (/** @type {string} */ names) =>
  Object.fromEntries(names.split(' ').map((name) => [name, name]));
const SHARED = same(
  'top_p top_k min_p dynatemp_exponent dry_allowed_length dry_multiplier dry_base xtc_threshold xtc_probability adaptive_target adaptive_decay',
);

/** Names of the keys in each program. */
const KOBOLD = {
  ...SHARED,
  ...same('top_a tfs rep_pen rep_pen_range rep_pen_slope nsigma smoothing_factor smoothing_curve'),
  ...same(
    'dry_penalty_last_n mirostat_tau mirostat_eta ban_eos_token guidance_scale sampler_order',
  ),
  temp: 'temperature',
  typical_p: 'typical',
  presence_pen: 'presence_penalty',
  mirostat_mode: 'mirostat',
  seed: 'sampler_seed',
};
const LLAMA = {
  ...same('top_p top_k min_p dry_allowed_length dry_multiplier dry_base xtc_threshold'),
  ...same(
    'xtc_probability adaptive_target adaptive_decay dry_penalty_last_n min_keep samplers seed',
  ),
  temp: 'temp',
  typical_p: 'typical',
  nsigma: 'top_nsigma',
  rep_pen: 'repeat_penalty',
  rep_pen_range: 'repeat_last_n',
  freq_pen: 'frequency_penalty',
  presence_pen: 'presence_penalty',
  dynatemp_exponent: 'dynatemp_exp',
  mirostat_mode: 'mirostat',
  mirostat_tau: 'mirostat_ent',
  mirostat_eta: 'mirostat_lr',
  ban_eos_token: 'ignore_eos',
};
const WEBUI = {
  ...SHARED,
  ...same('top_a tfs typical_p epsilon_cutoff eta_cutoff smoothing_factor smoothing_curve'),
  ...same('no_repeat_ngram_size mirostat_mode mirostat_tau mirostat_eta guidance_scale do_sample'),
  ...same('temperature_last sampler_priority ban_eos_token seed'),
  temp: 'temperature',
  nsigma: 'top_n_sigma',
  rep_pen: 'repetition_penalty',
  rep_pen_range: 'repetition_penalty_range',
  encoder_rep_pen: 'encoder_repetition_penalty',
  freq_pen: 'frequency_penalty',
  presence_pen: 'presence_penalty',
};

/** Lines of banned tokens: lists of ids, texts in quotes, and words that need a tokenizer. @param {unknown} text */
function bansOf(text) {
  const lines = String(text ?? '')
    .split('\n')
    .filter(Boolean);
  const ids = lines.flatMap((line) =>
    /^\[[\d,\s]*\]$/.test(line) ? (line.match(/\d+/g) ?? []) : [],
  );
  const strings = lines.filter((line) => /^".+"$/.test(line)).map((line) => line.slice(1, -1));
  const words = lines.filter((line) => !/^(\[[\d,\s]*\]|".+")$/.test(line));
  return { ids, strings, words };
}

/** Ids in brackets: "[1, 2]". @param {unknown} text */
const idsIn = (text) => (/^\[[\d,\s]+\]$/.test(String(text)) ? String(text).match(/\d+/g) : null);

/**
 * Returns logit_bias of the preset's list and of its banned ids.
 * @param {number | false} ban the value that the program gets for a banned id
 */
const biasesOf =
  (ban) =>
  (/** @type {any} */ list, /** @type {Record<string, any>} */ all, /** @type {any} */ note) => {
    /** @type {Record<string, number | false>} */
    const biases = {};
    for (const each of Array.isArray(list) ? list : []) {
      const { text, value } = isObject(each) ? each : { text: each, value: undefined };
      const ids = idsIn(text);
      if (!ids || typeof value !== 'number')
        note(phrase('settings_bias_text', { token: show(text), value: show(value) }));
      else for (const id of ids) biases[id] = value;
    }
    const { ids, words } = bansOf(all.banned_tokens);
    for (const id of ids) biases[id] = ban;
    for (const word of words)
      note(phrase('settings_bias_text', { token: show(word), value: show(ban) }));
    return biases;
  };

/** @type {Row[]} */
const dynamic = [
  {
    key: 'dynatemp',
    setting: 'dynatemp_range',
    kind: 'switch',
    default: false,
    from: (value, all) => (value ? Math.max(all.max_temp - all.min_temp, 0) / 2 : 0),
    to: (value) => value > 0,
  },
  { key: 'min_temp', default: 0 },
  { key: 'max_temp', default: 2 },
];

/**
 * The rows of bans and biases.
 * @param {number | false} ban @param {boolean} strings the program bans texts
 * @returns {Row[]}
 */
const bans = (ban, strings) => [
  {
    key: 'banned_tokens',
    kind: 'text',
    default: '',
    ...(strings && { setting: 'banned_words', from: (value) => bansOf(value).strings }),
    to: (words = [], settings) =>
      [
        ...words.map((/** @type {string} */ word) => `"${word}"`),
        ...Object.entries(settings.logit_bias ?? {})
          .filter(([, bias]) => bias === ban)
          .map(([id]) => `[${id}]`),
      ].join('\n'),
  },
  {
    key: 'logit_bias',
    setting: 'logit_bias',
    kind: 'any',
    default: [],
    from: biasesOf(ban),
    to: (value = {}) =>
      Object.entries(value)
        .filter(([, bias]) => bias !== ban || !strings)
        .map(([id, bias]) => ({ text: `[${id}]`, value: bias === false ? -100 : bias })),
  },
];

/** The middle of a dynamic temperature replaces the temperature. @param {State} state */
function takeMiddle({ all, settings }) {
  if (settings.dynatemp_range > 0) settings.temperature = (all.min_temp + all.max_temp) / 2;
}

/** A repeat penalty that is set up and off. @param {State} state */
function noteIdleDry({ all, given, note }) {
  const shaped = ['dry_allowed_length', 'dry_base'].some(
    (key) => given.has(key) && all[key] !== DEFAULTS[key],
  );
  if (shaped && all.dry_multiplier === 0) note(phrase('settings_dry_off'));
}

const OTHER =
  `add_bos_token skip_special_tokens include_reasoning streaming streaming_url max_tokens_second global_banned_tokens
send_banned_tokens ignore_eos_token spaces_between_special_tokens speculative_ngram n custom_model
bypass_status_check openrouter_allow_fallbacks generic_model extensions json_schema_allow_empty negative_prompt
rep_pen_size genamt max_length preset stopping_strings truncation_length type server_urls single_line
use_default_badwordsids sampler_order sampler_priority samplers samplers_priorities seed min_keep
temperature_last name api_server streaming_kobold max_context amount_gen legacy_api can_use_streaming
ignore_eos_token_aphrodite spaces_between_special_tokens_aphrodite minimum_message_content_tokens
file_version ikmax ikgen numseqs fp32_model modeldim newlinemode lazy_load revision selected_preset online_model
horde_wait_time horde_queue_position horde_queue_size model model_type url oaiurl oaiengines colaburl apikey
oaiapikey configname alt_multi_gen andepth formatoptns widepth useprompt adventure chatmode chatname dynamicscan
nopromptgen rngpersist nogenmod fulldeterminism autosave welcome output_streaming show_probs show_budget antemplate
userscripts corescript softprompt`.split(/\s+/);

/** Keys that no or not every program reads, with their values in a preset that does not use them. @type {Record<string, any[]>} */
const IDLE = {
  ...Object.fromEntries(Object.entries(DEFAULTS).map(([key, value]) => [key, [value]])),
  grammar_string: [''],
  grammar: [''],
  grammar_file: [''],
  json_schema: [{}],
  penalty_alpha: [0],
  num_beams: [1],
  length_penalty: [1],
  early_stopping: [false],
  min_length: [0],
  skew: [0],
  rep_pen_decay: [0],
  dynatemp_exponent: [1],
};

const constraint = phrase('settings_reason_constraint');
const CANNOT = {
  grammar_file: constraint,
  grammar_string: constraint,
  grammar: constraint,
  json_schema: constraint,
};

/** Keys of samplers that a table does not have. @param {Row[]} rows @param {Record<string, any>} cannot */
const unread = (rows, cannot) =>
  Object.keys(IDLE).filter((key) => !rows.some((row) => row.key === key) && !(key in cannot));

/** @param {Record<string, any>} settings @returns {Pairs} */
function ends(settings) {
  const both = temperatureEnds(settings);
  return both
    ? [
        ['min_temp', both[0]],
        ['max_temp', both[1]],
      ]
    : [];
}

/** How well a preset fits. @param {Record<string, any> | null} object */
const fit = (object) => {
  if (!object) return 0;
  if ('temp' in object && ('rep_pen' in object || 'temperature_last' in object)) return 0.95;
  return 'rep_pen' in object && ('presence_pen' in object || 'freq_pen' in object) ? 0.9 : 0;
};

/**
 * @param {object} backend the program that gets the preset
 * @param {string} backend.id
 * @param {string} backend.name
 * @param {number} backend.less subtracted from the fit, so that the first table is preferred
 * @param {Row[]} backend.rows
 * @param {Record<string, string>} backend.names
 * @param {number | false} backend.ban
 * @param {boolean} backend.strings
 * @param {Record<string, any>} [backend.always]
 * @param {(state: State) => string[]} backend.order
 * @param {(state: State) => void} backend.finish
 * @param {Record<string, Phrase | null>} [backend.cannot]
 * @param {(settings: Record<string, any>) => Pairs} backend.also
 * @returns {import('./read.js').Program}
 */
function presetFor({ id, name, less, rows, names, ban, strings, always, ...backend }) {
  const own = [
    ...rowsAs(rows, names, DEFAULTS),
    {
      key: 'dry_sequence_breakers',
      setting: 'dry_sequence_breakers',
      kind: /** @type {const} */ ('any'),
      default: BREAKERS,
      from: breakersOf,
      to: (/** @type {string[]} */ value = []) => JSON.stringify(value),
    },
    ...dynamic,
    ...bans(ban, strings),
  ].map((row) => ({
    ...row,
    also: row.key === 'typical_p' ? ['typical'] : row.key === 'mirostat_mode' ? ['mirostat'] : [],
  }));
  const cannot = { ...CANNOT, ...backend.cannot };
  const inside = stateAs(names);
  return {
    id,
    name: `SillyTavern with ${name}`,
    version: '1.12.6 to 2026',
    rows: own,
    always,
    order(state) {
      takeMiddle(state);
      return backend.order(inside(state));
    },
    finish(state) {
      backend.finish(inside(state));
      takeMiddle(state);
      noteIdleDry(state);
      state.note(phrase('settings_backend', { program: name }));
    },
    cannot,
    ignored: unread(own, cannot),
    idle: { ...IDLE, ...webuiIdle },
    other: OTHER.filter((key) => !own.some((row) => row.key === key)),
    parse: (text) => Object.entries(readObject(text)),
    plain: plainKey,
    also: (settings) => [...ends(settings), ...backend.also(settings)],
    format: (pairs, settings) =>
      writeJson(settings.dynatemp_range > 0 ? pairs.filter(([key]) => key !== 'temp') : pairs),
    sure: (_text, object) => Math.max(fit(object) - less, 0),
  };
}

export const sillytavern = presetFor({
  id: 'sillytavern',
  name: 'KoboldCpp',
  less: 0,
  rows: koboldRows,
  names: KOBOLD,
  ban: -100,
  strings: true,
  always: { convention: 'llama.cpp' },
  order: koboldOrder,
  finish: koboldEffects,
  also: koboldOrderKey,
});

export const sillytavernLlama = presetFor({
  id: 'sillytavern-llama-cpp',
  name: 'llama.cpp',
  less: 0.01,
  rows: llamaRows,
  names: LLAMA,
  ban: false,
  strings: false,
  always: { convention: 'llama.cpp' },
  order: llamaOrder,
  finish: llamaEffects,
  also: (settings) => {
    const names = samplersOf(settings);
    return names ? [['samplers', names]] : [];
  },
});

export const sillytavernWebui = presetFor({
  id: 'sillytavern-text-generation-webui',
  name: 'text-generation-webui',
  less: 0.02,
  rows: webuiRows,
  names: WEBUI,
  ban: false,
  strings: false,
  order: (state) => webuiOrder({ ...state, all: { ...state.all, ...endsAs(state) } }),
  finish: (state) => webuiEffects({ ...state, all: { ...state.all, ...endsAs(state) } }),
  cannot: webuiCannot,
  also: (settings) => {
    const names = webuiPriority(settings);
    const window = dryWindow(settings, 'rep_pen_range', DEFAULTS.rep_pen_range);
    const pairs = /** @type {Pairs} */ ([...window, ['temperature_last', false]]);
    return names ? [...pairs, ['sampler_priority', names]] : pairs;
  },
});

/** The ends of a dynamic temperature under text-generation-webui's names. @param {State} state */
function endsAs({ all }) {
  const { min_temp: low, max_temp: high, dynatemp } = all;
  return {
    dynatemp_low: low,
    dynatemp_high: high,
    // The front end sends the middle as the temperature, so both stages act.
    ...(dynatemp && { temperature: (low + high) / 2 }),
  };
}
