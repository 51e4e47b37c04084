/* The angles of rotary position embedding (Su et al. 2021, RoFormer) and the ways of stretching
 * them over longer contexts. */
#ifndef LOGITSCOPE_ROPE_H
#define LOGITSCOPE_ROPE_H

#include <stdbool.h>
#include <stdint.h>

struct rope {
    uint32_t n_rot; /* rotated elements of a head, even; 0: none */
    double freq_base;
    double local_freq_base; /* freq_base of layers with a window, never stretched; 0: freq_base */
    double factor;          /* divides the angles (Chen et al. 2023) */
    bool yarn;              /* the factor divides only slow angles (Peng et al. 2023) */
    double beta_fast, beta_slow;
    uint32_t original_context; /* context before stretching, for YaRN and LongRoPE */
    double magnitude;          /* factor of cosines and sines */
};

/* out (n_rot / 2,): radians per position for each pair. `divisors` (n_rot / 2,) or NULL; each is at
 * least ROPE_DIVISOR_MIN, so that elementary_sin is accurate for every angle. */
void rope_frequencies(double *out, const struct rope *rope, const float *divisors);

/* Frequencies of layers with a window, if local_freq_base is not 0. */
void rope_local_frequencies(double *out, const struct rope *rope);

#define ROPE_DIVISOR_MIN 0.9f
#define ROPE_DIVISOR_MAX 1e6f

#endif
