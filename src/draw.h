/* Randomness and the draw: PCG32, inverse CDF over integer weights, Gumbel-max. Every random number
 * is a pure function of (seed, step), so a timeline can be rewound and branched without a stored
 * state. */
#ifndef LOGITSCOPE_DRAW_H
#define LOGITSCOPE_DRAW_H

#include <stddef.h>
#include <stdint.h>

/* PCG32 (XSH-RR 64/32). O'Neill 2014. */
struct pcg32 {
    uint64_t state, increment;
};
void pcg32_seed(struct pcg32 *generator, uint64_t initstate, uint64_t initseq);
uint32_t pcg32_next(struct pcg32 *generator);
/* Skips `delta` outputs in O(log delta). Brown 1994. */
void pcg32_advance(struct pcg32 *generator, uint64_t delta);

/* Returns splitmix64's output for the state x: an increment, then a mix. Steele et al. 2014. */
static inline uint64_t splitmix64(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Returns the 53 random bits r of a step: (a >> 5) * 2^26 + (b >> 6). a and b are outputs 2 * step
 * and 2 * step + 1 of PCG32 seeded with (seed, 54). u = r * 2^-53. */
uint64_t draw_random(uint64_t seed, uint64_t step);

/* Returns 53 random bits for a decision other than the draw: the top bits of
 * splitmix64(splitmix64(splitmix64(seed) + step) + 2^32 + tag). 2^32 is above every id, so
 * draw_gumbel never uses these bits. */
enum draw_tag { DRAW_XTC, DRAW_ACCEPT, DRAW_RESIDUAL };
uint64_t draw_coin(uint64_t seed, uint64_t step, enum draw_tag tag);

/* Returns the first token in rank order with a cumulative weight above floor(r * total / 2^53).
 * `total` is the sum of weights and positive; r < 2^53; `scratch` has room for n uint32. */
uint32_t draw_inverse(const float *logits, const uint64_t *weights, size_t n, uint64_t total,
                      uint64_t r, uint32_t *scratch);

/* Returns the token with the largest logit + noise, lowest id on a tie. Noise is -log(-log((k +
 * 1/2) 2^-53)), k the top 53 bits of splitmix64(splitmix64(splitmix64(seed) + step) + id). Maddison
 * et al. 2014. */
uint32_t draw_gumbel(const float *logits, size_t n, uint64_t seed, uint64_t step);

/* Returns floor(a * b / 2^53), exactly, for a <= 2^53 and b < 2^63. */
uint64_t draw_scale(uint64_t a, uint64_t b);
/* Returns ceil(a * b / 2^53), exactly, for a <= 2^53 and b < 2^63. */
uint64_t draw_scale_up(uint64_t a, uint64_t b);

#endif
