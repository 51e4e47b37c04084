/* Numbers that describe a distribution or a text. Entropy is in bits. */
#ifndef LOGITSCOPE_MEASURE_H
#define LOGITSCOPE_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

/* Returns the entropy of p_i = weights[i] / total; `logits` are the logits behind the weights:
 * log2(total / 2^44) - sum w_i (l_i - max) log2(e) / total, never below 0. */
double measure_entropy(const float *logits, const uint64_t *weights, size_t n, uint64_t total,
                       float max);

/* Returns 2^entropy: the size of a uniform distribution with this entropy. */
double measure_perplexity(double entropy);

/* Returns s = ln of the sum of e^(logit - max) and sets *max to the largest logit, so that ln p_i =
 * logit_i - max - s. At least one of the n logits must be finite. */
double measure_log_sum(const float *logits, size_t n, float *max);

/* Writes to surprisals (count,) -ln p of each token under softmax(logits), in nats; +Infinity for a
 * removed token. At least one logit must be finite. */
void measure_surprisal(const float *logits, size_t n, const uint32_t *ids, size_t count,
                       double *surprisals);

/* *ratio = distinct n-grams / all n-grams of a text: n = 1 is the type-token ratio, n = 2
 * distinct-2 (Li et al. 2016). The ratio is 0 for a text shorter than n. STATUS_OUT_OF_MEMORY. */
enum status measure_distinct(const uint32_t *ids, size_t count, size_t n, double *ratio,
                             struct fault *fault);

#endif
