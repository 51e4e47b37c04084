/**
 * Layouts of models that courses teach. They have GPT-2's layers with other tensor names, activations and attention
 * scales.
 */
import { LogitscopeError, phrase, show } from '../engine/errors.js';
import { isBigram, planBigram } from './bigram.js';
import { buildTensors, countLayers, listOf } from './build.js';
import { filled, halvesSwapped, normed, transposed } from './weights.js';

/** @import { Source } from './source.js' */
/** @import { Parts } from './build.js' */
/** @import { Layout, Plan } from './layouts.js' */

/**
 * The activations that the engine computes, by their names in the transformers library and in the key
 * hidden_activation.
 */
const ACTIVATIONS = ['gelu', 'gelu_pytorch_tanh', 'relu'];
const BIASED = [
  'attn_norm',
  'attn_qkv',
  'attn_output',
  'ffn_norm',
  'ffn_up',
  'ffn_down',
  'output_norm',
];
/**
 * Transposes the matrices of GPT-2's own files, which have the shape (in, out).
 * @type {import('./build.js').Recipe['by']}
 */
const TURNED = Object.fromEntries(
  ['attn_qkv', 'attn_output', 'ffn_up', 'ffn_down'].map((part) => [
    part,
    (values, kind) => (kind === 'weight' ? transposed(values) : values),
  ]),
);
/** Tensors that are causal masks. They are no weights and are left out. */
const MASKS = /(^|\.)(attn\.(bias|masked_bias)|tril|mask|att\.mask)$/;

/** @type {Parts} */
const GPT2 = {
  token_embd: 'wte',
  position_embd: 'wpe',
  attn_norm: 'h.#.ln_1',
  attn_qkv: 'h.#.attn.c_attn',
  attn_output: 'h.#.attn.c_proj',
  ffn_norm: 'h.#.ln_2',
  ffn_up: 'h.#.mlp.c_fc',
  ffn_down: 'h.#.mlp.c_proj',
  output_norm: 'ln_f',
  output: 'lm_head',
};

/** @type {Parts} */
const LECTURE = {
  token_embd: 'token_embedding_table',
  position_embd: 'position_embedding_table',
  attn_norm: 'blocks.#.ln1',
  attn_qkv: ['blocks.#.sa.heads.@.query', 'blocks.#.sa.heads.@.key', 'blocks.#.sa.heads.@.value'],
  attn_output: 'blocks.#.sa.proj',
  ffn_norm: 'blocks.#.ln2',
  ffn_up: 'blocks.#.ffwd.net.0',
  ffn_down: 'blocks.#.ffwd.net.2',
  output_norm: 'ln_f',
  output: 'lm_head',
};

/** @type {Parts} */
const SCRATCH = {
  token_embd: 'tok_emb',
  position_embd: 'pos_emb',
  attn_norm: 'trf_blocks.#.norm1',
  attn_qkv: ['trf_blocks.#.att.W_query', 'trf_blocks.#.att.W_key', 'trf_blocks.#.att.W_value'],
  attn_output: 'trf_blocks.#.att.out_proj',
  ffn_norm: 'trf_blocks.#.norm2',
  ffn_up: 'trf_blocks.#.ff.layers.0',
  ffn_down: 'trf_blocks.#.ff.layers.2',
  output_norm: 'final_norm',
  output: 'out_head',
};

/** Tensor names of models that students write with NumPy: the same as in GGUF. @type {Parts} */
const NUMPY = Object.fromEntries(
  ['token_embd', 'position_embd', ...BIASED, 'output'].map((part) => [
    part,
    BIASED.includes(part) && part !== 'output_norm' ? `blk.#.${part}` : part,
  ]),
);

/**
 * Number of attention heads of minGPT's named models, for a config.json that has only the name.
 * @type {Record<string, number>}
 */
const MINGPT_HEADS = {
  'openai-gpt': 12,
  gpt2: 12,
  'gpt2-medium': 16,
  'gpt2-large': 20,
  'gpt2-xl': 25,
  'gopher-44m': 16,
  'gpt-mini': 6,
  'gpt-micro': 4,
  'gpt-nano': 3,
};

/** @param {Source} source @param {string} fallback */
function activationOf(source, fallback) {
  const name = source.value(['activation'], fallback);
  if (ACTIVATIONS.includes(name)) return name;
  const values = { setting: 'activation', names: ACTIVATIONS.join(', '), value: show(name) };
  throw new LogitscopeError('invalid_argument', 'must_be_one_of', values);
}

/**
 * Returns the factor of the attention scores: null for the usual one (from the size of a head), else from the width
 * of the model.
 * @param {Source} source @param {number} n_embd
 */
function attentionScale(source, n_embd) {
  const scale = source.value(['attention_scale'], 'head');
  if (scale === 'head') return null;
  if (scale === 'embedding') return n_embd ** -0.5;
  const values = { setting: 'attention_scale', names: 'head, embedding', value: show(scale) };
  throw new LogitscopeError('invalid_argument', 'must_be_one_of', values);
}

/**
 * Refuses a number of attention heads that does not divide the width.
 * @param {number} n_embd
 * @param {number} n_head
 */
export function checkHeads(n_embd, n_head) {
  if (Number.isInteger(n_head) && n_embd % n_head === 0) return;
  throw new LogitscopeError('bad_file', 'layout_heads', { n_head, n_embd });
}

/** Returns true if the output matrix equals the embedding. @param {Source} source @param {Parts} parts */
const isTied = (source, parts) =>
  source.areEqual(`${parts.output}.weight`, `${parts.token_embd}.weight`);

/**
 * @param {Source} source
 * @param {object} row
 * @param {Parts} row.parts
 * @param {number} row.n_head
 * @param {string} row.activation
 * @param {number} [row.eps]
 * @param {boolean} [row.turned] true if matrices are (in, out), as in GPT-2's own files
 * @returns {Promise<Plan>}
 */
async function planGpt(source, { parts, n_head, activation, eps = 1e-5, turned = false }) {
  const shape = (/** @type {string} */ part) =>
    source.shape(`${listOf(parts[part])[0].replace('#', '0')}.weight`);
  const n_layer = countLayers(source, parts.attn_norm);
  const [, n_embd] = shape('token_embd');
  checkHeads(n_embd, n_head);
  const scale = attentionScale(source, n_embd);
  const tied = await isTied(source, parts);
  const headBias = source.has(`${parts.output}.bias`);
  const hasOutput = !tied || headBias;
  if (!hasOutput) source.drop(new RegExp(`^${parts.output}\\.weight$`));
  source.drop(MASKS);
  const plain = activation === 'gelu_pytorch_tanh' && scale === null && !headBias;
  const { output, ...rest } = parts;
  return {
    architecture: plain ? 'gpt2' : 'logitscope-gpt',
    keys: {
      context_length: shape('position_embd')[0],
      embedding_length: n_embd,
      block_count: n_layer,
      feed_forward_length: shape('ffn_up')[turned ? 1 : 0],
      'attention.head_count': n_head,
      'attention.layer_norm_epsilon': [eps],
      ...(!plain && { hidden_activation: activation }),
      ...(scale !== null && { 'attention.scale': [scale] }),
    },
    tensors: buildTensors(source, n_layer, {
      parts: hasOutput ? parts : rest,
      by: turned ? TURNED : {},
      optional: ['output'],
      biased: BIASED,
    }),
  };
}

/**
 * Makes a test for GPT-2's tensor names. It expects matrices of shape (in, out) if `turned`, else (out, in).
 * @param {boolean} turned
 */
const isGpt2 = (turned) => (/** @type {Source} */ source) => {
  source.unwrap('transformer.');
  const name = 'h.0.attn.c_attn.weight';
  if (!source.has('wte.weight') || !source.has(name)) return false;
  const [rows, cols] = source.shape(name);
  return turned ? cols === 3 * rows : rows === 3 * cols;
};

/** @type {Layout[]} */
export const COURSES = [
  {
    name: 'minGPT',
    vocabulary: 'tokenizer.json',
    is: async (source) =>
      isGpt2(false)(source) &&
      (source.value(['model_type']) !== undefined || !(await isTied(source, GPT2))),
    plan(source) {
      const n_head = MINGPT_HEADS[source.value(['model_type'])];
      return planGpt(source, {
        parts: GPT2,
        n_head: n_head
          ? source.heads(n_head, 'config.json')
          : source.number(['n_head'], 'config.json'),
        activation: activationOf(source, 'gelu_pytorch_tanh'),
      });
    },
  },
  {
    name: 'nanoGPT',
    vocabulary: 'meta.pkl',
    is: isGpt2(false),
    plan(source) {
      if (source.value(['activation']) === undefined) source.notes.push(phrase('layout_note_gelu'));
      return planGpt(source, {
        parts: GPT2,
        n_head: source.number(['n_head'], 'ckpt.pt'),
        activation: activationOf(source, 'gelu'),
      });
    },
  },
  {
    name: 'GPT-2',
    vocabulary: 'vocab.json',
    is: isGpt2(true),
    plan(source) {
      source.needJson();
      for (const name of ['scale_attn_by_inverse_layer_idx', 'reorder_and_upcast_attn'])
        source.need(name, [false]);
      source.need('scale_attn_weights', [true]);
      return planGpt(source, {
        parts: GPT2,
        n_head: source.number(['n_head'], 'config.json'),
        activation: activationOf(
          source,
          activationName(source.value(['activation_function'], 'gelu_new')),
        ),
        eps: source.number(['layer_norm_epsilon'], 'config.json', 1e-5),
        turned: true,
      });
    },
  },
  {
    name: 'Let’s build GPT',
    vocabulary: 'input.txt',
    is: (source) =>
      source.has('token_embedding_table.weight') && source.has('position_embedding_table.weight'),
    plan(source) {
      if (source.value(['attention_scale']) === undefined)
        source.notes.push(phrase('layout_note_scale'));
      return planGpt(source, {
        parts: LECTURE,
        n_head: source.heads(source.count('blocks.0.sa.heads.@.key.weight', '@')),
        activation: activationOf(source, 'relu'),
      });
    },
  },
  {
    name: 'bigram table',
    vocabulary: 'input.txt',
    is: isBigram,
    plan: planBigram,
  },
  {
    name: 'LLMs from scratch',
    vocabulary: 'vocab.json',
    is: (source) => source.has('tok_emb.weight') && source.has('trf_blocks.0.att.W_query.weight'),
    plan: (source) =>
      planGpt(source, {
        parts: SCRATCH,
        n_head: source.number(['n_heads', 'n_head'], 'config.json'),
        activation: activationOf(source, 'gelu_pytorch_tanh'),
      }),
  },
  {
    name: 'NumPy',
    vocabulary: 'vocab.json',
    is: (source) => source.has('token_embd.weight') && source.has('blk.0.attn_qkv.weight'),
    plan: (source) =>
      planGpt(source, {
        parts: NUMPY,
        n_head: source.number(['n_head'], 'config.json'),
        activation: activationOf(source, 'gelu_pytorch_tanh'),
        eps: source.number(['norm_eps'], 'config.json', 1e-5),
      }),
  },
  {
    name: 'nanochat',
    vocabulary: 'tokenizer.json',
    is: (source) => {
      source.unwrap('transformer.');
      return source.has('wte.weight') && source.has('h.0.attn.c_q.weight');
    },
    plan: planNanochat,
  },
];

/** Returns the engine's name for an activation of the transformers library. @param {string} name */
export const activationName = (name) =>
  ['gelu_new', 'gelu_fast', 'gelu_pytorch_tanh'].includes(name) ? 'gelu_pytorch_tanh' : name;

/**
 * Plans the conversion of a nanochat model: its norms have no weights, the embedding has a norm too, and RoPE rotates
 * in the other direction.
 * @param {Source} source
 * @returns {Promise<Plan>}
 */
async function planNanochat(source) {
  const eps = 2 ** -23; // torch.finfo(torch.float32).eps, the default of F.rms_norm
  const n_layer = countLayers(source, 'h.#.attn.c_q');
  const [, n_embd] = source.shape('wte.weight');
  const n_head = source.number(['n_head'], 'meta.json');
  checkHeads(n_embd, n_head);
  const size = n_embd / n_head;
  source.need('window_pattern', ['L']);
  source.drop(/^(cos|sin)$/);
  const norm = (/** @type {string} */ name, /** @type {number} */ n) => ({
    name: `${name}.weight`,
    ...filled([n], 1),
  });
  const norms = Array.from({ length: n_layer }, (_, i) => [
    norm(`blk.${i}.attn_norm`, n_embd),
    norm(`blk.${i}.ffn_norm`, n_embd),
    norm(`blk.${i}.attn_q_norm`, size),
    norm(`blk.${i}.attn_k_norm`, size),
  ]);
  const parts = {
    token_embd: 'wte',
    attn_q: 'h.#.attn.c_q',
    attn_k: 'h.#.attn.c_k',
    attn_v: 'h.#.attn.c_v',
    attn_output: 'h.#.attn.c_proj',
    ffn_up: 'h.#.mlp.c_fc',
    ffn_down: 'h.#.mlp.c_proj',
    output: 'lm_head',
  };
  return {
    architecture: 'logitscope-nanochat',
    keys: {
      context_length: source.number(['sequence_len'], 'meta.json'),
      embedding_length: n_embd,
      block_count: n_layer,
      feed_forward_length: source.shape('h.0.mlp.c_fc.weight')[0],
      'attention.head_count': n_head,
      'attention.head_count_kv': source.shape('h.0.attn.c_k.weight')[0] / size,
      'attention.layer_norm_rms_epsilon': [eps],
      'rope.freq_base': [10000],
      hidden_activation: 'relu2',
      final_logit_softcapping: [15],
    },
    tensors: [
      ...buildTensors(source, n_layer, {
        parts,
        by: {
          token_embd: (values) => normed(values, eps),
          attn_q: (values) => halvesSwapped(values, size),
          attn_k: (values) => halvesSwapped(values, size),
        },
      }),
      ...norms.flat(),
      norm('output_norm', n_embd),
    ],
  };
}
