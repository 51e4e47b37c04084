/* Random inputs for tests, and a token's weight computed without the kernels. */
#ifndef LOGITSCOPE_SAMPLE_H
#define LOGITSCOPE_SAMPLE_H

#include <math.h>
#include <stdint.h>

#include "draw.h"
#include "elementary.h"

static struct pcg32 sample_generator;

static inline double sample_uniform(void) { return pcg32_next(&sample_generator) * 0x1p-32; }
static inline uint32_t sample_below(uint32_t n) { return (uint32_t)(sample_uniform() * n); }

enum { SAMPLE_KINDS = 6 };

/* Writes logits of one of SAMPLE_KINDS kinds: smooth, peaked, few values (many ties), all equal,
 * wide, with removed tokens. At least one logit is finite. */
static inline void sample_logits(float *out, size_t n, uint32_t kind) {
    for (size_t i = 0; i < n; i++) {
        double x = sample_uniform() + sample_uniform() + sample_uniform() - 1.5;
        switch (kind) {
        case 0: out[i] = (float)(x * 6); break;
        case 1: out[i] = (float)(x * x * x * 40); break;
        case 2: out[i] = (float)(int)(x * 4) * 0.5f; break;
        case 3: out[i] = -1.25f; break;
        case 4: out[i] = (float)(x * 1e3); break;
        default: out[i] = sample_uniform() < 0.3 && i ? -INFINITY : (float)(x * 5); break;
        }
    }
}

static inline uint64_t plain_weight(float logit, float max) {
    return logit == -INFINITY ? 0 : (uint64_t)floor(ldexp((double)elementary_exp(logit - max), 44));
}

#endif
