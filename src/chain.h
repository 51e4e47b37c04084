/* An ordered list of samplers applied to one vector of logits, with a record of each stage: the
 * trace. Everything that a view shows comes from here, computed over the whole vocabulary, and the
 * draw reads the very same arrays. */
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
    uint32_t stage;   /* as stage.h numbers them */
    uint32_t active;  /* differs from its neutral value */
    uint32_t changed; /* changed any logit */
    uint32_t kept;    /* survivors after the stage */
    uint32_t removed; /* removed by it */
    uint32_t after; /* active && !changed: 1 + index of the last stage that removed tokens, or 0 */
    double value;
    double mass_removed; /* of the distribution before the stage */
    double top_p_mass;   /* 1 - mass_removed: the mass kept, of any stage */
    double entropy;      /* bits, after the stage */
    double perplexity;   /* 2^entropy */
};

/* One listed token. */
struct chain_token {
    uint32_t id;
    uint32_t rank;       /* from 1: survivors by final probability, then the removed by raw logit */
    uint32_t removed_by; /* 1 + index of the stage; 0 for a survivor, or one that came in removed */
    float logit;         /* as the model gave it */
    float warped;        /* after the chain, -INFINITY if removed */
    uint32_t green;      /* 2 if the token is green, 1 if not, 0 if no green list is active */
    double p_raw, p;
    double logprob; /* ln p, in nats */
};

/* The trace of the last chain_apply; owned by the chain. */
struct chain_trace {
    uint32_t vocab_size, n_stages, n_tokens, kept;
    uint32_t rest_count, rest_kept; /* the vocabulary that is not listed, and its survivors */
    uint32_t underflowed;           /* survivors with p = 0: below 2^-44 of the best */
    uint32_t has_green;             /* whether a green list is active and has its context */
    double rest_p_raw, rest_p;
    double entropy, perplexity;         /* after the chain */
    double raw_entropy, raw_perplexity; /* before it */
    double kept_mass_raw;               /* the survivors' share of the raw distribution */
    double green_p_raw, green_p;        /* the green tokens' share before and after; 0 without */
    const struct chain_token *tokens;   /* (n_tokens,) */
    const double *stage_p;              /* (n_tokens, n_stages) p after each stage */
    struct chain_stage stages[STAGES_MAX];
};

struct chain; /* scratch for one vocabulary size; opaque */

/* Allocates for vocabularies of `vocab_size` and listings of up to `top_max` tokens. STATUS_EMPTY
 * without a token, STATUS_TOO_LONG beyond VOCAB_MAX, STATUS_OUT_OF_MEMORY. */
enum status chain_open(struct chain **chain, size_t vocab_size, size_t top_max,
                       const struct kernels *kernels, struct fault *fault);
void chain_close(struct chain *chain);

/* Promises that logits at one address stay the same while the version does: the calls below then
 * reuse facts about them. 0 (initial) disables caching. */
void chain_version(struct chain *chain, uint64_t version);

/* Warps a copy of logits (vocab_size,) and records the trace, listing `top` tokens (cut to
 * top_max). The caller's array is never modified; on failure the last trace is gone.
 * STATUS_NOT_FINITE, STATUS_NOTHING_LEFT, and settings_check's.
 *
 * A sampler of the caller's own takes two calls: the first ends before it, and chain_logits is its
 * input; the second has its result. */
enum status chain_apply(struct chain *chain, const float *logits, const struct settings *settings,
                        const uint32_t *history, size_t n_history, size_t top, struct fault *fault);

/* The record of the last chain_apply. */
const struct chain_trace *chain_trace(const struct chain *chain);
/* Logits (vocab_size,) after the chain; and integer weights, p being weight / weight_total.
 */
const float *chain_logits(const struct chain *chain);
const uint64_t *chain_weights(const struct chain *chain, uint64_t *weight_total);

/* A drawn token and its rank. */
struct chain_drawn {
    uint32_t id, rank;
    double p, p_raw, logprob; /* logprob = ln p, in nats */
    double p_before;          /* if adaptive_p is on: p before that stage; otherwise p */
};

/* A draw without a trace, with two measures of its distribution; entropy in bits. */
struct chain_sample {
    struct chain_drawn drawn;
    uint32_t kept;
    double entropy;
};

/* Draws from the last trace by inverse CDF with the 53 random bits r, or by Gumbel-max. */
struct chain_drawn chain_draw(const struct chain *chain, uint64_t r);
struct chain_drawn chain_draw_gumbel(const struct chain *chain, uint64_t seed, uint64_t step);
/* Describes a surviving token as chain_draw would, whoever chose it. */
struct chain_drawn chain_describe(const struct chain *chain, uint32_t id);

/* chain_apply and chain_draw in one, without the trace: the same bits, up to a hundred times sooner
 * if the settings keep few tokens (shortlist.h). p_raw needs a pass over the vocabulary, unless an
 * earlier call with this version made one; without `raw`, p_raw is 0. The last trace is gone. Fails
 * as chain_apply does. */
enum status chain_sample(struct chain *chain, const float *logits, const struct settings *settings,
                         const uint32_t *history, size_t n_history, uint64_t r, bool raw,
                         struct chain_sample *sample, struct fault *fault);

#endif
