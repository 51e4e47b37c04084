/* The samplers: pure functions that reshape logits before a token is drawn. warp_table lists all
 * settings: page, command line, address and tests read names, ranges and usual values from it.
 *
 * A removed token has the logit -INFINITY. A truncation changes no surviving logit and never
 * removes the last one; a sampler with its neutral value changes no bit of the logits. warp_table.c
 * names the sources. */
#ifndef LOGITSCOPE_WARP_H
#define LOGITSCOPE_WARP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings.h"

/* A sampler's input, except the logits. */
struct warp_input {
    const struct settings *settings;
    size_t vocab_size;
    const uint32_t *history; /* the whole timeline, oldest first */
    size_t n_history;
    const uint64_t *weights; /* (vocab_size,) kernels->weigh of the current logits */
    uint64_t total;          /* sum of weights */
    uint32_t *scratch;       /* (2 * vocab_size,) */
    const uint32_t *ids;     /* (vocab_size,) ids of a pool (pool.h); NULL if index i is token i */
};

enum setting_kind { SETTING_REAL, SETTING_INTEGER, SETTING_MAP, SETTING_LIST, SETTING_CHOICE };

/* One row of the table. A knob has the range `low` to `high` in steps of `step`. Accepted values
 * are between `minimum` and `maximum`. A bound itself is accepted if minimum_included or
 * maximum_included is true. */
struct warp_row {
    const char *name;
    enum setting_kind kind;
    const char *group; /* "second", "penalty", "shape", "truncation", "mark" or "shared" */
    const char *stage; /* second name of the sampler in an order, e.g. "dry"; NULL if it has none */
    double neutral, minimum, maximum;
    bool minimum_included, maximum_included;
    const char *const *choices; /* names for a SETTING_CHOICE; NULL ends the list */
    double low, high, step;
    double usual;       /* a value at which a sampler acts; 0 for a shared parameter */
    const char *effect; /* "flatten", "cut", "penalise", "steer" or "mark"; samplers only */
    void (*apply)(float *logits, const struct warp_input *input); /* NULL: a shared parameter */
};

extern const struct warp_row warp_table[SETTING_COUNT];

/* Each sampler changes logits (vocab_size,) in place. At least one logit must be finite; none may
 * be NaN or +Infinity. Results that would overflow are clamped to +-FLT_MAX. */

/* The next two samplers also read a second distribution: settings->second. In the comments, ln p is
 * the logarithm of the softmax, in float64. */

/* Sets each logit to n + scale (c - n). c is ln p of the logits; n is ln p of the second
 * distribution, from a negative prompt. A scale above 1 moves the result away from n.
 * Classifier-free guidance. */
void warp_guidance(float *logits, const struct warp_input *input);
/* Sets each logit to (1 + beta) e - beta a. e is ln p of the logits; a is ln p of the second
 * distribution, from a weaker model. Removes tokens with e < ln alpha + max e. Contrastive
 * decoding, with the weights of O'Brien and Lewis 2023. */
void warp_contrastive(float *logits, const struct warp_input *input);
/* Adds its bias to the logit of each biased id; a bias of -INFINITY removes the token. May remove
 * every token: the chain then reports STATUS_NOTHING_LEFT. */
void warp_logit_bias(float *logits, const struct warp_input *input);
/* Sets a logit l to l > 0 ? l * r : l / r, once for each distinct id of the prompt. The prompt is
 * the history without its last settings->step ids. From transformers, which uses an encoder's text
 * instead of the prompt. */
void warp_encoder_repetition_penalty(float *logits, const struct warp_input *input);
/* Sets a logit l to l > 0 ? l / r : l * r, once for each distinct id in the window: the last
 * repetition_window ids of the history; 0 means all. The first prompt_ignore_length ids of the
 * history are left out, as in transformers. If r > 1, the penalty is 1 + (r - 1) rep_pen_slope for
 * an id that is only in the window's older half, as in koboldcpp. CTRL, section 4.1. */
void warp_repetition_penalty(float *logits, const struct warp_input *input);
/* Subtract a * count(id), and b for each id present, in the last repetition_window ids. If
 * penalty_generated_only is 1, the prompt is left out, as in the OpenAI API and vLLM: only the last
 * settings->step ids of the history count. Negative a and b make repeats likelier. In the count, an
 * occurrence adds penalty_decay^(number of tokens after it), as in RWKV. */
void warp_frequency_penalty(float *logits, const struct warp_input *input);
void warp_presence_penalty(float *logits, const struct warp_input *input);
/* Removes every id that would complete an n-gram that the last repetition_window ids already
 * contain. May remove every token. */
void warp_no_repeat_ngram_size(float *logits, const struct warp_input *input);
/* Subtracts multiplier * base^(match - allowed length) from each token that would repeat text.
 * `match` is the length of the longest text, up to 4096 ids, that ends the history and also
 * precedes an earlier occurrence of the token. A match contains no breaker, and a breaker of one id
 * is not penalised. Reads the last dry_penalty_last_n ids; 0 means all. As in llama.cpp. */
void warp_dry(float *logits, const struct warp_input *input);
/* Divides each logit l by T. T = 0 keeps only the best token. If max |l| / T would overflow,
 * subtracts the maximum first and clamps the result at -FLT_MAX. */
void warp_temperature(float *logits, const struct warp_input *input);

/* Every truncation keeps at least the min_tokens_to_keep (1 or more) best tokens. XTC removes the
 * best tokens, but keeps at least min_tokens_to_keep tokens. In the comments, p is weight /
 * total. */

/* Keeps tokens with l >= the k-th largest logit, so ties with that logit stay. */
void warp_top_k(float *logits, const struct warp_input *input);
/* Keeps the nucleus: the smallest prefix in rank order with a mass of at least p. A token stays if
 * the mass of all tokens before it is below (p - 2^-20) of the total. Section 3.1 of the source. */
void warp_top_p(float *logits, const struct warp_input *input);
/* Keeps tokens with p >= m * the largest p. */
void warp_min_p(float *logits, const struct warp_input *input);
/* Sorts tokens by |-ln p - H|, H the entropy. Keeps the smallest prefix with a mass of at least p,
 * with top_p's tolerance, and all ties with the prefix's last token. min_tokens_to_keep counts in
 * this order too. */
void warp_typical_p(float *logits, const struct warp_input *input);
/* Epsilon removes tokens with p < epsilon; eta removes tokens with p < min(epsilon, sqrt(epsilon)
 * e^-H), H the entropy in nats. */
void warp_epsilon_cutoff(float *logits, const struct warp_input *input);
void warp_eta_cutoff(float *logits, const struct warp_input *input);
/* Keeps tokens with l >= max - n * sigma, the population standard deviation of the survivors' l. */
void warp_top_n_sigma(float *logits, const struct warp_input *input);
/* Keeps tokens with p >= a * (largest p)^2. */
void warp_top_a(float *logits, const struct warp_input *input);
/* Keeps tokens with p >= c, the sum of all p^2: the probability that two draws give the same token.
 * Version 2 keeps p >= (V c - 1) / (V - 1), V the vocabulary's size. The bound is lowered by 2^-20
 * of itself against rounding. */
void warp_p_less(float *logits, const struct warp_input *input);
/* Reads the 100 best tokens with p > 0. Keeps the longest prefix in rank order whose terms -p ln p
 * add up to at most h + 2^-20 of their entropy, and always the best token. As in transformers. */
void warp_top_h(float *logits, const struct warp_input *input);
/* Replaces temperature: divides each logit by low + (high - low) (H / ln n)^exponent. low is max(0,
 * temperature - range), high is temperature + range, and H is the entropy of the n survivors. As in
 * llama.cpp. */
void warp_dynatemp(float *logits, const struct warp_input *input);
/* Sets each logit l to max - factor (k d^2 - s d^3), d = l - max, k = (3 - curve) / 2, s = (curve -
 * 1) / 2. With curve 1 this is quadratic. As in text-generation-webui. */
void warp_smoothing(float *logits, const struct warp_input *input);
/* Removes the tokens that end a text until min_new_tokens tokens are drawn, even the last token. */
void warp_min_new_tokens(float *logits, const struct warp_input *input);
/* Adds |l| (factor^n - 1) to the logit l of each token that ends a text; n counts the tokens drawn
 * beyond exponential_decay_start. Computes the power by squaring. From transformers. */
void warp_length_penalty(float *logits, const struct warp_input *input);
/* Adds up the absolute second differences of p in rank order. If n partial sums are at most z +
 * 2^-20 of the total, keeps n + 1 tokens; with llama.cpp's convention max(n, 1) tokens. Does
 * nothing if n + 2 or fewer tokens survive. */
void warp_tfs_z(float *logits, const struct warp_input *input);
/* Acts with probability xtc_probability; a coin from (seed, step) decides. Removes all tokens with
 * p >= threshold, except the last of them in rank order. Does nothing if fewer than
 * min_tokens_to_keep tokens would stay. */
void warp_xtc(float *logits, const struct warp_input *input);
/* Version 1 keeps the k best tokens; k follows from mu and the Zipf exponent of the 100 best.
 * Version 2 removes tokens with a surprise above mu bits. mu is mirostat_mu, or 2 tau if
 * mirostat_mu is 0. As in llama.cpp. */
void warp_mirostat(float *logits, const struct warp_input *input);
/* Returns the next mu after a draw of probability p: mu - eta (surprise - tau), in bits. The result
 * is never exactly 0, because mirostat_mu = 0 means 2 tau. */
double mirostat_next(const struct settings *settings, double p);

/* Replaces each logit by 5 - 10 d^2 / (1 + d), d = |p - aim| / 0.3. aim is 2 target - mean, clamped
 * to [0, 1]. The mean is adaptive_mean, or the target if adaptive_mean is 0. As in llama.cpp. */
void warp_adaptive_p(float *logits, const struct warp_input *input);
/* Returns the next mean after a draw; p is the token's probability before this stage. */
double adaptive_next(const struct settings *settings, double p);

/* The watermarks; watermark.h describes their hash. A watermark does nothing while the history is
 * shorter than its context. */

/* Adds the bias to the green tokens. A bias of GREEN_HARD or more removes all other tokens instead,
 * unless no survivor is green. */
void warp_green_list(float *logits, const struct warp_input *input);
/* For each layer, p becomes p (1 + g - G); G is the mass of the tokens with g = 1. This is a
 * tournament with two candidates in each match. Does nothing if the context occurred earlier in the
 * history. As in transformers. */
void warp_synthid(float *logits, const struct warp_input *input);

/* Replaces each surviving logit by ln p, which changes no p. From transformers, whose beam search
 * begins with this step. */
void warp_renormalize_logits(float *logits, const struct warp_input *input);

#endif
