/** The models of the bench: known shapes with random weights, as contents of GGUF files. */

/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {'gpt2' | 'llama'} architecture
 * @property {number} n_embd
 * @property {number} n_ff
 * @property {number} n_layer
 * @property {number} n_head
 * @property {number} n_head_kv
 * @property {number} vocab_size
 * @property {number} context_length
 * @property {number} tokens  number of tokens in a decode run, which begins with an empty timeline
 */

/** @type {Shape[]} */
export const shapes = [
  {
    name: '260K',
    architecture: 'llama',
    n_embd: 64,
    n_ff: 172,
    n_layer: 5,
    n_head: 8,
    n_head_kv: 4,
    vocab_size: 512,
    context_length: 512,
    tokens: 256,
  },
  {
    name: '15M',
    architecture: 'llama',
    n_embd: 288,
    n_ff: 768,
    n_layer: 6,
    n_head: 6,
    n_head_kv: 6,
    vocab_size: 32000,
    context_length: 256,
    tokens: 64,
  },
  {
    name: '124M',
    architecture: 'gpt2',
    n_embd: 768,
    n_ff: 3072,
    n_layer: 12,
    n_head: 12,
    n_head_kv: 12,
    vocab_size: 50257,
    context_length: 1024,
    tokens: 16,
  },
];

/** Further shapes, only for the plot of speed against parameters. @type {Shape[]} */
export const curveShapes = [
  {
    name: '2M',
    architecture: 'llama',
    n_embd: 192,
    n_ff: 512,
    n_layer: 4,
    n_head: 6,
    n_head_kv: 6,
    vocab_size: 2048,
    context_length: 256,
    tokens: 64,
  },
  {
    name: '42M',
    architecture: 'llama',
    n_embd: 512,
    n_ff: 1376,
    n_layer: 8,
    n_head: 8,
    n_head_kv: 8,
    vocab_size: 32000,
    context_length: 1024,
    tokens: 32,
  },
];

/** The shape of models/stories.gguf, for random weights if that file is missing. @type {Shape} */
export const storiesShape = {
  name: 'stories',
  architecture: 'llama',
  n_embd: 256,
  n_ff: 672,
  n_layer: 4,
  n_head: 4,
  n_head_kv: 2,
  vocab_size: 2048,
  context_length: 512,
  tokens: 64,
};

/** Standard deviation of a sampler model's logits, similar to a language model's. */
const LOGIT_SPREAD = 3;

/**
 * Returns a model of one small layer with `vocab_size` outputs, to make logits for the samplers.
 * @param {number} vocab_size
 * @returns {Shape}
 */
export function samplerShape(vocab_size) {
  return {
    name: `V${vocab_size}`,
    architecture: 'llama',
    n_embd: 32,
    n_ff: 32,
    n_layer: 1,
    n_head: 1,
    n_head_kv: 1,
    vocab_size,
    context_length: 256,
    tokens: 64,
  };
}

/** @typedef {{ name: string, shape: number[], scale: number, mean?: number }} Matrix */

/** @param {Shape} shape @returns {Matrix[]} */
function gpt2Tensors({ n_embd, n_ff, n_layer, vocab_size, context_length }) {
  const vector = (/** @type {string} */ name, /** @type {number} */ n, mean = 0) => ({
    name,
    shape: [n],
    scale: 0.02,
    mean,
  });
  const matrix = (
    /** @type {string} */ name,
    /** @type {number} */ cols,
    /** @type {number} */ rows,
  ) => ({ name, shape: [cols, rows], scale: 1 / Math.sqrt(cols) });
  const layers = Array.from({ length: n_layer }, (_, i) => [
    vector(`blk.${i}.attn_norm.weight`, n_embd, 1),
    vector(`blk.${i}.attn_norm.bias`, n_embd),
    matrix(`blk.${i}.attn_qkv.weight`, n_embd, 3 * n_embd),
    vector(`blk.${i}.attn_qkv.bias`, 3 * n_embd),
    matrix(`blk.${i}.attn_output.weight`, n_embd, n_embd),
    vector(`blk.${i}.attn_output.bias`, n_embd),
    vector(`blk.${i}.ffn_norm.weight`, n_embd, 1),
    vector(`blk.${i}.ffn_norm.bias`, n_embd),
    matrix(`blk.${i}.ffn_up.weight`, n_embd, n_ff),
    vector(`blk.${i}.ffn_up.bias`, n_ff),
    matrix(`blk.${i}.ffn_down.weight`, n_ff, n_embd),
    vector(`blk.${i}.ffn_down.bias`, n_embd),
  ]);
  return [
    matrix('token_embd.weight', n_embd, vocab_size),
    { name: 'position_embd.weight', shape: [n_embd, context_length], scale: 0.02 },
    ...layers.flat(),
    vector('output_norm.weight', n_embd, 1),
    vector('output_norm.bias', n_embd),
  ];
}

/** @param {Shape} shape @returns {Matrix[]} */
function llamaTensors({ n_embd, n_ff, n_layer, n_head, n_head_kv, vocab_size }) {
  const kv = (n_embd / n_head) * n_head_kv;
  const norm = (/** @type {string} */ name) => ({ name, shape: [n_embd], scale: 0.02, mean: 1 });
  const matrix = (
    /** @type {string} */ name,
    /** @type {number} */ cols,
    /** @type {number} */ rows,
  ) => ({ name, shape: [cols, rows], scale: 1 / Math.sqrt(cols) });
  const layers = Array.from({ length: n_layer }, (_, i) => [
    norm(`blk.${i}.attn_norm.weight`),
    matrix(`blk.${i}.attn_q.weight`, n_embd, n_embd),
    matrix(`blk.${i}.attn_k.weight`, n_embd, kv),
    matrix(`blk.${i}.attn_v.weight`, n_embd, kv),
    matrix(`blk.${i}.attn_output.weight`, n_embd, n_embd),
    norm(`blk.${i}.ffn_norm.weight`),
    matrix(`blk.${i}.ffn_gate.weight`, n_embd, n_ff),
    matrix(`blk.${i}.ffn_up.weight`, n_embd, n_ff),
    matrix(`blk.${i}.ffn_down.weight`, n_ff, n_embd),
  ]);
  // The final norm gives |h| = sqrt(n_embd), so weights of deviation s / sqrt(n_embd) give logits of deviation s.
  return [
    matrix('token_embd.weight', n_embd, vocab_size),
    ...layers.flat(),
    norm('output_norm.weight'),
  ].map((tensor) =>
    tensor.name === 'token_embd.weight'
      ? { ...tensor, scale: LOGIT_SPREAD / Math.sqrt(n_embd) }
      : tensor,
  );
}

/** Returns the tensors. Head and embedding are one tensor, as in the real models. @param {Shape} shape */
export function tensorsOf(shape) {
  return shape.architecture === 'gpt2' ? gpt2Tensors(shape) : llamaTensors(shape);
}

/** @param {Shape} shape */
export function parametersOf(shape) {
  return tensorsOf(shape).reduce((sum, tensor) => sum + tensor.shape.reduce((a, b) => a * b, 1), 0);
}
