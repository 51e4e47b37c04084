/* The few tokens that can survive, so that a draw need not run its chain over the vocabulary. If
 * the chain cuts to k tokens (top_k, or temperature 0) before a stage reads the mass of all, only
 * the k best, their ties and the tokens that a bias or penalty touches can survive. On this short
 * list the chain gives the same bits as on the vocabulary. */
#ifndef LOGITSCOPE_SHORTLIST_H
#define LOGITSCOPE_SHORTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warp.h"

enum { SHORTLIST_MAX = 4096 };

/* Tokens in ascending order of id, their logits as the model gave them, and the settings and
 * history with ids that are indices into the list. */
struct shortlist {
    uint32_t n, n_history;
    uint32_t ids[SHORTLIST_MAX];
    float logits[SHORTLIST_MAX];
    uint32_t history[SHORTLIST_MAX];
    struct warp_bias bias[SHORTLIST_MAX];
    struct settings settings;
};

/* Fills the list. False if the chain allows none, if it would be longer than SHORTLIST_MAX, or if a
 * logit is NaN or +Infinity: the caller then reads the whole vocabulary, which reports the logit.
 * Settings and history have been checked. Linear in vocab_size. `scratch` holds vocab_size
 * uint32. */
bool shortlist_make(struct shortlist *list, const float *logits, size_t vocab_size,
                    const struct settings *settings, const uint32_t *history, size_t n_history,
                    uint32_t *scratch);

#endif
