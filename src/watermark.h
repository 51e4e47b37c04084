/* The hash of both watermarks: 32 bits for each token that may follow a context. The samplers
 * choose tokens by these bits, and the detector counts them. In terms of splitmix64 (draw.h):
 *
 *   s = splitmix64(splitmix64(key) + 2^32 + tag), tag 1 for the green list, 2 for SynthID
 *   s = splitmix64(s + id)                        for each id of the context, oldest first
 *   bits of a token = the low half of splitmix64(s + id / 2) for an even id, the high one for an
 *                     odd id
 *
 * With green_self, the token itself takes part in its hash, and the seed depends only on the key:
 *
 *   a(id) = splitmix64(splitmix64(splitmix64(key) + 2^32 + 3) + id)
 *   bits of a token = the low half of splitmix64(m + id), m the least a of token and context
 *
 * A token is green if its bits are below green_fraction 2^32. Bit i is its g of layer i, counted
 * from 0. */
#ifndef LOGITSCOPE_WATERMARK_H
#define LOGITSCOPE_WATERMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw.h"
#include "settings.h"

/* From this bias on, only green tokens survive. SYNTHID_LAYERS: the most layers of a tournament. */
#define GREEN_HARD 100.0
#define SYNTHID_LAYERS 30

/* The hash of the tokens that may follow one context. */
struct watermark {
    uint64_t seed;
    bool self;      /* green list: the token itself takes part in its hash */
    uint64_t least; /* with `self`: the least a of the context */
    uint32_t last;  /* green list: the largest bits of a green token */
    uint32_t mask;  /* SynthID: one bit for each layer in use */
};

/* Prepare the hash after a history. False if the watermark is off or the history is shorter than
 * its context; for SynthID also if the same context occurred earlier in the history. */
bool watermark_green(struct watermark *watermark, const struct settings *settings,
                     const uint32_t *history, size_t n_history);
bool watermark_synthid(struct watermark *watermark, const struct settings *settings,
                       const uint32_t *history, size_t n_history);

/* The bits of a token, with `self`. */
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

/* Returns the distance from the successor `id` of a context back to the token that decides its
 * hash; 0 is `id` itself. Occurrences of `id` that share a decider are all green or all not. Needs
 * `self`. */
size_t watermark_decider(const struct watermark *watermark, const uint32_t *context, size_t width,
                         uint32_t id);

/* The bits of n tokens: of `ids`, or of 0 .. n - 1 if `ids` is NULL. */
void watermark_all(uint32_t *bits, const struct watermark *watermark, const uint32_t *ids,
                   size_t n);

/* Reads the watermark `sampler` (SETTING_GREEN_BIAS or another value for SynthID) in n ids, each as
 * the successor of the ids before it. Green list: bit 0 says green; with green_self, the other bits
 * are the distance back to the token that decides. SynthID: the bits of g. UINT32_MAX if fewer ids
 * precede than the context has. */
void watermark_read(uint32_t *found, const struct settings *settings, enum setting sampler,
                    const uint32_t *ids, size_t n);

#endif
