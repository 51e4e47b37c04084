/**
 * Writes first inputs for the fuzzers to build/fuzz/seeds: small models and vocabularies, grammars, texts. node
 * tests/fuzz/seeds.js
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeGguf } from '../fixtures/gguf_writer.js';
import { smallContents } from '../node/small_model.js';

const root = new URL('../../', import.meta.url);
const u32 = (/** @type {number} */ value) => ({ type: 'uint32', value });
const list = (/** @type {string} */ of, /** @type {any[]} */ value) => ({
  type: 'array',
  of,
  value,
});
const noise = (/** @type {number} */ count) =>
  Array.from({ length: count }, (_, i) => Math.sin(i * i + 1) / 2);

/** Returns a llama model with one layer and `dim` numbers for each token. `more` replaces metadata keys. */
function llama({ architecture = 'llama', heads = 2, kv = 1, type = 'F32', dim = 4, ...more } = {}) {
  const key = (/** @type {string} */ name) => `${architecture}.${name}`;
  const width = (dim / heads) * kv;
  const shapes = {
    'token_embd.weight': [dim, 6],
    'blk.0.attn_norm.weight': [dim],
    'blk.0.attn_q.weight': [dim, dim],
    'blk.0.attn_k.weight': [dim, width],
    'blk.0.attn_v.weight': [dim, width],
    'blk.0.attn_output.weight': [dim, dim],
    'blk.0.ffn_norm.weight': [dim],
    'blk.0.ffn_gate.weight': [dim, dim],
    'blk.0.ffn_up.weight': [dim, dim],
    'blk.0.ffn_down.weight': [dim, dim],
    'output_norm.weight': [dim],
    ...more.shapes,
  };
  return {
    metadata: {
      'general.architecture': architecture,
      [key('context_length')]: u32(16),
      [key('embedding_length')]: u32(dim),
      [key('block_count')]: u32(1),
      [key('feed_forward_length')]: u32(dim),
      [key('attention.head_count')]: u32(heads),
      [key('attention.head_count_kv')]: u32(kv),
      [key('attention.layer_norm_rms_epsilon')]: { type: 'float32', value: 1e-5 },
      'tokenizer.ggml.model': 'llama',
      'tokenizer.ggml.tokens': list('string', ['<unk>', '<s>', '</s>', '▁', 'a', '<0x41>']),
      'tokenizer.ggml.scores': list('float32', [0, 0, 0, -1, -2, -3]),
      'tokenizer.ggml.token_type': list('int32', [2, 3, 3, 1, 1, 6]),
      'tokenizer.ggml.bos_token_id': u32(1),
      'tokenizer.ggml.eos_token_id': u32(2),
      ...more.metadata,
    },
    tensors: Object.entries(shapes).map(([name, shape]) => ({
      name,
      shape,
      type: shape.length > 1 ? type : 'F32',
      data: noise(shape.reduce((product, n) => product * n, 1)),
    })),
  };
}

const biases = { 'blk.0.attn_q.bias': [4], 'blk.0.attn_k.bias': [2], 'blk.0.attn_v.bias': [2] };
const norms = { 'blk.0.attn_q_norm.weight': [2], 'blk.0.attn_k_norm.weight': [2] };
const stretched = {
  'llama.rope.scaling.type': 'yarn',
  'llama.rope.scaling.factor': { type: 'float32', value: 4 },
  'llama.rope.scaling.original_context_length': u32(4),
};
/** A small vocabulary in GPT-2's form, with the name of GPT-2's end token. */
const tokens = ['a', 'b', 'c', 'ab', 'Ġ', 'Ġa', '<end>'];
const gpt2 = smallContents({ dim: 2, context: 4, layers: 1, heads: 1, tokens });
const bare = smallContents({ dim: 2, context: 4, layers: 1, heads: 1, tokens, tokenizer: false });
const merged = { ...gpt2.metadata, 'tokenizer.ggml.merges': list('string', ['a b', 'Ġ a']) };

/** @type {Record<string, Parameters<typeof writeGguf>[0]>} */
const models = {
  gpt2: { ...gpt2, metadata: merged },
  bare,
  words: {
    metadata: {
      'tokenizer.ggml.model': 'logitscope-word',
      'tokenizer.ggml.tokens': list('string', ['a', ' b', '<end>']),
      'tokenizer.ggml.token_type': list('int32', [1, 1, 3]),
      'tokenizer.ggml.eos_token_id': u32(2),
      'tokenizer.chat_template': '{% for m in messages %}{{ m.content }}{% endfor %}',
    },
  },
  llama: llama(),
  qwen2: llama({ architecture: 'qwen2', shapes: biases }),
  qwen3: llama({ architecture: 'qwen3', shapes: norms }),
  yarn: llama({ metadata: stretched }),
  window: llama({ metadata: { 'llama.attention.sliding_window': u32(4) } }),
  q8: llama({ dim: 32, type: 'Q8_0' }),
  q4: llama({ dim: 32, type: 'Q4_0' }),
  f16: llama({ type: 'F16' }),
};

/** @param {string} target @param {string} name @param {Uint8Array | string} bytes */
function write(target, name, bytes) {
  const folder = new URL(`build/fuzz/seeds/${target}/`, root);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(name, folder), bytes);
}

/**
 * Numbers of calls that open a model, a session, a lexicon, a constraint and a chain, use each of them, and close
 * them.
 */
const opening = [0, 5, 7, 8, 18, 20, 22, 23, 24, 25, 26, 2, 3, 4, 9, 11, 12, 13, 14, 15, 24, 28];
const ending = [16, 17, 29, 30, 31, 24, 26, 27, 21, 19, 6, 10, 1];
const rest = Array(9).fill(0);
/** A call that asks for two rows of logits of 64 % 40 tokens, after the call that opens its session. */
const rows = [5, 7].flatMap((which) => [which, 1, 64, 2, ...rest.slice(1)]);
const calls = [
  ...opening.flatMap((which, i) => [which, 1, 1 + 2 * i, ...rest]),
  ...rows,
  ...ending.flatMap((which) => [which, 1, 8, ...rest]),
];
for (const [name, contents] of Object.entries(models)) {
  const image = writeGguf(/** @type {any} */ (contents));
  write('gguf', name, image);
  const count = calls.length / 12;
  write('exports', name, Uint8Array.from([count, ...calls, ...image]));
}

/** Grammars of the native test, except those that take long. */
const grammars = readFileSync(new URL('tests/native/test_constraint.c', root), 'utf8');
let count = 0;
for (const [literal] of grammars.matchAll(/"root ::=(?:[^"\\]|\\.)*"/g)) {
  if (!/\\x|00}/.test(literal)) write('grammar', String(count++), `\x01${JSON.parse(literal)}`);
}
write(
  'grammar',
  'verbs',
  `\x02${'root ::= "[" item ("," item)* "]"\nitem ::= [0-9]{1,3} | "a" | .'}`,
);

const texts = ["The  cat's 1234 é日本🦙\r\n\tWE'LL ./x\xff", '▁a ▁ <s>', 'A\u0301 ن\u200dنا'];
for (let kind = 0; kind < 18; kind++)
  for (const [i, text] of texts.entries())
    write('tokenizer', `${kind}-${i}`, `${String.fromCharCode(kind)}${text}`);
write(
  'tokenizer',
  'drawn',
  '\x10\x06\x04\x00\x01\x01\x01\x01\x01\x01\x01\x05a\n\x01\x05b\n\x01\x05ab\n',
);

/** An input for each setting of the chain, with logits in descending order. */
for (let setting = 0; setting < 45; setting++) {
  const head = [1, 30, 5, 7, 0, 3, setting, 70, 128, (setting * 7) % 45, 200, 2, 12, 80, 90, 0];
  const falling = Array.from({ length: 50 }, (_, i) => (i < 10 ? i % 4 : 200 - 3 * i) & 255);
  write('chain', String(setting), Uint8Array.from([...head, ...falling]));
}
for (let format = 0; format < 15; format++)
  for (const rows of [1, 17])
    write(
      'formats',
      `${format}-${rows}`,
      Uint8Array.from({ length: 700 }, (_, i) => [format, rows, 1, 2, 1][i] ?? (i * i * 31) >> 3),
    );
