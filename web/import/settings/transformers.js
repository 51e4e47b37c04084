/** Hugging Face transformers: generation_config.json, arguments of generate. Source: 008f5c8, generation/utils.py. */
import { phrase, show } from '../../engine/errors.js';
import { isObject, plainKey, readKeywords, readObject, refused, writeJson } from './forms.js';

/** @import { State } from './read.js' */

const PENALTIES = [
  'guidance_scale',
  'logit_bias',
  'encoder_repetition_penalty',
  'repetition_penalty',
  'no_repeat_ngram_size',
  'min_new_tokens',
  'exponential_decay_length_penalty',
];
/** Samplers that run only with do_sample. */
const SAMPLED = [
  'temperature',
  'top_h',
  'top_k',
  'top_p',
  'min_p',
  'typical_p',
  'epsilon_cutoff',
  'eta_cutoff',
];

/** @param {unknown} ids @param {string} key */
function idsOf(ids, key) {
  const list = [ids].flat();
  if (list.length === 0 || !list.every((id) => Number.isInteger(id) && Number(id) >= 0))
    throw refused('settings_ids', { key, value: show(ids) });
  return list.join(' ');
}

/** @param {unknown} value @param {string} key @returns {unknown[]} */
function listOf(value, key) {
  if (Array.isArray(value)) return value;
  throw refused('settings_ids', { key, value: show(value) });
}

/**
 * The biases and bans of three keys: sequence_bias [[ids, bias]], suppress_tokens [id], bad_words_ids [[ids]].
 * @param {Record<string, any>} all
 */
function biases({ sequence_bias: sequences, suppress_tokens: banned, bad_words_ids: words }) {
  /** @type {Record<string, number | false>} */
  const made = {};
  const entries = isObject(sequences)
    ? Object.entries(sequences).map(([ids, bias]) => [(ids.match(/\d+/g) ?? []).map(Number), bias])
    : listOf(sequences, 'sequence_bias');
  for (const entry of entries) {
    const [ids, bias] = listOf(entry, 'sequence_bias');
    if (typeof bias !== 'number')
      throw refused('settings_bias', { token: show(ids), value: show(bias) });
    made[idsOf(ids, 'sequence_bias')] = bias;
  }
  for (const id of listOf(banned, 'suppress_tokens')) made[idsOf(id, 'suppress_tokens')] = false;
  for (const ids of listOf(words, 'bad_words_ids')) made[idsOf(ids, 'bad_words_ids')] = false;
  return made;
}

/** The keys of biases for our setting. @param {Record<string, any>} settings @returns {import('./forms.js').Pairs} */
function biasKeys({ logit_bias: all = {} }) {
  const entries = Object.entries(all).map(([ids, bias]) => ({
    ids: ids.split(' ').map(Number),
    bias,
  }));
  const bans = entries.filter(({ bias }) => bias === false);
  const lists = {
    sequence_bias: entries.filter(({ bias }) => bias !== false).map(({ ids, bias }) => [ids, bias]),
    suppress_tokens: bans.filter(({ ids }) => ids.length === 1).map(({ ids }) => ids[0]),
    bad_words_ids: bans.filter(({ ids }) => ids.length > 1).map(({ ids }) => ids),
  };
  return Object.entries(lists).filter(([, list]) => list.length > 0);
}

/** @param {State} state */
function finish({ all, settings, note, drop }) {
  if (settings.exponential_decay_length_penalty !== undefined)
    settings.exponential_decay_start = all.exponential_decay_length_penalty?.[0] ?? 0;
  if (all.do_sample) {
    if (settings.temperature === 0)
      note(phrase('settings_zero_refused', { program: 'transformers' }));
    return;
  }
  for (const setting of SAMPLED) drop(setting, phrase('settings_greedy', { setting }));
  settings.temperature = 0;
}

/** @type {import('./read.js').Row[]} */
const rows = [
  { key: 'do_sample', kind: 'switch', default: false },
  { key: 'temperature', setting: 'temperature', default: 1, to: (value) => value || 1 },
  { key: 'top_k', setting: 'top_k', kind: 'whole', default: 50, none: 0, off: 0 },
  { key: 'top_p', setting: 'top_p', default: 1 },
  { key: 'min_p', setting: 'min_p', default: 0, range: [0, 1] },
  { key: 'top_h', setting: 'top_h', default: 0, off: 0, range: [0, 1] },
  { key: 'typical_p', setting: 'typical_p', default: 1 },
  { key: 'epsilon_cutoff', setting: 'epsilon_cutoff', default: 0 },
  { key: 'eta_cutoff', setting: 'eta_cutoff', default: 0 },
  { key: 'repetition_penalty', setting: 'repetition_penalty', default: 1 },
  { key: 'encoder_repetition_penalty', setting: 'encoder_repetition_penalty', default: 1 },
  { key: 'no_repeat_ngram_size', setting: 'no_repeat_ngram_size', kind: 'whole', default: 0 },
  { key: 'min_new_tokens', setting: 'min_new_tokens', kind: 'whole', default: 0 },
  { key: 'guidance_scale', setting: 'guidance_scale', default: 1 },
  {
    key: 'exponential_decay_length_penalty',
    setting: 'exponential_decay_length_penalty',
    kind: 'any',
    default: [0, 1],
    from(value) {
      if (Array.isArray(value) && value.length === 2 && value.every(Number.isFinite))
        return value[1];
      throw refused('settings_pair', {
        key: 'exponential_decay_length_penalty',
        value: show(value),
      });
    },
    to: (value, settings) => [settings.exponential_decay_start ?? 0, value],
  },
  {
    key: 'renormalize_logits',
    setting: 'renormalize_logits',
    kind: 'switch',
    default: false,
    from: Number,
    to: Boolean,
  },
  {
    key: 'sequence_bias',
    setting: 'logit_bias',
    kind: 'any',
    default: [],
    from: (_, all) => biases(all),
    to: () => [],
  },
  { key: 'suppress_tokens', kind: 'any', default: [], none: [] },
  { key: 'bad_words_ids', kind: 'any', default: [], none: [] },
];

const beams = phrase('settings_reason_beams');
const watermark = phrase('settings_reason_watermark');

/** @type {Record<string, import('./read.js').Phrase | null>} */
const cannot = {
  num_beams: beams,
  num_beam_groups: beams,
  diversity_penalty: beams,
  length_penalty: beams,
  early_stopping: beams,
  penalty_alpha: phrase('settings_reason_contrastive'),
  dola_layers: null,
  forced_bos_token_id: null,
  forced_eos_token_id: null,
  forced_decoder_ids: null,
  begin_suppress_tokens: null,
  encoder_no_repeat_ngram_size: null,
  min_length: phrase('settings_reason_min_length'),
  watermarking_config: watermark,
  constraints: phrase('settings_reason_constraint'),
  force_words_ids: beams,
  remove_invalid_values: null,
  assistant_model: null,
};

const OTHER =
  `_from_model_config architectures model_type transformers_version bos_token_id eos_token_id pad_token_id max_new_tokens max_length
decoder_start_token_id use_cache return_dict_in_generate output_scores output_logits output_attentions
output_hidden_states num_return_sequences cache_implementation cache_config stop_strings max_time low_memory
return_legacy_cache prompt_lookup_num_tokens num_assistant_tokens num_assistant_tokens_schedule chat_format
is_assistant assistant_confidence_threshold max_matching_ngram_size user_token_id assistant_token_id
max_window_size trust_remote_code torch_dtype is_multilingual lang_to_id task_to_id no_timestamps_token_id
max_initial_timestamp_index alignment_heads return_timestamps prev_sot_token_id median_filter_width
input_ids attention_mask inputs streamer tokenizer generation_config token_healing disable_compile
compile_config target_lookbehind assistant_lookbehind prefill_chunk_size`.split(/\s+/);

/** @type {import('./read.js').Program} */
export const transformers = {
  id: 'transformers',
  name: 'transformers',
  version: '008f5c8',
  rows,
  order: [...PENALTIES, ...SAMPLED, 'renormalize_logits'],
  finish,
  cannot,
  idle: {
    num_beams: [1],
    num_beam_groups: [1],
    diversity_penalty: [0],
    length_penalty: [1],
    early_stopping: [false],
    penalty_alpha: [0],
    encoder_no_repeat_ngram_size: [0],
    min_length: [0],
    begin_suppress_tokens: [[]],
    remove_invalid_values: [false],
  },
  other: OTHER,
  parse: (/** @type {string} */ text) =>
    /^\s*[{[]/.test(text) ? Object.entries(readObject(text)) : readKeywords(text),
  plain: plainKey,
  also: (settings) => [
    .../** @type {import('./forms.js').Pairs} */ (
      settings.temperature === 0 ? [] : [['do_sample', true]]
    ),
    ...biasKeys(settings),
  ],
  format: writeJson,
  sure(text, object, fileName) {
    if (object) {
      if (/generation_config[^/]*\.json$/.test(fileName) || 'transformers_version' in object)
        return 1;
      if ('do_sample' in object && !('rep_pen' in object)) return 0.9;
      return 'repetition_penalty' in object && !('prompt' in object) && !('messages' in object)
        ? 0.2
        : 0;
    }
    if (/\bgenerate\s*\(|GenerationConfig\s*\(/.test(text)) return 0.9;
    return 0;
  },
};
