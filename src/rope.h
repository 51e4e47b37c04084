/* The angles of rotary position embedding (Su et al. 2021, RoFormer) and the ways of stretching
 * them over longer contexts. */
#ifndef LOGITSCOPE_ROPE_H
#define LOGITSCOPE_ROPE_H

#include <stdbool.h>
#include <stdint.h>

struct rope {
    uint32_t n_rot; /* rotated elements of a head, even; 0: none */
    double freq_base;
    double
        local_freq_base; /* of layers with a window, never stretched; 0: they turn as the others */
    double factor;       /* angles are divided by it (Chen et al. 2023) */
    bool yarn;           /* only the slow ones are (Peng et al. 2023) */
    double beta_fast, beta_slow;
    uint32_t original_context; /* that YaRN, or the short factors of LongRoPE, were made for */
    double magnitude;          /* of cosines and sines */
};

/* out (n_rot / 2,): radians a position of each pair. `divisors` (n_rot / 2,) or NULL, each at least
 * ROPE_DIVISOR_MIN: no angle then leaves the range in which elementary_sin is accurate. */
void rope_frequencies(double *out, const struct rope *rope, const float *divisors);

/* The same for layers with a window, where local_freq_base is given. */
void rope_local_frequencies(double *out, const struct rope *rope);

#define ROPE_DIVISOR_MIN 0.9f
#define ROPE_DIVISOR_MAX 1e6f

#endif
