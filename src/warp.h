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
    SETTING_TEMPERATURE,
    SETTING_TOP_K,
    SETTING_TOP_P,
    WARPER_COUNT,
    SETTING_REPETITION_WINDOW = WARPER_COUNT,
    SETTING_MIN_TOKENS_TO_KEEP,
    SETTING_COUNT
};

enum setting_kind { SETTING_REAL, SETTING_INTEGER, SETTING_MAP };

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
 * is accepted (minimum itself only if minimum_included). */
struct warp_row {
    const char *name;
    enum setting_kind kind;
    const char *group; /* "penalty", "shape", "truncation" or "shared" */
    double neutral, minimum, maximum;
    bool minimum_included;
    double low, high, step;
    void (*apply)(float *logits, const struct warp_input *input); /* NULL: a shared parameter */
};

extern const struct warp_row warp_table[SETTING_COUNT];

/* Neutral everywhere, canonical order. */
void settings_reset(struct settings *settings);
/* Sets a number after checking it: STATUS_OUT_OF_RANGE changes nothing. */
enum status settings_set(struct settings *settings, enum setting setting, double value,
                         struct fault *fault);
/* Whether the warper differs from its neutral value. */
bool settings_active(const struct settings *settings, enum setting warper);
/* Checks order and biases against a vocabulary: STATUS_INVALID_ARGUMENT (a warper named twice, an
 * active one left out), STATUS_UNKNOWN_TOKEN (a bias outside), STATUS_OUT_OF_RANGE (a bias that is
 * NaN or +Infinity). */
enum status settings_check(const struct settings *settings, size_t vocab_size, struct fault *fault);

/* Each works in place on logits (vocab_size,) of which at least one is finite, none is NaN or
 * +Infinity. Results that would overflow are clamped to +-FLT_MAX. */

/* l + b for the biased ids; a ban removes. May leave nothing: the chain reports it. */
void warp_logit_bias(float *logits, const struct warp_input *input);
/* l > 0 ? l / r : l * r, once for each distinct id among the last repetition_window ids of the
 * history (all for 0). Keskar et al. 2019, CTRL, section 4.1. */
void warp_repetition_penalty(float *logits, const struct warp_input *input);
/* l / T. T = 0 keeps only the best. Where max |l| / T would overflow, the maximum is subtracted
 * first and the result clamped at -FLT_MAX. */
void warp_temperature(float *logits, const struct warp_input *input);
/* Keeps l >= the k-th largest, ties with it included. Fan et al. 2018. */
void warp_top_k(float *logits, const struct warp_input *input);
/* Keeps the smallest prefix in rank order whose mass reaches p: a token stays iff the mass strictly
 * before it is below (p - 2^-20) of the total. Holtzman et al. 2020, section 3.1. */
void warp_top_p(float *logits, const struct warp_input *input);

#endif
