/** mlx-lm: flags of its commands, make_sampler and make_logits_processors, bodies of its server. Source: d78bf58. */
import { phrase } from '../../engine/errors.js';
import { plainKey, readFlags, readKeywords, readObject, writeFlags } from './forms.js';
import { atLeast0, biasesFrom } from './parts.js';

/** @import { Row, State } from './read.js' */
/** @import { Pairs } from './forms.js' */

/** Our penalties with the keys of their windows. */
const WINDOWS = {
  repetition_penalty: 'repetition_context_size',
  presence_penalty: 'presence_context_size',
  frequency_penalty: 'frequency_context_size',
};
const TRUNCATIONS = ['top_p', 'min_p', 'xtc_probability', 'top_k'];
const WINDOW = 20;

/** @param {State} state */
function finish({ all, given, settings, note, drop }) {
  const acting = Object.entries(WINDOWS).filter(([name]) => {
    const value = settings[name];
    return value !== undefined && value !== (name === 'repetition_penalty' ? 1 : 0);
  });
  const sizes = [...new Set(acting.map(([, key]) => all[key]))];
  settings.repetition_window = sizes[0] ?? WINDOW;
  if (sizes.length > 1)
    note(
      phrase('settings_windows', {
        keys: acting.map(([, key]) => key).join(', '),
        value: sizes[0],
      }),
    );
  if (settings.temperature === 0)
    for (const setting of TRUNCATIONS)
      drop(setting, phrase('settings_temperature_zero', { setting }));
  if (settings.xtc_probability > 0) note(phrase('settings_xtc_spares', { program: 'mlx-lm' }));
  if (given.has('seed')) note(phrase('settings_seed'));
}

const whole = /** @type {const} */ ('whole');
/** @type {Row[]} */
const rows = [
  { key: 'temp', also: ['temperature'], setting: 'temperature', default: 0, from: atLeast0 },
  {
    key: 'top_p',
    setting: 'top_p',
    default: 0,
    off: 0,
    from: (value) => (value > 0 && value < 1 ? value : 1),
  },
  { key: 'min_p', setting: 'min_p', default: 0, range: [0, 1] },
  { key: 'top_k', setting: 'top_k', kind: whole, default: 0, from: atLeast0 },
  { key: 'xtc_probability', setting: 'xtc_probability', default: 0, range: [0, 1] },
  { key: 'xtc_threshold', setting: 'xtc_threshold', default: 0.1, range: [0, 0.5] },
  {
    key: 'repetition_penalty',
    setting: 'repetition_penalty',
    default: 0,
    off: 0,
    from: (value) => value || 1,
  },
  {
    key: 'repetition_context_size',
    setting: 'repetition_window',
    kind: whole,
    default: WINDOW,
    to: (value, settings) => ((settings.repetition_penalty ?? 1) === 1 ? undefined : value),
  },
  { key: 'presence_penalty', setting: 'presence_penalty', default: 0 },
  { key: 'presence_context_size', kind: whole, default: WINDOW },
  { key: 'frequency_penalty', setting: 'frequency_penalty', default: 0 },
  { key: 'frequency_context_size', kind: whole, default: WINDOW },
  { key: 'logit_bias', setting: 'logit_bias', kind: 'any', default: {}, from: biasesFrom },
  { key: 'seed', kind: whole },
];

/** @param {Record<string, any>} settings @returns {Pairs} */
const also = (settings) =>
  /** @type {Pairs} */ (
    Object.entries(WINDOWS)
      .slice(1)
      .filter(([name]) => settings[name] && (settings.repetition_window ?? 0) !== WINDOW)
      .map(([, key]) => [key, settings.repetition_window ?? 0])
  );

/** @type {import('./read.js').Program} */
export const mlxLm = {
  id: 'mlx-lm',
  name: 'mlx-lm',
  version: 'd78bf58',
  rows,
  always: { convention: 'llama.cpp' },
  order: [
    ...['logit_bias', 'repetition_penalty', 'presence_penalty', 'frequency_penalty'],
    ...[...TRUNCATIONS, 'temperature'],
  ],
  finish,
  cannot: { min_tokens_to_keep: null, xtc_special_tokens: null, logits_processors: null },
  idle: { min_tokens_to_keep: [1] },
  other:
    `model adapter_path prompt p prefill_response max_tokens m ignore_chat_template use_default_chat_template
chat_template_config verbose max_kv_size prompt_cache_file kv_bits kv_group_size quantized_kv_start draft_model
num_draft_tokens extra_eos_token system_prompt trust_remote_code messages stream stop logprobs top_logprobs host port
adapters role_mapping stream_options max_completion_tokens tokenizer sampler`.split(/\s+/),
  parse(text) {
    if (/^\s*\{/.test(text)) return Object.entries(readObject(text));
    const flags = readFlags(text, undefined, (word) => /\bmlx_lm\b/.test(word)).flat();
    return flags.length > 0 ? flags : readKeywords(text);
  },
  plain: plainKey,
  also,
  format: (pairs) => {
    const { logit_bias: biases, ...flags } = Object.fromEntries(pairs);
    return biases
      ? `${JSON.stringify({ ...flags, logit_bias: biases }, null, 2)}\n`
      : writeFlags(
          'mlx_lm.generate',
          Object.entries(flags).map(([key, value]) => [`--${key.replaceAll('_', '-')}`, value]),
        );
  },
  sure(text, object) {
    if (object) return 'repetition_context_size' in object ? 0.9 : 0;
    return /\bmlx[_-]lm\b|\bmake_(sampler|logits_processors)\s*\(/.test(text) ? 1 : 0;
  },
};
