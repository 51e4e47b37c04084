/** SGLang: sampling parameters of /generate, bodies of its server. Source: 00c17ca. */
import { phrase } from '../../engine/errors.js';
import { isObject, plainKey, writeJson } from './forms.js';
import { BODY, constraint, isBody, readBody, searchesIdle, sharedRows } from './openai.js';
import { fromModel, serverRows } from './vllm.js';

/** @import { State } from './read.js' */

const RANGES = { temperature: [0, 1e6], repetition_penalty: [Number.MIN_VALUE, 2] };

/** @param {State} state */
function finish(state) {
  const { settings, given, note } = state;
  if (settings.temperature < 1e-6) Object.assign(settings, { temperature: 1, top_k: 1 });
  if (given.has('sampling_seed') || given.has('seed')) note(phrase('settings_seed'));
  fromModel(state, 'SGLang');
}

/** @type {import('./read.js').Program} */
export const sglang = {
  id: 'sglang',
  name: 'SGLang',
  version: '00c17ca',
  rows: [
    ...[...sharedRows, ...serverRows].map((row) => ({
      ...row,
      ...(row.key in RANGES && {
        range: /** @type {[number, number]} */ (
          RANGES[/** @type {keyof typeof RANGES} */ (row.key)]
        ),
      }),
    })),
    {
      key: 'min_new_tokens',
      also: ['min_tokens'],
      setting: 'min_new_tokens',
      kind: 'whole',
      default: 0,
    },
    { key: 'sampling_seed', also: ['seed'], kind: 'whole' },
  ],
  always: { penalty_generated_only: 1 },
  order: [
    'repetition_penalty',
    'frequency_penalty',
    'presence_penalty',
    'min_new_tokens',
    'logit_bias',
    'temperature',
    'top_k',
    'top_p',
    'min_p',
  ],
  finish,
  cannot: {
    json_schema: constraint,
    regex: constraint,
    ebnf: constraint,
    structural_tag: constraint,
    response_format: constraint,
    custom_logit_processor: null,
    custom_params: null,
  },
  idle: searchesIdle,
  other: [
    ...BODY,
    ...`text input_ids ignore_eos skip_special_tokens spaces_between_special_tokens stop_token_ids stop_regex
no_stop_trim stream_interval return_logprob logprob_start_len top_logprobs_num return_text_in_logprobs
max_new_tokens separate_reasoning chat_template_kwargs lora_path rid`.split(/\s+/),
  ],
  parse: readBody,
  plain: plainKey,
  format: writeJson,
  sure(text, object) {
    if (!object) return 0;
    if (isObject(object.sampling_params)) return 0.95;
    const own = /"(sampling_seed|ebnf|regex|separate_reasoning|min_new_tokens)"/;
    if (isBody(object))
      return own.test(text) ? 0.7 : serverRows.some(({ key }) => key in object) ? 0.5 : 0;
    return 0;
  },
};
