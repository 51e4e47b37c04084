/**
 * Layouts of the Hugging Face hub. config.json names the architecture and the sizes; the tensors have the names of
 * the transformers library.
 */
import { LogitscopeError, show } from '../engine/errors.js';
import { buildTensors } from './build.js';
import { activationName, checkHeads } from './courses.js';
import { interleaved, plusOne, reshaped, unmixed } from './weights.js';

/** @import { Source } from './source.js' */
/** @import { Parts } from './build.js' */
/** @import { Key, Layout } from './layouts.js' */
/** @import { Values } from './weights.js' */

/**
 * @typedef {{ head: number, n_head: number, n_layer: number }} Sizes  head: elements of a head
 * @typedef {object} Row
 * @property {string} architecture in GGUF
 * @property {string[]} types the values of model_type in config.json
 * @property {Parts} parts
 * @property {(sizes: Sizes) => Record<string, (values: Values, kind: 'weight' | 'bias') => Values>} [by]
 * @property {string[]} [optional]
 * @property {string[]} [activations] the activations that the engine computes for this architecture; default: silu
 * @property {(source: Source, sizes: Sizes) => Record<string, Key>} [keys] checks config.json and returns more keys
 */

const CONFIG = 'config.json';

/** @param {string} name @param {unknown} value */
const notComputed = (name, value) =>
  new LogitscopeError('unsupported', 'layout_value', { name, value: show(value) });

/** Modules that have the same name in most architectures. @type {Parts} */
const COMMON = {
  token_embd: 'model.embed_tokens',
  attn_norm: 'model.layers.#.input_layernorm',
  attn_q: 'model.layers.#.self_attn.q_proj',
  attn_k: 'model.layers.#.self_attn.k_proj',
  attn_v: 'model.layers.#.self_attn.v_proj',
  attn_output: 'model.layers.#.self_attn.o_proj',
  ffn_norm: 'model.layers.#.post_attention_layernorm',
  ffn_gate: 'model.layers.#.mlp.gate_proj',
  ffn_up: 'model.layers.#.mlp.up_proj',
  ffn_down: 'model.layers.#.mlp.down_proj',
  output_norm: 'model.norm',
  output: 'lm_head',
};
const { attn_q, attn_k, attn_v, ffn_gate, ...JOINED } = COMMON;
const { attn_norm, ffn_norm, ...AFTER } = COMMON;

/** @type {Parts} */
const AROUND = {
  ...COMMON,
  post_attention_norm: 'model.layers.#.post_attention_layernorm',
  ffn_norm: 'model.layers.#.pre_feedforward_layernorm',
  post_ffw_norm: 'model.layers.#.post_feedforward_layernorm',
};
const QK_NORMS = {
  attn_q_norm: 'model.layers.#.self_attn.q_norm',
  attn_k_norm: 'model.layers.#.self_attn.k_norm',
};

/** @param {Sizes} sizes */
const interleavedHeads = ({ head }) => ({
  attn_q: (/** @type {Values} */ values) => interleaved(values, head),
  attn_k: (/** @type {Values} */ values) => interleaved(values, head),
});
const normsPlusOne = () =>
  Object.fromEntries(
    [
      'attn_norm',
      'post_attention_norm',
      'ffn_norm',
      'post_ffw_norm',
      'output_norm',
      'attn_q_norm',
      'attn_k_norm',
    ].map((part) => [part, plusOne]),
  );

/**
 * Returns the key for sliding-window attention, if config.json has a window.
 * @param {Source} source @returns {Record<string, Key>}
 */
function windowOf(source) {
  const window = source.value(['sliding_window']);
  return window === undefined ? {} : { 'attention.sliding_window': window };
}

/**
 * Refuses attention scores that are not divided by the root of the head's size. In Gemma's largest model, known by its
 * number of layers, they are divided by the root of width / heads.
 * @param {Source} source @param {Sizes} sizes @param {number} wideLayers layers of the largest model
 */
function checkScalar(source, { head, n_head, n_layer }, wideLayers) {
  const size = n_layer === wideLayers ? source.number(['hidden_size'], CONFIG) / n_head : head;
  source.need('query_pre_attn_scalar', [size]);
}

/**
 * Refuses a list of values by layer if one differs from the architecture's own.
 * @param {Source} source @param {string} name of the list @param {boolean[]} pattern true for a layer as expected
 */
function checkLayers(source, name, pattern) {
  if (pattern.some((right) => !right)) throw notComputed(name, source.config[name]);
}

/** @type {Row[]} */
const ROWS = [
  {
    architecture: 'llama',
    types: ['llama', 'mistral'],
    parts: COMMON,
    by: interleavedHeads,
    keys: windowOf,
  },
  {
    architecture: 'qwen2',
    types: ['qwen2'],
    parts: COMMON,
    keys(source) {
      source.need('use_sliding_window', [false]);
      return {};
    },
  },
  {
    architecture: 'qwen3',
    types: ['qwen3'],
    parts: { ...COMMON, ...QK_NORMS },
    keys(source) {
      source.need('use_sliding_window', [false]);
      return {};
    },
  },
  {
    architecture: 'gemma2',
    types: ['gemma2'],
    parts: AROUND,
    by: normsPlusOne,
    activations: ['gelu_pytorch_tanh'],
    keys(source, sizes) {
      checkScalar(source, sizes, 46);
      return {
        ...windowOf(source),
        attn_logit_softcapping: [source.number(['attn_logit_softcapping'], CONFIG)],
        final_logit_softcapping: [source.number(['final_logit_softcapping'], CONFIG)],
      };
    },
  },
  {
    architecture: 'gemma3',
    types: ['gemma3_text'],
    parts: { ...AROUND, ...QK_NORMS },
    by: normsPlusOne,
    activations: ['gelu_pytorch_tanh'],
    keys(source, sizes) {
      checkScalar(source, sizes, 62);
      for (const name of ['attn_logit_softcapping', 'final_logit_softcapping'])
        source.need(name, []);
      const types = source.value(['layer_types'], []);
      const period = source.value(['sliding_window_pattern', '_sliding_window_pattern'], 6);
      checkLayers(
        source,
        'layer_types',
        types.map(
          (/** @type {string} */ type, /** @type {number} */ i) =>
            (type === 'full_attention') === ((i + 1) % period === 0),
        ),
      );
      return {
        ...windowOf(source),
        'attention.sliding_window_pattern': period,
        'rope.freq_base_swa': [source.number(['rope_local_base_freq'], CONFIG, 10000)],
      };
    },
  },
  {
    architecture: 'phi3',
    types: ['phi3'],
    parts: {
      ...JOINED,
      attn_qkv: 'model.layers.#.self_attn.qkv_proj',
      ffn_up: 'model.layers.#.mlp.gate_up_proj',
    },
    keys: windowOf,
  },
  {
    architecture: 'smollm3',
    types: ['smollm3'],
    parts: COMMON,
    by: interleavedHeads,
    keys(source) {
      source.need('use_sliding_window', [false]);
      const turned = source.value(['no_rope_layers'], []);
      checkLayers(
        source,
        'no_rope_layers',
        turned.map(
          (/** @type {number} */ on, /** @type {number} */ i) => on === Number((i + 1) % 4 !== 0),
        ),
      );
      source.need('no_rope_layer_interval', [4]);
      return {};
    },
  },
  {
    architecture: 'gptneox',
    types: ['gpt_neox'],
    parts: {
      token_embd: 'gpt_neox.embed_in',
      attn_norm: 'gpt_neox.layers.#.input_layernorm',
      attn_qkv: 'gpt_neox.layers.#.attention.query_key_value',
      attn_output: 'gpt_neox.layers.#.attention.dense',
      ffn_norm: 'gpt_neox.layers.#.post_attention_layernorm',
      ffn_up: 'gpt_neox.layers.#.mlp.dense_h_to_4h',
      ffn_down: 'gpt_neox.layers.#.mlp.dense_4h_to_h',
      output_norm: 'gpt_neox.final_layer_norm',
      output: 'embed_out',
    },
    by: ({ head }) => ({ attn_qkv: (values) => unmixed(values, head) }),
    activations: ['gelu', 'gelu_pytorch_tanh', 'relu'],
    keys: (source) => ({
      use_parallel_residual: source.value(['use_parallel_residual'], true),
      'attention.layer_norm_epsilon': [source.number(['layer_norm_eps'], CONFIG)],
      hidden_activation: activationName(source.value(['hidden_act'], 'gelu')),
    }),
  },
  {
    architecture: 'olmo2',
    types: ['olmo2'],
    parts: {
      ...AFTER,
      ...QK_NORMS,
      post_attention_norm: 'model.layers.#.post_attention_layernorm',
      post_ffw_norm: 'model.layers.#.post_feedforward_layernorm',
    },
  },
  {
    architecture: 'granite',
    types: ['granite'],
    parts: COMMON,
    by: interleavedHeads,
    keys: (source) => ({
      'attention.scale': [source.number(['attention_multiplier'], CONFIG)],
      embedding_scale: [source.number(['embedding_multiplier'], CONFIG)],
      residual_scale: [source.number(['residual_multiplier'], CONFIG)],
      logit_scale: [source.number(['logits_scaling'], CONFIG)],
    }),
  },
  {
    architecture: 'lfm2',
    types: ['lfm2'],
    parts: {
      token_embd: 'model.embed_tokens',
      attn_norm: 'model.layers.#.operator_norm',
      attn_q: 'model.layers.#.self_attn.q_proj',
      attn_k: 'model.layers.#.self_attn.k_proj',
      attn_v: 'model.layers.#.self_attn.v_proj',
      attn_q_norm: 'model.layers.#.self_attn.q_layernorm',
      attn_k_norm: 'model.layers.#.self_attn.k_layernorm',
      attn_output: 'model.layers.#.self_attn.out_proj',
      'shortconv.in_proj': 'model.layers.#.conv.in_proj',
      'shortconv.conv': 'model.layers.#.conv.conv',
      'shortconv.out_proj': 'model.layers.#.conv.out_proj',
      ffn_norm: 'model.layers.#.ffn_norm',
      ffn_gate: 'model.layers.#.feed_forward.w1',
      ffn_up: 'model.layers.#.feed_forward.w3',
      ffn_down: 'model.layers.#.feed_forward.w2',
      token_embd_norm: 'model.embedding_norm',
      output: 'lm_head',
    },
    by: () => ({
      'shortconv.conv': (values) => reshaped(values, [values.shape[0], values.shape[2]]),
    }),
    optional: [
      'attn_q',
      'attn_k',
      'attn_v',
      'attn_q_norm',
      'attn_k_norm',
      'attn_output',
      'shortconv.in_proj',
      'shortconv.conv',
      'shortconv.out_proj',
    ],
    keys(source, { n_layer }) {
      const heads = source.number(['num_key_value_heads'], CONFIG);
      source.need('conv_bias', [false]);
      return {
        feed_forward_length: source.shape('model.layers.0.feed_forward.w1.weight')[0],
        'shortconv.l_cache': source.number(['conv_L_cache'], CONFIG),
        'attention.layer_norm_rms_epsilon': [source.number(['norm_eps', 'block_norm_eps'], CONFIG)],
        'attention.head_count_kv': {
          type: 'array',
          of: 'int32',
          value: Array.from({ length: n_layer }, (_, i) =>
            source.has(`model.layers.${i}.self_attn.q_proj.weight`) ? heads : 0,
          ),
        },
      };
    },
  },
];

/**
 * Returns the keys that most architectures have: sizes and epsilon.
 * @param {Source} source @param {Sizes} sizes @returns {Record<string, Key>}
 */
function commonKeys(source, { head, n_head, n_layer }) {
  const n_embd = source.number(['hidden_size'], CONFIG);
  const eps = source.value(['rms_norm_eps']);
  return {
    context_length: source.number(['max_position_embeddings'], CONFIG),
    embedding_length: n_embd,
    block_count: n_layer,
    feed_forward_length: source.number(['intermediate_size', 'block_ff_dim'], CONFIG),
    'attention.head_count': n_head,
    'attention.head_count_kv': source.number(['num_key_value_heads'], CONFIG, n_head),
    ...(eps !== undefined && { 'attention.layer_norm_rms_epsilon': [eps] }),
    ...(head * n_head !== n_embd && {
      'attention.key_length': head,
      'attention.value_length': head,
    }),
  };
}

/**
 * Llama 3's divisors of RoPE's frequencies: 1 for high frequencies, `factor` for low ones, and a smooth change
 * between.
 * @param {Record<string, number>} scaling
 * @param {number} base
 * @param {number} n_rot
 */
function llama3Divisors(scaling, base, n_rot) {
  const { factor, low_freq_factor, high_freq_factor, original_max_position_embeddings } = scaling;
  return Float32Array.from({ length: n_rot / 2 }, (_, i) => {
    const turns = original_max_position_embeddings / (2 * Math.PI * base ** ((2 * i) / n_rot));
    if (turns < low_freq_factor) return factor;
    if (turns > high_freq_factor) return 1;
    const smooth = (turns - low_freq_factor) / (high_freq_factor - low_freq_factor);
    return 1 / ((1 - smooth) / factor + smooth);
  });
}

/** @param {string} name @param {ArrayLike<number>} values */
const vectorTensor = (name, values) => ({
  name: `${name}.weight`,
  shape: [values.length],
  values: async () => Float32Array.from(values),
});

/**
 * Returns the keys and tensors of RoPE.
 * @param {Source} source
 * @param {Sizes} sizes
 */
function ropeOf(source, { head }) {
  const parameters = source.value(['rope_parameters', 'rope_scaling'], {});
  const type = parameters.rope_type ?? parameters.type ?? 'default';
  const base = source.value(['rope_theta', 'rotary_emb_base'], parameters.rope_theta ?? 10000);
  const n_rot = head * source.value(['partial_rotary_factor', 'rotary_pct'], 1);
  const original =
    parameters.original_max_position_embeddings ??
    source.value(['original_max_position_embeddings']);
  /** @type {Record<string, Key>} */
  const keys = { 'rope.freq_base': [base], 'rope.dimension_count': n_rot };
  if (type === 'default') return { keys, tensors: [] };
  if (type === 'llama3')
    return { keys, tensors: [vectorTensor('rope_freqs', llama3Divisors(parameters, base, n_rot))] };
  if (type === 'linear' || type === 'yarn') {
    Object.assign(keys, { 'rope.scaling.type': type, 'rope.scaling.factor': [parameters.factor] });
    if (type === 'linear') return { keys, tensors: [] };
    for (const name of ['attention_factor', 'mscale', 'mscale_all_dim'])
      if (parameters[name] !== undefined) throw notComputed(name, parameters[name]);
    keys['rope.scaling.original_context_length'] = original;
    return { keys, tensors: [] };
  }
  if (type === 'longrope' || type === 'su') {
    const ratio = source.number(['max_position_embeddings'], CONFIG) / original;
    keys['rope.scaling.original_context_length'] = original;
    keys['rope.scaling.attn_factor'] = [
      ratio > 1 ? Math.sqrt(1 + Math.log(ratio) / Math.log(original)) : 1,
    ];
    return {
      keys,
      tensors: [
        vectorTensor('rope_factors_long', parameters.long_factor),
        vectorTensor('rope_factors_short', parameters.short_factor),
      ],
    };
  }
  throw notComputed('rope_scaling', type);
}

/**
 * @param {Source} source
 * @param {Row} row
 * @returns {import('./layouts.js').Plan}
 */
function planHub(source, row) {
  const n_head = source.number(['num_attention_heads'], CONFIG);
  const n_layer = source.number(['num_hidden_layers'], CONFIG);
  const head = source.value(['head_dim'], source.number(['hidden_size'], CONFIG) / n_head);
  const sizes = { head, n_head, n_layer };
  const activation = activationName(source.value(['hidden_activation', 'hidden_act'], 'silu'));
  if (!(row.activations ?? ['silu']).includes(activation))
    throw notComputed('hidden_act', activation);
  source.need('quantization_config', []);
  source.drop(/rotary_emb\.inv_freq$|\.attention\.(bias|masked_bias)$/);
  if (source.value(['tie_word_embeddings'], false)) source.drop(/^(lm_head|embed_out)\.weight$/);
  const tied = source.value(['tie_word_embeddings'], false);
  const rope = ropeOf(source, sizes);
  const { output, ...rest } = row.parts;
  return {
    architecture: row.architecture,
    keys: { ...commonKeys(source, sizes), ...rope.keys, ...row.keys?.(source, sizes) },
    tensors: [
      ...buildTensors(source, n_layer, {
        parts: tied ? rest : row.parts,
        by: row.by?.(sizes),
        optional: [...(row.optional ?? []), 'output'],
      }),
      ...rope.tensors,
    ],
  };
}

/** True if the tensors have the names of a row. @param {Source} source @param {Row} row */
const hasNames = (source, row) => source.has(`${row.parts.token_embd}.weight`);

/** @type {Layout[]} */
export const HUB = [
  ...ROWS.map((row) => ({
    name: row.types[0],
    vocabulary: 'tokenizer.json',
    is: (/** @type {Source} */ source) =>
      row.types.includes(source.value(['model_type'])) && hasNames(source, row),
    plan: (/** @type {Source} */ source) => planHub(source, row),
  })),
  {
    name: 'llama2.c',
    vocabulary: 'tokenizer.bin',
    is: (source) =>
      source.has('tok_embeddings.weight') && source.has('layers.0.attention.wq.weight'),
    plan: planLlama2c,
  },
];

/** @type {Parts} */
const LLAMA2C = {
  token_embd: 'tok_embeddings',
  attn_norm: 'layers.#.attention_norm',
  attn_q: 'layers.#.attention.wq',
  attn_k: 'layers.#.attention.wk',
  attn_v: 'layers.#.attention.wv',
  attn_output: 'layers.#.attention.wo',
  ffn_norm: 'layers.#.ffn_norm',
  ffn_gate: 'layers.#.feed_forward.w1',
  ffn_up: 'layers.#.feed_forward.w3',
  ffn_down: 'layers.#.feed_forward.w2',
  output_norm: 'norm',
  output: 'output',
};

/** @param {Source} source @returns {Promise<import('./layouts.js').Plan>} */
async function planLlama2c(source) {
  const n_layer = source.count('layers.#.attention.wq.weight');
  const [, n_embd] = source.shape('tok_embeddings.weight');
  const n_head = source.number(['n_heads', 'n_head'], 'ckpt.pt');
  checkHeads(n_embd, n_head);
  const head = n_embd / n_head;
  source.drop(/^(freqs_cos|freqs_sin|rope\.freqs|.*attention\.mask)$/);
  const tied = await source.areEqual('output.weight', 'tok_embeddings.weight');
  if (tied) source.drop(/^output\.weight$/);
  const { output, ...rest } = LLAMA2C;
  return {
    architecture: 'llama',
    keys: {
      context_length: source.number(['max_seq_len'], 'ckpt.pt'),
      embedding_length: n_embd,
      block_count: n_layer,
      feed_forward_length: source.shape('layers.0.feed_forward.w1.weight')[0],
      'attention.head_count': n_head,
      'attention.head_count_kv': source.shape('layers.0.attention.wk.weight')[0] / head,
      'attention.layer_norm_rms_epsilon': [source.number(['norm_eps'], 'ckpt.pt', 1e-5)],
      'rope.freq_base': [10000],
      'rope.dimension_count': head,
    },
    tensors: buildTensors(source, n_layer, {
      parts: tied ? rest : LLAMA2C,
      optional: ['output'],
    }),
  };
}
