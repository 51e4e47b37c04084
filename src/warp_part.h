/* Shared by the samplers' files: functions that read the input, and shared truncations. */
#ifndef LOGITSCOPE_WARP_PART_H
#define LOGITSCOPE_WARP_PART_H

#include <float.h>
#include <math.h>

#include "measure.h"
#include "warp.h"

static inline double value_of(const struct warp_input *input, enum setting setting) {
    return input->settings->value[setting];
}

static inline enum convention convention_of(const struct warp_input *input) {
    return (enum convention)value_of(input, SETTING_CONVENTION);
}

/* Rounds to float32 and clamps to +-FLT_MAX. */
static inline float to_float(double x) {
    if (x > (double)FLT_MAX) return FLT_MAX;
    if (x < -(double)FLT_MAX) return -FLT_MAX;
    return (float)x;
}

/* Numbers with which log_p turns a distribution's logits into ln p. */
struct normaliser {
    double max, log_sum;
};

static inline struct normaliser normaliser_of(const float *logits, size_t n) {
    float max;
    double log_sum = measure_log_sum(logits, n, &max);
    return (struct normaliser){(double)max, log_sum};
}

static inline double log_p(double logit, struct normaliser by) {
    return logit - by.max - by.log_sum;
}

/* Sets *ids to the last `most` ids of the history (0: all) and returns their number. */
static inline size_t last_ids(const struct warp_input *input, double most, const uint32_t **ids) {
    *ids = input->history; /* NULL if there is no history */
    if (!(most > 0 && most < (double)input->n_history)) return input->n_history;
    *ids += input->n_history - (size_t)most;
    return (size_t)most;
}

/* Returns the best token, lowest id on a tie. */
size_t warp_best(const float *logits, size_t n);
size_t warp_survivors(const float *logits, size_t n);

/* Keeps the max(keep, min_tokens_to_keep) best tokens, lower ids on a tie. */
void warp_keep_best(float *logits, const struct warp_input *input, double keep);
/* Removes every token after `last` in rank order. */
void warp_keep_through(float *logits, size_t n, uint32_t last);
/* Removes tokens with a weight below `limit`, except the min_tokens_to_keep best. */
void warp_keep_heavy(float *logits, const struct warp_input *input, uint64_t limit);
/* Returns the least weight w with w / total >= p; without one, 2^44 + 1, above every weight. */
uint64_t warp_least_weight(double p, uint64_t total);

/* Returns the cumulative weight at which a prefix of mass p is complete: its share reaches p or, if
 * `above` is true, exceeds p. Returns 0 if all tokens must stay. A tolerance of 2^-20 allows for
 * logits that are rounded logarithms: p = 0.9 over .60 .20 .10 keeps three. */
uint64_t warp_mass_target(double p, uint64_t total, bool above);

#endif
