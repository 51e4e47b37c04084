/**
 * The source of each sampler, year 0 for a page that changes, and its names in other programs. web/c-tables.js writes
 * this file from src/warp_table.c at each build of the engine.
 */

/** @type {Readonly<Record<string, { by: string, year: number, url: string, aliases: string }>>} */
export const SOURCES = Object.freeze({
  guidance_scale: {
    by: 'Sanchez et al.',
    year: 2023,
    url: 'https://arxiv.org/abs/2306.17806',
    aliases: 'CFG, classifier-free guidance, negative prompt',
  },
  contrastive_beta: {
    by: 'Li et al.',
    year: 2022,
    url: 'https://arxiv.org/abs/2210.15097',
    aliases: 'contrastive decoding, amateur, expert',
  },
  logit_bias: {
    by: 'OpenAI API',
    year: 0,
    url: 'https://platform.openai.com/docs/api-reference/chat',
    aliases: 'ban a token, suppress_tokens, banned tokens',
  },
  encoder_repetition_penalty: {
    by: 'Hugging Face transformers',
    year: 0,
    url: 'https://huggingface.co/docs/transformers/internal/generation_utils',
    aliases: 'encoder_rep_pen, hallucinations filter, prompt reward',
  },
  repetition_penalty: {
    by: 'Keskar et al.',
    year: 2019,
    url: 'https://arxiv.org/abs/1909.05858',
    aliases: 'repeat_penalty, rep_pen, repeat_last_n, rep_pen_range, CTRL',
  },
  frequency_penalty: {
    by: 'OpenAI API',
    year: 0,
    url: 'https://platform.openai.com/docs/api-reference/chat',
    aliases: 'freq_pen, alpha_frequency',
  },
  presence_penalty: {
    by: 'OpenAI API',
    year: 0,
    url: 'https://platform.openai.com/docs/api-reference/chat',
    aliases: 'presence_pen, alpha_presence',
  },
  no_repeat_ngram_size: {
    by: 'Paulus et al.',
    year: 2017,
    url: 'https://arxiv.org/abs/1705.04304',
    aliases: 'n-gram blocking, ngram',
  },
  dry_multiplier: {
    by: 'Weidmann (p-e-w)',
    year: 2024,
    url: 'https://github.com/oobabooga/text-generation-webui/pull/5677',
    aliases: "don't repeat yourself",
  },
  min_new_tokens: {
    by: 'Hugging Face transformers',
    year: 0,
    url: 'https://huggingface.co/docs/transformers/internal/generation_utils',
    aliases: 'min_tokens, min_length, ignore_eos, ban_eos_token',
  },
  exponential_decay_length_penalty: {
    by: 'Hugging Face transformers',
    year: 0,
    url: 'https://huggingface.co/docs/transformers/internal/generation_utils',
    aliases: 'length penalty, exponential decay',
  },
  temperature: {
    by: 'Ackley et al.',
    year: 1985,
    url: 'https://doi.org/10.1207/s15516709cog0901_7',
    aliases: '',
  },
  dynatemp_range: {
    by: 'kalomaze, llama.cpp',
    year: 2024,
    url: 'https://github.com/ggml-org/llama.cpp/pull/4972',
    aliases: 'dynatemp, temp_ext, entropy temperature, dynatemp_low, dynatemp_high',
  },
  smoothing_factor: {
    by: 'kalomaze, text-generation-webui',
    year: 2024,
    url: 'https://github.com/oobabooga/text-generation-webui/pull/5403',
    aliases: 'quadratic sampling, smooth sampling, cubic sampling',
  },
  top_h: {
    by: 'Potraghloo et al.',
    year: 2025,
    url: 'https://arxiv.org/abs/2509.02510',
    aliases: 'bounded entropy',
  },
  top_k: {
    by: 'Fan et al.',
    year: 2018,
    url: 'https://arxiv.org/abs/1805.04833',
    aliases: '',
  },
  top_p: {
    by: 'Holtzman et al.',
    year: 2019,
    url: 'https://arxiv.org/abs/1904.09751',
    aliases: '',
  },
  min_p: {
    by: 'Nguyen et al.',
    year: 2024,
    url: 'https://arxiv.org/abs/2407.01082',
    aliases: 'minimum probability',
  },
  typical_p: {
    by: 'Meister et al.',
    year: 2022,
    url: 'https://arxiv.org/abs/2202.00666',
    aliases: 'typ_p, locally typical sampling, typical decoding',
  },
  epsilon_cutoff: {
    by: 'Hewitt et al.',
    year: 2022,
    url: 'https://arxiv.org/abs/2210.15191',
    aliases: 'epsilon sampling, ε',
  },
  eta_cutoff: {
    by: 'Hewitt et al.',
    year: 2022,
    url: 'https://arxiv.org/abs/2210.15191',
    aliases: 'eta sampling, η',
  },
  top_n_sigma: {
    by: 'Tang et al.',
    year: 2024,
    url: 'https://arxiv.org/abs/2411.07641',
    aliases: 'nsigma, top-nσ',
  },
  tfs_z: {
    by: 'Bricken',
    year: 2019,
    url: 'https://www.trentonbricken.com/Tail-Free-Sampling/',
    aliases: 'tfs, tail free sampling',
  },
  top_a: {
    by: 'BlinkDL, RWKV',
    year: 2022,
    url: 'https://github.com/BlinkDL/RWKV-LM',
    aliases: 'top alpha',
  },
  p_less: {
    by: 'Tan et al.',
    year: 2025,
    url: 'https://arxiv.org/abs/2509.23234',
    aliases: 'p-less norm, hyperparameter-free',
  },
  xtc_probability: {
    by: 'Weidmann (p-e-w)',
    year: 2024,
    url: 'https://github.com/oobabooga/text-generation-webui/pull/6335',
    aliases: 'exclude top choices',
  },
  mirostat: {
    by: 'Basu et al.',
    year: 2020,
    url: 'https://arxiv.org/abs/2007.14966',
    aliases: 'mirostat_mode, mirostat v2, mirostat_lr, mirostat_ent',
  },
  adaptive_target: {
    by: 'MrJackSpade, llama.cpp',
    year: 2025,
    url: 'https://github.com/ggml-org/llama.cpp/pull/17927',
    aliases: 'adaptive_p, power law sampler',
  },
  green_bias: {
    by: 'Kirchenbauer et al.',
    year: 2023,
    url: 'https://arxiv.org/abs/2301.10226',
    aliases: 'watermark, green list, KGW, watermarking_config',
  },
  synthid_depth: {
    by: 'Dathathri et al.',
    year: 2024,
    url: 'https://www.nature.com/articles/s41586-024-08025-4',
    aliases: 'watermark tournament, SynthID, ngram_len',
  },
  renormalize_logits: {
    by: 'Hugging Face transformers',
    year: 0,
    url: 'https://huggingface.co/docs/transformers/internal/generation_utils',
    aliases: 'LogitNormalization, log_softmax, normalize',
  },
});
