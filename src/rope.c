/* Computes RoPE's frequencies in float64 with elementary.h: all builds give the same bits. */
#include "rope.h"

#include "elementary.h"

static double power(double base, double exponent) {
    return elementary_exp64(exponent * elementary_log(base));
}

/* Returns x rounded down; |x| < 2^31. */
static double floor_of(double x) {
    double whole = (double)(int32_t)x;
    return whole > x ? whole - 1 : whole;
}

static double ceiling_of(double x) { return -floor_of(-x); }

/* Returns the index of the pair that makes `turns` full rotations over the original context (Peng
 * et al. 2023, section 3.2). */
static double pair_with_turns(const struct rope *rope, double turns) {
    const double two_pi = 6.28318530717958647692;
    double turned = (double)rope->original_context / (turns * two_pi);
    return rope->n_rot * elementary_log(turned) / (2 * elementary_log(rope->freq_base));
}

/* Returns how much the factor scales pair i, from 0 (not at all) to 1 (fully). The bounds are
 * rounded outwards, as in the code of YaRN's authors. */
static double scaled_share(const struct rope *rope, uint32_t i) {
    double low = floor_of(pair_with_turns(rope, rope->beta_fast));
    double high = ceiling_of(pair_with_turns(rope, rope->beta_slow)), last = rope->n_rot - 1.0;
    if (low < 0) low = 0;
    if (high > last) high = last;
    double width = high - low > 0.001 ? high - low : 0.001, ramp = (i - low) / width;
    return ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
}

void rope_frequencies(double *out, const struct rope *rope, const float *divisors) {
    for (uint32_t i = 0; i < rope->n_rot / 2; i++) {
        double plain = power(rope->freq_base, -2.0 * i / rope->n_rot);
        double slow = plain / rope->factor, share = rope->yarn ? scaled_share(rope, i) : 1;
        out[i] = share == 1 ? slow : slow * share + plain * (1 - share);
        if (divisors) out[i] /= (double)divisors[i];
    }
}

void rope_local_frequencies(double *out, const struct rope *rope) {
    for (uint32_t i = 0; i < rope->n_rot / 2; i++)
        out[i] = power(rope->local_freq_base, -2.0 * i / rope->n_rot);
}
