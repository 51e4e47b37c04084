/**
 * llama.cpp: flags, the JSON of its server (requests and /props), presets of its server in ini files.
 * Source: v0.5.0, common/arg.cpp, common/sampling.cpp, tools/server/server-schema.cpp.
 */
import { phrase, show } from '../../engine/errors.js';
import { conventions } from '../../engine/presets.js';
import {
  isObject,
  plainKey,
  readFlags,
  readIni,
  readObject,
  shortFloat,
  writeFlags,
} from './forms.js';
import { active } from './ours.js';
import { FOREVER, atLeast0, biasesFrom, escaped, from0To1, texts, unescaped } from './parts.js';

/** @import { Row, State } from './read.js' */
/** @import { Pairs } from './forms.js' */

const PENALTIES = ['repetition_penalty', 'frequency_penalty', 'presence_penalty'];

/** The samplers of an order: llama.cpp's name, its letter, our stages. */
const STAGES = [
  { name: 'penalties', letter: 'e', ours: PENALTIES },
  { name: 'dry', letter: 'd', ours: ['dry_multiplier'] },
  { name: 'top_n_sigma', letter: 's', ours: ['top_n_sigma'] },
  { name: 'top_k', letter: 'k', ours: ['top_k'] },
  { name: 'typ_p', letter: 'y', ours: ['typical_p'], also: ['typ'] },
  { name: 'top_p', letter: 'p', ours: ['top_p'], also: ['nucleus'] },
  { name: 'min_p', letter: 'm', ours: ['min_p'] },
  { name: 'xtc', letter: 'x', ours: ['xtc_probability'] },
  { name: 'temperature', letter: 't', ours: ['temperature', 'dynatemp_range'], also: ['temp'] },
  { name: 'infill', letter: 'i', ours: [] },
  { name: 'adaptive_p', letter: 'a', ours: ['adaptive_target'] },
];
/** The names of the usual order: that of the rules "llama.cpp" of Logitscope, which hold more samplers. */
export const USUAL = /** @type {string[]} */ (conventions['llama.cpp'].order)
  .map((setting) => STAGES.find((stage) => stage.ours[0] === setting)?.name ?? '')
  .filter((name) => name !== '' && name !== 'adaptive_p');
const FIRST = ['logit_bias', 'min_new_tokens'];

/** @param {string} name */
function stageOf(name) {
  const plain = name.trim().toLowerCase();
  return STAGES.find(({ name: known, also = [] }) =>
    [known, known.replaceAll('_', '-'), known.replaceAll('_', ''), ...also].includes(plain),
  );
}

/**
 * The names of an order: "a;b", ["a", "b"], or letters in `sampler_seq` and in JSON.
 * @param {unknown} value
 * @param {boolean} letters
 */
const namesOf = (value, letters) =>
  letters
    ? [...String(value)].map(
        (letter) => STAGES.find((one) => one.letter === letter)?.name ?? letter,
      )
    : Array.isArray(value)
      ? texts('samplers', value)
      : String(value).split(';');

/**
 * Returns our stages in the order that the names give. Names that llama.cpp does not know run no stage; the second
 * run of a stage has no counterpart.
 * @param {string[]} names
 * @param {(note: import('./read.js').Phrase) => void} note
 */
export function stagesOf(names, note) {
  /** @type {typeof STAGES} */
  const stages = [];
  for (const name of names.filter((each) => each !== '')) {
    const stage = stageOf(name);
    if (!stage) note(phrase('settings_stage_unknown', { key: show(name), program: 'llama.cpp' }));
    else if (stages.includes(stage)) note(phrase('settings_stage_twice', { key: show(name) }));
    else stages.push(stage);
    if (stage?.name === 'infill') note(phrase('settings_stage_cannot', { key: show(name) }));
  }
  // adaptive_p takes the place of the draw, wherever it stands.
  const last = stages.filter(({ name }) => name === 'adaptive_p');
  return [...stages.filter((stage) => !last.includes(stage)), ...last].flatMap((one) => one.ours);
}

/** @param {State} state */
export function llamaOrder({ all, given, settings, note, drop }) {
  const key = [...given].filter((one) => one === 'samplers' || one === 'sampler_seq').pop();
  // JSON may have letters under `samplers` too; "temp" and "typ" are names.
  const named = typeof all.samplers !== 'string' || stageOf(all.samplers) !== undefined;
  const letters = key === 'sampler_seq' || (!named && /^[dkypsmtxiea]+$/.test(all.samplers));
  const names = key ? namesOf(all[key], letters) : USUAL;
  const stages = [...FIRST, ...stagesOf(names, note)];
  if (!settings.mirostat) {
    noteRemoved(settings, stages, note);
    return stages;
  }
  const alone = [...FIRST, 'temperature', 'mirostat'];
  for (const setting of active(settings))
    if (!alone.includes(setting)) drop(setting, phrase('settings_mirostat', { setting }));
  return alone;
}

/**
 * top_n_sigma leaves the tokens that it removes in the list, with p = 0.
 * @param {Record<string, any>} settings
 * @param {string[]} stages
 * @param {State['note']} note
 */
function noteRemoved(settings, stages, note) {
  if (!active(settings).includes('top_n_sigma') || !stages.includes('top_n_sigma')) return;
  const later = stages.slice(stages.indexOf('top_n_sigma'));
  for (const setting of ['typical_p', 'dynatemp_range'])
    if (later.includes(setting) && active(settings).includes(setting))
      note(phrase('settings_sigma_counts', { setting }));
}

/** Effects that depend on several keys. @param {State} state */
export function llamaEffects({ all, given, settings, note, drop }) {
  if (all.repeat_last_n === 0)
    for (const setting of PENALTIES)
      drop(setting, phrase('settings_window_off', { setting, key: 'repeat_last_n' }));
  if (all.dry_penalty_last_n === 0)
    drop(
      'dry_multiplier',
      phrase('settings_window_off', { setting: 'dry_multiplier', key: 'dry_penalty_last_n' }),
    );
  if (all.xtc_threshold > 0.5)
    drop('xtc_probability', phrase('settings_xtc_half', { value: all.xtc_threshold }));
  if (given.has('seed') && all.seed !== -1 && all.seed !== 2 ** 32 - 1)
    note(phrase('settings_seed'));
  if (settings.adaptive_target === 0 && all.adaptive_target === 0)
    note(phrase('settings_adaptive_zero'));
}

/** @param {string} key */
const window =
  (key) => (/** @type {number} */ value, /** @type {any} */ _all, /** @type {any} */ note) => {
    if (value < 0) note(phrase('settings_window_minus', { key, value }));
    return Math.max(value, 0);
  };

/** A window of 0 is all here and off there. */
const windowTo = (/** @type {number} */ value = 0) => (value === 0 ? FOREVER : value);

/** @param {unknown} value */
function breakersFrom(value) {
  const list = texts('dry_sequence_breakers', value).map(unescaped);
  return list.slice(list.lastIndexOf('none') + 1);
}

/** The flags; JSON's spelling is among the others. @type {Row[]} */
export const llamaRows = [
  { key: 'temp', also: ['temperature'], setting: 'temperature', default: 0.8, from: atLeast0 },
  { key: 'dynatemp_range', setting: 'dynatemp_range', default: 0, from: atLeast0 },
  { key: 'dynatemp_exp', also: ['dynatemp_exponent'], setting: 'dynatemp_exponent', default: 1 },
  { key: 'top_k', setting: 'top_k', kind: 'whole', default: 40, from: atLeast0 },
  { key: 'typical', also: ['typical_p'], setting: 'typical_p', default: 1, from: from0To1 },
  { key: 'top_p', setting: 'top_p', default: 0.95, from: from0To1 },
  { key: 'min_p', setting: 'min_p', default: 0.05, from: atLeast0 },
  {
    key: 'top_nsigma',
    also: ['top_n_sigma'],
    setting: 'top_n_sigma',
    default: -1,
    off: -1,
    from: atLeast0,
  },
  { key: 'xtc_probability', setting: 'xtc_probability', default: 0, from: from0To1 },
  { key: 'xtc_threshold', setting: 'xtc_threshold', default: 0.1, from: from0To1 },
  { key: 'mirostat', setting: 'mirostat', kind: 'whole', default: 0 },
  { key: 'mirostat_ent', also: ['mirostat_tau'], setting: 'mirostat_tau', default: 5 },
  { key: 'mirostat_lr', also: ['mirostat_eta'], setting: 'mirostat_eta', default: 0.1 },
  {
    key: 'adaptive_target',
    setting: 'adaptive_target',
    default: -1,
    off: -1,
    from: from0To1,
  },
  { key: 'adaptive_decay', setting: 'adaptive_decay', default: 0.9 },
  { key: 'repeat_penalty', also: ['penalty_repeat'], setting: 'repetition_penalty', default: 1 },
  {
    key: 'repeat_last_n',
    also: ['penalty_last_n'],
    setting: 'repetition_window',
    kind: 'whole',
    default: 64,
    from: window('repeat_last_n'),
    to: windowTo,
  },
  { key: 'frequency_penalty', setting: 'frequency_penalty', default: 0 },
  { key: 'presence_penalty', setting: 'presence_penalty', default: 0 },
  { key: 'dry_multiplier', setting: 'dry_multiplier', default: 0, from: atLeast0 },
  {
    key: 'dry_base',
    setting: 'dry_base',
    default: 1.75,
    from: (value) => (value < 1 ? 1.75 : value),
  },
  { key: 'dry_allowed_length', setting: 'dry_allowed_length', kind: 'whole', default: 2 },
  {
    key: 'dry_penalty_last_n',
    setting: 'dry_penalty_last_n',
    kind: 'whole',
    default: 64,
    from: window('dry_penalty_last_n'),
    to: windowTo,
  },
  {
    key: 'dry_sequence_breaker',
    also: ['dry_sequence_breakers'],
    setting: 'dry_sequence_breakers',
    kind: 'any',
    default: ['\n', ':', '"', '*'],
    from: breakersFrom,
    to: (value = []) => (value.length === 0 ? ['none'] : value),
  },
  { key: 'logit_bias', also: ['l'], setting: 'logit_bias', kind: 'any', from: biasesFrom },
  {
    key: 'ignore_eos',
    setting: 'min_new_tokens',
    kind: 'switch',
    default: false,
    from: (value) => (value ? FOREVER : 0),
    to: (value) => value >= FOREVER,
  },
  {
    key: 'min_keep',
    setting: 'min_tokens_to_keep',
    kind: 'whole',
    default: 0,
    from: (value) => Math.max(value, 1),
    to: () => undefined,
  },
  { key: 'samplers', kind: 'any' },
  { key: 'sampler_seq', also: ['sampling_seq'], kind: 'text' },
  { key: 'seed', also: ['s'], kind: 'whole' },
];

const constraint = phrase('settings_reason_constraint');

/** Keys without effect on a draw: flags, then the keys of the server's JSON. */
const OTHER =
  `help h usage version cl verbose_prompt display_prompt no_display_prompt co color t tb threads*
c cpu_* c_mask prio* poll* ctx_* ctxcp n predict n_predict b ub batch_size ubatch_size keep swa_* cram cache_* kvu
kv_* no_kv_* context_shift no_context_shift fa flash_attn p prompt* sys* perf no_perf f file e escape no_escape r
reverse_prompt sp special cnv conversation no_cnv no_conversation st single_turn i interactive* if mli multiline_*
in_* warmup no_warmup pooling rope_* yarn_* gan gaw grp_* kvo nkvo repack nr no_repack ctk ctv dt defrag_thold np
parallel* cb nocb cont_batching no_cont_batching mm mmu mmproj* no_mmproj* image* audio* rpc mlock mmap no_mmap lm
load_* numa dev* device* ot override_* cmoe ncmoe n_cpu_moe ngl* gpu_* n_gpu_* sm split_mode ts tensor_* mg main_gpu
fit* check_tensors lora* control_* a alias tags m model* mu dr docker_* hf* host port path api_* webui* no_webui ui*
no_ui* embedding* rerank* ssl_* chat_* to timeout metrics props slots no_slots slot_* jinja no_jinja reasoning_format
rea reasoning reasoning_effort reasoning_in_content sps simple_io log* v verbose offline lv verbosity td md draft*
cd spec_* speculative.* stop* load_on_startup stream* messages tools tool_* n_keep n_discard n_indent n_cmpl n_probs
top_logprobs return_* timings_per_token post_sampling_probs backend_sampling bs t_max_* response_fields max_tokens
id_slot max_completion_tokens user preserved_tokens generation_prompt parse_tool_calls add_generation_prompt
next_token id is_processing input_* metal* mtp* no_mtp* cors_* media_* sleep_*`.split(/\s+/);

/** The part of a JSON answer that has settings: /props, /slots, a completion. @param {Record<string, any>} object */
const innerOf = (object) =>
  [
    object.default_generation_settings?.params,
    object.default_generation_settings,
    object.generation_settings,
    object.params,
  ].find(isObject);

/** @param {string} text @param {State['note']} note @returns {Pairs} */
function parseIni(text, note) {
  const { sections } = readIni(text);
  const named = sections.filter((name) => name !== '*');
  if (named.length > 1)
    note(phrase('settings_sections', { section: named[0], names: named.slice(1).join(', ') }));
  const from = text.indexOf(`[${named[1]}]`);
  return readIni(named.length > 1 ? text.slice(0, from) : text).pairs;
}

/** The number of long flags of samplers. @param {Pairs} pairs */
const knownOf = (pairs) =>
  pairs.filter(([flag]) => /^--/.test(flag) && KEYS.has(plainKey(flag))).length;

/** @param {string} text */
const flagsOf = (text) =>
  readFlags(
    text,
    (flag) => /^(--ignore-eos|-e|-i|-v|--verbose)$/.test(flag),
    (word) => EXECUTABLE.test(word),
  );

/** @param {string} text @param {State['note']} note @returns {Pairs} */
function parse(text, note) {
  if (/^\s*\{/.test(text)) {
    const object = readObject(text);
    const inner = innerOf(object);
    // Answers of the server carry 32-bit numbers; requests carry numbers as typed.
    return inner
      ? Object.entries(inner).map(([key, value]) => [key, shortFloat(value)])
      : Object.entries(object);
  }
  const commands = flagsOf(text);
  const [flags = commands[0]] = commands.filter((pairs) => knownOf(pairs) > 0);
  if (!flags) return parseIni(text, note);
  if (commands.length > 1) note(phrase('settings_commands', { n: commands.length }));
  return flags;
}

/** @param {import('./forms.js').Pairs} pairs */
const format = (pairs) =>
  writeFlags(
    'llama-server',
    pairs.map(([key, value]) => [
      `--${key.replaceAll('_', '-')}`,
      key === 'dry_sequence_breaker'
        ? /** @type {string[]} */ (value).map(escaped)
        : key === 'logit_bias'
          ? Object.entries(/** @type {Record<string, number | false>} */ (value)).map(
              ([id, bias]) => `${id}${bias === false ? '-inf' : bias < 0 ? bias : `+${bias}`}`,
            )
          : value,
    ]),
  );

/**
 * The order as llama.cpp names it; null if it is the usual one.
 * @param {Record<string, any>} settings
 */
export function samplersOf(settings) {
  if (settings.mirostat) return null;
  const acting = active(settings);
  const names = (settings.order ?? acting)
    .filter(
      (/** @type {string} */ name) =>
        acting.includes(name) || STAGES.some((s) => s.ours.includes(name)),
    )
    .map((/** @type {string} */ name) => STAGES.find((stage) => stage.ours.includes(name))?.name)
    .filter(Boolean);
  const all = [...new Set(names)];
  const missing = USUAL.filter((name) => !all.includes(name));
  const whole = all.concat(missing.length < USUAL.length ? [] : USUAL);
  return whole.join() === USUAL.join() ? null : whole;
}

const KEYS = new Set(llamaRows.flatMap(({ key, also = [] }) => [key, ...also]));
const COMMAND = /\b(llama-(server|cli|run|simple|completion)|llama\.cpp[/\\]|\.gguf|(^|\/)main\b)/m;
/** The program's name in a path, also in quotes of another program. */
const EXECUTABLE = /(^|[/\\\s])(llama-(server|cli|run|simple|completion)|main|server)(\.exe)?$/;
const STARTED = /^\s*(\w+=\S*\s+)*\S*llama-(server|cli|run|simple|completion)\b/;
/** Keys that no other program spells like this. */
const TELLING =
  /"(repeat_last_n|dynatemp_exponent|n_predict|default_generation_settings|generation_settings|n_probs|typ_p)"/;

/** @type {import('./read.js').Program} */
export const llamaCpp = {
  id: 'llama-cpp',
  name: 'llama.cpp',
  version: 'v0.5.0',
  rows: llamaRows,
  always: { convention: 'llama.cpp' },
  order: llamaOrder,
  finish: llamaEffects,
  cannot: {
    grammar: constraint,
    grammar_file: constraint,
    json_schema: constraint,
    json_schema_file: constraint,
    j: constraint,
    jf: constraint,
    response_format: constraint,
    grammar_lazy: constraint,
    grammar_triggers: constraint,
    reasoning_budget: null,
    reasoning_budget_tokens: null,
  },
  idle: { grammar: [''], grammar_lazy: [false], grammar_triggers: [[]], json_schema: [{}] },
  other: OTHER,
  parse,
  plain: plainKey,
  also: (settings) => {
    const names = samplersOf(settings);
    return names ? [['samplers', names.join(';')]] : [];
  },
  format,
  sure(text, object) {
    if (object) {
      if (TELLING.test(text)) return innerOf(object) ? 1 : 0.8;
      return Object.keys(object).some((key) => KEYS.has(key)) ? 0.25 : 0;
    }
    const commands = flagsOf(text);
    const known = commands.reduce((sum, pairs) => sum + knownOf(pairs), 0);
    if (known > 0) return COMMAND.test(text) ? 1 : 0.8;
    if (commands.length > 0) return STARTED.test(text) ? 0.5 : 0;
    const { sections, pairs } = readIni(text);
    return sections.length > 0 && pairs.some(([key]) => KEYS.has(plainKey(key))) ? 0.9 : 0;
  },
};
