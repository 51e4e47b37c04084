/* The hash of both watermarks: it gives 32 bits to each token that may follow a context. The
 * samplers choose tokens by these bits, and the detector counts them. In terms of splitmix64
 * (draw.h):
 *
 *   s = splitmix64(splitmix64(key) + 2^32 + tag), tag 1 for the green list, 2 for SynthID
 *   s = splitmix64(s + id)                        for each id of the context, oldest first
 *   bits of a token = the low half of splitmix64(s + id / 2) for an even id, the high one for an
 *                     odd id
 *
 * With green_self, a token's hash depends on the token itself, and the seed depends only on the
 * key:
 *
 *   a(id) = splitmix64(splitmix64(splitmix64(key) + 2^32 + 3) + id)
 *   bits of a token = the low half of splitmix64(m + id), m the least a of token and context
 *
 * A token is green if its bits are below green_fraction 2^32. Bit i of a token's bits is its g in
 * layer i, counted from 0. */
#ifndef LOGITSCOPE_WATERMARK_H
#define LOGITSCOPE_WATERMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw.h"
#include "settings.h"

/* From the bias GREEN_HARD on, only green tokens survive. SYNTHID_LAYERS: most layers to play. */
#define GREEN_HARD 100.0
#define SYNTHID_LAYERS 30

/* The hash of the tokens that may follow one context. */
struct watermark {
    uint64_t seed;
    bool self;      /* green list: true if a token's hash depends on the token itself */
    uint64_t least; /* if `self`: the least a(id) of the context */
    uint32_t last;  /* green list: the largest bits of a green token */
    uint32_t mask;  /* SynthID: bit i is 1 if layer i is used */
};

/* Both functions prepare the hash for the tokens after a history. False if the watermark is off or
 * the history is shorter than the watermark's context. watermark_synthid also returns false if the
 * context occurred earlier in the history. */
bool watermark_green(struct watermark *watermark, const struct settings *settings,
                     const uint32_t *history, size_t n_history);
bool watermark_synthid(struct watermark *watermark, const struct settings *settings,
                       const uint32_t *history, size_t n_history);

/* Returns the bits of a token. Only if watermark->self. */
uint32_t watermark_self_bits(const struct watermark *watermark, uint32_t id);

static inline uint32_t watermark_bits(const struct watermark *watermark, uint32_t id) {
    if (watermark->self) return watermark_self_bits(watermark, id);
    uint64_t pair = splitmix64(watermark->seed + id / 2);
    return (uint32_t)(id & 1 ? pair >> 32 : pair);
}

static inline bool watermark_is_green(const struct watermark *watermark, uint32_t id) {
    return watermark_bits(watermark, id) <= watermark->last;
}

static inline uint32_t watermark_g(const struct watermark *watermark, uint32_t id) {
    return watermark_bits(watermark, id) & watermark->mask;
}

/* Returns the distance from `id`, which follows the context, back to the token that decides its
 * hash; 0 means `id` itself. All occurrences of `id` with the same deciding token get the same
 * color. Only if watermark->self. */
size_t watermark_decider(const struct watermark *watermark, const uint32_t *context, size_t width,
                         uint32_t id);

/* Writes the bits of the n tokens in `ids`; if `ids` is NULL, of tokens 0 .. n - 1. */
void watermark_all(uint32_t *bits, const struct watermark *watermark, const uint32_t *ids,
                   size_t n);

/* Reads a watermark in n ids: the green list if `sampler` is SETTING_GREEN_BIAS, otherwise SynthID.
 * Writes one number per id to found (n,). Green list: bit 0 is 1 if the id is green; with
 * green_self, the other bits are watermark_decider's distance. SynthID: the bits of g. UINT32_MAX
 * if the watermark is off or fewer ids precede the id than the context needs. */
void watermark_read(uint32_t *found, const struct settings *settings, enum setting sampler,
                    const uint32_t *ids, size_t n);

#endif
