/* Selection in rank order (larger logit first, lower id on a tie) without a full sort: by count, by
 * mass, and the head of the list. Every routine is linear in n but for the short list it returns.
 * A logit of -Infinity is a removed token and has no rank. */
#ifndef LOGITSCOPE_RANK_H
#define LOGITSCOPE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in rank order: the token there and how many come before it. */
struct rank_place {
    uint32_t id;
    uint32_t before;
};

/* Returns the number of survivors; `max` gets the largest logit. If a logit is NaN, `max` is NaN or
 * the largest of the other logits. */
uint32_t rank_survey(const float *logits, size_t n, float *max);

/* True if a survivor lies below `least`, which is negative. */
bool rank_any_below(const float *logits, size_t n, float least);

/* Writes the ids of tokens with logit >= floor, and of NaN, ascending, to `ids`; returns their
 * number. May also write one element after them, if the number is below n. */
size_t rank_reaching(const float *logits, size_t n, float floor, uint32_t *ids);

/* Returns a logit that at least k tokens reach, k from 1, and rarely many more. The array is cut
 * into more than k sets; each of the k best sets has a token that reaches the least of their
 * maxima. Returns -FLT_MAX if the array is too short or fewer than k tokens survive. NaN is
 * ignored. `scratch` holds n uint32. */
float rank_floor(const float *logits, size_t n, uint32_t k, uint32_t *scratch);

/* The k-th token in rank order, k from 1, at most the number of survivors. `scratch` holds n
 * uint32. */
struct rank_place rank_by_count(const float *logits, size_t n, uint32_t k, uint32_t *scratch);

/* The first token in rank order whose cumulative weight, its own included, reaches `target`
 * (1 <= target <= total, the sum of weights). kernels->weigh computes the weights. */
struct rank_place rank_by_mass(const float *logits, const uint64_t *weights, size_t n,
                               uint64_t total, uint64_t target, uint32_t *scratch);

/* The rank of a surviving token, from 1. */
uint32_t rank_of(const float *logits, size_t n, uint32_t id);

/* The best `top` tokens in rank order into ids; returns how many there are (fewer if fewer
 * survive). `scratch` holds n uint32. */
size_t rank_top(const float *logits, size_t n, size_t top, uint32_t *ids, uint32_t *scratch);

#endif
