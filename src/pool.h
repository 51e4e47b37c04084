/* The tokens that a chain still looks at: the whole vocabulary, or after a cut the few that were
 * left, ascending by id. A stage that suits it (stage.h) gives the same bits on either. */
#ifndef LOGITSCOPE_POOL_H
#define LOGITSCOPE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool {
    size_t n;
    float *logits;     /* (n,) */
    uint64_t *weights; /* (n,) */
    uint32_t *ids;     /* (n,), NULL for the whole vocabulary */
};

static inline uint32_t pool_id(const struct pool *pool, size_t i) {
    return pool->ids ? pool->ids[i] : (uint32_t)i;
}

/* Few enough that a pool of their own pays for itself. */
static inline bool pool_is_sparse(const struct pool *pool, uint32_t kept) {
    return kept < pool->n / 4;
}

/* Copies the survivors of `from` into the arrays of `to`, which may be those of `from` and need
 * room for one more than there are. */
void pool_shrink(struct pool *to, const struct pool *from);

/* Takes the weight of the removed out and returns it; what was removed before has none. */
uint64_t pool_drop_weights(struct pool *pool);

/* How many survivors' logits differ from `before` (vocab_size,). */
uint32_t pool_count_changed(const struct pool *pool, const float *before);

#endif
