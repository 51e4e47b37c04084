/**
 * A table of bigrams, (V, V): row i has the logits after token i. No architecture of GGUF is a table, so the model is a
 * llama whose only layer adds zeros. The embedding of token i is 1 in place i; the head has the transposed table.
 */
import { LogitscopeError } from '../engine/errors.js';
import { filled } from './weights.js';

/** @import { Source } from './source.js' */
/** @import { Values } from './weights.js' */

/** Largest vocabulary. With it, the file has two float32 tensors of 268 MB each: the table and the embedding. */
const MOST_TOKENS = 8192;
/** The table does not limit the text. */
const CONTEXT = 1024;
const HEAD = 32;
/** The width is a multiple of this, as blocks of quantised weights need. */
const BLOCK = 32;

/** True for one square matrix alone. @param {Source} source */
export function isBigram(source) {
  const [name, ...others] = source.names;
  if (name === undefined || others.length > 0) return false;
  const [rows, columns, ...more] = source.shape(name);
  return rows === columns && rows > 1 && more.length === 0;
}

/**
 * The head: output row i has the logits of token i after each token.
 * @param {Values} table
 * @param {number} width
 * @returns {Values}
 */
const headOf = ({ shape: [n], values }, width) => ({
  shape: [n, width],
  async values() {
    const from = await values();
    const to = new Float32Array(n * width);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) to[j * width + i] = from[i * n + j];
    return to;
  },
});

/** @param {number} n @param {number} width @returns {Values} */
const oneHotRows = (n, width) => ({
  shape: [n, width],
  async values() {
    const to = new Float32Array(n * width);
    for (let i = 0; i < n; i++) to[i * width + i] = 1;
    return to;
  },
});

/**
 * Refuses values that are no logits.
 * @param {string} name
 * @param {Float32Array} values
 */
function checkLogits(name, values) {
  if (!values.every(Number.isFinite))
    throw new LogitscopeError('bad_file', 'layout_bigram_infinite', { name });
  if (values.every((value) => value >= 0))
    throw new LogitscopeError('unsupported', 'layout_bigram_counts', { name });
}

/** @param {Source} source @returns {Promise<import('./layouts.js').Plan>} */
export async function planBigram(source) {
  const [name] = source.names;
  const table = source.take(name);
  const [n] = table.shape;
  if (n > MOST_TOKENS)
    throw new LogitscopeError('too_long', 'layout_bigram', { n, limit: MOST_TOKENS });
  checkLogits(name, await table.values());
  const width = Math.ceil(n / BLOCK) * BLOCK;
  const zeros = (/** @type {string} */ part, /** @type {number[]} */ ...shape) => ({
    name: `blk.0.${part}.weight`,
    ...filled(shape, 0),
  });
  const ones = (/** @type {string} */ part) => ({ name: part, ...filled([width], 1) });
  return {
    architecture: 'llama',
    keys: {
      context_length: CONTEXT,
      embedding_length: width,
      block_count: 1,
      feed_forward_length: BLOCK,
      'attention.head_count': 1,
      'attention.head_count_kv': 1,
      'attention.key_length': HEAD,
      'attention.value_length': HEAD,
      'rope.dimension_count': HEAD,
      'rope.freq_base': [10000],
      // The mean square of an embedding is 1 / width, so the norm divides by the root of exactly 1.
      'attention.layer_norm_rms_epsilon': [1 - 1 / width],
    },
    tensors: [
      { name: 'token_embd.weight', ...oneHotRows(n, width) },
      ones('blk.0.attn_norm.weight'),
      zeros('attn_q', HEAD, width),
      zeros('attn_k', HEAD, width),
      zeros('attn_v', HEAD, width),
      zeros('attn_output', width, HEAD),
      ones('blk.0.ffn_norm.weight'),
      zeros('ffn_gate', BLOCK, width),
      zeros('ffn_up', BLOCK, width),
      zeros('ffn_down', width, BLOCK),
      ones('output_norm.weight'),
      { name: 'output.weight', ...headOf(table, width) },
    ],
  };
}
