/* The watermarks' hash, which marks a text and detects the mark: 32 bits for each token that may
 * follow a context. In splitmix64's terms (draw.h)
 *
 *   s = splitmix64(splitmix64(key) + 2^32 + tag), tag 1 for the green list, 2 for SynthID
 *   s = splitmix64(s + id)                        for each id of the context, oldest first
 *   bits of a token = the low half of splitmix64(s + id / 2) for an even id, the high one for an
 *                     odd id
 *
 * With green_self the green list's token takes part in its own hash, with the key's seed alone:
 *
 *   a(id) = splitmix64(splitmix64(splitmix64(key) + 2^32 + 3) + id)
 *   bits of a token = the low half of splitmix64(m + id), m the least a of token and context
 *
 * A token is green where its bits are below green_fraction 2^32; its g of layer i, from 0, is bit
 * i. */
#ifndef LOGITSCOPE_MARK_H
#define LOGITSCOPE_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw.h"
#include "settings.h"

/* The bias from which the green list is hard; and the layers of SynthID's tournament at most. */
#define GREEN_HARD 100.0
#define SYNTHID_LAYERS 30

/* What follows one context. */
struct mark {
    uint64_t seed;
    bool self;      /* green: whether the token itself is among those that decide, */
    uint64_t least; /* then the least a of the context */
    uint32_t last;  /* green: the largest bits that are */
    uint32_t mask;  /* SynthID: the bits of the layers that there are */
};

/* The green list and SynthID's g after a history; false where the mark is off or the history is
 * shorter than its context, and SynthID's where the same context stood before in it. */
bool mark_green(struct mark *mark, const struct settings *settings, const uint32_t *history,
                size_t n_history);
bool mark_synthid(struct mark *mark, const struct settings *settings, const uint32_t *history,
                  size_t n_history);

/* The bits of a token where `self` is. */
uint32_t mark_self_bits(const struct mark *mark, uint32_t id);

static inline uint32_t mark_bits(const struct mark *mark, uint32_t id) {
    if (mark->self) return mark_self_bits(mark, id);
    uint64_t pair = splitmix64(mark->seed + id / 2);
    return (uint32_t)(id & 1 ? pair >> 32 : pair);
}

static inline bool mark_is_green(const struct mark *mark, uint32_t id) {
    return mark_bits(mark, id) <= mark->last;
}

static inline uint32_t mark_g(const struct mark *mark, uint32_t id) {
    return mark_bits(mark, id) & mark->mask;
}

/* How many tokens before the successor `id` of a context stands the one that decides, 0: itself. Of
 * one that decides and one successor all are green, or none. For a mark with `self`. */
size_t mark_decider(const struct mark *mark, const uint32_t *context, size_t width, uint32_t id);

/* The bits of n tokens: of ids, or for NULL of 0 .. n - 1. */
void mark_all(uint32_t *bits, const struct mark *mark, const uint32_t *ids, size_t n);

#endif
