/* A list of the few tokens that can survive, so that a draw need not run the chain over the whole
 * vocabulary. Some chains keep only k tokens (top_k, or temperature 0) before any stage reads the
 * mass of all tokens. Then only the k best tokens, their ties and the tokens that a bias or penalty
 * changes can survive. With this short list the chain computes the same bits as with the whole
 * vocabulary. */
#ifndef LOGITSCOPE_SHORTLIST_H
#define LOGITSCOPE_SHORTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warp.h"

enum { SHORTLIST_MAX = 4096 };

/* The listed tokens in ascending order of id, with their raw logits. In `history`, `bias` and
 * `settings`, an id is an index into the list. */
struct shortlist {
    uint32_t n, n_history;
    uint32_t ids[SHORTLIST_MAX];
    float logits[SHORTLIST_MAX];
    uint32_t history[SHORTLIST_MAX];
    struct warp_bias bias[SHORTLIST_MAX];
    struct settings settings;
};

/* Fills the list. Returns false if the chain does not allow a short list, if the list would be
 * longer than SHORTLIST_MAX, or if a logit is NaN or +Infinity. The caller must then use the whole
 * vocabulary. Settings and history must be checked before. Time is linear in vocab_size. `scratch`
 * has room for 2 * vocab_size uint32. */
bool shortlist_make(struct shortlist *list, const float *logits, size_t vocab_size,
                    const struct settings *settings, const uint32_t *history, size_t n_history,
                    uint32_t *scratch);

#endif
