/* PCG32, and the draws by inverse CDF and Gumbel-max. */
#include "draw.h"

#include <math.h>

#include "elementary.h"
#include "rank.h"

static const uint64_t PCG_MULTIPLIER = 6364136223846793005u;
enum { STREAM = 54 };

uint32_t pcg32_next(struct pcg32 *generator) {
    uint64_t old = generator->state;
    generator->state = old * PCG_MULTIPLIER + generator->increment;
    uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t rotation = (uint32_t)(old >> 59);
    return (shifted >> rotation) | (shifted << ((32 - rotation) & 31));
}

void pcg32_seed(struct pcg32 *generator, uint64_t initstate, uint64_t initseq) {
    generator->state = 0;
    generator->increment = (initseq << 1) | 1;
    pcg32_next(generator);
    generator->state += initstate;
    pcg32_next(generator);
}

/* Applies the generator's step x -> m x + c `delta` times, by repeated squaring of this map. */
void pcg32_advance(struct pcg32 *generator, uint64_t delta) {
    uint64_t multiplier = PCG_MULTIPLIER, increment = generator->increment;
    uint64_t total_multiplier = 1, total_increment = 0;
    for (; delta; delta >>= 1) {
        if (delta & 1) {
            total_multiplier *= multiplier;
            total_increment = total_increment * multiplier + increment;
        }
        increment = (multiplier + 1) * increment;
        multiplier *= multiplier;
    }
    generator->state = total_multiplier * generator->state + total_increment;
}

uint64_t draw_random(uint64_t seed, uint64_t step) {
    struct pcg32 generator;
    pcg32_seed(&generator, seed, STREAM);
    pcg32_advance(&generator, 2 * step);
    uint64_t a = pcg32_next(&generator);
    uint64_t b = pcg32_next(&generator);
    return (a >> 5 << 26) + (b >> 6);
}

/* Computes a * b = high * 2^64 + low from four products of halves. */
static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low) {
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t bottom = a0 * b0, cross = a1 * b0 + (bottom >> 32);
    uint64_t middle = a0 * b1 + (cross & 0xffffffffu);
    *high = a1 * b1 + (cross >> 32) + (middle >> 32);
    *low = middle << 32 | (bottom & 0xffffffffu);
}

uint64_t draw_scale(uint64_t a, uint64_t b) {
    uint64_t high, low;
    multiply(a, b, &high, &low);
    return high << 11 | low >> 53;
}

uint64_t draw_scale_up(uint64_t a, uint64_t b) {
    uint64_t high, low;
    multiply(a, b, &high, &low);
    return (high << 11 | low >> 53) + ((low & 0x1fffffffffffffu) != 0);
}

uint32_t draw_inverse(const float *logits, const uint64_t *weights, size_t n, uint64_t total,
                      uint64_t r, uint32_t *scratch) {
    return rank_by_mass(logits, weights, n, total, draw_scale(r, total) + 1, scratch).id;
}

uint64_t draw_coin(uint64_t seed, uint64_t step, enum draw_tag tag) {
    const uint64_t beyond_ids = (uint64_t)1 << 32;
    return splitmix64(splitmix64(splitmix64(seed) + step) + beyond_ids + (uint64_t)tag) >> 11;
}

uint32_t draw_gumbel(const float *logits, size_t n, uint64_t seed, uint64_t step) {
    uint64_t key = splitmix64(splitmix64(seed) + step);
    double best = -(double)INFINITY;
    uint32_t id = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (logits[i] == -INFINITY) continue;
        uint64_t k = splitmix64(key + i) >> 11;
        double noise = -elementary_log(-elementary_log(((double)k + 0.5) * 0x1p-53));
        double score = (double)logits[i] + noise;
        if (score > best) {
            best = score;
            id = i;
        }
    }
    return id;
}
