/* The warpers: pure functions that reshape logits before a token is drawn, and the one table from
 * which page, command line, URL and documentation take names, ranges and steps.
 *
 * A removed token has the logit -INFINITY. A filter changes no surviving logit and never removes
 * the last one; at its neutral value a warper is the identity, bit for bit. */
#ifndef LOGITSCOPE_WARP_H
#define LOGITSCOPE_WARP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

/* Every setting that reshapes logits. The warpers come first, in the canonical order; what follows
 * are parameters that warpers share. */
enum setting {
    SETTING_LOGIT_BIAS,
    SETTING_REPETITION_PENALTY,
    SETTING_FREQUENCY_PENALTY,
    SETTING_PRESENCE_PENALTY,
    SETTING_NO_REPEAT_NGRAM_SIZE,
    SETTING_DRY_MULTIPLIER,
    SETTING_TEMPERATURE,
    SETTING_TOP_K,
    SETTING_TOP_P,
    SETTING_MIN_P,
    SETTING_TYPICAL_P,
    SETTING_EPSILON_CUTOFF,
    SETTING_ETA_CUTOFF,
    SETTING_TOP_N_SIGMA,
    SETTING_XTC_PROBABILITY,
    SETTING_MIROSTAT,
    WARPER_COUNT,
    SETTING_REPETITION_WINDOW = WARPER_COUNT,
    SETTING_DRY_BASE,
    SETTING_DRY_ALLOWED_LENGTH,
    SETTING_DRY_PENALTY_LAST_N,
    SETTING_DRY_SEQUENCE_BREAKERS,
    SETTING_XTC_THRESHOLD,
    SETTING_MIROSTAT_TAU,
    SETTING_MIROSTAT_ETA,
    SETTING_MIROSTAT_MU,
    SETTING_MIN_TOKENS_TO_KEEP,
    SETTING_CONVENTION,
    SETTING_COUNT
};

/* What removes tokens before any warper: stages without a place in an order, which are in the trace
 * only where they are asked for. */
enum gate { GATE_CONSTRAINT, GATE_BANNED_WORDS, GATE_FORCED_FIRST, GATE_COUNT };

/* A sampler of the caller's own: a stage like a warper, but what it makes of the logits is given.
 * What was removed before it stays removed. */
enum { STAGE_OWN = (int)SETTING_COUNT + (int)GATE_COUNT };

enum setting_kind { SETTING_REAL, SETTING_INTEGER, SETTING_MAP, SETTING_LIST, SETTING_CHOICE };

/* Whose rules hold at ties and boundaries; the rules below are transformers'. llama.cpp keeps
 * exactly k for top_k (ties by id) and, for typical_p, until the mass is above p. llama2.c keeps
 * until the mass is above p for top_p, of which p = 0 is off. */
enum convention { CONVENTION_TRANSFORMERS, CONVENTION_LLAMA_CPP, CONVENTION_LLAMA2_C };

/* b is added to the logit of `id`; -INFINITY bans it. */
struct warp_bias {
    uint32_t id;
    double bias;
};

/* What the caller asks for. `order` lists n_order distinct warpers, first applied first; a warper
 * that is active must be in it. Biases are in ascending order of id, each id once. */
struct settings {
    double value[SETTING_COUNT];
    uint32_t order[WARPER_COUNT];
    uint32_t n_order;
    const struct warp_bias *bias;
    uint32_t n_bias;
    uint32_t n_breakers;
    const uint32_t *breakers; /* (n_breakers,) each sequence as its length, then its ids */
    uint64_t seed, step;      /* of the coin that XTC tosses */
    const uint32_t *allowed;  /* bit i % 32 of word i / 32: token i; NULL: all are */
    uint32_t n_allowed;       /* how many bits are set, for the trace */
    uint32_t n_banned;
    const uint32_t *banned; /* (n_banned,) each sequence as its length, then its ids */
    int64_t forced;         /* the one token that may come, -1: any */
    bool has_own;           /* whether STAGE_OWN is among the stages, */
    uint32_t own_at;        /* then before this place of the order */
    const float *own;       /* (vocab_size,) its result; NULL: the chain ends before it */
};

/* Everything a warper may read beside the logits. */
struct warp_input {
    const struct settings *settings;
    size_t vocab_size;
    const uint32_t *history; /* the whole timeline, oldest first */
    size_t n_history;
    const uint64_t *weights; /* (vocab_size,) of the logits as they are now, by kernels->weigh */
    uint64_t total;          /* the sum of weights */
    uint32_t *scratch;       /* (vocab_size,) */
};

/* One row of the table. `low`, `high`, `step` are what a slider offers; `minimum`, `maximum` what
 * is accepted (themselves only if included). */
struct warp_row {
    const char *name;
    enum setting_kind kind;
    const char *group; /* "penalty", "shape", "truncation" or "shared" */
    const char *stage; /* what an order may call the warper too, as in "dry"; NULL: its name only */
    double neutral, minimum, maximum;
    bool minimum_included, maximum_included;
    const char *const *choices; /* of a SETTING_CHOICE, up to a NULL */
    double low, high, step;
    void (*apply)(float *logits, const struct warp_input *input); /* NULL: a shared parameter */
};

extern const struct warp_row warp_table[SETTING_COUNT];

/* Neutral everywhere, canonical order. */
void settings_reset(struct settings *settings);
/* Sets a number after checking it: STATUS_OUT_OF_RANGE changes nothing. */
enum status settings_set(struct settings *settings, enum setting setting, double value,
                         struct fault *fault);
/* Whether the warper differs from its neutral value; while mirostat is on, which replaces them, no
 * other truncation does. */
bool settings_active(const struct settings *settings, enum setting warper);
/* Checks order, biases, breakers and gates against a vocabulary: STATUS_INVALID_ARGUMENT (a warper
 * named twice, an active one left out, an empty breaker), STATUS_UNKNOWN_TOKEN (a bias, breaker,
 * banned or forced token outside), STATUS_OUT_OF_RANGE (a bias that is NaN or +Infinity),
 * STATUS_NOT_FINITE (a result of the caller's own that is). */
enum status settings_check(const struct settings *settings, size_t vocab_size, struct fault *fault);

/* Each works in place on logits (vocab_size,) of which at least one is finite, none is NaN or
 * +Infinity. Results that would overflow are clamped to +-FLT_MAX. */

/* Whether a gate is asked for. */
bool gate_active(const struct settings *settings, enum gate gate);
/* What stands for its value in the trace: the tokens allowed, the sequences banned, the token
 * forced.
 */
double gate_value(const struct settings *settings, enum gate gate);
/* "constraint", "banned_words", "forced_first". */
const char *gate_name(enum gate gate);
/* Removes what is not allowed; every id that would complete a banned sequence, of which the others
 * are the last ids of the history; every id but the forced one. May leave nothing. */
void gate_apply(enum gate gate, float *logits, const struct warp_input *input);

/* l + b for the biased ids; a ban removes. May leave nothing: the chain reports it. */
void warp_logit_bias(float *logits, const struct warp_input *input);
/* l > 0 ? l / r : l * r, once for each distinct id among the last repetition_window ids of the
 * history (all for 0). Keskar et al. 2019, CTRL, section 4.1. */
void warp_repetition_penalty(float *logits, const struct warp_input *input);
/* l - a * count(id) and l - b * [id present], over the same ids; negative a and b reward. */
void warp_frequency_penalty(float *logits, const struct warp_input *input);
void warp_presence_penalty(float *logits, const struct warp_input *input);
/* Removes every id that would complete an n-gram already among those ids. May leave nothing. */
void warp_no_repeat_ngram_size(float *logits, const struct warp_input *input);
/* l - multiplier * base^(match - allowed length) for the token that followed an earlier stretch of
 * `match` ids equal to the last ones, the longest such match counting, up to 4096 ids. A match
 * contains no breaker, and a breaker of one id is not penalised. Looks at the last
 * dry_penalty_last_n ids, all for 0. Weidmann 2024, as llama.cpp has it. */
void warp_dry(float *logits, const struct warp_input *input);
/* l / T. T = 0 keeps only the best. Where max |l| / T would overflow, the maximum is subtracted
 * first and the result clamped at -FLT_MAX. */
void warp_temperature(float *logits, const struct warp_input *input);

/* Every truncation keeps the min_tokens_to_keep best at least, 1 or more. p is weight / total. */

/* Keeps l >= the k-th largest, ties with it included. Fan et al. 2018. */
void warp_top_k(float *logits, const struct warp_input *input);
/* Keeps the smallest prefix in rank order whose mass reaches p: a token stays iff the mass strictly
 * before it is below (p - 2^-20) of the total. Holtzman et al. 2020, section 3.1. */
void warp_top_p(float *logits, const struct warp_input *input);
/* Keeps p >= m * the largest p. Nguyen et al. 2024. */
void warp_min_p(float *logits, const struct warp_input *input);
/* In order of |-ln p - H| keeps the smallest prefix whose mass reaches p, as top_p does, and every
 * token as far as its last one; min_tokens_to_keep counts in that order. Meister et al. 2023. */
void warp_typical_p(float *logits, const struct warp_input *input);
/* Removes p < epsilon, and p < min(epsilon, sqrt(epsilon) e^-H). Hewitt et al. 2022. */
void warp_epsilon_cutoff(float *logits, const struct warp_input *input);
void warp_eta_cutoff(float *logits, const struct warp_input *input);
/* Keeps l >= max - n * sigma, the population standard deviation of the finite logits. Tang et al.
 * 2024. */
void warp_top_n_sigma(float *logits, const struct warp_input *input);
/* With the given probability, decided by (seed, step): of the tokens with p >= threshold removes
 * all but the last in rank order; nothing if fewer than min_tokens_to_keep would stay. */
void warp_xtc(float *logits, const struct warp_input *input);
/* Version 1 keeps the k best, k from mu and the Zipf exponent of the 100 best; version 2 removes
 * surprise above mu. mu is mirostat_mu, 2 tau where that is 0. Basu et al. 2021, as llama.cpp has
 * it. */
void warp_mirostat(float *logits, const struct warp_input *input);
/* The mu that follows a draw of probability p: mu - eta (surprise - tau), in bits; never exactly
 * 0, which would mean 2 tau. */
double mirostat_next(const struct settings *settings, double p);

#endif
