/* Random inputs and a naive twin of the sampler: a full sort and plain loops, obviously right. */
#ifndef LOGITSCOPE_SAMPLE_H
#define LOGITSCOPE_SAMPLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "elementary.h"
#include "warp.h"

static struct pcg32 sample_generator;

static inline double sample_uniform(void) {
    return pcg32_next(&sample_generator) * 0x1p-32;
}

static inline uint32_t sample_below(uint32_t n) {
    return (uint32_t)(sample_uniform() * n);
}

enum { SAMPLE_KINDS = 6 };

/* Logits of several characters: smooth, peaked, few values (many ties), all equal, wide, with
 * tokens already removed. At least one is finite. */
static inline void sample_logits(float *logits, size_t n, uint32_t kind) {
    for (size_t i = 0; i < n; i++) {
        double x = sample_uniform() + sample_uniform() + sample_uniform() - 1.5;
        switch (kind) {
        case 0:
            logits[i] = (float)(x * 6);
            break;
        case 1:
            logits[i] = (float)(x * x * x * 40);
            break;
        case 2:
            logits[i] = (float)(int)(x * 4) * 0.5f;
            break;
        case 3:
            logits[i] = -1.25f;
            break;
        case 4:
            logits[i] = (float)(x * 1e3);
            break;
        default:
            logits[i] = sample_uniform() < 0.3 && i ? -INFINITY : (float)(x * 5);
            break;
        }
    }
}

/* Ids in rank order. */
static const float *twin_logits;
static int twin_compare(const void *a, const void *b) {
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (twin_logits[i] != twin_logits[j]) return twin_logits[i] > twin_logits[j] ? -1 : 1;
    return i < j ? -1 : 1;
}

/* Sorts the survivors' ids; returns their number. */
static inline size_t twin_sort(const float *logits, size_t n, uint32_t *ids) {
    size_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (logits[i] != -INFINITY) ids[count++] = i;
    twin_logits = logits;
    qsort(ids, count, sizeof *ids, twin_compare);
    return count;
}

static inline uint64_t twin_weight(float logit, float max) {
    return logit == -INFINITY ? 0 : (uint64_t)floor(ldexp((double)elementary_exp(logit - max), 44));
}

static inline void twin_top_k(float *logits, size_t n, double k, double keep, uint32_t *ids) {
    size_t count = twin_sort(logits, n, ids);
    if (k < keep) k = keep;
    if (k >= (double)count) return;
    float limit = logits[ids[(size_t)k - 1]];
    for (size_t i = 0; i < count; i++)
        if (logits[ids[i]] < limit) logits[ids[i]] = -INFINITY;
}

/* The rule as conventions state it: keep iff the mass strictly before < (p - 2^-20) total, in 128
 * bits. */
static inline void twin_top_p(float *logits, size_t n, double p, double keep, uint32_t *ids) {
    __extension__ typedef unsigned __int128 wide;
    size_t count = twin_sort(logits, n, ids);
    float max = logits[ids[0]];
    uint64_t total = 0, before = 0;
    for (size_t i = 0; i < count; i++) total += twin_weight(logits[ids[i]], max);
    double share = p - 0x1p-20;
    wide limit = share > 0 ? (wide)(uint64_t)(share * 0x1p53) * total : 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t weight = twin_weight(logits[ids[i]], max);
        bool stays = i == 0 || (double)i < keep || ((wide)before << 53) < limit;
        if (!stays) logits[ids[i]] = -INFINITY;
        before += weight;
    }
}

static inline uint32_t twin_draw(const float *logits, size_t n, uint64_t r, uint32_t *ids) {
    __extension__ typedef unsigned __int128 wide;
    size_t count = twin_sort(logits, n, ids);
    float max = logits[ids[0]];
    uint64_t total = 0, cumulative = 0;
    for (size_t i = 0; i < count; i++) total += twin_weight(logits[ids[i]], max);
    uint64_t target = (uint64_t)(((wide)r * total) >> 53);
    uint32_t last = ids[0];
    for (size_t i = 0; i < count; i++) {
        uint64_t weight = twin_weight(logits[ids[i]], max);
        cumulative += weight;
        if (weight) last = ids[i];
        if (cumulative > target) return ids[i];
    }
    return last;
}

#endif
