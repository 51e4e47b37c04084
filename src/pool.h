/* The tokens that a chain still works on: the whole vocabulary, or only the survivors, ascending by
 * id. A stage that suits a pool (stage.h) computes the same bits with either. */
#ifndef LOGITSCOPE_POOL_H
#define LOGITSCOPE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool {
    size_t n;
    float *logits;     /* (n,) */
    uint64_t *weights; /* (n,) */
    uint32_t *ids;     /* (n,); NULL for the whole vocabulary */
};

static inline uint32_t pool_id(const struct pool *pool, size_t i) {
    return pool->ids ? pool->ids[i] : (uint32_t)i;
}

/* True if so few tokens survive that a smaller pool saves time. */
static inline bool pool_is_sparse(const struct pool *pool, uint32_t kept) {
    return kept < pool->n / 4;
}

/* Copies the survivors of `from` into the arrays of `to`, which may be the arrays of `from`. The
 * arrays of `to` need room for the survivors and one more entry. */
void pool_shrink(struct pool *to, const struct pool *from);

/* Sets the weights of removed tokens to 0 and returns the sum of these weights. */
uint64_t pool_drop_weights(struct pool *pool);

/* Counts the survivors whose logits differ from `before` (vocab_size,). */
uint32_t pool_count_changed(const struct pool *pool, const float *before);

#endif
