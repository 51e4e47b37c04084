/* Shared by the chain's files: its scratch, and the checks of its input. */
#ifndef LOGITSCOPE_CHAIN_PART_H
#define LOGITSCOPE_CHAIN_PART_H

#include "chain.h"
#include "pool.h"
#include "shortlist.h"
#include "watermark.h"

/* The logits after some stage, with maximum and total for the step to probabilities. */
struct snapshot {
    const float *logits;
    float max;
    uint64_t total;
};

struct chain {
    size_t vocab_size, top_max;
    const struct kernels *kernels;
    const float *raw; /* the caller's logits; raw_* are of them */
    uint64_t version, raw_version;
    double raw_entropy; /* negative until a trace asks for it */
    uint32_t raw_kept;
    float *logits;         /* (vocab_size,) under way, then final */
    uint64_t *raw_weights; /* (vocab_size,) */
    uint64_t *weights;     /* (vocab_size,) of `logits` */
    uint32_t *scratch;     /* (2 * vocab_size,) */
    struct pool survivors; /* room for a quarter of them; logits and weights are copies */
    bool is_sparse;        /* whether every survivor is among them */
    uint8_t *removed_by;   /* (vocab_size,) 1 + stage, 0 for a survivor, or REMOVED_ON_INPUT */
    float *copies[WARPER_COUNT + 1]; /* (vocab_size,) after each stage that changes values, the last
                                        after STAGE_OWN; a filter has none */
    uint32_t *ids;                   /* (top_max,) the listed tokens */
    struct chain_token *tokens;
    double *stage_p;
    struct shortlist *list;
    struct watermark green; /* if the trace has one */
    struct snapshot raw_state, state;
    struct snapshot after[STAGES_MAX]; /* by stage */
    struct chain_trace trace;
};

/* The weight that the kernel gave, for one token. */
uint64_t chain_weight(float logit, float max);

static inline double chain_share(uint64_t part, uint64_t total) {
    return (double)part / (double)total;
}

enum status chain_check_history(const uint32_t *history, size_t n_history, size_t n,
                                struct fault *fault);
/* STATUS_EMPTY if an active stage reads a second distribution and there is none;
 * STATUS_INVALID_ARGUMENT if two stages read it; STATUS_NOT_FINITE. */
enum status chain_check_second(const struct settings *settings, size_t n, struct fault *fault);
/* Checks and weighs the caller's logits, unless that was done. */
enum status chain_read(struct chain *chain, const float *logits, struct fault *fault);

#endif
