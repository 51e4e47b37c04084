/** vLLM: SamplingParams, bodies of its server. Source: 00388f6 (sampling parameters), 002032e (bodies). */
import { phrase } from '../../engine/errors.js';
import { plainKey, writeJson } from './forms.js';
import {
  BODY,
  constraint,
  isBody,
  readBody,
  searches,
  searchesIdle,
  sharedRows,
} from './openai.js';
import { texts } from './parts.js';

/** @import { Row, State } from './read.js' */

/** A top_k of 0 or -1 is off. @type {Row[]} */
export const serverRows = [
  {
    key: 'top_k',
    setting: 'top_k',
    kind: 'whole',
    default: -1,
    off: -1,
    from: (value) => Math.max(value, 0),
  },
  { key: 'min_p', setting: 'min_p', default: 0, range: [0, 1] },
  { key: 'repetition_penalty', setting: 'repetition_penalty', default: 1 },
];

/** Keys with a default from the model's generation_config.json. */
const FROM_MODEL = ['temperature', 'top_k', 'top_p', 'min_p', 'repetition_penalty'];

/** The keys of the model's generation_config.json that the text leaves to it. @param {State} state @param {string} program */
export function fromModel({ given, note }, program) {
  const names = FROM_MODEL.filter((key) => !given.has(key));
  if (names.length > 0) note(phrase('settings_from_model', { program, names: names.join(', ') }));
}

/** Greedy decoding turns the truncations off. @param {State} state @param {number} below */
function greedy({ settings, drop }, below) {
  if (settings.temperature >= below) return;
  settings.temperature = 0;
  for (const setting of ['top_k', 'top_p', 'min_p'])
    drop(setting, phrase('settings_temperature_zero', { setting }));
}

/** @param {State} state */
function finish(state) {
  const { settings, given, note } = state;
  greedy(state, 1e-5);
  if (settings.temperature > 0 && settings.temperature < 0.01) {
    note(
      phrase('settings_raised', { key: 'temperature', value: settings.temperature, limit: 0.01 }),
    );
    settings.temperature = 0.01;
  }
  if (given.has('seed')) note(phrase('settings_seed'));
  fromModel(state, 'vLLM');
}

const OTHER =
  `ignore_eos skip_special_tokens spaces_between_special_tokens include_stop_str_in_output stop_token_ids
detokenize prompt_logprobs truncate_prompt_tokens add_generation_prompt continue_final_message add_special_tokens
chat_template chat_template_kwargs return_tokens_as_token_ids return_token_ids priority request_id
kv_transfer_params cache_salt output_kind logits_processors documents mm_processor_kwargs echo`.split(
    /\s+/,
  );

/** @type {import('./read.js').Program} */
export const vllm = {
  id: 'vllm',
  name: 'vLLM',
  version: '00388f6',
  rows: [
    ...sharedRows,
    ...serverRows,
    { key: 'min_tokens', setting: 'min_new_tokens', kind: 'whole', default: 0 },
    {
      key: 'bad_words',
      setting: 'banned_words',
      kind: 'any',
      default: [],
      from: (value) => texts('bad_words', value),
      to: (value = []) => value.filter((/** @type {unknown} */ word) => typeof word === 'string'),
    },
    { key: 'seed', kind: 'whole' },
  ],
  always: { penalty_generated_only: 1 },
  order: [
    'min_new_tokens',
    'logit_bias',
    'repetition_penalty',
    'frequency_penalty',
    'presence_penalty',
    'temperature',
    'min_p',
    'top_k',
    'top_p',
  ],
  finish,
  cannot: {
    ...searches,
    allowed_token_ids: null,
    response_format: constraint,
    structured_outputs: constraint,
    guided_json: constraint,
    guided_regex: constraint,
    guided_choice: constraint,
    guided_grammar: constraint,
    guided_decoding_backend: constraint,
    vllm_xargs: null,
    logits_processors_args: null,
    thinking_token_budget: null,
  },
  idle: searchesIdle,
  other: [...BODY, ...OTHER],
  parse: readBody,
  plain: plainKey,
  format: writeJson,
  sure(text, object) {
    if (!object) return /\bSamplingParams\s*\(/.test(text) ? 1 : 0;
    const own =
      /"(guided_\w+|structured_outputs|prompt_logprobs|min_tokens|bad_words|allowed_token_ids)"/;
    if (own.test(text) && isBody(object)) return 0.8;
    if (!isBody(object)) return serverRows.some(({ key }) => key in object) ? 0.3 : 0;
    return serverRows.some(({ key }) => key in object) ? 0.6 : 0;
  },
};
