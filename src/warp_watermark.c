/* build: -O2 */
/* The watermark samplers: the green list, and SynthID's tournament over the whole distribution. */
#include "elementary.h"
#include "loop.h"
#include "warp_part.h"
#include "watermark.h"

/* A round plays BITS layers. In a round, a token's factor depends only on BITS bits of its g, so
 * 1024 masses represent the vocabulary. */
enum { BITS = 10, PATTERNS = 1 << BITS, ROUNDS = SYNTHID_LAYERS / BITS };

/* Removes tokens that are not green, unless no survivor is green. */
static void keep_green(float *logits, const struct warp_input *input, uint32_t last) {
    const uint32_t *bits = input->scratch;
    uint32_t any = 0;
    VECTOR
    for (size_t i = 0; i < input->vocab_size; i++)
        any |= (logits[i] != -INFINITY) & (bits[i] <= last);
    if (!any) return;
    VECTOR
    for (size_t i = 0; i < input->vocab_size; i++)
        logits[i] = bits[i] <= last ? logits[i] : -INFINITY;
}

void warp_green_list(float *logits, const struct warp_input *input) {
    double bias = value_of(input, SETTING_GREEN_BIAS);
    const uint32_t *bits = input->scratch;
    struct watermark watermark;
    if (!watermark_green(&watermark, input->settings, input->history, input->n_history)) return;
    watermark_all(input->scratch, &watermark, input->ids, input->vocab_size);
    if (bias >= GREEN_HARD) {
        keep_green(logits, input, watermark.last);
        return;
    }
    VECTOR
    for (size_t i = 0; i < input->vocab_size; i++) {
        bool lifts = (logits[i] != -INFINITY) & (bits[i] <= watermark.last);
        float lifted = to_float((double)logits[i] + bias);
        logits[i] = lifts ? lifted : logits[i];
    }
}

/* Plays `layers` layers of the tournament over the masses of the patterns, and writes the factor of
 * each pattern. A match draws two candidates. The candidate with the larger g wins; on a tie, the
 * first candidate. So a candidate with g = 0 wins only against another g = 0. */
static OUTLINED void play_layers(double factor[PATTERNS], const double mass[PATTERNS],
                                 uint32_t layers) {
    for (uint32_t p = 0; p < PATTERNS; p++) factor[p] = 1;
    for (uint32_t layer = 0; layer < layers; layer++) {
        const uint32_t bit = 1u << layer;
        double without = 0, with = 0;
        for (uint32_t block = 0; block < PATTERNS; block += 2 * bit)
            for (uint32_t p = block; p < block + bit; p++) {
                without += mass[p] * factor[p];
                with += mass[p + bit] * factor[p + bit];
            }
        double like = without / (without + with);
        if (like < 0x1p-100) like = 0x1p-100; /* so that no factor is 0 */
        for (uint32_t block = 0; block < PATTERNS; block += 2 * bit)
            for (uint32_t p = block; p < block + bit; p++) {
                factor[p] *= like;
                factor[p + bit] *= 1 + like;
            }
    }
}

/* Sums the weights of each pattern in a round, multiplied by the factors of earlier rounds. */
static inline ALWAYS void sum_patterns(double mass[PATTERNS], double factor[ROUNDS][PATTERNS],
                                       uint32_t round, const struct warp_input *input) {
    const uint32_t *g = input->scratch;
    for (uint32_t p = 0; p < PATTERNS; p++) mass[p] = 0;
    for (size_t i = 0; i < input->vocab_size; i++) {
        double weight = (double)(int64_t)input->weights[i];
        if (round > 0) weight *= factor[0][g[i] % PATTERNS];
        if (round > 1) weight *= factor[1][(g[i] >> BITS) % PATTERNS];
        mass[(g[i] >> BITS * round) % PATTERNS] += weight;
    }
}

void warp_synthid(float *logits, const struct warp_input *input) {
    double factor[ROUNDS][PATTERNS], mass[PATTERNS];
    uint32_t *g = input->scratch, depth = (uint32_t)value_of(input, SETTING_SYNTHID_DEPTH);
    struct watermark watermark;
    if (!watermark_synthid(&watermark, input->settings, input->history, input->n_history)) return;
    watermark_all(g, &watermark, input->ids, input->vocab_size);
    UNROLL
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t played = BITS * round, left = depth > played ? depth - played : 0;
        if (left) sum_patterns(mass, factor, round, input);
        play_layers(factor[round], mass, left < BITS ? left : BITS);
    }
    for (uint32_t i = 0; i < ROUNDS * PATTERNS; i++)
        factor[i / PATTERNS][i % PATTERNS] = elementary_log(factor[i / PATTERNS][i % PATTERNS]);
    for (size_t i = 0; i < input->vocab_size; i++) {
        double shift = factor[0][g[i] % PATTERNS] + factor[1][(g[i] >> BITS) % PATTERNS] +
                       factor[2][(g[i] >> 2 * BITS) % PATTERNS];
        float moved = (float)((double)logits[i] + shift); /* to_float, with a rare branch */
        if (fabsf(moved) <= FLT_MAX)
            logits[i] = moved;
        else if (logits[i] != -INFINITY)
            logits[i] = copysignf(FLT_MAX, moved);
    }
}
