/* Applies a list of samplers to logits and records each stage: the trace. Every view shows numbers
 * of the trace. They cover the whole vocabulary, and the draw reads the same arrays. */
#ifndef LOGITSCOPE_CHAIN_H
#define LOGITSCOPE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw.h"
#include "kernels.h"
#include "stage.h"

/* The effect of one stage on the distribution that entered it. Masses are shares of 1. */
struct chain_stage {
    uint32_t stage;   /* number of the stage (stage.h) */
    uint32_t active;  /* 1 if the value is not neutral */
    uint32_t changed; /* 1 if the stage changed a logit */
    uint32_t kept;    /* number of survivors after the stage */
    uint32_t removed; /* number of tokens that the stage removed */
    uint32_t after;   /* if active && !changed: 1 + index of the last removing stage; else 0 */
    double value;
    double mass_removed; /* share of the distribution before the stage */
    double top_p_mass;   /* 1 - mass_removed */
    double entropy;      /* bits, after the stage */
    double perplexity;   /* 2^entropy */
};

/* A token that the trace lists. */
struct chain_token {
    uint32_t id;
    uint32_t rank; /* from 1: survivors by final probability, then removed tokens by raw logit */
    uint32_t removed_by; /* 1 + index of the removing stage; 0 for a survivor or raw -INFINITY */
    float logit;         /* the raw logit */
    float warped;        /* logit after the chain; -INFINITY if removed */
    uint32_t green;      /* 2 if the token is green, 1 if not, 0 if no green list is active */
    double p_raw, p;
    double logprob; /* ln p, in nats */
};

/* The record of the last chain_apply; owned by the chain. "Before" and "raw" refer to the raw
 * logits, "after" to the result of the whole chain. */
struct chain_trace {
    uint32_t vocab_size, n_stages, n_tokens, kept;
    uint32_t rest_count,
        rest_kept;        /* number of tokens that are not listed, and of survivors among them */
    uint32_t underflowed; /* number of survivors with p = 0: below 2^-44 of the best */
    uint32_t has_green;   /* 1 if a green list is active and the history fills its context */
    double rest_p_raw, rest_p;
    double entropy, perplexity;         /* after the chain */
    double raw_entropy, raw_perplexity; /* before the chain */
    double kept_mass_raw;               /* the survivors' share of the raw distribution */
    double green_p_raw, green_p; /* share of green tokens before and after; 0 unless has_green */
    const struct chain_token *tokens; /* (n_tokens,) */
    const double *stage_p;            /* (n_tokens, n_stages) p after each stage */
    struct chain_stage stages[STAGES_MAX];
};

struct chain; /* opaque; for one vocabulary size */

/* Allocates a chain for `vocab_size` tokens and traces that list up to `top_max` tokens. Fails with
 * STATUS_EMPTY if vocab_size is 0, STATUS_TOO_LONG beyond VOCAB_MAX, STATUS_OUT_OF_MEMORY. */
enum status chain_open(struct chain **chain, size_t vocab_size, size_t top_max,
                       const struct kernels *kernels, struct fault *fault);
void chain_close(struct chain *chain);

/* With this call the caller promises: logits at one address do not change while `version` is
 * unchanged. Later calls then reuse facts about these logits. Version 0 disables this. */
void chain_version(struct chain *chain, uint64_t version);

/* Warps a copy of logits (vocab_size,) and records the trace, which lists min(top, top_max) tokens.
 * The caller's array is never modified; on failure the previous trace is lost. Fails with
 * STATUS_NOT_FINITE, STATUS_NOTHING_LEFT, or a status of settings_check.
 *
 * The caller's own sampler needs two calls. The first call ends before this sampler, whose input is
 * then chain_logits. The second call gets the sampler's result in settings->own. */
enum status chain_apply(struct chain *chain, const float *logits, const struct settings *settings,
                        const uint32_t *history, size_t n_history, size_t top, struct fault *fault);

const struct chain_trace *chain_trace(const struct chain *chain);
/* Logits (vocab_size,) and weights (vocab_size,) after the chain; p = weight / *weight_total. */
const float *chain_logits(const struct chain *chain);
const uint64_t *chain_weights(const struct chain *chain, uint64_t *weight_total);

/* A drawn token, with its rank and probabilities. */
struct chain_drawn {
    uint32_t id, rank;
    double p, p_raw, logprob; /* logprob = ln p, in nats */
    double p_before;          /* if adaptive_p is on: p before the stage adaptive_p; otherwise p */
};

/* A drawn token, with the number of survivors and the entropy (bits) of its distribution. */
struct chain_sample {
    struct chain_drawn drawn;
    uint32_t kept;
    double entropy;
};

/* Draws from the last trace by inverse CDF with the 53 random bits r, or by Gumbel-max. */
struct chain_drawn chain_draw(const struct chain *chain, uint64_t r);
struct chain_drawn chain_draw_gumbel(const struct chain *chain, uint64_t seed, uint64_t step);
/* Returns the fields that chain_draw would return if it drew this surviving token. */
struct chain_drawn chain_describe(const struct chain *chain, uint32_t id);

struct chain_choice {
    uint64_t r; /* 53 random bits */
    bool raw;   /* true to compute p_raw, which is 0 otherwise */
};

/* Draws the token that chain_apply and chain_draw would draw, with the same bits in its numbers,
 * but writes no trace. If the settings keep few tokens (shortlist.h), this call is up to a hundred
 * times faster. p_raw needs a pass over the vocabulary, unless an earlier call with this version
 * made this pass. The previous trace is lost. Fails as chain_apply does. */
enum status chain_sample(struct chain *chain, const float *logits, const struct settings *settings,
                         const uint32_t *history, size_t n_history, struct chain_choice choice,
                         struct chain_sample *sample, struct fault *fault);

#endif
