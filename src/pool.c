/* build: -O2 */
/* Loops over a pool or over the whole vocabulary. Those over the vocabulary have no branch. */
#include "pool.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "loop.h"
#include "rank.h"

static void shrink_vocabulary(struct pool *to, const struct pool *from) {
    to->n = rank_reaching(from->logits, from->n, -FLT_MAX, to->ids);
    for (size_t i = 0; i < to->n; i++) {
        to->logits[i] = from->logits[to->ids[i]];
        to->weights[i] = from->weights[to->ids[i]];
    }
}

/* The loop has no branch, because the processor cannot predict which tokens survive. */
static void shrink_pool(struct pool *to, const struct pool *from) {
    size_t found = 0;
    for (size_t i = 0; i < from->n; i++) {
        float logit = from->logits[i];
        to->ids[found] = from->ids[i];
        to->weights[found] = from->weights[i];
        to->logits[found] = logit;
        found += logit != -INFINITY;
    }
    to->n = found;
}

void pool_shrink(struct pool *to, const struct pool *from) {
    if (from->ids)
        shrink_pool(to, from);
    else
        shrink_vocabulary(to, from);
}

uint64_t pool_drop_weights(struct pool *pool) {
    uint64_t mass = 0;
    VECTOR
    for (size_t i = 0; i < pool->n; i++) {
        uint64_t weight = pool->weights[i];
        pool->weights[i] = pool->logits[i] == -INFINITY ? 0 : weight;
        mass += weight - pool->weights[i];
    }
    return mass;
}

/* Returns 1 if the bits of two logits differ; 0 and -0 differ. */
static uint32_t differs(float a, float b) {
    uint32_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x != y;
}

uint32_t pool_count_changed(const struct pool *pool, const float *before) {
    const float *now = pool->logits;
    uint32_t changed = 0;
    if (pool->ids) {
        for (size_t i = 0; i < pool->n; i++)
            changed += differs(now[i], before[pool->ids[i]]) & (now[i] != -INFINITY);
    } else {
        VECTOR
        for (size_t i = 0; i < pool->n; i++)
            changed += differs(now[i], before[i]) & (now[i] != -INFINITY);
    }
    return changed;
}
