/* Selection in rank order (larger logit first, lower id on a tie) without a full sort: by count, by
 * mass, or the best tokens. Every function takes time linear in n, plus the sorting of the returned
 * ids. A logit of -Infinity means a removed token, which has no rank. */
#ifndef LOGITSCOPE_RANK_H
#define LOGITSCOPE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A token and the number of tokens before it in rank order. */
struct rank_place {
    uint32_t id;
    uint32_t before;
};

/* Returns the number of survivors and sets *max to the largest logit. If a logit is NaN, *max is
 * NaN or the largest of the other logits. */
uint32_t rank_survey(const float *logits, size_t n, float *max);

/* True if a survivor's logit is below `least`; `least` must be negative. */
bool rank_any_below(const float *logits, size_t n, float least);

/* Writes the ids of tokens with logit >= floor or NaN to `ids`, ascending; returns their number. If
 * the number is below n, it may also write one element after them. */
size_t rank_reaching(const float *logits, size_t n, float floor, uint32_t *ids);

/* Returns a logit that at least k >= 1 tokens reach, and rarely many more. The array is divided
 * into more than k sets; the result is the k-th largest maximum of a set, so k sets contain a token
 * that reaches it. Returns -FLT_MAX if the array is too short or fewer than k tokens survive. NaN
 * is ignored. `scratch` has room for n uint32. */
float rank_floor(const float *logits, size_t n, uint32_t k, uint32_t *scratch);

/* Returns the k-th token in rank order, 1 <= k <= survivors. `scratch` has room for n uint32. */
struct rank_place rank_by_count(const float *logits, size_t n, uint32_t k, uint32_t *scratch);

/* Returns the first token in rank order at which the cumulative weight, including this token,
 * reaches `target`, 1 <= target <= total. `weights` come from kernels->weigh; `total` is their
 * sum. */
struct rank_place rank_by_mass(const float *logits, const uint64_t *weights, size_t n,
                               uint64_t total, uint64_t target, uint32_t *scratch);

/* Returns the rank of a surviving token, from 1. */
uint32_t rank_of(const float *logits, size_t n, uint32_t id);

/* Writes the `top` best tokens in rank order to `ids`. Returns their number, which is smaller than
 * `top` if fewer tokens survive. `scratch` has room for n uint32. */
size_t rank_top(const float *logits, size_t n, size_t top, uint32_t *ids, uint32_t *scratch);

#endif
