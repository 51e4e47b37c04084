/* The table of all settings, samplers first. */
#include <float.h>

#include "warp.h"
#include "watermark.h"

static const char *const CONVENTIONS[] = {"transformers", "llama.cpp", "llama2.c", NULL};

/* clang-format off */
#define BOUNDS(low, low_included, high, high_included) .minimum = low, .maximum = high, \
    .minimum_included = low_included, .maximum_included = high_included
#define CLOSED(low, high) BOUNDS(low, true, high, true)
#define OPEN_LOW(low, high) BOUNDS(low, false, high, true)
#define OPEN_HIGH(low, high) BOUNDS(low, true, high, false)
#define OPEN(low, high) BOUNDS(low, false, high, false)
#define KNOB(low_end, high_end, width) .low = low_end, .high = high_end, .step = width
/* The definition's author, year (0 for a page that changes) and address; then the sampler's names
 * in other programs. The engine leaves these texts out: web/c-tables.js reads them in this file. */
#define SOURCE(author, year, address, names)

/* Lines of a row: names and kind; numbers; the fields of a sampler. */
const struct warp_row warp_table[SETTING_COUNT] = {
    [SETTING_GUIDANCE_SCALE] = {
        .name = "guidance_scale", .kind = SETTING_REAL, .group = "second",
        .neutral = 1, CLOSED(0, 1e6), KNOB(0, 5, 0.05),
        .usual = 1.5, .effect = "steer", .apply = warp_guidance,
        SOURCE("Sanchez et al.", 2023, "https://arxiv.org/abs/2306.17806",
               "CFG, classifier-free guidance, negative prompt")
    },
    [SETTING_CONTRASTIVE_BETA] = {
        .name = "contrastive_beta", .kind = SETTING_REAL, .group = "second", .stage = "contrastive",
        .neutral = 0, CLOSED(0, 1e6), KNOB(0, 3, 0.05),
        .usual = 0.5, .effect = "steer", .apply = warp_contrastive,
        SOURCE("Li et al.", 2022, "https://arxiv.org/abs/2210.15097",
               "contrastive decoding, amateur, expert")
    },
    [SETTING_LOGIT_BIAS] = {
        .name = "logit_bias", .kind = SETTING_MAP, .group = "penalty",
        .neutral = 0, CLOSED(-DBL_MAX, DBL_MAX), KNOB(-10, 10, 0.1),
        .usual = 2, .effect = "steer", .apply = warp_logit_bias,
        SOURCE("OpenAI API", 0, "https://platform.openai.com/docs/api-reference/chat",
               "ban a token, suppress_tokens, banned tokens")
    },
    [SETTING_ENCODER_REPETITION_PENALTY] = {
        .name = "encoder_repetition_penalty", .kind = SETTING_REAL, .group = "penalty",
        .neutral = 1, OPEN_LOW(0, DBL_MAX), KNOB(0.5, 2, 0.01),
        .usual = 1.3, .effect = "steer", .apply = warp_encoder_repetition_penalty,
        SOURCE("Hugging Face transformers", 0,
               "https://huggingface.co/docs/transformers/internal/generation_utils",
               "encoder_rep_pen, hallucinations filter, prompt reward")
    },
    [SETTING_REPETITION_PENALTY] = {
        .name = "repetition_penalty", .kind = SETTING_REAL, .group = "penalty",
        .neutral = 1, OPEN_LOW(0, DBL_MAX), KNOB(0.5, 2, 0.01),
        .usual = 1.1, .effect = "penalise", .apply = warp_repetition_penalty,
        SOURCE("Keskar et al.", 2019, "https://arxiv.org/abs/1909.05858",
               "repeat_penalty, rep_pen, repeat_last_n, rep_pen_range, CTRL")
    },
    [SETTING_FREQUENCY_PENALTY] = {
        .name = "frequency_penalty", .kind = SETTING_REAL, .group = "penalty",
        .neutral = 0, CLOSED(-DBL_MAX, DBL_MAX), KNOB(-2, 2, 0.01),
        .usual = 0.5, .effect = "penalise", .apply = warp_frequency_penalty,
        SOURCE("OpenAI API", 0, "https://platform.openai.com/docs/api-reference/chat",
               "freq_pen, alpha_frequency")
    },
    [SETTING_PRESENCE_PENALTY] = {
        .name = "presence_penalty", .kind = SETTING_REAL, .group = "penalty",
        .neutral = 0, CLOSED(-DBL_MAX, DBL_MAX), KNOB(-2, 2, 0.01),
        .usual = 0.5, .effect = "penalise", .apply = warp_presence_penalty,
        SOURCE("OpenAI API", 0, "https://platform.openai.com/docs/api-reference/chat",
               "presence_pen, alpha_presence")
    },
    [SETTING_NO_REPEAT_NGRAM_SIZE] = {
        .name = "no_repeat_ngram_size", .kind = SETTING_INTEGER, .group = "penalty",
        .neutral = 0, CLOSED(0, WHOLE_MAX), KNOB(0, 8, 1),
        .usual = 2, .effect = "penalise", .apply = warp_no_repeat_ngram_size,
        SOURCE("Paulus et al.", 2017, "https://arxiv.org/abs/1705.04304", "n-gram blocking, ngram")
    },
    [SETTING_DRY_MULTIPLIER] = {
        .name = "dry_multiplier", .kind = SETTING_REAL, .group = "penalty", .stage = "dry",
        .neutral = 0, CLOSED(0, DBL_MAX), KNOB(0, 5, 0.05),
        .usual = 0.8, .effect = "penalise", .apply = warp_dry,
        SOURCE("Weidmann (p-e-w)", 2024,
               "https://github.com/oobabooga/text-generation-webui/pull/5677",
               "don't repeat yourself")
    },
    [SETTING_MIN_NEW_TOKENS] = {
        .name = "min_new_tokens", .kind = SETTING_INTEGER, .group = "penalty",
        .neutral = 0, CLOSED(0, WHOLE_MAX), KNOB(0, 64, 1),
        .usual = 8, .effect = "steer", .apply = warp_min_new_tokens,
        SOURCE("Hugging Face transformers", 0,
               "https://huggingface.co/docs/transformers/internal/generation_utils",
               "min_tokens, min_length, ignore_eos, ban_eos_token")
    },
    [SETTING_EXPONENTIAL_DECAY_LENGTH_PENALTY] = {
        .name = "exponential_decay_length_penalty", .kind = SETTING_REAL, .group = "penalty",
        .neutral = 1, OPEN_LOW(0, DBL_MAX), KNOB(0.9, 1.5, 0.01),
        .usual = 1.05, .effect = "steer", .apply = warp_length_penalty,
        SOURCE("Hugging Face transformers", 0,
               "https://huggingface.co/docs/transformers/internal/generation_utils",
               "length penalty, exponential decay")
    },
    [SETTING_TEMPERATURE] = {
        .name = "temperature", .kind = SETTING_REAL, .group = "shape",
        .neutral = 1, CLOSED(0, DBL_MAX), KNOB(0, 3, 0.01),
        .usual = 0.7, .effect = "flatten", .apply = warp_temperature,
        SOURCE("Ackley et al.", 1985, "https://doi.org/10.1207/s15516709cog0901_7", "")
    },
    [SETTING_DYNATEMP_RANGE] = {
        .name = "dynatemp_range", .kind = SETTING_REAL, .group = "shape", .stage = "dynatemp",
        .neutral = 0, CLOSED(0, DBL_MAX), KNOB(0, 2, 0.01),
        .usual = 0.5, .effect = "flatten", .apply = warp_dynatemp,
        SOURCE("kalomaze, llama.cpp", 2024, "https://github.com/ggml-org/llama.cpp/pull/4972",
               "dynatemp, temp_ext, entropy temperature, dynatemp_low, dynatemp_high")
    },
    [SETTING_SMOOTHING_FACTOR] = {
        .name = "smoothing_factor", .kind = SETTING_REAL, .group = "shape", .stage = "smoothing",
        .neutral = 0, CLOSED(0, 1e6), KNOB(0, 3, 0.01),
        .usual = 0.3, .effect = "flatten", .apply = warp_smoothing,
        SOURCE("kalomaze, text-generation-webui", 2024,
               "https://github.com/oobabooga/text-generation-webui/pull/5403",
               "quadratic sampling, smooth sampling, cubic sampling")
    },
    [SETTING_TOP_H] = {
        .name = "top_h", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, CLOSED(0, 1), KNOB(0, 1, 0.01),
        .usual = 0.5, .effect = "cut", .apply = warp_top_h,
        SOURCE("Potraghloo et al.", 2025, "https://arxiv.org/abs/2509.02510", "bounded entropy")
    },
    [SETTING_TOP_K] = {
        .name = "top_k", .kind = SETTING_INTEGER, .group = "truncation",
        .neutral = 0, CLOSED(0, WHOLE_MAX), KNOB(0, 100, 1),
        .usual = 5, .effect = "cut", .apply = warp_top_k,
        SOURCE("Fan et al.", 2018, "https://arxiv.org/abs/1805.04833", "")
    },
    [SETTING_TOP_P] = {
        .name = "top_p", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 1, CLOSED(0, 1), KNOB(0, 1, 0.01),
        .usual = 0.9, .effect = "cut", .apply = warp_top_p,
        SOURCE("Holtzman et al.", 2019, "https://arxiv.org/abs/1904.09751", "")
    },
    [SETTING_MIN_P] = {
        .name = "min_p", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, CLOSED(0, DBL_MAX), KNOB(0, 1, 0.01),
        .usual = 0.05, .effect = "cut", .apply = warp_min_p,
        SOURCE("Nguyen et al.", 2024, "https://arxiv.org/abs/2407.01082", "minimum probability")
    },
    [SETTING_TYPICAL_P] = {
        .name = "typical_p", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 1, OPEN_LOW(0, 1), KNOB(0.01, 1, 0.01),
        .usual = 0.9, .effect = "cut", .apply = warp_typical_p,
        SOURCE("Meister et al.", 2022, "https://arxiv.org/abs/2202.00666",
               "typ_p, locally typical sampling, typical decoding")
    },
    [SETTING_EPSILON_CUTOFF] = {
        .name = "epsilon_cutoff", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, OPEN_HIGH(0, 1), KNOB(0, 0.2, 0.001),
        .usual = 0.01, .effect = "cut", .apply = warp_epsilon_cutoff,
        SOURCE("Hewitt et al.", 2022, "https://arxiv.org/abs/2210.15191", "epsilon sampling, ε")
    },
    [SETTING_ETA_CUTOFF] = {
        .name = "eta_cutoff", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, OPEN_HIGH(0, 1), KNOB(0, 0.2, 0.001),
        .usual = 0.02, .effect = "cut", .apply = warp_eta_cutoff,
        SOURCE("Hewitt et al.", 2022, "https://arxiv.org/abs/2210.15191", "eta sampling, η")
    },
    [SETTING_TOP_N_SIGMA] = {
        .name = "top_n_sigma", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, CLOSED(0, DBL_MAX), KNOB(0, 5, 0.05),
        .usual = 1, .effect = "cut", .apply = warp_top_n_sigma,
        SOURCE("Tang et al.", 2024, "https://arxiv.org/abs/2411.07641", "nsigma, top-nσ")
    },
    [SETTING_TFS_Z] = {
        .name = "tfs_z", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 1, CLOSED(0, 1), KNOB(0, 1, 0.01),
        .usual = 0.95, .effect = "cut", .apply = warp_tfs_z,
        SOURCE("Bricken", 2019, "https://www.trentonbricken.com/Tail-Free-Sampling/",
               "tfs, tail free sampling")
    },
    [SETTING_TOP_A] = {
        .name = "top_a", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, CLOSED(0, DBL_MAX), KNOB(0, 1, 0.01),
        .usual = 0.2, .effect = "cut", .apply = warp_top_a,
        SOURCE("BlinkDL, RWKV", 2022, "https://github.com/BlinkDL/RWKV-LM", "top alpha")
    },
    [SETTING_P_LESS] = {
        .name = "p_less", .kind = SETTING_INTEGER, .group = "truncation",
        .neutral = 0, CLOSED(0, 2), KNOB(0, 2, 1),
        .usual = 1, .effect = "cut", .apply = warp_p_less,
        SOURCE("Tan et al.", 2025, "https://arxiv.org/abs/2509.23234",
               "p-less norm, hyperparameter-free")
    },
    [SETTING_XTC_PROBABILITY] = {
        .name = "xtc_probability", .kind = SETTING_REAL, .group = "truncation", .stage = "xtc",
        .neutral = 0, CLOSED(0, 1), KNOB(0, 1, 0.01),
        .usual = 0.5, .effect = "cut", .apply = warp_xtc,
        SOURCE("Weidmann (p-e-w)", 2024,
               "https://github.com/oobabooga/text-generation-webui/pull/6335",
               "exclude top choices")
    },
    [SETTING_MIROSTAT] = {
        .name = "mirostat", .kind = SETTING_INTEGER, .group = "truncation",
        .neutral = 0, CLOSED(0, 2), KNOB(0, 2, 1),
        .usual = 2, .effect = "cut", .apply = warp_mirostat,
        SOURCE("Basu et al.", 2020, "https://arxiv.org/abs/2007.14966",
               "mirostat_mode, mirostat v2, mirostat_lr, mirostat_ent")
    },
    [SETTING_ADAPTIVE_TARGET] = {
        .name = "adaptive_target", .kind = SETTING_REAL, .group = "shape", .stage = "adaptive_p",
        .neutral = 0, CLOSED(0, 1), KNOB(0, 1, 0.01),
        .usual = 0.3, .effect = "steer", .apply = warp_adaptive_p,
        SOURCE("MrJackSpade, llama.cpp", 2025, "https://github.com/ggml-org/llama.cpp/pull/17927",
               "adaptive_p, power law sampler")
    },
    [SETTING_GREEN_BIAS] = {
        .name = "green_bias", .kind = SETTING_REAL, .group = "mark", .stage = "green_list",
        .neutral = 0, CLOSED(0, GREEN_HARD), KNOB(0, 10, 0.1),
        .usual = 2, .effect = "mark", .apply = warp_green_list,
        SOURCE("Kirchenbauer et al.", 2023, "https://arxiv.org/abs/2301.10226",
               "watermark, green list, KGW, watermarking_config")
    },
    [SETTING_SYNTHID_DEPTH] = {
        .name = "synthid_depth", .kind = SETTING_INTEGER, .group = "mark", .stage = "synthid",
        .neutral = 0, CLOSED(0, SYNTHID_LAYERS), KNOB(0, SYNTHID_LAYERS, 1),
        .usual = 30, .effect = "mark", .apply = warp_synthid,
        SOURCE("Dathathri et al.", 2024, "https://www.nature.com/articles/s41586-024-08025-4",
               "watermark tournament, SynthID, ngram_len")
    },
    [SETTING_RENORMALIZE_LOGITS] = {
        .name = "renormalize_logits", .kind = SETTING_INTEGER, .group = "shape",
        .neutral = 0, CLOSED(0, 1), KNOB(0, 1, 1),
        .usual = 1, .effect = "steer", .apply = warp_renormalize_logits,
        SOURCE("Hugging Face transformers", 0,
               "https://huggingface.co/docs/transformers/internal/generation_utils",
               "LogitNormalization, log_softmax, normalize")
    },
    [SETTING_CONTRASTIVE_ALPHA] = {
        .name = "contrastive_alpha", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0.1, CLOSED(0, 1), KNOB(0, 1, 0.01),
    },
    [SETTING_REPETITION_WINDOW] = {
        .name = "repetition_window", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 0, CLOSED(0, WHOLE_MAX), KNOB(0, 256, 1),
    },
    [SETTING_DRY_BASE] = {
        .name = "dry_base", .kind = SETTING_REAL, .group = "shared",
        .neutral = 1.75, CLOSED(0, DBL_MAX), KNOB(1, 4, 0.05),
    },
    [SETTING_DRY_ALLOWED_LENGTH] = {
        .name = "dry_allowed_length", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 2, CLOSED(0, WHOLE_MAX), KNOB(1, 20, 1),
    },
    [SETTING_DRY_PENALTY_LAST_N] = {
        .name = "dry_penalty_last_n", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 64, CLOSED(0, WHOLE_MAX), KNOB(0, 256, 1),
    },
    [SETTING_DRY_SEQUENCE_BREAKERS] = {
        .name = "dry_sequence_breakers", .kind = SETTING_LIST, .group = "shared",
        .minimum_included = true, .maximum_included = true,
    },
    [SETTING_XTC_THRESHOLD] = {
        .name = "xtc_threshold", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0.1, CLOSED(0, 1), KNOB(0, 0.5, 0.01),
    },
    [SETTING_MIROSTAT_TAU] = {
        .name = "mirostat_tau", .kind = SETTING_REAL, .group = "shared",
        .neutral = 5, CLOSED(0, DBL_MAX), KNOB(0, 10, 0.1),
    },
    [SETTING_MIROSTAT_ETA] = {
        .name = "mirostat_eta", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0.1, CLOSED(0, DBL_MAX), KNOB(0, 1, 0.01),
    },
    [SETTING_MIROSTAT_MU] = {
        .name = "mirostat_mu", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0, CLOSED(-DBL_MAX, DBL_MAX), KNOB(0, 20, 0.1),
    },
    [SETTING_ADAPTIVE_DECAY] = {
        .name = "adaptive_decay", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0.9, CLOSED(0, 0.99), KNOB(0, 0.99, 0.01),
    },
    [SETTING_ADAPTIVE_MEAN] = {
        .name = "adaptive_mean", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0, CLOSED(0, 1), KNOB(0, 1, 0.01),
    },
    [SETTING_DYNATEMP_EXPONENT] = {
        .name = "dynatemp_exponent", .kind = SETTING_REAL, .group = "shared",
        .neutral = 1, CLOSED(0, DBL_MAX), KNOB(0, 3, 0.05),
    },
    [SETTING_SMOOTHING_CURVE] = {
        .name = "smoothing_curve", .kind = SETTING_REAL, .group = "shared",
        .neutral = 1, CLOSED(1, 1e6), KNOB(1, 10, 0.1),
    },
    [SETTING_PENALTY_DECAY] = {
        .name = "penalty_decay", .kind = SETTING_REAL, .group = "shared",
        .neutral = 1, CLOSED(0, 1), KNOB(0.9, 1, 0.001),
    },
    [SETTING_REP_PEN_SLOPE] = {
        .name = "rep_pen_slope", .kind = SETTING_REAL, .group = "shared",
        .neutral = 1, CLOSED(0, 1), KNOB(0, 1, 0.05),
    },
    [SETTING_PROMPT_IGNORE_LENGTH] = {
        .name = "prompt_ignore_length", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 0, CLOSED(0, WHOLE_MAX), KNOB(0, 256, 1),
    },
    [SETTING_EXPONENTIAL_DECAY_START] = {
        .name = "exponential_decay_start", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 0, CLOSED(0, WHOLE_MAX), KNOB(0, 64, 1),
    },
    [SETTING_GREEN_FRACTION] = {
        .name = "green_fraction", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0.25, OPEN(0, 1), KNOB(0.05, 0.95, 0.05),
    },
    [SETTING_GREEN_CONTEXT] = {
        .name = "green_context", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 1, CLOSED(0, 16), KNOB(0, 8, 1),
    },
    [SETTING_GREEN_SELF] = {
        .name = "green_self", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 0, CLOSED(0, 1), KNOB(0, 1, 1),
    },
    [SETTING_SYNTHID_CONTEXT] = {
        .name = "synthid_context", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 4, CLOSED(1, 16), KNOB(1, 8, 1),
    },
    [SETTING_WATERMARK_KEY] = {
        .name = "watermark_key", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 15485863, CLOSED(0, WHOLE_MAX), KNOB(0, 1e8, 1),
    },
    [SETTING_MIN_TOKENS_TO_KEEP] = {
        .name = "min_tokens_to_keep", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 1, CLOSED(1, WHOLE_MAX), KNOB(1, 20, 1),
    },
    [SETTING_CONVENTION] = {
        .name = "convention", .kind = SETTING_CHOICE, .group = "shared",
        .neutral = 0, CLOSED(0, 2), KNOB(0, 2, 1), .choices = CONVENTIONS,
    },
};
/* clang-format on */
