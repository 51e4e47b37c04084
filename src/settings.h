/* The caller's settings: a number for each setting, the order of the samplers, and settings that
 * are not numbers. warp_table (warp.h) has their names and ranges. */
#ifndef LOGITSCOPE_SETTINGS_H
#define LOGITSCOPE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

/* The largest whole number in a setting: 2^53 - 1, as in JavaScript (MAX_SAFE_INTEGER). */
#define WHOLE_MAX 9007199254740991.0

/* All settings: first the samplers, in canonical order, then the parameters that samplers share. */
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
    SAMPLER_COUNT,
    SETTING_CONTRASTIVE_ALPHA = SAMPLER_COUNT,
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
    SETTING_PENALTY_GENERATED_ONLY,
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

/* Names the program whose rules decide ties and boundaries. warp.h describes the rules of
 * transformers. With LLAMA_CPP, top_k keeps exactly k tokens (lower ids on a tie), and typical_p
 * keeps tokens until their mass is above p. With LLAMA2_C, top_p keeps tokens until their mass is
 * above p, and p = 0 turns top_p off. */
enum convention { CONVENTION_TRANSFORMERS, CONVENTION_LLAMA_CPP, CONVENTION_LLAMA2_C };

/* `bias` is added to the logit of `id`; -INFINITY bans the token. */
struct warp_bias {
    uint32_t id;
    double bias;
};

/* `order` lists n_order distinct samplers in the order of application; it must contain every active
 * sampler. Biases are in ascending order of id; each id occurs once. */
struct settings {
    double value[SETTING_COUNT];
    uint32_t order[SAMPLER_COUNT];
    uint32_t n_order;
    const struct warp_bias *bias;
    uint32_t n_bias;
    uint32_t n_breaker_words;
    const uint32_t *breakers; /* (n_breaker_words,) each sequence: its length, then its ids */
    const float *second; /* (vocab_size,) logits of a second distribution; NULL if there is none */
    uint64_t seed, step; /* seed and step decide XTC's coin; `step`: tokens drawn so far */
    uint32_t n_ends;
    const uint32_t *ends; /* (n_ends,) distinct end tokens; ids beyond the vocabulary are ignored */
    const uint32_t *allowed; /* bit i % 32 of word i / 32: token i is allowed; NULL: all are */
    uint32_t n_allowed;      /* number of allowed tokens, for the trace */
    uint32_t n_banned_words;
    const uint32_t *banned; /* (n_banned_words,) each sequence: its length, then its ids */
    int64_t forced;         /* the only token allowed; -1 allows any */
    bool has_own;           /* true if STAGE_OWN is among the stages */
    uint32_t own_at;        /* STAGE_OWN runs before order[own_at] */
    const float *own; /* (vocab_size,) result of STAGE_OWN; NULL if the chain ends before it */
};

/* Sets every number to its neutral value and the order to canonical; clears all other settings. */
void settings_reset(struct settings *settings);
/* Checks and sets a number. Fails with STATUS_OUT_OF_RANGE, STATUS_INVALID_ARGUMENT (a map or
 * list); a failure changes nothing. */
enum status settings_set(struct settings *settings, enum setting setting, double value,
                         struct fault *fault);
/* True if the sampler's value is not neutral and no other sampler replaces it. Mirostat replaces
 * adaptive_p and every other truncation; dynatemp_range replaces temperature. */
bool settings_active(const struct settings *settings, enum setting sampler);
/* Checks order, biases, breakers, gates and the result of the caller's own sampler against a
 * vocabulary. Fails with STATUS_INVALID_ARGUMENT (order names a sampler twice or omits an active
 * sampler; an empty sequence), STATUS_UNKNOWN_TOKEN (a bias, breaker, banned or forced token
 * outside the vocabulary), STATUS_OUT_OF_RANGE (a bias is NaN or +Infinity), STATUS_NOT_FINITE
 * (`own` contains NaN or +Infinity). */
enum status settings_check(const struct settings *settings, size_t vocab_size, struct fault *fault);

#endif
