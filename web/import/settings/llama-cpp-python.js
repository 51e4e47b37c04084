/** llama-cpp-python: arguments of its calls in Python, bodies of its server. Source: 0.3.35, llama_cpp/llama.py. */
import { phrase } from '../../engine/errors.js';
import { rowsAs, stateAs } from './derived.js';
import { plainKey, readKeywords, readObject } from './forms.js';
import { llamaEffects, llamaRows } from './llama-cpp.js';
import { active } from './ours.js';
import { biasesTo } from './parts.js';

/** @import { State } from './read.js' */

const NAMES = {
  temperature: 'temp',
  top_k: 'top_k',
  top_p: 'top_p',
  min_p: 'min_p',
  typical_p: 'typical',
  repeat_penalty: 'repeat_penalty',
  last_n_tokens_size: 'repeat_last_n',
  frequency_penalty: 'frequency_penalty',
  presence_penalty: 'presence_penalty',
  mirostat_mode: 'mirostat',
  mirostat_tau: 'mirostat_ent',
  mirostat_eta: 'mirostat_lr',
  logit_bias: 'logit_bias',
  seed: 'seed',
};
const PENALTIES = ['logit_bias', 'repetition_penalty', 'frequency_penalty', 'presence_penalty'];
const TRUNCATIONS = ['top_k', 'typical_p', 'top_p', 'min_p'];

/** @param {State} state */
function order({ all, settings, drop }) {
  if (all.temperature < 0) {
    for (const setting of [...TRUNCATIONS, 'mirostat'])
      drop(setting, phrase('settings_temperature_below', { setting }));
    settings.temperature = 1;
  }
  if (!settings.mirostat || settings.temperature === 0) {
    if (settings.mirostat)
      drop('mirostat', phrase('settings_temperature_zero', { setting: 'mirostat' }));
    return [...PENALTIES, ...TRUNCATIONS, 'temperature'];
  }
  const stages = [...PENALTIES, 'mirostat'];
  for (const setting of active(settings))
    if (!stages.includes(setting)) drop(setting, phrase('settings_beside_mirostat', { setting }));
  return stages;
}

const inner = stateAs(NAMES);

/** @type {import('./read.js').Program} */
export const llamaCppPython = {
  id: 'llama-cpp-python',
  name: 'llama-cpp-python',
  version: '0.3.35',
  rows: rowsAs(llamaRows, NAMES).map((row) =>
    row.key === 'logit_bias' ? { ...row, to: biasesTo(-100) } : row,
  ),
  always: { convention: 'llama.cpp' },
  order,
  finish: (state) => llamaEffects(inner(state)),
  cannot: {
    grammar: phrase('settings_reason_constraint'),
    response_format: phrase('settings_reason_constraint'),
    logits_processor: null,
  },
  ignored: ['tfs_z'],
  idle: { tfs_z: [1], response_format: [{ type: 'text' }] },
  other:
    `prompt messages suffix max_tokens echo stop stream stopping_criteria model functions function_call tools
tool_choice logprobs top_logprobs model_path n_gpu_layers n_ctx n_batch n_threads verbose chat_format embedding
logits_all use_mmap use_mlock n user best_of repo_id filename flash_attn split_mode main_gpu tensor_split min_tokens`.split(
      /\s+/,
    ),
  parse: (text) => (/^\s*\{/.test(text) ? Object.entries(readObject(text)) : readAll(text)),
  plain: plainKey,
  format: (pairs) =>
    `llm.create_completion(\n    prompt,\n${pairs
      .map(([key, value]) => `    ${key}=${JSON.stringify(value)},\n`)
      .join('')})\n`,
  sure(text, object) {
    if (!object)
      return /\bllama_cpp\b|\bLlama\s*\(|\b(llm|llama)(\.create_(chat_)?completion)?\s*\(/.test(
        text,
      )
        ? 0.85
        : 0;
    return 'mirostat_mode' in object && 'repeat_penalty' in object ? 0.7 : 0;
  },
};

/** The arguments of every call, so that those of the constructor count too. @param {string} text */
function readAll(text) {
  const calls = [...text.matchAll(/\w[ \t]*\(([^()]*(?:\([^()]*\)[^()]*)*)\)/g)];
  return calls.length > 0
    ? calls.flatMap(([, inside]) => readKeywords(`(${inside})`))
    : readKeywords(text);
}
