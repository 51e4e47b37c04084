/* The table of all settings, samplers first. */
#include <float.h>

#include "warp.h"
#include "watermark.h"

static const char *const CONVENTIONS[] = {"transformers", "llama.cpp", "llama2.c", NULL};

/* clang-format off */
/* Lines of a row: name and kind; neutral value and bounds; range of the knob, then the fields of a
 * sampler. */
const struct warp_row warp_table[SETTING_COUNT] = {
    [SETTING_GUIDANCE_SCALE] = {
        .name = "guidance_scale", .kind = SETTING_REAL, .group = "second",
        .neutral = 1, .minimum = 0, .maximum = 1e6,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 5, .step = 0.05, .usual = 1.5, .effect = "steer", .apply = warp_guidance,
    },
    [SETTING_CONTRASTIVE_BETA] = {
        .name = "contrastive_beta", .kind = SETTING_REAL, .group = "second", .stage = "contrastive",
        .neutral = 0, .minimum = 0, .maximum = 1e6,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 3, .step = 0.05,
        .usual = 0.5, .effect = "steer", .apply = warp_contrastive,
    },
    [SETTING_LOGIT_BIAS] = {
        .name = "logit_bias", .kind = SETTING_MAP, .group = "penalty",
        .neutral = 0, .minimum = -DBL_MAX, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = -10, .high = 10, .step = 0.1,
        .usual = 2, .effect = "steer", .apply = warp_logit_bias,
    },
    [SETTING_ENCODER_REPETITION_PENALTY] = {
        .name = "encoder_repetition_penalty", .kind = SETTING_REAL, .group = "penalty",
        .neutral = 1, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = false, .maximum_included = true,
        .low = 0.5, .high = 2, .step = 0.01,
        .usual = 1.3, .effect = "steer", .apply = warp_encoder_repetition_penalty,
    },
    [SETTING_REPETITION_PENALTY] = {
        .name = "repetition_penalty", .kind = SETTING_REAL, .group = "penalty",
        .neutral = 1, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = false, .maximum_included = true,
        .low = 0.5, .high = 2, .step = 0.01,
        .usual = 1.1, .effect = "penalise", .apply = warp_repetition_penalty,
    },
    [SETTING_FREQUENCY_PENALTY] = {
        .name = "frequency_penalty", .kind = SETTING_REAL, .group = "penalty",
        .neutral = 0, .minimum = -DBL_MAX, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = -2, .high = 2, .step = 0.01,
        .usual = 0.5, .effect = "penalise", .apply = warp_frequency_penalty,
    },
    [SETTING_PRESENCE_PENALTY] = {
        .name = "presence_penalty", .kind = SETTING_REAL, .group = "penalty",
        .neutral = 0, .minimum = -DBL_MAX, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = -2, .high = 2, .step = 0.01,
        .usual = 0.5, .effect = "penalise", .apply = warp_presence_penalty,
    },
    [SETTING_NO_REPEAT_NGRAM_SIZE] = {
        .name = "no_repeat_ngram_size", .kind = SETTING_INTEGER, .group = "penalty",
        .neutral = 0, .minimum = 0, .maximum = WHOLE_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 8, .step = 1,
        .usual = 2, .effect = "penalise", .apply = warp_no_repeat_ngram_size,
    },
    [SETTING_DRY_MULTIPLIER] = {
        .name = "dry_multiplier", .kind = SETTING_REAL, .group = "penalty", .stage = "dry",
        .neutral = 0, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 5, .step = 0.05, .usual = 0.8, .effect = "penalise", .apply = warp_dry,
       
    },
    [SETTING_MIN_NEW_TOKENS] = {
        .name = "min_new_tokens", .kind = SETTING_INTEGER, .group = "penalty",
        .neutral = 0, .minimum = 0, .maximum = WHOLE_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 64, .step = 1,
        .usual = 8, .effect = "steer", .apply = warp_min_new_tokens,
    },
    [SETTING_EXPONENTIAL_DECAY_LENGTH_PENALTY] = {
        .name = "exponential_decay_length_penalty", .kind = SETTING_REAL, .group = "penalty",
        .neutral = 1, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = false, .maximum_included = true,
        .low = 0.9, .high = 1.5, .step = 0.01,
        .usual = 1.05, .effect = "steer", .apply = warp_length_penalty,
    },
    [SETTING_TEMPERATURE] = {
        .name = "temperature", .kind = SETTING_REAL, .group = "shape",
        .neutral = 1, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 3, .step = 0.01,
        .usual = 0.7, .effect = "flatten", .apply = warp_temperature,
       
    },
    [SETTING_DYNATEMP_RANGE] = {
        .name = "dynatemp_range", .kind = SETTING_REAL, .group = "shape", .stage = "dynatemp",
        .neutral = 0, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 2, .step = 0.01,
        .usual = 0.5, .effect = "flatten", .apply = warp_dynatemp,
    },
    [SETTING_SMOOTHING_FACTOR] = {
        .name = "smoothing_factor", .kind = SETTING_REAL, .group = "shape", .stage = "smoothing",
        .neutral = 0, .minimum = 0, .maximum = 1e6,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 3, .step = 0.01,
        .usual = 0.3, .effect = "flatten", .apply = warp_smoothing,
       
    },
    [SETTING_TOP_H] = {
        .name = "top_h", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.01, .usual = 0.5, .effect = "cut", .apply = warp_top_h,
    },
    [SETTING_TOP_K] = {
        .name = "top_k", .kind = SETTING_INTEGER, .group = "truncation",
        .neutral = 0, .minimum = 0, .maximum = WHOLE_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 100, .step = 1, .usual = 5, .effect = "cut", .apply = warp_top_k,
    },
    [SETTING_TOP_P] = {
        .name = "top_p", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 1, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.01, .usual = 0.9, .effect = "cut", .apply = warp_top_p,
    },
    [SETTING_MIN_P] = {
        .name = "min_p", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.01, .usual = 0.05, .effect = "cut", .apply = warp_min_p,
    },
    [SETTING_TYPICAL_P] = {
        .name = "typical_p", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 1, .minimum = 0, .maximum = 1,
        .minimum_included = false, .maximum_included = true,
        .low = 0.01, .high = 1, .step = 0.01,
        .usual = 0.9, .effect = "cut", .apply = warp_typical_p,
    },
    [SETTING_EPSILON_CUTOFF] = {
        .name = "epsilon_cutoff", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = false,
        .low = 0, .high = 0.2, .step = 0.001,
        .usual = 0.01, .effect = "cut", .apply = warp_epsilon_cutoff,
    },
    [SETTING_ETA_CUTOFF] = {
        .name = "eta_cutoff", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = false,
        .low = 0, .high = 0.2, .step = 0.001,
        .usual = 0.02, .effect = "cut", .apply = warp_eta_cutoff,
    },
    [SETTING_TOP_N_SIGMA] = {
        .name = "top_n_sigma", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 5, .step = 0.05, .usual = 1, .effect = "cut", .apply = warp_top_n_sigma,
    },
    [SETTING_TFS_Z] = {
        .name = "tfs_z", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 1, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.01, .usual = 0.95, .effect = "cut", .apply = warp_tfs_z,
       
    },
    [SETTING_TOP_A] = {
        .name = "top_a", .kind = SETTING_REAL, .group = "truncation",
        .neutral = 0, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.01, .usual = 0.2, .effect = "cut", .apply = warp_top_a,
    },
    [SETTING_P_LESS] = {
        .name = "p_less", .kind = SETTING_INTEGER, .group = "truncation",
        .neutral = 0, .minimum = 0, .maximum = 2,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 2, .step = 1, .usual = 1, .effect = "cut", .apply = warp_p_less,
    },
    [SETTING_XTC_PROBABILITY] = {
        .name = "xtc_probability", .kind = SETTING_REAL, .group = "truncation", .stage = "xtc",
        .neutral = 0, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.01, .usual = 0.5, .effect = "cut", .apply = warp_xtc,
       
    },
    [SETTING_MIROSTAT] = {
        .name = "mirostat", .kind = SETTING_INTEGER, .group = "truncation",
        .neutral = 0, .minimum = 0, .maximum = 2,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 2, .step = 1, .usual = 2, .effect = "cut", .apply = warp_mirostat,
    },
    [SETTING_ADAPTIVE_TARGET] = {
        .name = "adaptive_target", .kind = SETTING_REAL, .group = "shape", .stage = "adaptive_p",
        .neutral = 0, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.01,
        .usual = 0.3, .effect = "steer", .apply = warp_adaptive_p,
    },
    [SETTING_GREEN_BIAS] = {
        .name = "green_bias", .kind = SETTING_REAL, .group = "mark", .stage = "green_list",
        .neutral = 0, .minimum = 0, .maximum = GREEN_HARD,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 10, .step = 0.1, .usual = 2, .effect = "mark", .apply = warp_green_list,
    },
    [SETTING_SYNTHID_DEPTH] = {
        .name = "synthid_depth", .kind = SETTING_INTEGER, .group = "mark", .stage = "synthid",
        .neutral = 0, .minimum = 0, .maximum = SYNTHID_LAYERS,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = SYNTHID_LAYERS, .step = 1,
        .usual = 30, .effect = "mark", .apply = warp_synthid,
       
    },
    [SETTING_RENORMALIZE_LOGITS] = {
        .name = "renormalize_logits", .kind = SETTING_INTEGER, .group = "shape",
        .neutral = 0, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 1,
        .usual = 1, .effect = "steer", .apply = warp_renormalize_logits,
    },
    [SETTING_CONTRASTIVE_ALPHA] = {
        .name = "contrastive_alpha", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0.1, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.01,
    },
    [SETTING_REPETITION_WINDOW] = {
        .name = "repetition_window", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 0, .minimum = 0, .maximum = WHOLE_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 256, .step = 1,
    },
    [SETTING_DRY_BASE] = {
        .name = "dry_base", .kind = SETTING_REAL, .group = "shared",
        .neutral = 1.75, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 1, .high = 4, .step = 0.05,
    },
    [SETTING_DRY_ALLOWED_LENGTH] = {
        .name = "dry_allowed_length", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 2, .minimum = 0, .maximum = WHOLE_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 1, .high = 20, .step = 1,
    },
    [SETTING_DRY_PENALTY_LAST_N] = {
        .name = "dry_penalty_last_n", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 64, .minimum = 0, .maximum = WHOLE_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 256, .step = 1,
    },
    [SETTING_DRY_SEQUENCE_BREAKERS] = {
        .name = "dry_sequence_breakers", .kind = SETTING_LIST, .group = "shared",
        .minimum_included = true, .maximum_included = true,
    },
    [SETTING_XTC_THRESHOLD] = {
        .name = "xtc_threshold", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0.1, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 0.5, .step = 0.01,
    },
    [SETTING_MIROSTAT_TAU] = {
        .name = "mirostat_tau", .kind = SETTING_REAL, .group = "shared",
        .neutral = 5, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 10, .step = 0.1,
    },
    [SETTING_MIROSTAT_ETA] = {
        .name = "mirostat_eta", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0.1, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.01,
    },
    [SETTING_MIROSTAT_MU] = {
        .name = "mirostat_mu", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0, .minimum = -DBL_MAX, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 20, .step = 0.1,
    },
    [SETTING_ADAPTIVE_DECAY] = {
        .name = "adaptive_decay", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0.9, .minimum = 0, .maximum = 0.99,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 0.99, .step = 0.01,
    },
    [SETTING_ADAPTIVE_MEAN] = {
        .name = "adaptive_mean", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.01,
    },
    [SETTING_DYNATEMP_EXPONENT] = {
        .name = "dynatemp_exponent", .kind = SETTING_REAL, .group = "shared",
        .neutral = 1, .minimum = 0, .maximum = DBL_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 3, .step = 0.05,
    },
    [SETTING_SMOOTHING_CURVE] = {
        .name = "smoothing_curve", .kind = SETTING_REAL, .group = "shared",
        .neutral = 1, .minimum = 1, .maximum = 1e6,
        .minimum_included = true, .maximum_included = true,
        .low = 1, .high = 10, .step = 0.1,
    },
    [SETTING_PENALTY_DECAY] = {
        .name = "penalty_decay", .kind = SETTING_REAL, .group = "shared",
        .neutral = 1, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0.9, .high = 1, .step = 0.001,
    },
    [SETTING_REP_PEN_SLOPE] = {
        .name = "rep_pen_slope", .kind = SETTING_REAL, .group = "shared",
        .neutral = 1, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 0.05,
    },
    [SETTING_PROMPT_IGNORE_LENGTH] = {
        .name = "prompt_ignore_length", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 0, .minimum = 0, .maximum = WHOLE_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 256, .step = 1,
    },
    [SETTING_EXPONENTIAL_DECAY_START] = {
        .name = "exponential_decay_start", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 0, .minimum = 0, .maximum = WHOLE_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 64, .step = 1,
    },
    [SETTING_GREEN_FRACTION] = {
        .name = "green_fraction", .kind = SETTING_REAL, .group = "shared",
        .neutral = 0.25, .minimum = 0, .maximum = 1,
        .minimum_included = false, .maximum_included = false,
        .low = 0.05, .high = 0.95, .step = 0.05,
    },
    [SETTING_GREEN_CONTEXT] = {
        .name = "green_context", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 1, .minimum = 0, .maximum = 16,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 8, .step = 1,
    },
    [SETTING_GREEN_SELF] = {
        .name = "green_self", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 0, .minimum = 0, .maximum = 1,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1, .step = 1,
    },
    [SETTING_SYNTHID_CONTEXT] = {
        .name = "synthid_context", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 4, .minimum = 1, .maximum = 16,
        .minimum_included = true, .maximum_included = true,
        .low = 1, .high = 8, .step = 1,
    },
    [SETTING_WATERMARK_KEY] = {
        .name = "watermark_key", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 15485863, .minimum = 0, .maximum = WHOLE_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 0, .high = 1e8, .step = 1,
    },
    [SETTING_MIN_TOKENS_TO_KEEP] = {
        .name = "min_tokens_to_keep", .kind = SETTING_INTEGER, .group = "shared",
        .neutral = 1, .minimum = 1, .maximum = WHOLE_MAX,
        .minimum_included = true, .maximum_included = true,
        .low = 1, .high = 20, .step = 1,
    },
    [SETTING_CONVENTION] = {
        .name = "convention", .kind = SETTING_CHOICE, .group = "shared",
        .neutral = 0, .minimum = 0, .maximum = 2,
        .minimum_included = true, .maximum_included = true,
        .choices = CONVENTIONS, .low = 0, .high = 2, .step = 1,
    },
};
/* clang-format on */
