/**
 * OpenAI-compatible bodies with OpenAI's own keys. The order of its samplers is not public. The keys that vLLM and
 * SGLang share stand here too.
 */
import { phrase } from '../../engine/errors.js';
import { plainKey, readKeywords, readObject, writeJson } from './forms.js';
import { biasesFrom, biasesTo } from './parts.js';

/** @import { Row } from './read.js' */

/** Biases beyond ±100 are clamped; a ban is written as −100. */
const MOST = 100;

/** @type {Row[]} */
export const sharedRows = [
  { key: 'temperature', setting: 'temperature', default: 1, range: [0, 2] },
  { key: 'top_p', setting: 'top_p', default: 1, range: [0, 1] },
  { key: 'frequency_penalty', setting: 'frequency_penalty', default: 0, range: [-2, 2] },
  { key: 'presence_penalty', setting: 'presence_penalty', default: 0, range: [-2, 2] },
  {
    key: 'logit_bias',
    setting: 'logit_bias',
    kind: 'any',
    default: {},
    from: (value, all, note) => biasesFrom(value, all, note, MOST),
    to: biasesTo(-MOST),
  },
];

/** Keys of bodies without effect on the draw. */
export const BODY =
  `model prompt messages input instructions max_tokens max_completion_tokens max_output_tokens stream
stream_options stop n user store metadata tools tool_choice parallel_tool_calls logprobs top_logprobs echo suffix
service_tier reasoning_effort reasoning verbosity modalities audio prediction background truncation include
previous_response_id safety_identifier prompt_cache_key functions function_call max_new_tokens extra_body`.split(
    /\s+/,
  );

export const constraint = phrase('settings_reason_constraint');
const beams = phrase('settings_reason_beams');

/** Keys of beam search and of several candidates. */
export const searches = {
  best_of: beams,
  use_beam_search: beams,
  length_penalty: beams,
  early_stopping: beams,
};
export const searchesIdle = {
  best_of: [1],
  use_beam_search: [false],
  length_penalty: [1],
  early_stopping: [false],
  response_format: [{ type: 'text' }],
};

/** Arguments in Python or a JSON body; keys in `extra_body` stand beside the others. @param {string} text @returns {import('./forms.js').Pairs} */
export function readBody(text) {
  const pairs = /^\s*\{/.test(text) ? Object.entries(readObject(text)) : readKeywords(text);
  return pairs.flatMap(([key, value]) =>
    /^(extra_body|sampling_params)$/.test(key) && typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [/** @type {[string, unknown]} */ ([key, value])],
  );
}

/** True if a JSON object is a request for a text. @param {Record<string, any>} object */
export const isBody = (object) => 'messages' in object || 'prompt' in object || 'input' in object;

/** @type {import('./read.js').Program} */
export const openai = {
  id: 'openai',
  name: 'OpenAI',
  version: 'API',
  rows: [...sharedRows, { key: 'seed', kind: 'whole' }],
  always: { penalty_generated_only: 1 },
  order: ['logit_bias', 'frequency_penalty', 'presence_penalty', 'temperature', 'top_p'],
  finish({ note, given }) {
    note(phrase('settings_order_secret', { program: 'OpenAI' }));
    if (given.has('seed')) note(phrase('settings_seed'));
  },
  cannot: { ...searches, response_format: constraint, text: null },
  idle: searchesIdle,
  other: BODY,
  parse: readBody,
  plain: plainKey,
  format: writeJson,
  sure(text, object) {
    if (!object) return /\b(completions|responses)\.create\s*\(/.test(text) ? 0.8 : 0;
    if (isBody(object) && 'model' in object) return 0.5;
    return sharedRows.some(({ key }) => key in object) ? (isBody(object) ? 0.4 : 0.26) : 0;
  },
};
