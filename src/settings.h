/* The caller's settings: a number for each setting, the order of the samplers, and the settings
 * that are no numbers. Their names and ranges are the rows of warp_table (warp.h). */
#ifndef LOGITSCOPE_SETTINGS_H
#define LOGITSCOPE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

/* The largest whole number that a setting takes, 2^53 - 1: JavaScript's too. */
#define WHOLE_MAX 9007199254740991.0

/* Every setting that reshapes logits. The samplers come first, in canonical order; then their
 * parameters. */
enum setting {
    SETTING_GUIDANCE_SCALE,
    SETTING_CONTRASTIVE_BETA,
    SETTING_LOGIT_BIAS,
    SETTING_ENCODER_REPETITION_PENALTY,
    SETTING_REPETITION_PENALTY,
    SETTING_FREQUENCY_PENALTY,
    SETTING_PRESENCE_PENALTY,
    SETTING_NO_REPEAT_NGRAM_SIZE,
    SETTING_DRY_MULTIPLIER,
    SETTING_MIN_NEW_TOKENS,
    SETTING_EXPONENTIAL_DECAY_LENGTH_PENALTY,
    SETTING_TEMPERATURE,
    SETTING_DYNATEMP_RANGE,
    SETTING_SMOOTHING_FACTOR,
    SETTING_TOP_H,
    SETTING_TOP_K,
    SETTING_TOP_P,
    SETTING_MIN_P,
    SETTING_TYPICAL_P,
    SETTING_EPSILON_CUTOFF,
    SETTING_ETA_CUTOFF,
    SETTING_TOP_N_SIGMA,
    SETTING_TFS_Z,
    SETTING_TOP_A,
    SETTING_P_LESS,
    SETTING_XTC_PROBABILITY,
    SETTING_MIROSTAT,
    SETTING_ADAPTIVE_TARGET,
    SETTING_GREEN_BIAS,
    SETTING_SYNTHID_DEPTH,
    SETTING_RENORMALIZE_LOGITS,
    WARPER_COUNT,
    SETTING_CONTRASTIVE_ALPHA = WARPER_COUNT,
    SETTING_REPETITION_WINDOW,
    SETTING_DRY_BASE,
    SETTING_DRY_ALLOWED_LENGTH,
    SETTING_DRY_PENALTY_LAST_N,
    SETTING_DRY_SEQUENCE_BREAKERS,
    SETTING_XTC_THRESHOLD,
    SETTING_MIROSTAT_TAU,
    SETTING_MIROSTAT_ETA,
    SETTING_MIROSTAT_MU,
    SETTING_ADAPTIVE_DECAY,
    SETTING_ADAPTIVE_MEAN,
    SETTING_DYNATEMP_EXPONENT,
    SETTING_SMOOTHING_CURVE,
    SETTING_PENALTY_DECAY,
    SETTING_REP_PEN_SLOPE,
    SETTING_PROMPT_IGNORE_LENGTH,
    SETTING_EXPONENTIAL_DECAY_START,
    SETTING_GREEN_FRACTION,
    SETTING_GREEN_CONTEXT,
    SETTING_GREEN_SELF,
    SETTING_SYNTHID_CONTEXT,
    SETTING_WATERMARK_KEY,
    SETTING_MIN_TOKENS_TO_KEEP,
    SETTING_CONVENTION,
    SETTING_COUNT
};

/* The program with the rules for ties and boundaries; the rules of warp.h are transformers'.
 * llama.cpp keeps exactly k for top_k (ties by id) and, for typical_p, until the mass is above p.
 * llama2.c keeps until the mass is above p for top_p; its p = 0 turns top_p off. */
enum convention { CONVENTION_TRANSFORMERS, CONVENTION_LLAMA_CPP, CONVENTION_LLAMA2_C };

/* b is added to the logit of `id`; -INFINITY bans it. */
struct warp_bias {
    uint32_t id;
    double bias;
};

/* The caller's settings. `order` lists n_order distinct samplers, first applied first; an active
 * sampler must be in it. Biases are in ascending order of id, each id once. */
struct settings {
    double value[SETTING_COUNT];
    uint32_t order[WARPER_COUNT];
    uint32_t n_order;
    const struct warp_bias *bias;
    uint32_t n_bias;
    uint32_t n_breakers;
    const uint32_t *breakers; /* (n_breakers,) each sequence as its length, then its ids */
    const float *second; /* (vocab_size,) logits of a second distribution; NULL: there is none */
    uint64_t seed, step; /* of the coin that XTC tosses; step: how many tokens are drawn */
    uint32_t n_ends;
    const uint32_t *ends; /* (n_ends,) distinct tokens that end a text; too large ids are ignored */
    const uint32_t *allowed; /* bit i % 32 of word i / 32: token i; NULL: all are */
    uint32_t n_allowed;      /* how many bits are set, for the trace */
    uint32_t n_banned;
    const uint32_t *banned; /* (n_banned,) each sequence as its length, then its ids */
    int64_t forced;         /* the one token that may come, -1: any */
    bool has_own;           /* true if STAGE_OWN is among the stages */
    uint32_t own_at;        /* STAGE_OWN comes before this place of the order */
    const float *own;       /* (vocab_size,) its result; NULL: the chain ends before it */
};

/* Neutral everywhere, canonical order. */
void settings_reset(struct settings *settings);
/* Sets a number after checking it: STATUS_OUT_OF_RANGE changes nothing. */
enum status settings_set(struct settings *settings, enum setting setting, double value,
                         struct fault *fault);
/* True if the sampler differs from its neutral value. Mirostat replaces every other truncation and
 * adaptive_p, so these are false while it is on; temperature is false while dynatemp_range is on.
 */
bool settings_active(const struct settings *settings, enum setting warper);
/* Checks order, biases, breakers and gates against a vocabulary: STATUS_INVALID_ARGUMENT (a sampler
 * named twice, an active one left out, an empty breaker), STATUS_UNKNOWN_TOKEN (a bias, breaker,
 * banned or forced token outside), STATUS_OUT_OF_RANGE (a bias that is NaN or +Infinity),
 * STATUS_NOT_FINITE (a result of the caller's own that is). */
enum status settings_check(const struct settings *settings, size_t vocab_size, struct fault *fault);

#endif
