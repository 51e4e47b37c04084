/**
 * A small random gpt2 as a GGUF image with seeded weights. Its tokens are the 256 bytes and an end token, so the model
 * can read and write any text.
 */
import { writeGguf } from '../fixtures/gguf_writer.js';
import { Pcg32 } from '../vectors/generators.js';

const BYTES = 256;
export const EOS = BYTES;
export const VOCAB = BYTES + 1;

/** Returns the visible character that GPT-2 uses for each byte. */
export function byteTokens() {
  const printable = (byte) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = BYTES;
  return Array.from({ length: BYTES }, (_, byte) =>
    String.fromCodePoint(printable(byte) ? byte : next++),
  );
}

/**
 * Returns the contents for writeGguf.
 * @param {{ dim?: number, context?: number, layers?: number, heads?: number, seed?: number,
 *   tokenizer?: boolean, bos?: boolean, eos?: boolean, name?: string, tokens?: string[], template?: string,
 *   type?: import('../fixtures/gguf_writer.js').TensorType }} [options] type: format of the matrices; tokens: replace the
 *   bytes; in GPT-2's spelling, with the end token last
 */
export function smallContents({
  dim = 16,
  context = 32,
  layers = 2,
  heads = 2,
  seed = 1,
  tokenizer = true,
  bos = false,
  type = 'F32',
  name = 'small',
  eos = true,
  tokens = [...byteTokens(), '<end>'],
  template = '',
} = {}) {
  const end = tokens.length - 1;
  const pcg = new Pcg32(seed, 54);
  const noise = (count, scale = 1) =>
    Array.from({ length: count }, () => scale * (pcg.next() / 2 ** 31 - 1));
  const ones = (count) => noise(count, 0.1).map((x) => 1 + x);
  const wide = 1 / Math.sqrt(dim);
  const tensors = [];
  const add = (label, shape, data) =>
    tensors.push({ name: label, shape, type: shape.length > 1 ? type : 'F32', data });
  add('token_embd.weight', [dim, tokens.length], noise(dim * tokens.length));
  add('position_embd.weight', [dim, context], noise(dim * context, 0.5));
  for (let i = 0; i < layers; i++) {
    const block = (label, shape, data) => add(`blk.${i}.${label}`, shape, data);
    block('attn_norm.weight', [dim], ones(dim));
    block('attn_norm.bias', [dim], noise(dim, 0.1));
    block('attn_qkv.weight', [dim, 3 * dim], noise(3 * dim * dim, 2 * wide));
    block('attn_qkv.bias', [3 * dim], noise(3 * dim, 0.1));
    block('attn_output.weight', [dim, dim], noise(dim * dim, wide));
    block('attn_output.bias', [dim], noise(dim, 0.1));
    block('ffn_norm.weight', [dim], ones(dim));
    block('ffn_norm.bias', [dim], noise(dim, 0.1));
    block('ffn_up.weight', [dim, 4 * dim], noise(4 * dim * dim, wide));
    block('ffn_up.bias', [4 * dim], noise(4 * dim, 0.1));
    block('ffn_down.weight', [4 * dim, dim], noise(4 * dim * dim, wide));
    block('ffn_down.bias', [dim], noise(dim, 0.1));
  }
  add('output_norm.weight', [dim], ones(dim));
  add('output_norm.bias', [dim], noise(dim, 0.1));
  add('output.weight', [dim, tokens.length], noise(dim * tokens.length, 1.5 * wide * 2));
  const u32 = (value) => ({ type: 'uint32', value });
  return {
    metadata: {
      'general.architecture': 'gpt2',
      'general.name': name,
      'gpt2.context_length': u32(context),
      'gpt2.embedding_length': u32(dim),
      'gpt2.block_count': u32(layers),
      'gpt2.feed_forward_length': u32(4 * dim),
      'gpt2.attention.head_count': u32(heads),
      'gpt2.attention.layer_norm_epsilon': { type: 'float32', value: 1e-5 },
      ...(tokenizer && {
        'tokenizer.ggml.model': 'gpt2',
        'tokenizer.ggml.pre': 'gpt-2',
        'tokenizer.ggml.tokens': { type: 'array', of: 'string', value: tokens },
        'tokenizer.ggml.token_type': {
          type: 'array',
          of: 'int32',
          value: tokens.map((_, id) => (id === end ? 3 : 1)),
        },
        'tokenizer.ggml.merges': { type: 'array', of: 'string', value: [] },
        ...(eos && { 'tokenizer.ggml.eos_token_id': u32(end) }),
        'tokenizer.ggml.bos_token_id': u32(end),
        'tokenizer.ggml.add_bos_token': bos,
        ...(template && { 'tokenizer.chat_template': template }),
      }),
    },
    tensors,
  };
}

/** @param {Parameters<typeof smallContents>[0]} [options] @returns {Uint8Array} */
export function smallModel(options) {
  return writeGguf(smallContents(options));
}
