/* The angles of rotary position embedding (Su et al. 2021), and their scaling to long contexts. */
#ifndef LOGITSCOPE_ROPE_H
#define LOGITSCOPE_ROPE_H

#include <stdbool.h>
#include <stdint.h>

struct rope {
    uint32_t n_rot; /* rotated elements of a head, even; 0: none */
    double freq_base;
    double local_freq_base; /* freq_base of layers with a window, never scaled; 0: use freq_base */
    double factor;          /* divides the angles (Chen et al. 2023) */
    bool yarn;              /* true if the factor divides only slow angles (Peng et al. 2023) */
    double beta_fast, beta_slow;
    uint32_t original_context; /* context before scaling, for YaRN and LongRoPE */
    double magnitude;          /* factor of cosines and sines */
};

/* Writes radians per position for each pair to out (n_rot / 2,). `divisors` is (n_rot / 2,) or
 * NULL. Each divisor is at least ROPE_DIVISOR_MIN, so elementary_sin is accurate. */
void rope_frequencies(double *out, const struct rope *rope, const float *divisors);

/* Like rope_frequencies, for layers with a window; local_freq_base must not be 0. */
void rope_local_frequencies(double *out, const struct rope *rope);

#define ROPE_DIVISOR_MIN 0.9f
#define ROPE_DIVISOR_MAX 1e6f

#endif
