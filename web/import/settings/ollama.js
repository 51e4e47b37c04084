/** Ollama: PARAMETER lines of a Modelfile, options, bodies of requests. It runs llama.cpp's samplers. Source: 0.33.0-rc2. */
import { phrase, show } from '../../engine/errors.js';
import { isObject, plainKey, readObject, unquoted } from './forms.js';
import { USUAL, llamaEffects, llamaRows, stagesOf } from './llama-cpp.js';

/** @import { Row } from './read.js' */
/** @import { Pairs } from './forms.js' */

/** The keys and their defaults; the rest of a row is that of llama.cpp's flag. @type {[string, string, any][]} */
const KEYS = [
  ['temperature', 'temp', 0.8],
  ['top_k', 'top_k', 40],
  ['top_p', 'top_p', 0.9],
  ['min_p', 'min_p', 0],
  ['typical_p', 'typical', 1],
  ['repeat_penalty', 'repeat_penalty', 1],
  ['repeat_last_n', 'repeat_last_n', 64],
  ['frequency_penalty', 'frequency_penalty', 0],
  ['presence_penalty', 'presence_penalty', 0],
];

/** @type {Row[]} */
const rows = [
  ...KEYS.map(([key, flag, value]) => ({
    .../** @type {Row} */ (llamaRows.find((row) => row.key === flag)),
    key,
    also: [],
    default: value,
  })),
  { key: 'seed', kind: 'whole' },
];

const OTHER =
  `num_ctx num_predict num_gpu num_thread rope_frequency_base rope_frequency_scale num_batch num_keep main_gpu use_mmap use_mlock numa low_vram
f16_kv vocab_only logits_all num_gqa stop penalize_newline draft_num_predict model prompt suffix images system
template context stream raw keep_alive messages tools think options FROM from TEMPLATE SYSTEM ADAPTER LICENSE
MESSAGE REQUIRES RENDERER PARSER logprobs top_logprobs format_version parameters details modelfile license
model_info capabilities modified_at files adapters quantize name input truncate dimensions`.split(
    /\s+/,
  );

/** Instructions of a Modelfile. Words in capitals are named even if they are unknown. */
const INSTRUCTION = /^([A-Z]{4,}|from|parameter|template|system|adapter|license|message)$/;

/** Lines "KEYWORD value" of a Modelfile; a value in """ may have several lines. @param {string} text @returns {Pairs} */
function readModelfile(text) {
  /** @type {Pairs} */
  const pairs = [];
  const line = /^[ \t]*(?:\/set[ \t]+)?(#.*|[A-Za-z_]+)(?:[ \t]+("""[^]*?(?:"""|$(?![^]))|.*))?$/gm;
  for (const [, word, rest = ''] of text.matchAll(line)) {
    const value = rest.trim();
    if (word.startsWith('#') || !INSTRUCTION.test(word)) continue;
    const [, key, stated] = /^(\S+)\s*([^]*)$/.exec(value) ?? [];
    if (word.toLowerCase() === 'parameter') pairs.push([key ?? '', unquoted(stated ?? '')]);
    else pairs.push([word, value.length > 60 ? `${value.slice(0, 57)}...` : value]);
  }
  return pairs;
}

/** @param {string} text @param {(note: import('./read.js').Phrase) => void} note @returns {Pairs} */
function parse(text, note) {
  if (!/^\s*\{/.test(text)) return readModelfile(text);
  const object = readObject(text);
  if (!isObject(object.options)) return Object.entries(object);
  const known = new Set(rows.map(({ key }) => key));
  const beside = Object.entries(object).filter(([key]) => key !== 'options');
  for (const [key, value] of beside)
    if (known.has(key)) note(phrase('settings_beside_options', { key, value: show(value) }));
  return [...beside.filter(([key]) => !known.has(key)), ...Object.entries(object.options)];
}

/** @type {import('./read.js').Program} */
export const ollama = {
  id: 'ollama',
  name: 'Ollama',
  version: '0.33.0-rc2',
  rows,
  always: { convention: 'llama.cpp', dry_sequence_breakers: ['\n', ':', '"', '*'] },
  order: ({ note }) => stagesOf(USUAL, note),
  finish: llamaEffects,
  cannot: {
    format: phrase('settings_reason_constraint'),
  },
  ignored: ['mirostat', 'mirostat_tau', 'mirostat_eta', 'tfs_z'],
  idle: { format: [''], mirostat: [0, '0'], tfs_z: [1, '1'] },
  other: OTHER,
  parse,
  plain: plainKey,
  format: (pairs) => pairs.map(([key, value]) => `PARAMETER ${key} ${value}\n`).join(''),
  sure(text, object) {
    if (object) {
      if (isObject(object.options)) return 0.95;
      if ('num_ctx' in object || 'num_predict' in object) return 0.9;
      return 'repeat_penalty' in object && 'temperature' in object && !('prompt' in object)
        ? 0.35
        : 0;
    }
    if (/^[ \t]*(\/set[ \t]+)?parameter[ \t]+[a-z_]+[ \t]+\S/im.test(text)) return 1;
    return /^FROM[ \t]+\S/m.test(text) && !/^(RUN|CMD|ENTRYPOINT|COPY|WORKDIR)\b/m.test(text)
      ? 0.9
      : 0;
  },
};
