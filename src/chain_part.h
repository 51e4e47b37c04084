/* Shared by chain.c and chain_sample.c: the chain's memory, and the checks of its input. */
#ifndef LOGITSCOPE_CHAIN_PART_H
#define LOGITSCOPE_CHAIN_PART_H

#include "chain.h"
#include "pool.h"
#include "shortlist.h"
#include "watermark.h"

/* The logits after a stage; chain_weight and chain_share make p of them with `max` and `total`. */
struct snapshot {
    const float *logits;
    float max;
    uint64_t total;
};

struct chain {
    size_t vocab_size, top_max;
    const struct kernels *kernels;
    const float *raw; /* the caller's logits, which the raw_* fields describe */
    uint64_t version, raw_version;
    double raw_entropy; /* bits; negative until the first trace computes it */
    uint32_t raw_kept;
    float *logits;         /* (vocab_size,) after the stages run so far */
    uint64_t *raw_weights; /* (vocab_size,) */
    uint64_t *weights;     /* (vocab_size,) of `logits` */
    uint32_t *scratch;     /* (2 * vocab_size,) */
    struct pool survivors; /* copies of the survivors; room for vocab_size / 4 tokens */
    bool is_sparse;        /* true if `survivors` contains every survivor */
    uint8_t *removed_by;   /* (vocab_size,) 1 + stage, 0 for a survivor, or REMOVED_ON_INPUT */
    float *copies[SAMPLER_COUNT + 1]; /* by sampler: logits (vocab_size,) after it; [SAMPLER_COUNT]:
                                        after STAGE_OWN; NULL for a filter */
    uint32_t *ids;                    /* (top_max,) the listed tokens */
    struct chain_token *tokens;
    double *stage_p;
    struct shortlist *list;
    struct watermark green; /* valid if trace.has_green */
    struct snapshot raw_state, state;
    struct snapshot after[STAGES_MAX]; /* by index of the stage */
    struct chain_trace trace;
};

/* Returns the weight that kernels->weigh gives to this logit. */
uint64_t chain_weight(float logit, float max);

static inline double chain_share(uint64_t part, uint64_t total) {
    return (double)part / (double)total;
}

enum status chain_check_history(const uint32_t *history, size_t n_history, size_t n,
                                struct fault *fault);
/* Fails with STATUS_EMPTY if an active stage reads a second distribution, but settings->second is
 * NULL; STATUS_INVALID_ARGUMENT if two stages read the second distribution; STATUS_NOT_FINITE. */
enum status chain_check_second(const struct settings *settings, size_t n, struct fault *fault);
/* Checks and weighs the caller's logits, unless an earlier call with this version did. */
enum status chain_read(struct chain *chain, const float *logits, struct fault *fault);

#endif
