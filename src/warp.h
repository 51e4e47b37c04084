/* The samplers: pure functions that reshape logits before a token is drawn, and the one table of
 * settings, from which page, command line, address and tests take names, ranges and usual values.
 *
 * A removed token has the logit -INFINITY. A truncation changes no surviving logit and never
 * removes the last one; at its neutral value a sampler is the identity, bit for bit. `samplers.js`
 * of the page names the sources. */
#ifndef LOGITSCOPE_WARP_H
#define LOGITSCOPE_WARP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings.h"

/* The input of a sampler beside the logits. */
struct warp_input {
    const struct settings *settings;
    size_t vocab_size;
    const uint32_t *history; /* the whole timeline, oldest first */
    size_t n_history;
    const uint64_t *weights; /* (vocab_size,) of the logits as they are now, by kernels->weigh */
    uint64_t total;          /* the sum of weights */
    uint32_t *scratch;       /* (2 * vocab_size,) */
    const uint32_t *ids;     /* (vocab_size,) of a pool (pool.h); NULL: place i is token i */
};

enum setting_kind { SETTING_REAL, SETTING_INTEGER, SETTING_MAP, SETTING_LIST, SETTING_CHOICE };

/* One row of the table. `low`, `high`, `step` are the range of a knob; `minimum`, `maximum` bound
 * the accepted values and belong to them only if included. */
struct warp_row {
    const char *name;
    enum setting_kind kind;
    const char *group; /* "second", "penalty", "shape", "truncation", "mark" or "shared" */
    const char *stage; /* a second name of the sampler in an order, as "dry"; NULL: none */
    double neutral, minimum, maximum;
    bool minimum_included, maximum_included;
    const char *const *choices; /* of a SETTING_CHOICE, up to a NULL */
    double low, high, step;
    double usual;       /* a value at which a sampler acts; 0 for a shared parameter */
    const char *effect; /* of a sampler: "flatten", "cut", "penalise", "steer" or "mark" */
    void (*apply)(float *logits, const struct warp_input *input); /* NULL: a shared parameter */
};

extern const struct warp_row warp_table[SETTING_COUNT];

/* Each sampler works in place on logits (vocab_size,): at least one is finite, none is NaN or
 * +Infinity. Results that would overflow are clamped to +-FLT_MAX. */

/* The first two samplers read a second distribution, `second` of the settings. ln p is the
 * logarithm of the softmax, in float64. */

/* n + scale (c - n), c = ln p here, n = ln p of the second, which a negative prompt gives. A scale
 * above 1 leads away from n. Classifier-free guidance: Sanchez et al. 2023. */
void warp_guidance(float *logits, const struct warp_input *input);
/* (1 + beta) e - beta a, e = ln p here, a = ln p of the second, which a weaker model gives. Removes
 * tokens with e < ln alpha + max e. Contrastive decoding: Li et al. 2022, weighed as by O'Brien and
 * Lewis 2023. */
void warp_contrastive(float *logits, const struct warp_input *input);
/* l + b for the biased ids; a ban removes. May leave nothing: the chain reports it. */
void warp_logit_bias(float *logits, const struct warp_input *input);
/* l > 0 ? l * r : l / r, once for each distinct id of the prompt: of the history before the tokens
 * that `step` of the settings counts. transformers has it, an encoder's text in its place. */
void warp_encoder_repetition_penalty(float *logits, const struct warp_input *input);
/* l > 0 ? l / r : l * r, once for each distinct id among the last repetition_window ids of the
 * history (all for 0). If r > 1, an id only in the older half of these ids gets
 * 1 + (r - 1) rep_pen_slope, koboldcpp's. The first prompt_ignore_length ids of the history do not
 * count, transformers'. Keskar et al. 2019, CTRL, section 4.1. */
void warp_repetition_penalty(float *logits, const struct warp_input *input);
/* l - a * count(id) and l - b * [id present], over the same ids; negative a and b reward. A time in
 * the count is penalty_decay^(tokens since), RWKV's. */
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

/* Every truncation keeps the min_tokens_to_keep best at least, 1 or more; XTC, which removes the
 * best, that many. p is weight / total. */

/* Keeps l >= the k-th largest, ties with it included. Fan et al. 2018. */
void warp_top_k(float *logits, const struct warp_input *input);
/* Keeps the nucleus: the smallest prefix in rank order with at least the mass p. A token stays if
 * the mass strictly before it is below (p - 2^-20) of the total. Holtzman et al. 2019, section 3.1.
 */
void warp_top_p(float *logits, const struct warp_input *input);
/* Keeps p >= m * the largest p. Nguyen et al. 2024. */
void warp_min_p(float *logits, const struct warp_input *input);
/* Keeps the smallest prefix in order of |-ln p - H| with at least the mass p, as top_p does, and
 * every token as near as its last one; min_tokens_to_keep counts in that order. Meister et al.
 * 2022. */
void warp_typical_p(float *logits, const struct warp_input *input);
/* Removes p < epsilon, and p < min(epsilon, sqrt(epsilon) e^-H). Hewitt et al. 2022. */
void warp_epsilon_cutoff(float *logits, const struct warp_input *input);
void warp_eta_cutoff(float *logits, const struct warp_input *input);
/* Keeps l >= max - n * sigma, the population standard deviation of the finite logits. Tang et al.
 * 2024. */
void warp_top_n_sigma(float *logits, const struct warp_input *input);
/* Keeps p >= a * the square of the largest p. BlinkDL 2022. */
void warp_top_a(float *logits, const struct warp_input *input);
/* Keeps p >= c, the chance that two draws are the same: the sum of p^2, to 2^-20 of itself; in
 * version 2 p >= (V c - 1) / (V - 1), V the vocabulary's size. Tan et al. 2025. */
void warp_p_less(float *logits, const struct warp_input *input);
/* Adds up the terms of the entropy of the 100 best in rank order and keeps tokens up to the share h
 * of the sum, to 2^-20; none of p = 0 but the best. Potraghloo et al. 2025, as transformers has it.
 */
void warp_top_h(float *logits, const struct warp_input *input);
/* In place of temperature: l / T with T from max(0, temperature - range) to temperature + range, as
 * far as (H / ln n)^exponent says, H the entropy of the n survivors. kalomaze 2024, as llama.cpp
 * has it. */
void warp_dynatemp(float *logits, const struct warp_input *input);
/* max - factor (k d^2 - s d^3), d = l - max, k = (3 - curve) / 2, s = (curve - 1) / 2: quadratic
 * with curve 1. kalomaze 2024, as text-generation-webui has it. */
void warp_smoothing(float *logits, const struct warp_input *input);
/* Removes the tokens that end a text until min_new_tokens tokens are drawn. May leave nothing. */
void warp_min_new_tokens(float *logits, const struct warp_input *input);
/* l + |l| (factor^n - 1) for the tokens that end a text, n the tokens drawn beyond
 * exponential_decay_start; the power by squaring. transformers has it. */
void warp_length_penalty(float *logits, const struct warp_input *input);
/* In rank order, adds up the absolute second differences of p and keeps one token more than there
 * are sums within z of the whole, to 2^-20; by llama.cpp's convention as many, one at least. Two
 * tokens stay. Bricken 2019. */
void warp_tfs_z(float *logits, const struct warp_input *input);
/* With the given probability, decided by (seed, step): of the tokens with p >= threshold removes
 * all but the last in rank order; nothing if fewer than min_tokens_to_keep would stay. */
void warp_xtc(float *logits, const struct warp_input *input);
/* Version 1 keeps the k best, k from mu and the Zipf exponent of the 100 best; version 2 removes
 * surprise above mu. mu is mirostat_mu, or 2 tau if that is 0. Basu et al. 2020, as llama.cpp has
 * it. */
void warp_mirostat(float *logits, const struct warp_input *input);
/* The mu that follows a draw of probability p: mu - eta (surprise - tau), in bits; never exactly
 * 0, which would mean 2 tau. */
double mirostat_next(const struct settings *settings, double p);

/* 5 - 10 d^2 / (1 + d), d = |p - aim| / 0.3, aim = 2 target - mean within 0 and 1. The mean is
 * adaptive_mean, or the target if that is 0. Adaptive-P, as llama.cpp has it. */
void warp_adaptive_p(float *logits, const struct warp_input *input);
/* The mean that follows a draw of a token that had the probability p before the stage. */
double adaptive_next(const struct settings *settings, double p);

/* The watermarks: watermark.h has their hash. They do nothing while the history is shorter than
 * their context. */

/* l + bias for the green tokens; from GREEN_HARD on removes the others, unless none is green.
 * Kirchenbauer et al. 2023. */
void warp_green_list(float *logits, const struct warp_input *input);
/* For each layer p (1 + g - G), G the mass of the tokens with g = 1: a tournament with two
 * candidates in each match. If the context occurred before in the history, nothing changes.
 * Dathathri et al. 2024, as transformers has it. */
void warp_synthid(float *logits, const struct warp_input *input);

/* ln p of the survivors, which changes no p: transformers has it, and its beam search begins so. */
void warp_renormalize_logits(float *logits, const struct warp_input *input);

#endif
